// SPDX-License-Identifier: Apache-2.0
// Single-precision functions made short by the special-function unit's approximations (ex2, lg2, rsqrt) where these are
// accurate enough, and by range reduction with fused multiply-adds where they are not. Errors are a few units in the
// last place over the whole range; libclc's versions (libclc_math.cuh) are two to four times longer.
#pragma once

// 2^x for x = hi + lo already split off a whole number `whole`: ex2.approx on [-0.5, 0.5], then two scalings, since
// 2^whole alone leaves the float range before the product does.
WARPFOLD_LOCAL float warpfold_scale_exp2(float whole, float fraction) {
  return __nvvm_ex2_approx_f(fraction) * 2.0f * __nvvm_ex2_approx_f(whole - 1.0f);
}

// base^x with log2(base) = hi + lo. The clamp keeps infinities from meeting each other: ±inf then goes through
// `fraction`.
WARPFOLD_LOCAL float warpfold_exp_base(float x, float log2_hi, float log2_lo) {
  const float whole = __builtin_fminf(__builtin_fmaxf(__builtin_rintf(x * log2_hi), -151.0f), 129.0f);
  return warpfold_scale_exp2(whole, __builtin_fmaf(x, log2_lo, __builtin_fmaf(x, log2_hi, -whole)));
}

// x = 2^exponent × (1 + f) with 1 + f in [2/3, 4/3): returns log(1 + f). Subnormals are scaled up first.
WARPFOLD_LOCAL float warpfold_log_parts(float x, float* exponent) {
  const bool tiny = x < 1.17549435e-38f;
  const int bits = __builtin_bit_cast(int, tiny ? x * 8388608.0f : x);
  const int shifted = (bits - 0x3f2aaaab) & static_cast<int>(0xff800000);
  *exponent = static_cast<float>(shifted >> 23) - (tiny ? 23.0f : 0.0f);
  const float f = __builtin_bit_cast(float, bits - shifted) - 1.0f;
  float p = __builtin_fmaf(f, -0.121265545f, 0.134268077f);
  p = __builtin_fmaf(f, p, -0.123460556f);
  p = __builtin_fmaf(f, p, 0.141181636f);
  p = __builtin_fmaf(f, p, -0.166701451f);
  p = __builtin_fmaf(f, p, 0.200037852f);
  p = __builtin_fmaf(f, p, -0.249999879f);
  p = __builtin_fmaf(f, p, 0.333333201f);
  p = __builtin_fmaf(f, p, -0.5f);
  return __builtin_fmaf(f * f, p, f);
}

// What a logarithm gives outside (0, inf): NaN below zero, -inf at zero, the argument itself for inf and NaN.
WARPFOLD_LOCAL float warpfold_log_edges(float x, float ordinary) {
  if (__builtin_bit_cast(unsigned int, x) >= 0x7f800000u) {
    ordinary = __builtin_fmaf(x, __builtin_inff(), __builtin_inff());
  }
  return x == 0.0f ? -__builtin_inff() : ordinary;
}

__constant__ const unsigned int warpfold_two_over_pi[7] = {0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                                           0xf534ddc0u, 0xdb629599u, 0x3c439041u};

WARPFOLD_LOCAL unsigned int warpfold_funnel_left(unsigned int high, unsigned int low, unsigned int shift) {
  return static_cast<unsigned int>(((static_cast<unsigned long long>(high) << 32 | low) << shift) >> 32);
}

// Payne and Hanek: x · 2/π modulo 4 from the 96 bits of 2/π that matter for this exponent. |x| ≥ 2^16.
WARPFOLD_LOCAL float warpfold_reduce_large(float x, int* quadrant) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, x);
  const unsigned int first = ((bits >> 23) & 0xffu) - 128u;  // bit of the table at which products still count modulo 4
  const unsigned int mantissa = (bits & 0x7fffffu | 0x800000u) << 8;
  const unsigned int* table = warpfold_two_over_pi + (first >> 5);
  const unsigned int shift = first & 31u;
  const unsigned int w2 = warpfold_funnel_left(table[0], table[1], shift);
  const unsigned int w1 = warpfold_funnel_left(table[1], table[2], shift);
  const unsigned int w0 = warpfold_funnel_left(table[2], table[3], shift);
  unsigned long long middle = static_cast<unsigned long long>(mantissa) * w1;
  middle += (static_cast<unsigned long long>(mantissa) * w0) >> 32;
  middle += static_cast<unsigned long long>(mantissa * w2) << 32;
  const long long fraction = static_cast<long long>(middle << 2);  // signed: the nearest multiple of π/2
  int q = static_cast<int>(middle >> 62) + (fraction < 0 ? 1 : 0);
  const double r = static_cast<double>(fraction) * 8.5153039502163873e-20;  // π/2 · 2^-64
  const bool negative = (bits >> 31) != 0u;
  *quadrant = negative ? -q : q;
  return static_cast<float>(negative ? -r : r);
}

