// SPDX-License-Identifier: Apache-2.0
// Intrinsics that clang's headers lack: loads and stores with a cache operator, dot products, reductions of a warp,
// 16-bit atomics, and questions about addresses.
#pragma once

#define WARPFOLD_DEVICE static __device__ __inline__ __attribute__((always_inline))

// By the size of what is loaded: one register, or a pair of the largest.
template <class To, class From>
WARPFOLD_DEVICE To __warpfold_bits(From from) {
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
template <unsigned int Size>
struct __warpfold_access;
#define WARPFOLD_LOAD(name, op)                                                                             \
  static __device__ __forceinline__ word name(const void* p) {                                              \
    word value;                                                                                             \
    __asm__ volatile("ld.global." op WARPFOLD_TYPE " %0, [%1];" : WARPFOLD_OUT(value) : "l"(p) : "memory"); \
    return value;                                                                                           \
  }
#define WARPFOLD_STORE(name, op)                                                                            \
  static __device__ __forceinline__ void name(void* p, word value) {                                        \
    __asm__ volatile("st.global." op WARPFOLD_TYPE " [%0], %1;" : : "l"(p), WARPFOLD_IN(value) : "memory"); \
  }
#define WARPFOLD_ACCESS(size, type) \
  template <>                       \
  struct __warpfold_access<size> {  \
    typedef type word;              \
    WARPFOLD_LOAD(ca, "ca")         \
    WARPFOLD_LOAD(cg, "cg")         \
    WARPFOLD_LOAD(cs, "cs")         \
    WARPFOLD_LOAD(lu, "lu")         \
    WARPFOLD_LOAD(cv, "cv")         \
    WARPFOLD_STORE(store_wb, "wb")  \
    WARPFOLD_STORE(store_cg, "cg")  \
    WARPFOLD_STORE(store_cs, "cs")  \
    WARPFOLD_STORE(store_wt, "wt")  \
  };
#define WARPFOLD_TYPE ".u8"
#define WARPFOLD_OUT(value) "=h"(value)
#define WARPFOLD_IN(value) "h"(value)
WARPFOLD_ACCESS(1, unsigned short)
#undef WARPFOLD_TYPE
#define WARPFOLD_TYPE ".u16"
WARPFOLD_ACCESS(2, unsigned short)
#undef WARPFOLD_TYPE
#undef WARPFOLD_OUT
#undef WARPFOLD_IN
#define WARPFOLD_TYPE ".u32"
#define WARPFOLD_OUT(value) "=r"(value)
#define WARPFOLD_IN(value) "r"(value)
WARPFOLD_ACCESS(4, unsigned int)
#undef WARPFOLD_TYPE
#undef WARPFOLD_OUT
#undef WARPFOLD_IN
#define WARPFOLD_TYPE ".u64"
#define WARPFOLD_OUT(value) "=l"(value)
#define WARPFOLD_IN(value) "l"(value)
WARPFOLD_ACCESS(8, unsigned long long)
#undef WARPFOLD_TYPE
#undef WARPFOLD_OUT
#undef WARPFOLD_IN
#undef WARPFOLD_LOAD
#undef WARPFOLD_STORE
#define WARPFOLD_LOAD(name, op)                                                                                     \
  static __device__ __forceinline__ word name(const void* p) {                                                      \
    word value;                                                                                                     \
    __asm__ volatile("ld.global." op ".v2.u64 {%0, %1}, [%2];" : "=l"(value.x), "=l"(value.y) : "l"(p) : "memory"); \
    return value;                                                                                                   \
  }
#define WARPFOLD_STORE(name, op)                                                                                   \
  static __device__ __forceinline__ void name(void* p, word value) {                                               \
    __asm__ volatile("st.global." op ".v2.u64 [%0], {%1, %2};" : : "l"(p), "l"(value.x), "l"(value.y) : "memory"); \
  }
WARPFOLD_ACCESS(16, ulonglong2)
#undef WARPFOLD_LOAD
#undef WARPFOLD_STORE
#undef WARPFOLD_ACCESS

#define WARPFOLD_CACHED_LOAD(op)                                                                  \
  template <class T>                                                                              \
  WARPFOLD_DEVICE T __ld##op(const T* p) {                                                        \
    const typename __warpfold_access<sizeof(T)>::word word = __warpfold_access<sizeof(T)>::op(p); \
    T value;                                                                                      \
    __builtin_memcpy(&value, &word, sizeof value);                                                \
    return value;                                                                                 \
  }
#define WARPFOLD_CACHED_STORE(op)                          \
  template <class T>                                       \
  WARPFOLD_DEVICE void __st##op(T* p, T value) {           \
    typename __warpfold_access<sizeof(T)>::word word = {}; \
    __builtin_memcpy(&word, &value, sizeof value);         \
    __warpfold_access<sizeof(T)>::store_##op(p, word);     \
  }
