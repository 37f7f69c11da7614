// SPDX-License-Identifier: Apache-2.0
// Quotients and conversions of 128-bit integers, which clang's back end for GPUs has no code for. warpfold-cc reads
// this where a source has such an operation, and puts calls in its place (tb/cc/ptx_text.h), by LLVM's names for
// operations.
#pragma once

#if defined(__CUDA_ARCH__)
#define WARPFOLD_WIDE(name) __asm__("__warpfold_wide_" name) __attribute__((used, always_inline))

typedef unsigned __int128 __warpfold_u128;
typedef __int128 __warpfold_s128;

struct __warpfold_quotient {
  __warpfold_u128 quotient, rest;
};

// Long division by bits, from the highest half that is not 0 on. `high`: the bit that the rest has lost by being
// doubled.
static __device__ __forceinline__ __warpfold_quotient __warpfold_divide(__warpfold_u128 a, __warpfold_u128 b) {
  unsigned long long high = a >> 64, low = a;
  if (high == 0 && (b >> 64) == 0) {
    const unsigned long long by = b;
    return {low / by, low % by};
  }
  int bits = 128;
  if (high == 0) {
    high = low;
    low = 0;
    bits = 64;
  }
  __warpfold_u128 rest = 0;
  unsigned long long quotient_high = 0, quotient_low = 0;
#pragma unroll 1
  for (; bits > 0; --bits) {
    const bool lost = (rest >> 127) != 0;
    rest = rest << 1 | high >> 63;
    high = high << 1 | low >> 63;
    low <<= 1;
    const bool fits = lost || rest >= b;
    if (fits) rest -= b;
    quotient_high = quotient_high << 1 | quotient_low >> 63;
    quotient_low = quotient_low << 1 | (fits ? 1 : 0);
  }
  return {static_cast<__warpfold_u128>(quotient_high) << 64 | quotient_low, rest};
}
static __device__ __forceinline__ __warpfold_u128 __warpfold_magnitude(__warpfold_s128 a) {
  const __warpfold_u128 bits = a;
  return a < 0 ? -bits : bits;
}

static __device__ __warpfold_u128 __warpfold_udiv(__warpfold_u128 a, __warpfold_u128 b) WARPFOLD_WIDE("udiv");
static __device__ __warpfold_u128 __warpfold_udiv(__warpfold_u128 a, __warpfold_u128 b) {
  return __warpfold_divide(a, b).quotient;
}
static __device__ __warpfold_u128 __warpfold_urem(__warpfold_u128 a, __warpfold_u128 b) WARPFOLD_WIDE("urem");
static __device__ __warpfold_u128 __warpfold_urem(__warpfold_u128 a, __warpfold_u128 b) {
  return __warpfold_divide(a, b).rest;
}
static __device__ __warpfold_s128 __warpfold_sdiv(__warpfold_s128 a, __warpfold_s128 b) WARPFOLD_WIDE("sdiv");
static __device__ __warpfold_s128 __warpfold_sdiv(__warpfold_s128 a, __warpfold_s128 b) {
  const __warpfold_u128 q = __warpfold_divide(__warpfold_magnitude(a), __warpfold_magnitude(b)).quotient;
  return (a < 0) != (b < 0) ? -q : q;
}
static __device__ __warpfold_s128 __warpfold_srem(__warpfold_s128 a, __warpfold_s128 b) WARPFOLD_WIDE("srem");
static __device__ __warpfold_s128 __warpfold_srem(__warpfold_s128 a, __warpfold_s128 b) {
  const __warpfold_u128 rest = __warpfold_divide(__warpfold_magnitude(a), __warpfold_magnitude(b)).rest;
  return a < 0 ? -rest : rest;
}

// The highest 64 bits, of which the last also stands for all that is cut off, are rounded once.
template <class Float>
static __device__ __forceinline__ Float __warpfold_to_float(__warpfold_u128 a) {
  unsigned long long high = a >> 64, low = a;
  if (high == 0) return static_cast<Float>(low);
  int scale = 64;
  for (; high >> 63 == 0; --scale) {
    high = high << 1 | low >> 63;
    low <<= 1;
  }
  Float power = 1;
  for (; scale > 0; --scale) power *= 2;
  return static_cast<Float>(high | (low != 0 ? 1 : 0)) * power;
}
template <class Float>
static __device__ __forceinline__ __warpfold_u128 __warpfold_from_float(Float x) {
  constexpr Float kHalf = 18446744073709551616.0;  // 2^64
  const unsigned long long high = static_cast<unsigned long long>(x / kHalf);
  return static_cast<__warpfold_u128>(high) << 64 |
         static_cast<unsigned long long>(x - static_cast<Float>(high) * kHalf);
}
#define WARPFOLD_CONVERSIONS(F)                                                                      \
  static __device__ F __warpfold_uitofp_##F(__warpfold_u128 a) WARPFOLD_WIDE("uitofp_" #F);          \
  static __device__ F __warpfold_uitofp_##F(__warpfold_u128 a) { return __warpfold_to_float<F>(a); } \
  static __device__ F __warpfold_sitofp_##F(__warpfold_s128 a) WARPFOLD_WIDE("sitofp_" #F);          \
  static __device__ F __warpfold_sitofp_##F(__warpfold_s128 a) {                                     \
    const F size = __warpfold_to_float<F>(__warpfold_magnitude(a));                                  \
    return a < 0 ? -size : size;                                                                     \
  }                                                                                                  \
  static __device__ __warpfold_u128 __warpfold_fptoui_##F(F x) WARPFOLD_WIDE("fptoui_" #F);          \
  static __device__ __warpfold_u128 __warpfold_fptoui_##F(F x) { return __warpfold_from_float(x); }  \
  static __device__ __warpfold_s128 __warpfold_fptosi_##F(F x) WARPFOLD_WIDE("fptosi_" #F);          \
  static __device__ __warpfold_s128 __warpfold_fptosi_##F(F x) {                                     \
    const __warpfold_u128 size = __warpfold_from_float(x < 0 ? -x : x);                              \
    return x < 0 ? -size : size;                                                                     \
  }
WARPFOLD_CONVERSIONS(float)
WARPFOLD_CONVERSIONS(double)
#undef WARPFOLD_CONVERSIONS
#undef WARPFOLD_WIDE
#endif
