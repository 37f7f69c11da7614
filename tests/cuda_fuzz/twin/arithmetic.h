// SPDX-License-Identifier: Apache-2.0
// Integer and floating-point intrinsics of CUDA C++, each after NVIDIA's description of it.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

// For isnan() and the like as global names.
#include <math.h>

#define CUDA_TWIN_MIN_MAX(type)                             \
  inline type min(type a, type b) { return b < a ? b : a; } \
  inline type max(type a, type b) { return b > a ? b : a; }
CUDA_TWIN_MIN_MAX(int)
CUDA_TWIN_MIN_MAX(unsigned)
CUDA_TWIN_MIN_MAX(long long)
CUDA_TWIN_MIN_MAX(unsigned long long)
#undef CUDA_TWIN_MIN_MAX

inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a)); }
inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a)); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline unsigned long long __brevll(unsigned long long a) {
  unsigned long long reversed = 0;
  for (int bit = 0; bit < 64; ++bit) reversed |= (a >> bit & 1) << (63 - bit);
  return reversed;
}
inline unsigned __brev(unsigned a) {
#ifdef CUDA_TWIN_FAULT  // a wrong twin on purpose: what finds and shrinks failures is tested with it
  return a ^ 1;
#endif
  return static_cast<unsigned>(__brevll(a) >> 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? low : __funnelshift_l(low, high, by);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> (by & 31));
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? high : __funnelshift_r(low, high, by);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32); }
__extension__ typedef __int128 cuda_twin_s128;
__extension__ typedef unsigned __int128 cuda_twin_u128;
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<cuda_twin_u128>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<cuda_twin_s128>(a) * b >> 64);
}
inline int __mul24(int a, int b) {
  const std::int64_t low_a = static_cast<std::int32_t>(static_cast<unsigned>(a) << 8) >> 8;
  const std::int64_t low_b = static_cast<std::int32_t>(static_cast<unsigned>(b) << 8) >> 8;
  return static_cast<int>(low_a * low_b);
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __sad(int a, int b, unsigned c) {
  const std::int64_t difference = static_cast<std::int64_t>(a) - b;
  return static_cast<unsigned>(difference < 0 ? -difference : difference) + c;
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<std::int64_t>(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<std::int64_t>(a) + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b) >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b + 1) >> 1);
}

namespace cuda_twin {

template <class To, class From>
To cast_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// A rounding direction for as long as it lives. What is computed under it must be opaque to the compiler:
// arithmetic.cpp is compiled so, headers are not.
float add(int direction, float a, float b);
float multiply(int direction, float a, float b);
float divide(int direction, float a, float b);
float root(int direction, float a);
float fused(int direction, float a, float b, float c);
double add(int direction, double a, double b);
double multiply(int direction, double a, double b);
double divide(int direction, double a, double b);
double root(int direction, double a);
double fused(int direction, double a, double b, double c);
float to_float(int direction, double a);
float to_float(int direction, long long a);
float to_float(int direction, unsigned long long a);
double to_double(int direction, long long a);
double to_double(int direction, unsigned long long a);
double integral(int direction, double a);

// PTX, cvt: what does not fit is clamped. NaN becomes 0 from float to 32 bits, else the most significant bit alone.
template <class To, bool FromDouble>
To to_integer(int direction, double a) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(a))
    return FromDouble || sizeof(To) == 8 ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1)) : To{0};
  const double rounded = integral(direction, a);
  if (rounded >= std::ldexp(1.0, Limits::digits)) return Limits::max();
  if (rounded <= static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<To>(rounded);
}

}  // namespace cuda_twin

