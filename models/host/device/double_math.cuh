// SPDX-License-Identifier: Apache-2.0
// Double-precision functions that are an instruction or two, and the norms in both precisions.
#pragma once

extern "C" {

WARPFOLD_DEVICE double __nv_sqrt(double x) { return __builtin_sqrt(x); }
WARPFOLD_DEVICE double __nv_rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
WARPFOLD_DEVICE double __nv_rcp64h(double x) { return __nvvm_rcp_approx_ftz_d(x); }
WARPFOLD_DEVICE double __nv_fabs(double x) { return __builtin_fabs(x); }
WARPFOLD_DEVICE double __nv_ceil(double x) { return __builtin_ceil(x); }
WARPFOLD_DEVICE double __nv_floor(double x) { return __builtin_floor(x); }
WARPFOLD_DEVICE double __nv_trunc(double x) { return __builtin_trunc(x); }
WARPFOLD_DEVICE double __nv_rint(double x) { return __builtin_rint(x); }
WARPFOLD_DEVICE double __nv_nearbyint(double x) { return __builtin_rint(x); }
WARPFOLD_DEVICE double __nv_copysign(double x, double y) {
  const long long sign = static_cast<long long>(1ull << 63);
  return __builtin_bit_cast(double, __builtin_bit_cast(long long, x) & ~sign | __builtin_bit_cast(long long, y) & sign);
}
WARPFOLD_DEVICE double __nv_round(double x) {
  const double t = __builtin_trunc(x);
  return __nv_copysign(__builtin_fabs(x - t) >= 0.5 ? t + __nv_copysign(1.0, x) : t, x);
}
WARPFOLD_DEVICE double __nv_fmax(double x, double y) { return __builtin_fmax(x, y); }
WARPFOLD_DEVICE double __nv_fmin(double x, double y) { return __builtin_fmin(x, y); }
WARPFOLD_DEVICE double __nv_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
WARPFOLD_DEVICE double __nv_fdim(double x, double y) { return x <= y ? 0.0 : x - y; }
WARPFOLD_DEVICE long long __nv_llrint(double x) { return __nvvm_d2ll_rn(x); }
WARPFOLD_DEVICE long long __nv_llround(double x) { return __nvvm_d2ll_rz(__nv_round(x)); }
WARPFOLD_DEVICE int __nv_isinfd(double x) { return __builtin_fabs(x) == __builtin_inf(); }
WARPFOLD_DEVICE int __nv_isnand(double x) { return x != x; }
WARPFOLD_DEVICE int __nv_isfinited(double x) { return __builtin_fabs(x) < __builtin_inf(); }
WARPFOLD_DEVICE int __nv_signbitd(double x) { return __builtin_bit_cast(long long, x) < 0; }
WARPFOLD_DEVICE double __nv_nan(const signed char*) { return __builtin_nan(""); }

WARPFOLD_DEVICE double __nv_norm3d(double a, double b, double c) { return __builtin_sqrt(a * a + b * b + c * c); }
WARPFOLD_DEVICE double __nv_norm4d(double a, double b, double c, double d) {
  return __builtin_sqrt(a * a + b * b + c * c + d * d);
}
WARPFOLD_DEVICE double __nv_rnorm3d(double a, double b, double c) { return 1.0 / __nv_norm3d(a, b, c); }
WARPFOLD_DEVICE double __nv_rnorm4d(double a, double b, double c, double d) { return 1.0 / __nv_norm4d(a, b, c, d); }
WARPFOLD_DEVICE float __nv_norm3df(float a, float b, float c) { return __builtin_sqrtf(a * a + b * b + c * c); }
WARPFOLD_DEVICE float __nv_norm4df(float a, float b, float c, float d) {
  return __builtin_sqrtf(a * a + b * b + c * c + d * d);
}
WARPFOLD_DEVICE float __nv_rnorm3df(float a, float b, float c) { return __nvvm_rsqrt_approx_f(a * a + b * b + c * c); }
WARPFOLD_DEVICE float __nv_rnorm4df(float a, float b, float c, float d) {
  return __nvvm_rsqrt_approx_f(a * a + b * b + c * c + d * d);
}
WARPFOLD_DEVICE double __nv_norm(int count, const double* v) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += v[i] * v[i];
  return __builtin_sqrt(sum);
}
WARPFOLD_DEVICE float __nv_normf(int count, const float* v) {
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += v[i] * v[i];
  return __builtin_sqrtf(sum);
}
WARPFOLD_DEVICE double __nv_rnorm(int count, const double* v) { return 1.0 / __nv_norm(count, v); }
WARPFOLD_DEVICE float __nv_rnormf(int count, const float* v) { return 1.0f / __nv_normf(count, v); }

// libclc's makes infinity of NaN, and of a float too small for full precision zero. Products by powers of two, of which
// only the last may round: those on the way down keep 53 bits above the smallest exponent.
WARPFOLD_LOCAL double warpfold_power_of_two(int n) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(n + 1023) << 52);
}
WARPFOLD_DEVICE double __nv_ldexp(double a, int n) {
  for (int step = 0; step < 2 && n > 1023; ++step, n -= 1023) a *= 0x1p1023;
  for (int step = 0; step < 2 && n < -1022; ++step, n += 1022 - 53) a *= 0x1p-969;
  return a * warpfold_power_of_two(n > 1023 ? 1023 : n < -1022 ? -1022 : n);
}
// Exact in double, then rounded once.
WARPFOLD_DEVICE float __nv_ldexpf(float a, int n) {
  return static_cast<float>(static_cast<double>(a) * warpfold_power_of_two(n > 300 ? 300 : n < -300 ? -300 : n));
}
WARPFOLD_DEVICE double __nv_scalbn(double a, int n) { return __nv_ldexp(a, n); }
WARPFOLD_DEVICE float __nv_scalbnf(float a, int n) { return __nv_ldexpf(a, n); }

}  // extern "C"