// x − quadrant · π/2 in [−π/4, π/4]: π/2 in three floats is enough up to about 10^5 (Cody and Waite).
WARPFOLD_LOCAL float warpfold_reduce(float x, int* quadrant) {
  const float whole = __builtin_rintf(x * 0.636619772f);
  *quadrant = static_cast<int>(whole);
  float r = __builtin_fmaf(whole, -1.57079637f, x);
  r = __builtin_fmaf(whole, 4.37113883e-08f, r);
  r = __builtin_fmaf(whole, 1.71512451e-15f, r);
  if (__builtin_fabsf(x) > 105615.0f) {
    if (__builtin_isinf(x)) return __builtin_nanf("");
    r = warpfold_reduce_large(x, quadrant);
  }
  return r;
}

WARPFOLD_LOCAL float warpfold_sin_kernel(float r) {
  const float z = r * r;
  float p = __builtin_fmaf(z, -0.000195878706f, 0.00833274818f);
  p = __builtin_fmaf(z, p, -0.166666647f);
  return __builtin_fmaf(z * r, p, r);
}

WARPFOLD_LOCAL float warpfold_cos_kernel(float r) {
  const float z = r * r;
  float p = __builtin_fmaf(z, 2.45479217e-05f, -0.00138883029f);
  p = __builtin_fmaf(z, p, 0.0416666647f);
  p = __builtin_fmaf(z, p, -0.5f);
  return __builtin_fmaf(z, p, 1.0f);
}

WARPFOLD_LOCAL float warpfold_sin_quadrant(float r, int quadrant) {
  const float v = (quadrant & 1) != 0 ? warpfold_cos_kernel(r) : warpfold_sin_kernel(r);
  return (quadrant & 2) != 0 ? -v : v;
}

