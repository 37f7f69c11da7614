// SPDX-License-Identifier: Apache-2.0
// Halves of cuda_fp16.h, by exact arithmetic that is rounded once.
#pragma once

#include <algorithm>

#include "arithmetic.h"

struct __half {
  unsigned short bits;
};
struct __half2 {
  __half x, y;
};

inline unsigned short __half_as_ushort(__half a) { return a.bits; }
inline __half __ushort_as_half(unsigned short bits) { return {bits}; }

namespace cuda_twin {

constexpr unsigned short kNanOfHalf = 0x7fff;
constexpr double kLargestHalf = 65504;

inline double value_of(__half a) {
  const int exponent = a.bits >> 10 & 31, fraction = a.bits & 0x3ff;
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? HUGE_VAL : std::nan("");
  return (a.bits & 0x8000) != 0 ? -size : size;
}

inline __half rounded_half(int direction, double value) {
  if (std::isnan(value)) return {kNanOfHalf};
  const bool negative = std::signbit(value);
  const unsigned short sign = negative ? 0x8000 : 0;
  const auto with_sign = [&](unsigned bits) { return __half{static_cast<unsigned short>(sign | bits)}; };
  const double size = std::fabs(value);
  if (std::isinf(value)) return with_sign(0x7c00);
  const int exponent = size == 0 ? -14 : std::max(std::ilogb(size), -14);
  const double units = std::ldexp(size, 10 - exponent), below = std::floor(units), rest = units - below;
  const bool odd = std::fmod(below, 2) != 0, nearest = direction == FE_TONEAREST;
  const bool outward = direction == (negative ? FE_DOWNWARD : FE_UPWARD);
  const bool away = nearest ? rest > 0.5 || (rest == 0.5 && odd) : rest > 0 && outward;
  const double result = std::ldexp(below + (away ? 1 : 0), exponent - 10);
  if (result > kLargestHalf) return with_sign(nearest || outward ? 0x7c00 : 0x7bff);
  if (result < std::ldexp(1, -14)) return with_sign(static_cast<unsigned>(std::ldexp(result, 24)));
  const int power = std::ilogb(result);
  return with_sign(static_cast<unsigned>(power + 15) << 10 |
                   static_cast<unsigned>(std::ldexp(result, 10 - power) - 1024));
}

// A whole number of units of 2^exponent, as a double whose last bit says whether there was more.
inline double sticky(cuda_twin_s128 units, int exponent) {
  const bool negative = units < 0;
  auto size = negative ? -static_cast<cuda_twin_u128>(units) : static_cast<cuda_twin_u128>(units);
  for (; size >> 52 != 0; ++exponent) size = size >> 1 | (size & 1);
  const double value = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(size)), exponent);
  return negative ? -value : value;
}

inline __half fused_halves(__half a, __half b, __half c) {
  const double x = value_of(a), y = value_of(b), z = value_of(c), near = std::fma(x, y, z);
  if (near == 0 || !std::isfinite(near)) return rounded_half(FE_TONEAREST, near);
  const auto units = [](double value) { return static_cast<cuda_twin_s128>(std::ldexp(value, 24)); };
  return rounded_half(FE_TONEAREST, sticky(units(x) * units(y) + units(z) * (1 << 24), -48));
}

}  // namespace cuda_twin

// Sums and products of two halves are doubles; quotients and roots have bits enough there to be rounded once more.
inline __half __hadd(__half a, __half b) {
  return cuda_twin::rounded_half(FE_TONEAREST, cuda_twin::value_of(a) + cuda_twin::value_of(b));
}
inline __half __hsub(__half a, __half b) {
  return cuda_twin::rounded_half(FE_TONEAREST, cuda_twin::value_of(a) - cuda_twin::value_of(b));
}
inline __half __hmul(__half a, __half b) {
  return cuda_twin::rounded_half(FE_TONEAREST, cuda_twin::value_of(a) * cuda_twin::value_of(b));
}
inline __half __hdiv(__half a, __half b) {
  return cuda_twin::rounded_half(FE_TONEAREST, cuda_twin::value_of(a) / cuda_twin::value_of(b));
}
inline __half hsqrt(__half a) { return cuda_twin::rounded_half(FE_TONEAREST, std::sqrt(cuda_twin::value_of(a))); }
inline __half __hfma(__half a, __half b, __half c) { return cuda_twin::fused_halves(a, b, c); }
inline __half2 __hadd2(__half2 a, __half2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
inline __half2 __hsub2(__half2 a, __half2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }
inline __half2 __hmul2(__half2 a, __half2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline bool __hlt(__half a, __half b) { return cuda_twin::value_of(a) < cuda_twin::value_of(b); }
inline bool __heq(__half a, __half b) { return cuda_twin::value_of(a) == cuda_twin::value_of(b); }
inline bool __hneu(__half a, __half b) { return cuda_twin::value_of(a) != cuda_twin::value_of(b); }
inline float __half2float(__half a) { return static_cast<float>(cuda_twin::value_of(a)); }

#define CUDA_TWIN_ROUNDED_HALF(suffix, direction)                                                \
  inline __half __float2half_##suffix(float a) { return cuda_twin::rounded_half(direction, a); } \
  inline __half __int2half_##suffix(int a) { return cuda_twin::rounded_half(direction, a); }     \
  inline __half __ll2half_##suffix(long long a) {                                                \
    return cuda_twin::rounded_half(direction, cuda_twin::sticky(a, 0));                          \
  }                                                                                              \
  inline int __half2int_##suffix(__half a) {                                                     \
    return cuda_twin::to_integer<int, false>(direction, cuda_twin::value_of(a));                 \
  }                                                                                              \
  inline unsigned __half2uint_##suffix(__half a) {                                               \
    return cuda_twin::to_integer<unsigned, false>(direction, cuda_twin::value_of(a));            \
  }
CUDA_TWIN_ROUNDED_HALF(rn, FE_TONEAREST)
CUDA_TWIN_ROUNDED_HALF(rz, FE_TOWARDZERO)
CUDA_TWIN_ROUNDED_HALF(ru, FE_UPWARD)
CUDA_TWIN_ROUNDED_HALF(rd, FE_DOWNWARD)
#undef CUDA_TWIN_ROUNDED_HALF
inline __half __double2half(double a) { return cuda_twin::rounded_half(FE_TONEAREST, a); }
