// SPDX-License-Identifier: Apache-2.0
// Half precision: __half and __half2 for host and device code. Arithmetic, fma, square roots and conversions round
// once; functions are those of float, rounded.
#pragma once
#define __CUDA_FP16_H__

#include <math.h>

#include "cuda_runtime.h"
#include "warpfold/narrow_rounding.h"

typedef struct __align__(2) {
  unsigned short x;
}
__half_raw;
typedef struct __align__(4) {
  unsigned short x, y;
}
__half2_raw;

WARPFOLD_NARROW unsigned short __warpfold_to_half_bits(float value, __warpfold_round mode) {
#if defined(__CUDA_ARCH__)
  unsigned short bits;
  switch (mode) {
    case __warpfold_rz:
      __asm__("cvt.rz.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
      break;
    case __warpfold_rd:
      __asm__("cvt.rm.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
      break;
    case __warpfold_ru:
      __asm__("cvt.rp.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
      break;
    default:
      __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
      break;
  }
  return bits;
#else
  return __warpfold_float_to_half_bits(value, mode);
#endif
}
WARPFOLD_NARROW unsigned short __warpfold_to_half_bits(double value, __warpfold_round mode) {
#if defined(__CUDA_ARCH__)
  unsigned short bits;
  if (mode == __warpfold_rn) {
    __asm__("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    return bits;
  }
#endif
  return __warpfold_to_half_bits(__warpfold_odd_float(value), mode);
}
WARPFOLD_NARROW float __warpfold_from_half_bits(unsigned short bits) {
#if defined(__CUDA_ARCH__)
  float value;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  return __warpfold_half_bits_to_float(bits);
#endif
}

#define WARPFOLD_N __half
#define WARPFOLD_N2 __half2
#define WARPFOLD_RAW __half_raw
#define WARPFOLD_RAW2 __half2_raw
#define WARPFOLD_TO_BITS __warpfold_to_half_bits
#define WARPFOLD_FROM_BITS __warpfold_from_half_bits
#include "warpfold/narrow_types.inc"

typedef __half half;
typedef __half2 half2;

// Arithmetic is an instruction of the device, and float's rounded to half on the host.
#if defined(__CUDA_ARCH__)
#define WARPFOLD_ARITHMETIC(name, instruction, host)                                                  \
  WARPFOLD_NARROW __half name(const __half a, const __half b) {                                       \
    __half_raw r;                                                                                     \
    __asm__(instruction ".f16 %0, %1, %2;" : "=h"(r.x) : "h"(__half_raw(a).x), "h"(__half_raw(b).x)); \
    return r;                                                                                         \
  }                                                                                                   \
  WARPFOLD_NARROW __half2 name##2(const __half2 a, const __half2 b) {                                 \
    unsigned int r;                                                                                   \
    __asm__(instruction ".f16x2 %0, %1, %2;"                                                          \
            : "=r"(r)                                                                                 \
            : "r"(__warpfold_cast<unsigned int>(a)), "r"(__warpfold_cast<unsigned int>(b)));          \
    return __warpfold_cast<__half2>(r);                                                               \
  }
#define WARPFOLD_FUSED(name, instruction, limit)                                 \
  WARPFOLD_NARROW __half name(const __half a, const __half b, const __half c) {  \
    __half_raw r;                                                                \
    __asm__(instruction ".f16 %0, %1, %2, %3;"                                   \
            : "=h"(r.x)                                                          \
            : "h"(__half_raw(a).x), "h"(__half_raw(b).x), "h"(__half_raw(c).x)); \
    return r;                                                                    \
  }
#else
#define WARPFOLD_ARITHMETIC(name, instruction, host)                  \
  WARPFOLD_NARROW __half name(const __half a, const __half b) {       \
    const float x = static_cast<float>(a), y = static_cast<float>(b); \
    return __half(host);                                              \
  }                                                                   \
  WARPFOLD_NARROW __half2 name##2(const __half2 a, const __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }
#define WARPFOLD_FUSED(name, instruction, limit)                                                   \
  WARPFOLD_NARROW __half name(const __half a, const __half b, const __half c) {                    \
    return __half(limit(__warpfold_odd_multiply_add(static_cast<double>(static_cast<float>(a)),    \
                                                    static_cast<double>(static_cast<float>(b)),    \
                                                    static_cast<double>(static_cast<float>(c))))); \
  }
#endif
WARPFOLD_ARITHMETIC(__hadd, "add", x + y)
WARPFOLD_ARITHMETIC(__hsub, "sub", x - y)
WARPFOLD_ARITHMETIC(__hmul, "mul", x* y)
WARPFOLD_ARITHMETIC(__hadd_sat, "add.sat", __warpfold_unit(x + y))
WARPFOLD_ARITHMETIC(__hsub_sat, "sub.sat", __warpfold_unit(x - y))
WARPFOLD_ARITHMETIC(__hmul_sat, "mul.sat", __warpfold_unit(x* y))
WARPFOLD_FUSED(__hfma, "fma.rn", )
WARPFOLD_FUSED(__hfma_sat, "fma.rn.sat", __warpfold_unit)
#undef WARPFOLD_ARITHMETIC
#undef WARPFOLD_FUSED
WARPFOLD_NARROW __half2 __hadd2_sat(const __half2 a, const __half2 b) { return __hadd_sat2(a, b); }
WARPFOLD_NARROW __half2 __hsub2_sat(const __half2 a, const __half2 b) { return __hsub_sat2(a, b); }
WARPFOLD_NARROW __half2 __hmul2_sat(const __half2 a, const __half2 b) { return __hmul_sat2(a, b); }

#include "warpfold/narrow_operations.inc"
#undef WARPFOLD_N
#undef WARPFOLD_N2
#undef WARPFOLD_RAW
#undef WARPFOLD_RAW2
#undef WARPFOLD_TO_BITS
#undef WARPFOLD_FROM_BITS

#define WARPFOLD_CONVERSIONS(mode)                                                                                  \
  WARPFOLD_NARROW __half __float2half_##mode(const float a) { return __warpfold_make_##mode(__half(), a); }         \
  WARPFOLD_NARROW __half __double2half_##mode(const double a) { return __warpfold_make_##mode(__half(), a); }       \
  WARPFOLD_NARROW __half __int2half_##mode(const int a) { return __double2half_##mode(a); }                         \
  WARPFOLD_NARROW __half __uint2half_##mode(const unsigned int a) { return __double2half_##mode(a); }               \
  WARPFOLD_NARROW __half __short2half_##mode(const short a) { return __float2half_##mode(a); }                      \
  WARPFOLD_NARROW __half __ushort2half_##mode(const unsigned short a) { return __float2half_##mode(a); }            \
  WARPFOLD_NARROW __half __ll2half_##mode(const long long a) {                                                      \
    return __double2half_##mode(__warpfold_odd_double(a));                                                          \
  }                                                                                                                 \
  WARPFOLD_NARROW __half __ull2half_##mode(const unsigned long long a) {                                            \
    return __double2half_##mode(__warpfold_odd_double(a));                                                          \
  }                                                                                                                 \
  WARPFOLD_NARROW int __half2int_##mode(const __half a) { return __warpfold_to_integer_##mode<int>(a); }            \
  WARPFOLD_NARROW unsigned int __half2uint_##mode(const __half a) {                                                 \
    return __warpfold_to_integer_##mode<unsigned int>(a);                                                           \
  }                                                                                                                 \
  WARPFOLD_NARROW short __half2short_##mode(const __half a) { return __warpfold_to_integer_##mode<short>(a); }      \
  WARPFOLD_NARROW unsigned short __half2ushort_##mode(const __half a) {                                             \
    return __warpfold_to_integer_##mode<unsigned short>(a);                                                         \
  }                                                                                                                 \
  WARPFOLD_NARROW long long __half2ll_##mode(const __half a) { return __warpfold_to_integer_##mode<long long>(a); } \
  WARPFOLD_NARROW unsigned long long __half2ull_##mode(const __half a) {                                            \
    return __warpfold_to_integer_##mode<unsigned long long>(a);                                                     \
  }
