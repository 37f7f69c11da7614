// SPDX-License-Identifier: Apache-2.0
// nvcuda::wmma: matrix fragments of a warp, as PTX's wmma instructions load, multiply and store them.
//
// Fragments lie as the model's wmma has them: the same for both layouts in memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

// What a fragment of so many 32-bit registers holds.
template <class Element, int Elements>
struct __warpfold_fragment {
  enum { num_elements = Elements, num_storage_elements = Elements };
  typedef Element element_type;
  typedef Element storage_element_type;
  Element x[Elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
struct fragment;

#define WARPFOLD_FACTOR(Use, m, n, k, T, Element, elements) \
  template <typename Layout>                                \
  struct fragment<Use, m, n, k, T, Layout> : __warpfold_fragment<Element, elements> {};
#define WARPFOLD_SUMS(m, n, k, T, elements) \
  template <>                               \
  struct fragment<accumulator, m, n, k, T, void> : __warpfold_fragment<T, elements> {};
WARPFOLD_FACTOR(matrix_a, 16, 16, 16, __half, __half, 16)
WARPFOLD_FACTOR(matrix_b, 16, 16, 16, __half, __half, 16)
WARPFOLD_SUMS(16, 16, 16, float, 8)
WARPFOLD_SUMS(16, 16, 16, __half, 8)
WARPFOLD_SUMS(16, 16, 16, int, 8)
WARPFOLD_FACTOR(matrix_a, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, 8)
WARPFOLD_FACTOR(matrix_b, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, 8)
WARPFOLD_FACTOR(matrix_a, 16, 16, 16, signed char, signed char, 8)
WARPFOLD_FACTOR(matrix_b, 16, 16, 16, signed char, signed char, 8)
WARPFOLD_FACTOR(matrix_a, 16, 16, 16, unsigned char, unsigned char, 8)
WARPFOLD_FACTOR(matrix_b, 16, 16, 16, unsigned char, unsigned char, 8)
WARPFOLD_FACTOR(matrix_a, 32, 8, 16, __half, __half, 16)
WARPFOLD_FACTOR(matrix_b, 32, 8, 16, __half, __half, 16)
WARPFOLD_SUMS(32, 8, 16, float, 8)
WARPFOLD_SUMS(32, 8, 16, __half, 8)
WARPFOLD_SUMS(32, 8, 16, int, 8)
WARPFOLD_FACTOR(matrix_a, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, 16)
WARPFOLD_FACTOR(matrix_b, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, 4)
WARPFOLD_FACTOR(matrix_a, 32, 8, 16, signed char, signed char, 16)
WARPFOLD_FACTOR(matrix_b, 32, 8, 16, signed char, signed char, 4)
WARPFOLD_FACTOR(matrix_a, 32, 8, 16, unsigned char, unsigned char, 16)
WARPFOLD_FACTOR(matrix_b, 32, 8, 16, unsigned char, unsigned char, 4)
WARPFOLD_FACTOR(matrix_a, 8, 32, 16, __half, __half, 16)
WARPFOLD_FACTOR(matrix_b, 8, 32, 16, __half, __half, 16)
WARPFOLD_SUMS(8, 32, 16, float, 8)
WARPFOLD_SUMS(8, 32, 16, __half, 8)
WARPFOLD_SUMS(8, 32, 16, int, 8)
WARPFOLD_FACTOR(matrix_a, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, 4)
WARPFOLD_FACTOR(matrix_b, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, 16)
WARPFOLD_FACTOR(matrix_a, 8, 32, 16, signed char, signed char, 4)
WARPFOLD_FACTOR(matrix_b, 8, 32, 16, signed char, signed char, 16)
WARPFOLD_FACTOR(matrix_a, 8, 32, 16, unsigned char, unsigned char, 4)
WARPFOLD_FACTOR(matrix_b, 8, 32, 16, unsigned char, unsigned char, 16)
WARPFOLD_FACTOR(matrix_a, 16, 16, 8, precision::tf32, float, 4)
WARPFOLD_FACTOR(matrix_b, 16, 16, 8, precision::tf32, float, 4)
WARPFOLD_SUMS(16, 16, 8, float, 8)
WARPFOLD_FACTOR(matrix_a, 8, 8, 4, double, double, 1)
WARPFOLD_FACTOR(matrix_b, 8, 8, 4, double, double, 1)
WARPFOLD_SUMS(8, 8, 4, double, 2)
#undef WARPFOLD_FACTOR
#undef WARPFOLD_SUMS

template <class Element, int Elements, class Value>
__device__ inline void fill_fragment(__warpfold_fragment<Element, Elements>& f, const Value& value) {
  for (int i = 0; i < Elements; ++i) f.x[i] = value;
}

__device__ inline float __float_to_tf32(float value) {
  unsigned bits;
  __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits);
}

// --- Registers of a fragment ---

template <int Registers, class Element, int Elements>
__device__ inline void __warpfold_get(unsigned (&r)[Registers], const __warpfold_fragment<Element, Elements>& f) {
  static_assert(sizeof r == sizeof f.x, "all of the fragment");
  __builtin_memcpy(r, f.x, sizeof r);
}
template <int Registers, class Element, int Elements>
__device__ inline void __warpfold_put(__warpfold_fragment<Element, Elements>& f, const unsigned (&r)[Registers]) {
  static_assert(sizeof r == sizeof f.x, "all of the fragment");
  __builtin_memcpy(f.x, r, sizeof r);
}

#define WARPFOLD_OUT1(r) "=r"(r[0])
#define WARPFOLD_OUT2(r) "=r"(r[0]), "=r"(r[1])
#define WARPFOLD_OUT4(r) WARPFOLD_OUT2(r), "=r"(r[2]), "=r"(r[3])
#define WARPFOLD_OUT8(r) WARPFOLD_OUT4(r), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
#define WARPFOLD_IN1(r) "r"(r[0])
#define WARPFOLD_IN2(r) "r"(r[0]), "r"(r[1])
#define WARPFOLD_IN4(r) WARPFOLD_IN2(r), "r"(r[2]), "r"(r[3])
#define WARPFOLD_IN8(r) WARPFOLD_IN4(r), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7])

// --- Loads and stores ---

#define WARPFOLD_LOAD(Use, which, m, n, k, T, Pointer, type, Layout, layout, count, places)                          \
  __device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f, const Pointer* p, unsigned stride) { \
    unsigned r[count];                                                                                               \
    __asm__ volatile("wmma.load." which ".sync.aligned." layout ".m" #m "n" #n "k" #k "." type " " places            \
                     : WARPFOLD_OUT##count(r)                                                                        \
                     : "l"(p), "r"(stride)                                                                           \
                     : "memory");                                                                                    \
    __warpfold_put(f, r);                                                                                            \
  }
