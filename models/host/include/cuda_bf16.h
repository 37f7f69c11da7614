// SPDX-License-Identifier: Apache-2.0
// bfloat16: __nv_bfloat16 and __nv_bfloat162 for host and device code, with the arithmetic of cuda_fp16.h. sm_70 has no
// instructions for it: everything is computed in float and rounded.
#pragma once
#define __CUDA_BF16_H__

#include <math.h>

#include "cuda_runtime.h"
#include "warpfold/narrow_rounding.h"

typedef struct __align__(2) {
  unsigned short x;
}
__nv_bfloat16_raw;
typedef struct __align__(4) {
  unsigned short x, y;
}
__nv_bfloat162_raw;

WARPFOLD_NARROW unsigned short __warpfold_to_bfloat16_bits(float value, __warpfold_round mode) {
  return __warpfold_float_to_bfloat16_bits(value, mode);
}
WARPFOLD_NARROW unsigned short __warpfold_to_bfloat16_bits(double value, __warpfold_round mode) {
  return __warpfold_float_to_bfloat16_bits(__warpfold_odd_float(value), mode);
}
WARPFOLD_NARROW float __warpfold_from_bfloat16_bits(unsigned short bits) {
  return __warpfold_cast<float>(static_cast<unsigned int>(bits) << 16);
}

#define WARPFOLD_N __nv_bfloat16
#define WARPFOLD_N2 __nv_bfloat162
#define WARPFOLD_RAW __nv_bfloat16_raw
#define WARPFOLD_RAW2 __nv_bfloat162_raw
#define WARPFOLD_TO_BITS __warpfold_to_bfloat16_bits
#define WARPFOLD_FROM_BITS __warpfold_from_bfloat16_bits
#include "warpfold/narrow_types.inc"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define WARPFOLD_ARITHMETIC(name, host)                                                    \
  WARPFOLD_NARROW __nv_bfloat16 name(const __nv_bfloat16 a, const __nv_bfloat16 b) {       \
    const float x = static_cast<float>(a), y = static_cast<float>(b);                      \
    return __nv_bfloat16(host);                                                            \
  }                                                                                        \
  WARPFOLD_NARROW __nv_bfloat162 name##2(const __nv_bfloat162 a, const __nv_bfloat162 b) { \
    return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                 \
  }
WARPFOLD_ARITHMETIC(__hadd, x + y)
WARPFOLD_ARITHMETIC(__hsub, x - y)
WARPFOLD_ARITHMETIC(__hmul, x* y)
#undef WARPFOLD_ARITHMETIC
#define WARPFOLD_SATURATED(name, plain)                                                         \
  WARPFOLD_NARROW __nv_bfloat16 name(const __nv_bfloat16 a, const __nv_bfloat16 b) {            \
    return __nv_bfloat16(__warpfold_unit(static_cast<float>(plain(a, b))));                     \
  }                                                                                             \
  WARPFOLD_NARROW __nv_bfloat162 plain##2_sat(const __nv_bfloat162 a, const __nv_bfloat162 b) { \
    return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                      \
  }
WARPFOLD_SATURATED(__hadd_sat, __hadd)
WARPFOLD_SATURATED(__hsub_sat, __hsub)
WARPFOLD_SATURATED(__hmul_sat, __hmul)
#undef WARPFOLD_SATURATED
WARPFOLD_NARROW __nv_bfloat16 __hfma(const __nv_bfloat16 a, const __nv_bfloat16 b, const __nv_bfloat16 c) {
  return __nv_bfloat16(__warpfold_odd_multiply_add(static_cast<double>(static_cast<float>(a)),
                                                   static_cast<double>(static_cast<float>(b)),
                                                   static_cast<double>(static_cast<float>(c))));
}
WARPFOLD_NARROW __nv_bfloat16 __hfma_sat(const __nv_bfloat16 a, const __nv_bfloat16 b, const __nv_bfloat16 c) {
  return __nv_bfloat16(__warpfold_unit(static_cast<float>(__hfma(a, b, c))));
}

#include "warpfold/narrow_operations.inc"
#undef WARPFOLD_N
#undef WARPFOLD_N2
#undef WARPFOLD_RAW
#undef WARPFOLD_RAW2
#undef WARPFOLD_TO_BITS
#undef WARPFOLD_FROM_BITS