extern "C" {

WARPFOLD_DEVICE float __nv_expf(float x) { return warpfold_exp_base(x, 1.44269502f, 1.92596303e-08f); }
WARPFOLD_DEVICE float __nv_exp10f(float x) { return warpfold_exp_base(x, 3.32192802f, 7.05953696e-08f); }
WARPFOLD_DEVICE float __nv_exp2f(float x) { return __nvvm_ex2_approx_f(x); }

WARPFOLD_DEVICE float __nv_logf(float x) {
  float exponent;
  const float l = warpfold_log_parts(x, &exponent);
  return warpfold_log_edges(x, __builtin_fmaf(exponent, 0.693147182f, l));
}
WARPFOLD_DEVICE float __nv_log2f(float x) {
  float exponent;
  const float l = warpfold_log_parts(x, &exponent);
  return warpfold_log_edges(x, __builtin_fmaf(l, 1.44269502f, __builtin_fmaf(l, 1.92596303e-08f, exponent)));
}
WARPFOLD_DEVICE float __nv_log10f(float x) { return __nv_logf(x) * 0.434294492f; }

WARPFOLD_DEVICE float __nv_sinf(float x) {
  int quadrant;
  const float r = warpfold_reduce(x, &quadrant);
  return warpfold_sin_quadrant(r, quadrant);
}
WARPFOLD_DEVICE float __nv_cosf(float x) {
  int quadrant;
  const float r = warpfold_reduce(x, &quadrant);
  return warpfold_sin_quadrant(r, quadrant + 1);
}
WARPFOLD_DEVICE void __nv_sincosf(float x, float* s, float* c) {
  int quadrant;
  const float r = warpfold_reduce(x, &quadrant);
  *s = warpfold_sin_quadrant(r, quadrant);
  *c = warpfold_sin_quadrant(r, quadrant + 1);
}
WARPFOLD_DEVICE float __nv_tanf(float x) {
  int quadrant;
  const float r = warpfold_reduce(x, &quadrant);
  return warpfold_sin_quadrant(r, quadrant) / warpfold_sin_quadrant(r, quadrant + 1);
}

WARPFOLD_DEVICE float __nv_rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
WARPFOLD_DEVICE float __nv_frsqrt_rn(float x) { return __nvvm_rsqrt_approx_f(x); }
WARPFOLD_DEVICE float __nv_sqrtf(float x) { return __builtin_sqrtf(x); }
WARPFOLD_DEVICE float __nv_saturatef(float x) { return __nvvm_saturate_f(x); }

WARPFOLD_DEVICE float __nv_fabsf(float x) { return __builtin_fabsf(x); }
WARPFOLD_DEVICE float __nv_ceilf(float x) { return __builtin_ceilf(x); }
WARPFOLD_DEVICE float __nv_floorf(float x) { return __builtin_floorf(x); }
WARPFOLD_DEVICE float __nv_truncf(float x) { return __builtin_truncf(x); }
WARPFOLD_DEVICE float __nv_rintf(float x) { return __builtin_rintf(x); }
WARPFOLD_DEVICE float __nv_nearbyintf(float x) { return __builtin_rintf(x); }
WARPFOLD_DEVICE float __nv_copysignf(float x, float y) {
  return __builtin_bit_cast(float, __builtin_bit_cast(int, x) & 0x7fffffff | __builtin_bit_cast(int, y) & ~0x7fffffff);
}
// Halves go away from zero, unlike rint's.
WARPFOLD_DEVICE float __nv_roundf(float x) {
  const float t = __builtin_truncf(x);
  return __nv_copysignf(__builtin_fabsf(x - t) >= 0.5f ? t + __nv_copysignf(1.0f, x) : t, x);
}
WARPFOLD_DEVICE float __nv_fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
WARPFOLD_DEVICE float __nv_fminf(float x, float y) { return __builtin_fminf(x, y); }
WARPFOLD_DEVICE float __nv_fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
WARPFOLD_DEVICE float __nv_fdimf(float x, float y) { return x <= y ? 0.0f : x - y; }
WARPFOLD_DEVICE long long __nv_llrintf(float x) { return __nvvm_f2ll_rn(x); }
WARPFOLD_DEVICE long long __nv_llroundf(float x) { return __nvvm_f2ll_rz(__nv_roundf(x)); }
WARPFOLD_DEVICE int __nv_isinff(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
WARPFOLD_DEVICE int __nv_isnanf(float x) { return x != x; }
WARPFOLD_DEVICE int __nv_finitef(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
WARPFOLD_DEVICE int __nv_signbitf(float x) { return __builtin_bit_cast(int, x) < 0; }
WARPFOLD_DEVICE float __nv_nanf(const signed char*) { return __builtin_nanf(""); }
WARPFOLD_DEVICE float __nv_half2float(unsigned short h) {
  float f;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
WARPFOLD_DEVICE unsigned short __nv_float2half_rn(float f) {
  unsigned short h;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}

// The intrinsics with two leading underscores and -use_fast_math: one or two special-function instructions.
WARPFOLD_DEVICE float __nv_fast_sqrtf(float x) { return __nvvm_sqrt_approx_f(x); }
WARPFOLD_DEVICE float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
WARPFOLD_DEVICE float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
WARPFOLD_DEVICE float __nv_fast_fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
WARPFOLD_DEVICE float __nv_fast_tanf(float x) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x));
}
WARPFOLD_DEVICE void __nv_fast_sincosf(float x, float* s, float* c) {
  *s = __nvvm_sin_approx_f(x);
  *c = __nvvm_cos_approx_f(x);
}
WARPFOLD_DEVICE float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269502f); }
WARPFOLD_DEVICE float __nv_fast_exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.32192802f); }
WARPFOLD_DEVICE float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
WARPFOLD_DEVICE float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0.693147182f; }
WARPFOLD_DEVICE float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.301029996f; }
WARPFOLD_DEVICE float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }

}  // extern "C"
