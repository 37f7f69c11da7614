// SPDX-License-Identifier: Apache-2.0
// CUDA's built-in types and index variables for the host twin.
#pragma once

#include <cstddef>
#include <cstdint>

struct dim3 {
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  unsigned x, y, z;
};

#define CUDA_TWIN_VECTORS(type, name)                                         \
  struct alignas(2 * sizeof(type)) name##2 {                                  \
    type x, y;                                                                \
  };                                                                          \
  struct name##3 {                                                            \
    type x, y, z;                                                             \
  };                                                                          \
  struct alignas(sizeof(type) < 4 ? 4 * sizeof(type) : 16) name##4 {          \
    type x, y, z, w;                                                          \
  };                                                                          \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
CUDA_TWIN_VECTORS(signed char, char)
CUDA_TWIN_VECTORS(unsigned char, uchar)
CUDA_TWIN_VECTORS(short, short)
CUDA_TWIN_VECTORS(unsigned short, ushort)
CUDA_TWIN_VECTORS(int, int)
CUDA_TWIN_VECTORS(unsigned, uint)
CUDA_TWIN_VECTORS(long long, longlong)
CUDA_TWIN_VECTORS(unsigned long long, ulonglong)
CUDA_TWIN_VECTORS(float, float)
CUDA_TWIN_VECTORS(double, double)
#undef CUDA_TWIN_VECTORS

// Of the thread that runs; block.cpp sets them.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;