#define WARPFOLD_LOADS(Use, which, m, n, k, T, Pointer, type, count, places)            \
  WARPFOLD_LOAD(Use, which, m, n, k, T, Pointer, type, row_major, "row", count, places) \
  WARPFOLD_LOAD(Use, which, m, n, k, T, Pointer, type, col_major, "col", count, places)
#define WARPFOLD_SUMS_IN(m, n, k, T, type, count, places, layout)                               \
  __asm__ volatile("wmma.load.c.sync.aligned." layout ".m" #m "n" #n "k" #k "." type " " places \
                   : WARPFOLD_OUT##count(r)                                                     \
                   : "l"(p), "r"(stride)                                                        \
                   : "memory")
#define WARPFOLD_SUMS_OUT(m, n, k, T, type, count, places, layout)                               \
  __asm__ volatile("wmma.store.d.sync.aligned." layout ".m" #m "n" #n "k" #k "." type " " places \
                   :                                                                             \
                   : "l"(p), "r"(stride), WARPFOLD_IN##count(r)                                  \
                   : "memory")
#define WARPFOLD_MOVE_SUMS(m, n, k, T, type, count, load_places, store_places)                                \
  __device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned stride,  \
                                          layout_t layout) {                                                  \
    unsigned r[count];                                                                                        \
    if (layout == mem_row_major) {                                                                            \
      WARPFOLD_SUMS_IN(m, n, k, T, type, count, load_places, "row");                                          \
    } else {                                                                                                  \
      WARPFOLD_SUMS_IN(m, n, k, T, type, count, load_places, "col");                                          \
    }                                                                                                         \
    __warpfold_put(f, r);                                                                                     \
  }                                                                                                           \
  __device__ inline void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned stride, \
                                           layout_t layout) {                                                 \
    unsigned r[count];                                                                                        \
    __warpfold_get(r, f);                                                                                     \
    if (layout == mem_row_major) {                                                                            \
      WARPFOLD_SUMS_OUT(m, n, k, T, type, count, store_places, "row");                                        \
    } else {                                                                                                  \
      WARPFOLD_SUMS_OUT(m, n, k, T, type, count, store_places, "col");                                        \
    }                                                                                                         \
  }