inline int __float_as_int(float a) { return cuda_twin::cast_bits<int>(a); }
inline unsigned __float_as_uint(float a) { return cuda_twin::cast_bits<unsigned>(a); }
inline float __int_as_float(int a) { return cuda_twin::cast_bits<float>(a); }
inline float __uint_as_float(unsigned a) { return cuda_twin::cast_bits<float>(a); }
inline long long __double_as_longlong(double a) { return cuda_twin::cast_bits<long long>(a); }
inline double __longlong_as_double(long long a) { return cuda_twin::cast_bits<double>(a); }
inline int __double2hiint(double a) { return static_cast<int>(__double_as_longlong(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(__double_as_longlong(a)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 |
                                                     static_cast<unsigned>(low)));
}
inline float __saturatef(float a) { return a >= 1 ? 1.0f : a > 0 ? a : 0.0f; }  // of NaN: 0
inline float __frsqrt_rn(float a) { return static_cast<float>(1.0L / std::sqrt(static_cast<long double>(a))); }

#define CUDA_TWIN_ROUNDED(suffix, direction)                                                                           \
  inline float __fadd_##suffix(float a, float b) { return cuda_twin::add(direction, a, b); }                           \
  inline float __fsub_##suffix(float a, float b) { return cuda_twin::add(direction, a, -b); }                          \
  inline float __fmul_##suffix(float a, float b) { return cuda_twin::multiply(direction, a, b); }                      \
  inline float __fdiv_##suffix(float a, float b) { return cuda_twin::divide(direction, a, b); }                        \
  inline float __frcp_##suffix(float a) { return cuda_twin::divide(direction, 1.0f, a); }                              \
  inline float __fsqrt_##suffix(float a) { return cuda_twin::root(direction, a); }                                     \
  inline float __fmaf_##suffix(float a, float b, float c) { return cuda_twin::fused(direction, a, b, c); }             \
  inline double __dadd_##suffix(double a, double b) { return cuda_twin::add(direction, a, b); }                        \
  inline double __dsub_##suffix(double a, double b) { return cuda_twin::add(direction, a, -b); }                       \
  inline double __dmul_##suffix(double a, double b) { return cuda_twin::multiply(direction, a, b); }                   \
  inline double __ddiv_##suffix(double a, double b) { return cuda_twin::divide(direction, a, b); }                     \
  inline double __drcp_##suffix(double a) { return cuda_twin::divide(direction, 1.0, a); }                             \
  inline double __dsqrt_##suffix(double a) { return cuda_twin::root(direction, a); }                                   \
  inline double __fma_##suffix(double a, double b, double c) { return cuda_twin::fused(direction, a, b, c); }          \
  inline float __double2float_##suffix(double a) { return cuda_twin::to_float(direction, a); }                         \
  inline int __float2int_##suffix(float a) { return cuda_twin::to_integer<int, false>(direction, a); }                 \
  inline unsigned __float2uint_##suffix(float a) { return cuda_twin::to_integer<unsigned, false>(direction, a); }      \
  inline long long __float2ll_##suffix(float a) { return cuda_twin::to_integer<long long, false>(direction, a); }      \
  inline unsigned long long __float2ull_##suffix(float a) {                                                            \
    return cuda_twin::to_integer<unsigned long long, false>(direction, a);                                             \
  }                                                                                                                    \
  inline int __double2int_##suffix(double a) { return cuda_twin::to_integer<int, true>(direction, a); }                \
  inline unsigned __double2uint_##suffix(double a) { return cuda_twin::to_integer<unsigned, true>(direction, a); }     \
  inline long long __double2ll_##suffix(double a) { return cuda_twin::to_integer<long long, true>(direction, a); }     \
  inline unsigned long long __double2ull_##suffix(double a) {                                                          \
    return cuda_twin::to_integer<unsigned long long, true>(direction, a);                                              \
  }                                                                                                                    \
  inline float __int2float_##suffix(int a) { return cuda_twin::to_float(direction, static_cast<long long>(a)); }       \
  inline float __uint2float_##suffix(unsigned a) { return cuda_twin::to_float(direction, static_cast<long long>(a)); } \
  inline float __ll2float_##suffix(long long a) { return cuda_twin::to_float(direction, a); }                          \
  inline float __ull2float_##suffix(unsigned long long a) { return cuda_twin::to_float(direction, a); }                \
  inline double __ll2double_##suffix(long long a) { return cuda_twin::to_double(direction, a); }                       \
  inline double __ull2double_##suffix(unsigned long long a) { return cuda_twin::to_double(direction, a); }
CUDA_TWIN_ROUNDED(rn, FE_TONEAREST)
CUDA_TWIN_ROUNDED(rz, FE_TOWARDZERO)
CUDA_TWIN_ROUNDED(ru, FE_UPWARD)
CUDA_TWIN_ROUNDED(rd, FE_DOWNWARD)
#undef CUDA_TWIN_ROUNDED
inline double __int2double_rn(int a) { return a; }
inline double __uint2double_rn(unsigned a) { return a; }
