// SPDX-License-Identifier: Apache-2.0
// What generated kernels include, on the device and in the host twin (twin/cuda.h): the same text for both.
#pragma once

#if defined(__CUDACC__)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
  kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
#define DYNAMIC_SHARED(type, name)              \
  extern __shared__ ulonglong2 dynamic_words[]; \
  type* const name = reinterpret_cast<type*>(dynamic_words)
// Of one side of a branch: the compiler must not make one of both.
#define FENCE_OF_SIDE(mask, side) asm volatile("bar.warp.sync %0;  // " #side : : "r"(mask) : "memory")
__device__ inline unsigned reduce_add(unsigned mask, unsigned value) {
  unsigned sum;
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(sum) : "r"(value), "r"(mask));
  return sum;
}
// Barriers of the block by number: of all threads, or of so many, in whole warps.
__device__ inline void bar_sync(unsigned barrier) { asm volatile("bar.sync %0;" : : "r"(barrier) : "memory"); }
__device__ inline void bar_sync(unsigned barrier, unsigned threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}
__device__ inline void bar_arrive(unsigned barrier, unsigned threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}
// For how many of them it holds.
__device__ inline unsigned bar_count(unsigned barrier, unsigned threads, bool holds) {
  unsigned count;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; bar.red.popc.u32 %0, %1, %2, p; }"
               : "=r"(count)
               : "r"(barrier), "r"(threads), "r"(static_cast<unsigned>(holds))
               : "memory");
  return count;
}
#else
#include "twin/cuda.h"
#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
  cuda_twin::launch(grid, block, shared_bytes, [&] { kernel(__VA_ARGS__); })
#define DYNAMIC_SHARED(type, name) type* const name = static_cast<type*>(cuda_twin::dynamic_shared())
#define FENCE_OF_SIDE(mask, side) __syncwarp(mask)
#endif
#include "matrix.h"
#include "program.h"

namespace cg = cooperative_groups;

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

// Passed by value; its fields are of many sizes and alignments.
struct Mixed {
  s8 a;
  f64 b;
  u16 c;
  f32 d;
  u8 e;
  s64 f;
};

__constant__ u32 table[64] = {
    0x00000000, 0x00000001, 0x3f800000, 0xbf800000, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678,  //
    0x40490fdb, 0x3ff00000, 0x00000000, 0xc1e00000, 0x7f800000, 0xff800000, 0x00000001, 0x807fffff,  //
    0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0xd3a2646c, 0xfd7046c5, 0xb55a4f09,  //
    0x41200000, 0x42c80000, 0x447a0000, 0x461c4000, 0x3dcccccd, 0x3c23d70a, 0x4b189680, 0x4f000000,  //
    0x00ff00ff, 0xff00ff00, 0x0f0f0f0f, 0x33333333, 0x55555555, 0x01020304, 0x80402010, 0xfedcba98,  //
    0x5f000000, 0xdf000000, 0x4effffff, 0xcf000001, 0x3effffff, 0x3f000000, 0xbf000000, 0x3fc00000,  //
    0x7fc00000, 0x00800000, 0x80800000, 0x007fffff, 0x7f7fffff, 0xff7fffff, 0x33800000, 0xb3800000,  //
    0x40000000, 0x400921fb, 0x54442d18, 0xc0934a45, 0x6d5cfaad, 0x43e00000, 0xc3e00000, 0x7fefffff,
};

// Integer division without C++'s undefined cases.
template <class T>
__device__ inline T quotient(T a, T b) {
  return b == 0 || (b == static_cast<T>(-1) && static_cast<T>(-1) < 0) ? static_cast<T>(a ^ 5) : static_cast<T>(a / b);
}
template <class T>
__device__ inline T rest(T a, T b) {
  return b == 0 || (b == static_cast<T>(-1) && static_cast<T>(-1) < 0) ? static_cast<T>(a ^ 3) : static_cast<T>(a % b);
}

// Processors differ in the NaN that they make, and nothing says which zero min() and max() prefer.
__device__ inline f32 one_nan(f32 a) { return a != a ? __int_as_float(0x7fc00000) : a; }
__device__ inline f64 one_nan(f64 a) { return a != a ? __longlong_as_double(0x7ff8000000000000ll) : a; }
template <class T>
__device__ inline T one_nan(T a) {
  return a;
}

// Halves are kept as their bits.
__device__ inline __half half_of(u16 bits) { return __ushort_as_half(bits); }
__device__ inline __half2 half2_of(u32 bits) {
  return __halves2half2(half_of(static_cast<u16>(bits)), half_of(static_cast<u16>(bits >> 16)));
}
__device__ inline u16 half_bits(__half a) {
  const u16 bits = __half_as_ushort(a);
  return (bits & 0x7fff) > 0x7c00 ? static_cast<u16>(0x7fff) : bits;
}
__device__ inline u32 half2_bits(__half2 a) {
  return half_bits(__low2half(a)) | static_cast<u32>(half_bits(__high2half(a))) << 16;
}

// Any value as 32 bits.
__device__ inline u32 digest(f32 a) { return __float_as_uint(one_nan(a)); }
__device__ inline u32 digest(f64 a) { return static_cast<u32>(__double_as_longlong(one_nan(a)) >> 20); }
template <class T>
__device__ inline u32 digest(T a) {
  return static_cast<u32>(a) ^ static_cast<u32>(static_cast<u64>(a) >> 32);
}