WARPFOLD_LOADS(matrix_a, "a", 16, 16, 16, __half, __half, "f16", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;")
WARPFOLD_LOADS(matrix_b, "b", 16, 16, 16, __half, __half, "f16", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;")
WARPFOLD_LOADS(matrix_a, "a", 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 4, "{%0, %1, %2, %3}, [%4], %5;")
WARPFOLD_LOADS(matrix_b, "b", 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 4, "{%0, %1, %2, %3}, [%4], %5;")
WARPFOLD_LOADS(matrix_a, "a", 16, 16, 16, signed char, signed char, "s8", 2, "{%0, %1}, [%2], %3;")
WARPFOLD_LOADS(matrix_b, "b", 16, 16, 16, signed char, signed char, "s8", 2, "{%0, %1}, [%2], %3;")
WARPFOLD_LOADS(matrix_a, "a", 16, 16, 16, unsigned char, unsigned char, "u8", 2, "{%0, %1}, [%2], %3;")
WARPFOLD_LOADS(matrix_b, "b", 16, 16, 16, unsigned char, unsigned char, "u8", 2, "{%0, %1}, [%2], %3;")
WARPFOLD_MOVE_SUMS(16, 16, 16, float, "f32", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;",
                   "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;")
WARPFOLD_MOVE_SUMS(16, 16, 16, __half, "f16", 4, "{%0, %1, %2, %3}, [%4], %5;", "[%0], {%2, %3, %4, %5}, %1;")
WARPFOLD_MOVE_SUMS(16, 16, 16, int, "s32", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;",
                   "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;")
WARPFOLD_LOADS(matrix_a, "a", 32, 8, 16, __half, __half, "f16", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;")
WARPFOLD_LOADS(matrix_b, "b", 32, 8, 16, __half, __half, "f16", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;")
WARPFOLD_LOADS(matrix_a, "a", 32, 8, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 8,
               "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;")
WARPFOLD_LOADS(matrix_b, "b", 32, 8, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 2, "{%0, %1}, [%2], %3;")
WARPFOLD_LOADS(matrix_a, "a", 32, 8, 16, signed char, signed char, "s8", 4, "{%0, %1, %2, %3}, [%4], %5;")
WARPFOLD_LOADS(matrix_b, "b", 32, 8, 16, signed char, signed char, "s8", 1, "{%0}, [%1], %2;")
WARPFOLD_LOADS(matrix_a, "a", 32, 8, 16, unsigned char, unsigned char, "u8", 4, "{%0, %1, %2, %3}, [%4], %5;")
WARPFOLD_LOADS(matrix_b, "b", 32, 8, 16, unsigned char, unsigned char, "u8", 1, "{%0}, [%1], %2;")
WARPFOLD_MOVE_SUMS(32, 8, 16, float, "f32", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;",
                   "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;")
WARPFOLD_MOVE_SUMS(32, 8, 16, __half, "f16", 4, "{%0, %1, %2, %3}, [%4], %5;", "[%0], {%2, %3, %4, %5}, %1;")
WARPFOLD_MOVE_SUMS(32, 8, 16, int, "s32", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;",
                   "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;")
WARPFOLD_LOADS(matrix_a, "a", 8, 32, 16, __half, __half, "f16", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;")
WARPFOLD_LOADS(matrix_b, "b", 8, 32, 16, __half, __half, "f16", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;")
WARPFOLD_LOADS(matrix_a, "a", 8, 32, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 2, "{%0, %1}, [%2], %3;")
WARPFOLD_LOADS(matrix_b, "b", 8, 32, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 8,
               "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;")
WARPFOLD_LOADS(matrix_a, "a", 8, 32, 16, signed char, signed char, "s8", 1, "{%0}, [%1], %2;")
WARPFOLD_LOADS(matrix_b, "b", 8, 32, 16, signed char, signed char, "s8", 4, "{%0, %1, %2, %3}, [%4], %5;")
WARPFOLD_LOADS(matrix_a, "a", 8, 32, 16, unsigned char, unsigned char, "u8", 1, "{%0}, [%1], %2;")
WARPFOLD_LOADS(matrix_b, "b", 8, 32, 16, unsigned char, unsigned char, "u8", 4, "{%0, %1, %2, %3}, [%4], %5;")
WARPFOLD_MOVE_SUMS(8, 32, 16, float, "f32", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;",
                   "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;")
WARPFOLD_MOVE_SUMS(8, 32, 16, __half, "f16", 4, "{%0, %1, %2, %3}, [%4], %5;", "[%0], {%2, %3, %4, %5}, %1;")
WARPFOLD_MOVE_SUMS(8, 32, 16, int, "s32", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;",
                   "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;")
WARPFOLD_LOADS(matrix_a, "a", 16, 16, 8, precision::tf32, float, "tf32", 4, "{%0, %1, %2, %3}, [%4], %5;")
WARPFOLD_LOADS(matrix_b, "b", 16, 16, 8, precision::tf32, float, "tf32", 4, "{%0, %1, %2, %3}, [%4], %5;")
WARPFOLD_MOVE_SUMS(16, 16, 8, float, "f32", 8, "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;",
                   "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;")
#undef WARPFOLD_LOAD
#undef WARPFOLD_LOADS
#undef WARPFOLD_SUMS_IN
#undef WARPFOLD_SUMS_OUT
#undef WARPFOLD_MOVE_SUMS

// --- Products ---

#define WARPFOLD_PRODUCT(m, n, k, D, T, C, a_count, b_count, c_count, d_count, types, places, end)      \
  template <class LayoutA, class LayoutB>                                                               \
  __device__ inline void mma_sync(fragment<accumulator, m, n, k, D>& d,                                 \
                                  const fragment<matrix_a, m, n, k, T, LayoutA>& a,                     \
                                  const fragment<matrix_b, m, n, k, T, LayoutB>& b,                     \
                                  const fragment<accumulator, m, n, k, C>& c, bool satf = false) {      \
    unsigned ra[a_count], rb[b_count], rc[c_count], rd[d_count];                                        \
    __warpfold_get(ra, a);                                                                              \
    __warpfold_get(rb, b);                                                                              \
    __warpfold_get(rc, c);                                                                              \
    if (satf) {                                                                                         \
      __asm__ volatile("wmma.mma.sync.aligned.row.col.m" #m "n" #n "k" #k types end " " places          \
                       : WARPFOLD_OUT##d_count(rd)                                                      \
                       : WARPFOLD_IN##a_count(ra), WARPFOLD_IN##b_count(rb), WARPFOLD_IN##c_count(rc)); \
    } else {                                                                                            \
      __asm__ volatile("wmma.mma.sync.aligned.row.col.m" #m "n" #n "k" #k types " " places              \
                       : WARPFOLD_OUT##d_count(rd)                                                      \
                       : WARPFOLD_IN##a_count(ra), WARPFOLD_IN##b_count(rb), WARPFOLD_IN##c_count(rc)); \
    }                                                                                                   \
    __warpfold_put(d, rd);                                                                              \
  }
WARPFOLD_PRODUCT(16, 16, 16, float, __half, float, 8, 8, 8, 8, ".f32.f32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, "
                 "%21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};",
                 ".satfinite")
WARPFOLD_PRODUCT(16, 16, 16, float, __half, __half, 8, 8, 4, 8, ".f32.f16",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, "
                 "%21, %22, %23}, {%24, %25, %26, %27};",
                 ".satfinite")
WARPFOLD_PRODUCT(16, 16, 16, __half, __half, float, 8, 8, 8, 4, ".f16.f32",
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "
                 "{%20, %21, %22, %23, %24, %25, %26, %27};",
                 ".satfinite")
WARPFOLD_PRODUCT(16, 16, 16, __half, __half, __half, 8, 8, 4, 4, ".f16.f16",
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "
                 "{%20, %21, %22, %23};",
                 ".satfinite")
WARPFOLD_PRODUCT(16, 16, 16, float, __nv_bfloat16, float, 4, 4, 8, 8, ".f32.bf16.bf16.f32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, "
                 "%20, %21, %22, %23};",
                 "")
WARPFOLD_PRODUCT(16, 16, 16, int, signed char, int, 2, 2, 8, 8, ".s32.s8.s8.s32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};",
                 ".satfinite")
WARPFOLD_PRODUCT(16, 16, 16, int, unsigned char, int, 2, 2, 8, 8, ".s32.u8.u8.s32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};",
                 ".satfinite")
WARPFOLD_PRODUCT(32, 8, 16, float, __half, float, 8, 8, 8, 8, ".f32.f32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, "
                 "%21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};",
                 ".satfinite")
WARPFOLD_PRODUCT(32, 8, 16, float, __half, __half, 8, 8, 4, 8, ".f32.f16",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, "
                 "%21, %22, %23}, {%24, %25, %26, %27};",
                 ".satfinite")
WARPFOLD_PRODUCT(32, 8, 16, __half, __half, float, 8, 8, 8, 4, ".f16.f32",
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "
                 "{%20, %21, %22, %23, %24, %25, %26, %27};",
                 ".satfinite")
WARPFOLD_PRODUCT(32, 8, 16, __half, __half, __half, 8, 8, 4, 4, ".f16.f16",
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "
                 "{%20, %21, %22, %23};",
                 ".satfinite")
WARPFOLD_PRODUCT(32, 8, 16, float, __nv_bfloat16, float, 8, 2, 8, 8, ".f32.bf16.bf16.f32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, "
                 "%20, %21, %22, %23, %24, %25};",
                 "")
WARPFOLD_PRODUCT(
    32, 8, 16, int, signed char, int, 4, 1, 8, 8, ".s32.s8.s8.s32",
    "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};",
    ".satfinite")
WARPFOLD_PRODUCT(
    32, 8, 16, int, unsigned char, int, 4, 1, 8, 8, ".s32.u8.u8.s32",
    "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};",
    ".satfinite")
WARPFOLD_PRODUCT(8, 32, 16, float, __half, float, 8, 8, 8, 8, ".f32.f32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, "
                 "%21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};",
                 ".satfinite")
WARPFOLD_PRODUCT(8, 32, 16, float, __half, __half, 8, 8, 4, 8, ".f32.f16",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, "
                 "%21, %22, %23}, {%24, %25, %26, %27};",
                 ".satfinite")
WARPFOLD_PRODUCT(8, 32, 16, __half, __half, float, 8, 8, 8, 4, ".f16.f32",
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "
                 "{%20, %21, %22, %23, %24, %25, %26, %27};",
                 ".satfinite")
WARPFOLD_PRODUCT(8, 32, 16, __half, __half, __half, 8, 8, 4, 4, ".f16.f16",
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "
                 "{%20, %21, %22, %23};",
                 ".satfinite")
WARPFOLD_PRODUCT(8, 32, 16, float, __nv_bfloat16, float, 2, 8, 8, 8, ".f32.bf16.bf16.f32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, "
                 "%20, %21, %22, %23, %24, %25};",
                 "")
WARPFOLD_PRODUCT(
    8, 32, 16, int, signed char, int, 1, 4, 8, 8, ".s32.s8.s8.s32",
    "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};",
    ".satfinite")
WARPFOLD_PRODUCT(
    8, 32, 16, int, unsigned char, int, 1, 4, 8, 8, ".s32.u8.u8.s32",
    "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};",
    ".satfinite")
WARPFOLD_PRODUCT(16, 16, 8, float, precision::tf32, float, 4, 4, 8, 8, ".f32.tf32.tf32.f32",
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, "
                 "%20, %21, %22, %23};",
                 "")
#undef WARPFOLD_PRODUCT

// --- Doubles ---

#define WARPFOLD_LOAD_DOUBLE(Use, which, Layout, layout)                                              \
  __device__ inline void load_matrix_sync(fragment<Use, 8, 8, 4, double, Layout>& f, const double* p, \
                                          unsigned stride) {                                          \
    __asm__ volatile("wmma.load." which ".sync.aligned." layout ".m8n8k4.f64 {%0}, [%1], %2;"         \
                     : "=d"(f.x[0])                                                                   \
                     : "l"(p), "r"(stride)                                                            \
                     : "memory");                                                                     \
  }
WARPFOLD_LOAD_DOUBLE(matrix_a, "a", row_major, "row")
WARPFOLD_LOAD_DOUBLE(matrix_a, "a", col_major, "col")
WARPFOLD_LOAD_DOUBLE(matrix_b, "b", row_major, "row")
WARPFOLD_LOAD_DOUBLE(matrix_b, "b", col_major, "col")
#undef WARPFOLD_LOAD_DOUBLE

__device__ inline void load_matrix_sync(fragment<accumulator, 8, 8, 4, double>& f, const double* p, unsigned stride,
                                        layout_t layout) {
  if (layout == mem_row_major) {
    __asm__ volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0, %1}, [%2], %3;"
                     : "=d"(f.x[0]), "=d"(f.x[1])
                     : "l"(p), "r"(stride)
                     : "memory");
  } else {
    __asm__ volatile("wmma.load.c.sync.aligned.col.m8n8k4.f64 {%0, %1}, [%2], %3;"
                     : "=d"(f.x[0]), "=d"(f.x[1])
                     : "l"(p), "r"(stride)
                     : "memory");
  }
}
__device__ inline void store_matrix_sync(double* p, const fragment<accumulator, 8, 8, 4, double>& f, unsigned stride,
                                         layout_t layout) {
  if (layout == mem_row_major) {
    __asm__ volatile("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%0], {%2, %3}, %1;"
                     :
                     : "l"(p), "r"(stride), "d"(f.x[0]), "d"(f.x[1])
                     : "memory");
  } else {
    __asm__ volatile("wmma.store.d.sync.aligned.col.m8n8k4.f64 [%0], {%2, %3}, %1;"
                     :
                     : "l"(p), "r"(stride), "d"(f.x[0]), "d"(f.x[1])
                     : "memory");
  }
}
template <class LayoutA, class LayoutB>
__device__ inline void mma_sync(fragment<accumulator, 8, 8, 4, double>& d,
                                const fragment<matrix_a, 8, 8, 4, double, LayoutA>& a,
                                const fragment<matrix_b, 8, 8, 4, double, LayoutB>& b,
                                const fragment<accumulator, 8, 8, 4, double>& c) {
  __asm__ volatile("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                   : "=d"(d.x[0]), "=d"(d.x[1])
                   : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));
}

#undef WARPFOLD_OUT1
#undef WARPFOLD_OUT2
#undef WARPFOLD_OUT4
#undef WARPFOLD_OUT8
#undef WARPFOLD_IN1
#undef WARPFOLD_IN2
#undef WARPFOLD_IN4
#undef WARPFOLD_IN8

}  // namespace wmma
}  // namespace nvcuda
