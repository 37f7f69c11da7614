// SPDX-License-Identifier: Apache-2.0
// Rounding to the 16-bit floating-point formats, in integers: for the host, and for the device where it has no
// instruction (bfloat16 on sm_70).
#pragma once

#include "../host_defines.h"

#define WARPFOLD_NARROW static __inline__ __host__ __device__ __attribute__((unused))

enum __warpfold_round { __warpfold_rn, __warpfold_rz, __warpfold_rd, __warpfold_ru };

template <class To, class From>
WARPFOLD_NARROW To __warpfold_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits of another number of bits");
  To to;
  __builtin_memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

// Whether a magnitude that was cut off goes up by one unit: `rest` of `unit` was lost.
WARPFOLD_NARROW bool __warpfold_rounds_up(unsigned int rest, unsigned int unit, bool odd, bool negative,
                                          __warpfold_round mode) {
  if (mode == __warpfold_rn) return rest > unit / 2 || (rest == unit / 2 && odd);
  return rest != 0 && mode == (negative ? __warpfold_rd : __warpfold_ru);
}

WARPFOLD_NARROW unsigned short __warpfold_float_to_half_bits(float value, __warpfold_round mode) {
  const unsigned int bits = __warpfold_cast<unsigned int>(value), magnitude = bits & 0x7fffffffu;
  const unsigned int sign = bits >> 16 & 0x8000u, exponent = magnitude >> 23;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude == 0x7f800000u) return static_cast<unsigned short>(sign | 0x7c00u);
  unsigned int kept = 0, rest = 1, unit = 4;  // of what is far below half's smallest number
  if (exponent >= 143) {                      // 2^16 and above
    kept = 0x7bff, rest = 3;
  } else if (exponent >= 113) {
    kept = (magnitude - (112u << 23)) >> 13, rest = magnitude & 0x1fffu, unit = 0x2000;
  } else if (exponent >= 101) {
    unit = 1u << (126 - exponent);
    const unsigned int mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    kept = mantissa / unit, rest = mantissa % unit;
  } else {
    rest = magnitude != 0 ? 1 : 0;
  }
  const bool up = __warpfold_rounds_up(rest, unit, (kept & 1) != 0, sign != 0, mode);
  return static_cast<unsigned short>(sign | (kept + (up ? 1 : 0)));
}

WARPFOLD_NARROW float __warpfold_half_bits_to_float(unsigned short half) {
  const unsigned int sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, mantissa = half & 0x3ffu;
  if (exponent == 31) return __warpfold_cast<float>(sign | (mantissa == 0 ? 0x7f800000u : 0x7fffffffu));
  if (exponent != 0) return __warpfold_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;  // 2^-24
  return sign != 0 ? -magnitude : magnitude;
}

WARPFOLD_NARROW unsigned short __warpfold_float_to_bfloat16_bits(float value, __warpfold_round mode) {
  const unsigned int bits = __warpfold_cast<unsigned int>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  const unsigned int kept = bits >> 16;
  const bool up = __warpfold_rounds_up(bits & 0xffffu, 0x10000u, (kept & 1) != 0, (bits >> 31) != 0, mode);
  return static_cast<unsigned short>(kept + (up ? 1 : 0));
}

// A float that rounds to a narrower format as the double does: cut off, and odd if anything was lost.
WARPFOLD_NARROW float __warpfold_odd_float(double value) {
  const float nearest = static_cast<float>(value);
  if (!(static_cast<double>(nearest) != value) || value != value) return nearest;
  unsigned int bits = __warpfold_cast<unsigned int>(nearest);
  const double back = static_cast<double>(nearest);
  if (value < 0 ? back < value : back > value) --bits;
  return __warpfold_cast<float>(bits | 1u);
}

// a · b + c for numbers of at most 26 bits, likewise odd where the double cannot hold it.
WARPFOLD_NARROW double __warpfold_odd_multiply_add(double a, double b, double c) {
  const double product = a * b, sum = product + c, part = sum - product;
  const double lost = (product - (sum - part)) + (c - part);
  if (!(lost != 0) || lost != lost || sum - sum != 0) return sum;
  unsigned long long bits = __warpfold_cast<unsigned long long>(sum);
  if ((bits & 1) == 0) bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return __warpfold_cast<double>(bits);
}

// An integer of up to 53 bits that rounds to a narrower format as the given one does.
WARPFOLD_NARROW double __warpfold_odd_double(unsigned long long value) {
  if (value >> 53 != 0) value = (value & ~0x7ffull) | ((value & 0x7ff) != 0 ? 0x800 : 0);
  return static_cast<double>(value);
}
WARPFOLD_NARROW double __warpfold_odd_double(long long value) {
  const unsigned long long bits = static_cast<unsigned long long>(value);
  return value < 0 ? -__warpfold_odd_double(0 - bits) : __warpfold_odd_double(bits);
}

// Within [+0, 1], NaN as 0.
template <class F>
WARPFOLD_NARROW F __warpfold_unit(F value) {
  return value > F(0) ? (value < F(1) ? value : F(1)) : F(0);
}

// Rounded whatever -use_fast_math says.
WARPFOLD_NARROW float __warpfold_root(float value) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(value);
#else
  return ::sqrtf(value);
#endif
}

// The nearest end of the range where the number does not fit; NaN as the device's conversions have it.
template <class T>
WARPFOLD_NARROW T __warpfold_whole_to_integer(float whole) {
  const bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  const T top = static_cast<T>(static_cast<T>(1) << (8 * sizeof(T) - 1));
  const T low = is_signed ? top : static_cast<T>(0), high = static_cast<T>(is_signed ? ~top : ~static_cast<T>(0));
  if (whole != whole) return sizeof(T) == 8 ? top : static_cast<T>(0);
  if (whole <= static_cast<float>(low)) return low;
  return whole >= static_cast<float>(high) ? high : static_cast<T>(whole);
}
template <class T>
WARPFOLD_NARROW T __warpfold_to_integer_rn(float value) {
  return __warpfold_whole_to_integer<T>(::rintf(value));
}
template <class T>
WARPFOLD_NARROW T __warpfold_to_integer_rz(float value) {
  return __warpfold_whole_to_integer<T>(::truncf(value));
}
template <class T>
WARPFOLD_NARROW T __warpfold_to_integer_rd(float value) {
  return __warpfold_whole_to_integer<T>(::floorf(value));
}
template <class T>
WARPFOLD_NARROW T __warpfold_to_integer_ru(float value) {
  return __warpfold_whole_to_integer<T>(::ceilf(value));
}