#define WARPFOLD_CONVERSIONS(mode)                                                                                  \
  WARPFOLD_NARROW __nv_bfloat16 __float2bfloat16_##mode(const float a) {                                            \
    return __warpfold_make_##mode(__nv_bfloat16(), a);                                                              \
  }                                                                                                                 \
  WARPFOLD_NARROW __nv_bfloat16 __int2bfloat16_##mode(const int a) {                                                \
    return __warpfold_make_##mode(__nv_bfloat16(), static_cast<double>(a));                                         \
  }                                                                                                                 \
  WARPFOLD_NARROW __nv_bfloat16 __uint2bfloat16_##mode(const unsigned int a) {                                      \
    return __warpfold_make_##mode(__nv_bfloat16(), static_cast<double>(a));                                         \
  }                                                                                                                 \
  WARPFOLD_NARROW __nv_bfloat16 __ll2bfloat16_##mode(const long long a) {                                           \
    return __warpfold_make_##mode(__nv_bfloat16(), __warpfold_odd_double(a));                                       \
  }                                                                                                                 \
  WARPFOLD_NARROW __nv_bfloat16 __ull2bfloat16_##mode(const unsigned long long a) {                                 \
    return __warpfold_make_##mode(__nv_bfloat16(), __warpfold_odd_double(a));                                       \
  }                                                                                                                 \
  WARPFOLD_NARROW int __bfloat162int_##mode(const __nv_bfloat16 a) { return __warpfold_to_integer_##mode<int>(a); } \
  WARPFOLD_NARROW unsigned int __bfloat162uint_##mode(const __nv_bfloat16 a) {                                      \
    return __warpfold_to_integer_##mode<unsigned int>(a);                                                           \
  }                                                                                                                 \
  WARPFOLD_NARROW long long __bfloat162ll_##mode(const __nv_bfloat16 a) {                                           \
    return __warpfold_to_integer_##mode<long long>(a);                                                              \
  }                                                                                                                 \
  WARPFOLD_NARROW unsigned long long __bfloat162ull_##mode(const __nv_bfloat16 a) {                                 \
    return __warpfold_to_integer_##mode<unsigned long long>(a);                                                     \
  }
WARPFOLD_CONVERSIONS(rn)
WARPFOLD_CONVERSIONS(rz)
WARPFOLD_CONVERSIONS(rd)
WARPFOLD_CONVERSIONS(ru)
#undef WARPFOLD_CONVERSIONS
WARPFOLD_NARROW __nv_bfloat16 __float2bfloat16(const float a) { return __float2bfloat16_rn(a); }
WARPFOLD_NARROW __nv_bfloat16 __double2bfloat16(const double a) { return __nv_bfloat16(a); }
WARPFOLD_NARROW float __bfloat162float(const __nv_bfloat16 a) { return static_cast<float>(a); }
// Not documented, and used.
WARPFOLD_NARROW float __internal_bfloat162float(const unsigned short bits) {
  return __bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{bits}));
}
WARPFOLD_NARROW short __bfloat16_as_short(const __nv_bfloat16 a) { return __warpfold_cast<short>(a); }
WARPFOLD_NARROW unsigned short __bfloat16_as_ushort(const __nv_bfloat16 a) {
  return __warpfold_cast<unsigned short>(a);
}
WARPFOLD_NARROW __nv_bfloat16 __short_as_bfloat16(const short a) { return __warpfold_cast<__nv_bfloat16>(a); }
WARPFOLD_NARROW __nv_bfloat16 __ushort_as_bfloat16(const unsigned short a) { return __warpfold_cast<__nv_bfloat16>(a); }

WARPFOLD_NARROW __nv_bfloat162 make_bfloat162(const __nv_bfloat16 x, const __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
WARPFOLD_NARROW __nv_bfloat162 __halves2bfloat162(const __nv_bfloat16 x, const __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
WARPFOLD_NARROW __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 a) { return __nv_bfloat162(a, a); }
WARPFOLD_NARROW __nv_bfloat162 __float2bfloat162_rn(const float a) { return __bfloat162bfloat162(__nv_bfloat16(a)); }
WARPFOLD_NARROW __nv_bfloat162 __floats2bfloat162_rn(const float a, const float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
WARPFOLD_NARROW __nv_bfloat162 __float22bfloat162_rn(const float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
WARPFOLD_NARROW float2 __bfloat1622float2(const __nv_bfloat162 a) { return make_float2(a.x, a.y); }
WARPFOLD_NARROW __nv_bfloat16 __low2bfloat16(const __nv_bfloat162 a) { return a.x; }
WARPFOLD_NARROW __nv_bfloat16 __high2bfloat16(const __nv_bfloat162 a) { return a.y; }
WARPFOLD_NARROW __nv_bfloat162 __low2bfloat162(const __nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
WARPFOLD_NARROW __nv_bfloat162 __high2bfloat162(const __nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