WARPFOLD_CONVERSIONS(rn)
WARPFOLD_CONVERSIONS(rz)
WARPFOLD_CONVERSIONS(rd)
WARPFOLD_CONVERSIONS(ru)
#undef WARPFOLD_CONVERSIONS
WARPFOLD_NARROW __half __float2half(const float a) { return __float2half_rn(a); }
WARPFOLD_NARROW __half __double2half(const double a) { return __double2half_rn(a); }
WARPFOLD_NARROW float __half2float(const __half a) { return static_cast<float>(a); }
WARPFOLD_NARROW short __half_as_short(const __half a) { return static_cast<short>(__half_raw(a).x); }
WARPFOLD_NARROW unsigned short __half_as_ushort(const __half a) { return __half_raw(a).x; }
WARPFOLD_NARROW __half __short_as_half(const short a) { return __warpfold_cast<__half>(a); }
WARPFOLD_NARROW __half __ushort_as_half(const unsigned short a) { return __warpfold_cast<__half>(a); }

WARPFOLD_NARROW __half2 make_half2(const __half x, const __half y) { return __half2(x, y); }
WARPFOLD_NARROW __half2 __halves2half2(const __half x, const __half y) { return __half2(x, y); }
WARPFOLD_NARROW __half2 __half2half2(const __half a) { return __half2(a, a); }
WARPFOLD_NARROW __half2 __float2half2_rn(const float a) { return __half2half2(__half(a)); }
WARPFOLD_NARROW __half2 __floats2half2_rn(const float a, const float b) { return __half2(__half(a), __half(b)); }
WARPFOLD_NARROW __half2 __float22half2_rn(const float2 a) { return __floats2half2_rn(a.x, a.y); }
WARPFOLD_NARROW float2 __half22float2(const __half2 a) { return make_float2(__half2float(a.x), __half2float(a.y)); }
WARPFOLD_NARROW __half __low2half(const __half2 a) { return a.x; }
WARPFOLD_NARROW __half __high2half(const __half2 a) { return a.y; }
WARPFOLD_NARROW __half2 __low2half2(const __half2 a) { return __half2(a.x, a.x); }
WARPFOLD_NARROW __half2 __high2half2(const __half2 a) { return __half2(a.y, a.y); }
WARPFOLD_NARROW __half2 __lows2half2(const __half2 a, const __half2 b) { return __half2(a.x, b.x); }
WARPFOLD_NARROW __half2 __highs2half2(const __half2 a, const __half2 b) { return __half2(a.y, b.y); }
