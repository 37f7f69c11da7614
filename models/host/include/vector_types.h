// SPDX-License-Identifier: Apache-2.0
// CUDA's built-in vector types, with the alignments that device vector loads need.
#pragma once
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#if defined(__cplusplus)
#define WARPFOLD_NAME(name)
#else
#define WARPFOLD_NAME(name) typedef struct name name;
#endif
#define WARPFOLD_VECTORS(name, type, align2, align4) \
  struct name##1 {                                   \
    type x;                                          \
  };                                                 \
  struct __align__(align2) name##2 {                 \
    type x, y;                                       \
  };                                                 \
  struct name##3 {                                   \
    type x, y, z;                                    \
  };                                                 \
  struct __align__(align4) name##4 {                 \
    type x, y, z, w;                                 \
  };                                                 \
  WARPFOLD_NAME(name##1)                             \
  WARPFOLD_NAME(name##2)                             \
  WARPFOLD_NAME(name##3)                             \
  WARPFOLD_NAME(name##4)
WARPFOLD_VECTORS(char, signed char, 2, 4)
WARPFOLD_VECTORS(uchar, unsigned char, 2, 4)
WARPFOLD_VECTORS(short, short, 4, 8)
WARPFOLD_VECTORS(ushort, unsigned short, 4, 8)
WARPFOLD_VECTORS(int, int, 8, 16)
WARPFOLD_VECTORS(uint, unsigned int, 8, 16)
WARPFOLD_VECTORS(long, long int, 16, 16)
WARPFOLD_VECTORS(ulong, unsigned long int, 16, 16)
WARPFOLD_VECTORS(longlong, long long int, 16, 16)
WARPFOLD_VECTORS(ulonglong, unsigned long long int, 16, 16)
WARPFOLD_VECTORS(float, float, 8, 16)
WARPFOLD_VECTORS(double, double, 16, 16)
#undef WARPFOLD_VECTORS

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
  __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const {
    uint3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
  }
#endif
#endif
};
WARPFOLD_NAME(dim3)
#undef WARPFOLD_NAME