WARPFOLD_CACHED_LOAD(ca)
WARPFOLD_CACHED_LOAD(cg)
WARPFOLD_CACHED_LOAD(cs)
WARPFOLD_CACHED_LOAD(lu)
WARPFOLD_CACHED_LOAD(cv)
WARPFOLD_CACHED_STORE(wb)
WARPFOLD_CACHED_STORE(cg)
WARPFOLD_CACHED_STORE(cs)
WARPFOLD_CACHED_STORE(wt)
#undef WARPFOLD_CACHED_LOAD
#undef WARPFOLD_CACHED_STORE

WARPFOLD_DEVICE int __dp4a(int a, int b, int c) {
  int d;
  __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
WARPFOLD_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int d;
  __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
WARPFOLD_DEVICE int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__warpfold_bits<int>(a), __warpfold_bits<int>(b), c);
}
WARPFOLD_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(__warpfold_bits<unsigned int>(a), __warpfold_bits<unsigned int>(b), c);
}
// Halfwords of a with the low or the high two bytes of b.
#define WARPFOLD_DP2A(half, type, types)                                                    \
  WARPFOLD_DEVICE type __dp2a_##half(type a, type b, type c) {                              \
    type d;                                                                                 \
    __asm__("dp2a." #half "." types " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
    return d;                                                                               \
  }
WARPFOLD_DP2A(lo, int, "s32.s32")
WARPFOLD_DP2A(hi, int, "s32.s32")
WARPFOLD_DP2A(lo, unsigned int, "u32.u32")
WARPFOLD_DP2A(hi, unsigned int, "u32.u32")
#undef WARPFOLD_DP2A

#define WARPFOLD_REDUCE(name, type, instruction)                                                       \
  WARPFOLD_DEVICE type __reduce_##name##_sync(unsigned int mask, type value) {                         \
    type result;                                                                                       \
    __asm__ volatile("redux.sync." instruction " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                                     \
  }
WARPFOLD_REDUCE(add, int, "add.s32")
WARPFOLD_REDUCE(add, unsigned int, "add.u32")
WARPFOLD_REDUCE(min, int, "min.s32")
WARPFOLD_REDUCE(min, unsigned int, "min.u32")
WARPFOLD_REDUCE(max, int, "max.s32")
WARPFOLD_REDUCE(max, unsigned int, "max.u32")
WARPFOLD_REDUCE(and, unsigned int, "and.b32")
WARPFOLD_REDUCE(or, unsigned int, "or.b32")
WARPFOLD_REDUCE(xor, unsigned int, "xor.b32")
#undef WARPFOLD_REDUCE

// In the word around it, of which the other half stays.
static __device__ __inline__ unsigned short atomicCAS(unsigned short* p, unsigned short expected,
                                                      unsigned short value) {
  const unsigned long long address = reinterpret_cast<unsigned long long>(p);
  unsigned int* const word = reinterpret_cast<unsigned int*>(address & ~3ull);
  const unsigned int shift = (address & 2) != 0 ? 16 : 0;
  for (unsigned int seen = atomicAdd(word, 0u);;) {
    const unsigned short old = static_cast<unsigned short>(seen >> shift);
    if (old != expected) return old;
    const unsigned int wanted = (seen & ~(0xffffu << shift)) | static_cast<unsigned int>(value) << shift;
    const unsigned int before = atomicCAS(word, seen, wanted);
    if (before == seen) return old;
    seen = before;
  }
}

// The model has no idle state to sleep in: a waiting loop simply looks again.
WARPFOLD_DEVICE void __nanosleep(unsigned int) { __asm__ volatile("" ::: "memory"); }

WARPFOLD_DEVICE unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
WARPFOLD_DEVICE unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
WARPFOLD_DEVICE unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
WARPFOLD_DEVICE unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
WARPFOLD_DEVICE size_t __cvta_generic_to_global(const void* p) { return __nv_cvta_generic_to_global_impl(p); }
WARPFOLD_DEVICE size_t __cvta_generic_to_shared(const void* p) { return __nv_cvta_generic_to_shared_impl(p); }
WARPFOLD_DEVICE size_t __cvta_generic_to_local(const void* p) { return __nv_cvta_generic_to_local_impl(p); }
WARPFOLD_DEVICE void* __cvta_global_to_generic(size_t p) { return __nv_cvta_global_to_generic_impl(p); }
WARPFOLD_DEVICE void* __cvta_shared_to_generic(size_t p) { return __nv_cvta_shared_to_generic_impl(p); }

#undef WARPFOLD_DEVICE
