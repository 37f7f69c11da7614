// SPDX-License-Identifier: Apache-2.0
// make_float4 and its kin.
#pragma once
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define WARPFOLD_MAKE(name, type)                                                                \
  static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                         \
    name##1 t;                                                                                   \
    t.x = x;                                                                                     \
    return t;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {                 \
    name##2 t;                                                                                   \
    t.x = x;                                                                                     \
    t.y = y;                                                                                     \
    return t;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) {         \
    name##3 t;                                                                                   \
    t.x = x;                                                                                     \
    t.y = y;                                                                                     \
    t.z = z;                                                                                     \
    return t;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { \
    name##4 t;                                                                                   \
    t.x = x;                                                                                     \
    t.y = y;                                                                                     \
    t.z = z;                                                                                     \
    t.w = w;                                                                                     \
    return t;                                                                                    \
  }
WARPFOLD_MAKE(char, signed char)
WARPFOLD_MAKE(uchar, unsigned char)
WARPFOLD_MAKE(short, short)
WARPFOLD_MAKE(ushort, unsigned short)
WARPFOLD_MAKE(int, int)
WARPFOLD_MAKE(uint, unsigned int)
WARPFOLD_MAKE(long, long int)
WARPFOLD_MAKE(ulong, unsigned long int)
WARPFOLD_MAKE(longlong, long long int)
WARPFOLD_MAKE(ulonglong, unsigned long long int)
WARPFOLD_MAKE(float, float)
WARPFOLD_MAKE(double, double)
#undef WARPFOLD_MAKE