// Small integers, so that sums of their products are exact in whatever order: four bits of each half of `bits`.
__device__ inline u32 small_halves(u32 bits) {
  return half2_bits(__halves2half2(__int2half_rn((s32)(bits & 15) - 8), __int2half_rn((s32)(bits >> 16 & 15) - 8)));
}
// Products of matrices by a whole warp, to which each thread brings its part of the elements.
template <u32 Depth>
__device__ inline u32 product_of_halves(u32 x, u32 y) {
  u32 a[Depth / 4], b[Depth / 8];
  f32 d[4];
  for (u32 i = 0; i < Depth / 4; ++i) a[i] = small_halves(x >> (4 * i));
  for (u32 i = 0; i < Depth / 8; ++i) b[i] = small_halves(y >> (4 * i));
  for (u32 i = 0; i < 4; ++i) d[i] = (f32)(y >> (8 * i) & 255);
  multiply_halves(d, a, b);
  return (u32)(s32)d[0] + (u32)(s32)d[1] * 3001 + (u32)(s32)d[2] * 7000001 + ((u32)(s32)d[3] << 20);
}
__device__ inline u32 product_of_bytes(u32 x, u32 y) {
  const u32 a[2] = {x, x * 2654435761u};
  s32 d[4] = {(s32)y, (s32)x, 0, -1};
  multiply_bytes(d, a, y);
  return (u32)d[0] + (u32)d[1] * 3001 + (u32)d[2] * 7000001 + ((u32)d[3] << 16);
}
__device__ inline u32 product_of_doubles(u32 x, u32 y) {
  f64 d[2] = {(f64)(s32)(x >> 8), -0.25 * (f64)y};
  multiply_doubles(d, (f64)(s32)(x & 0xffff) - 30000, (f64)(y & 0xffff) * 0.5);
  return digest(d[0]) ^ digest(d[1]) * 3;
}

// Four or two components of a texel as a word.
__device__ inline u32 texel_word(uchar4 q) { return q.x | (u32)q.y << 8 | (u32)q.z << 16 | (u32)q.w << 24; }
__device__ inline u32 texel_word(short2 q) { return (u16)q.x | (u32)(u16)q.y << 16; }
// A coordinate in or beside an image of `size` texels, not at the border of two.
__device__ inline f32 coordinate(u32 bits, u32 size) {
  return (f32)((s32)(bits % (2 * size)) - (s32)(size / 2)) + 0.25f * (f32)((bits >> 8) % 3 + 1);
}

// Conversions by a cast, where C++ defines them.
template <class To, class From>
__device__ inline To cast(From a) {
  return a > From(-100) && a < From(100) ? static_cast<To>(a < From(0) && static_cast<To>(-1) > 0 ? -a : a) : To(3);
}

__device__ inline u32 thread_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ inline u32 block_in_grid() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }

// Lanes that walk together with a lane: the neighbours, or every so-manieth.
__device__ inline u32 group(u32 lane, u32 size) { return (0xffffffffu >> (32 - size)) << lane / size * size; }
__device__ inline u32 scattered_group(u32 lane, u32 size) {
  u32 lanes = 0;
  for (u32 i = 0; i < size; ++i) lanes |= 1u << (i * (32 / size) + lane % (32 / size));
  return lanes;
}

// What a walk calls, through pointers and as virtual functions.
template <class... Extra>
struct Code {
  void (*code)(void* self, u32 left, Extra... extra);
  void* self;
};
template <class Body, class... Extra>
__device__ __noinline__ void run_code(void* self, u32 left, Extra... extra) {
  (*static_cast<Body*>(self))(left, static_cast<u32>((extra + ... + 0)));
}
template <class... Extra>
struct Place {
  __device__ virtual void go(u32 left, Extra... extra) = 0;
};
template <class Body, class... Extra>
struct PlaceOf : Place<Extra...> {
  __device__ explicit PlaceOf(Body& its) : body(its) {}
  __device__ void go(u32 left, Extra... extra) override { body(left, static_cast<u32>((extra + ... + 0))); }
  Body& body;
};

// Threads of the warp of thread t in a block of n.
__device__ inline u32 warp_of(u32 t, u32 n) {
  const u32 threads = n - t / 32 * 32;
  return threads >= 32 ? 0xffffffffu : (1u << threads) - 1;
}
// The n-th of the lanes in a mask, from 0, cyclically.
__device__ inline u32 member(u32 mask, u32 n) {
  n %= static_cast<u32>(__popc(mask));
  u32 lane = 0;
  for (;; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    if (n-- == 0) return lane;
  }
}
// A shuffled value where its source took part, else the thread's own.
template <class T>
__device__ inline T from_member(u32 mask, u32 source, T shuffled, T own) {
  return (mask >> (source & 31) & 1) != 0 ? shuffled : own;
}
__device__ inline u32 source_of_index(u32 lane, u32 index, u32 width) { return lane / width * width + index % width; }
__device__ inline u32 source_above(u32 lane, u32 by, u32 width) { return lane % width >= by ? lane - by : lane; }
__device__ inline u32 source_below(u32 lane, u32 by, u32 width) { return lane % width + by < width ? lane + by : lane; }
__device__ inline u32 source_across(u32 lane, u32 with, u32 width) {
  return (lane ^ with) < (lane / width + 1) * width ? lane ^ with : lane;
}
