// SPDX-License-Identifier: Apache-2.0
// Functions taken from libclc, which names them as OpenCL C does: float sin(float) is the symbol _Z3sinf.
#pragma once

extern "C" {

__device__ double warpfold_clc_acos(double) __asm__("_Z4acosd");
WARPFOLD_DEVICE double __nv_acos(double a) { return warpfold_clc_acos(a); }
__device__ float warpfold_clc_acosf(float) __asm__("_Z4acosf");
WARPFOLD_DEVICE float __nv_acosf(float a) { return warpfold_clc_acosf(a); }
__device__ double warpfold_clc_acosh(double) __asm__("_Z5acoshd");
WARPFOLD_DEVICE double __nv_acosh(double a) { return warpfold_clc_acosh(a); }
__device__ float warpfold_clc_acoshf(float) __asm__("_Z5acoshf");
WARPFOLD_DEVICE float __nv_acoshf(float a) { return warpfold_clc_acoshf(a); }
__device__ double warpfold_clc_asin(double) __asm__("_Z4asind");
WARPFOLD_DEVICE double __nv_asin(double a) { return warpfold_clc_asin(a); }
__device__ float warpfold_clc_asinf(float) __asm__("_Z4asinf");
WARPFOLD_DEVICE float __nv_asinf(float a) { return warpfold_clc_asinf(a); }
__device__ double warpfold_clc_asinh(double) __asm__("_Z5asinhd");
WARPFOLD_DEVICE double __nv_asinh(double a) { return warpfold_clc_asinh(a); }
__device__ float warpfold_clc_asinhf(float) __asm__("_Z5asinhf");
WARPFOLD_DEVICE float __nv_asinhf(float a) { return warpfold_clc_asinhf(a); }
__device__ double warpfold_clc_atan(double) __asm__("_Z4atand");
WARPFOLD_DEVICE double __nv_atan(double a) { return warpfold_clc_atan(a); }
__device__ float warpfold_clc_atanf(float) __asm__("_Z4atanf");
WARPFOLD_DEVICE float __nv_atanf(float a) { return warpfold_clc_atanf(a); }
__device__ double warpfold_clc_atanh(double) __asm__("_Z5atanhd");
WARPFOLD_DEVICE double __nv_atanh(double a) { return warpfold_clc_atanh(a); }
__device__ float warpfold_clc_atanhf(float) __asm__("_Z5atanhf");
WARPFOLD_DEVICE float __nv_atanhf(float a) { return warpfold_clc_atanhf(a); }
__device__ double warpfold_clc_cbrt(double) __asm__("_Z4cbrtd");
WARPFOLD_DEVICE double __nv_cbrt(double a) { return warpfold_clc_cbrt(a); }
__device__ float warpfold_clc_cbrtf(float) __asm__("_Z4cbrtf");
WARPFOLD_DEVICE float __nv_cbrtf(float a) { return warpfold_clc_cbrtf(a); }
__device__ double warpfold_clc_cosh(double) __asm__("_Z4coshd");
WARPFOLD_DEVICE double __nv_cosh(double a) { return warpfold_clc_cosh(a); }
__device__ float warpfold_clc_coshf(float) __asm__("_Z4coshf");
WARPFOLD_DEVICE float __nv_coshf(float a) { return warpfold_clc_coshf(a); }
__device__ double warpfold_clc_cospi(double) __asm__("_Z5cospid");
WARPFOLD_DEVICE double __nv_cospi(double a) { return warpfold_clc_cospi(a); }
__device__ float warpfold_clc_cospif(float) __asm__("_Z5cospif");
WARPFOLD_DEVICE float __nv_cospif(float a) { return warpfold_clc_cospif(a); }
__device__ double warpfold_clc_erf(double) __asm__("_Z3erfd");
WARPFOLD_DEVICE double __nv_erf(double a) { return warpfold_clc_erf(a); }
__device__ float warpfold_clc_erff(float) __asm__("_Z3erff");
WARPFOLD_DEVICE float __nv_erff(float a) { return warpfold_clc_erff(a); }
__device__ double warpfold_clc_erfc(double) __asm__("_Z4erfcd");
WARPFOLD_DEVICE double __nv_erfc(double a) { return warpfold_clc_erfc(a); }
__device__ float warpfold_clc_erfcf(float) __asm__("_Z4erfcf");
WARPFOLD_DEVICE float __nv_erfcf(float a) { return warpfold_clc_erfcf(a); }
__device__ double warpfold_clc_expm1(double) __asm__("_Z5expm1d");
WARPFOLD_DEVICE double __nv_expm1(double a) { return warpfold_clc_expm1(a); }
__device__ float warpfold_clc_expm1f(float) __asm__("_Z5expm1f");
WARPFOLD_DEVICE float __nv_expm1f(float a) { return warpfold_clc_expm1f(a); }
__device__ double warpfold_clc_lgamma(double) __asm__("_Z6lgammad");
WARPFOLD_DEVICE double __nv_lgamma(double a) { return warpfold_clc_lgamma(a); }
__device__ float warpfold_clc_lgammaf(float) __asm__("_Z6lgammaf");
WARPFOLD_DEVICE float __nv_lgammaf(float a) { return warpfold_clc_lgammaf(a); }
__device__ double warpfold_clc_log1p(double) __asm__("_Z5log1pd");
WARPFOLD_DEVICE double __nv_log1p(double a) { return warpfold_clc_log1p(a); }
__device__ float warpfold_clc_log1pf(float) __asm__("_Z5log1pf");
WARPFOLD_DEVICE float __nv_log1pf(float a) { return warpfold_clc_log1pf(a); }
__device__ double warpfold_clc_logb(double) __asm__("_Z4logbd");
WARPFOLD_DEVICE double __nv_logb(double a) { return warpfold_clc_logb(a); }
__device__ float warpfold_clc_logbf(float) __asm__("_Z4logbf");
WARPFOLD_DEVICE float __nv_logbf(float a) { return warpfold_clc_logbf(a); }
__device__ double warpfold_clc_sinh(double) __asm__("_Z4sinhd");
WARPFOLD_DEVICE double __nv_sinh(double a) { return warpfold_clc_sinh(a); }
__device__ float warpfold_clc_sinhf(float) __asm__("_Z4sinhf");
WARPFOLD_DEVICE float __nv_sinhf(float a) { return warpfold_clc_sinhf(a); }
__device__ double warpfold_clc_sinpi(double) __asm__("_Z5sinpid");
WARPFOLD_DEVICE double __nv_sinpi(double a) { return warpfold_clc_sinpi(a); }
__device__ float warpfold_clc_sinpif(float) __asm__("_Z5sinpif");
WARPFOLD_DEVICE float __nv_sinpif(float a) { return warpfold_clc_sinpif(a); }
__device__ double warpfold_clc_tanh(double) __asm__("_Z4tanhd");
WARPFOLD_DEVICE double __nv_tanh(double a) { return warpfold_clc_tanh(a); }
__device__ float warpfold_clc_tanhf(float) __asm__("_Z4tanhf");
WARPFOLD_DEVICE float __nv_tanhf(float a) { return warpfold_clc_tanhf(a); }
__device__ double warpfold_clc_cos(double) __asm__("_Z3cosd");
WARPFOLD_DEVICE double __nv_cos(double a) { return warpfold_clc_cos(a); }
__device__ double warpfold_clc_exp(double) __asm__("_Z3expd");
WARPFOLD_DEVICE double __nv_exp(double a) { return warpfold_clc_exp(a); }
__device__ double warpfold_clc_exp10(double) __asm__("_Z5exp10d");
WARPFOLD_DEVICE double __nv_exp10(double a) { return warpfold_clc_exp10(a); }
__device__ double warpfold_clc_exp2(double) __asm__("_Z4exp2d");
WARPFOLD_DEVICE double __nv_exp2(double a) { return warpfold_clc_exp2(a); }
__device__ double warpfold_clc_log(double) __asm__("_Z3logd");
WARPFOLD_DEVICE double __nv_log(double a) { return warpfold_clc_log(a); }
__device__ double warpfold_clc_log10(double) __asm__("_Z5log10d");
WARPFOLD_DEVICE double __nv_log10(double a) { return warpfold_clc_log10(a); }
__device__ double warpfold_clc_log2(double) __asm__("_Z4log2d");
WARPFOLD_DEVICE double __nv_log2(double a) { return warpfold_clc_log2(a); }
__device__ double warpfold_clc_sin(double) __asm__("_Z3sind");
WARPFOLD_DEVICE double __nv_sin(double a) { return warpfold_clc_sin(a); }
__device__ double warpfold_clc_tan(double) __asm__("_Z3tand");
WARPFOLD_DEVICE double __nv_tan(double a) { return warpfold_clc_tan(a); }
__device__ double warpfold_clc_atan2(double, double) __asm__("_Z5atan2dd");
WARPFOLD_DEVICE double __nv_atan2(double a, double b) { return warpfold_clc_atan2(a, b); }
__device__ float warpfold_clc_atan2f(float, float) __asm__("_Z5atan2ff");
WARPFOLD_DEVICE float __nv_atan2f(float a, float b) { return warpfold_clc_atan2f(a, b); }
__device__ double warpfold_clc_fmod(double, double) __asm__("_Z4fmoddd");
WARPFOLD_DEVICE double __nv_fmod(double a, double b) { return warpfold_clc_fmod(a, b); }
__device__ double warpfold_clc_hypot(double, double) __asm__("_Z5hypotdd");
WARPFOLD_DEVICE double __nv_hypot(double a, double b) { return warpfold_clc_hypot(a, b); }
__device__ float warpfold_clc_hypotf(float, float) __asm__("_Z5hypotff");
WARPFOLD_DEVICE float __nv_hypotf(float a, float b) { return warpfold_clc_hypotf(a, b); }
__device__ double warpfold_clc_nextafter(double, double) __asm__("_Z9nextafterdd");
WARPFOLD_DEVICE double __nv_nextafter(double a, double b) { return warpfold_clc_nextafter(a, b); }
__device__ float warpfold_clc_nextafterf(float, float) __asm__("_Z9nextafterff");
WARPFOLD_DEVICE float __nv_nextafterf(float a, float b) { return warpfold_clc_nextafterf(a, b); }
__device__ double warpfold_clc_pow(double, double) __asm__("_Z3powdd");
WARPFOLD_DEVICE double __nv_pow(double a, double b) { return warpfold_clc_pow(a, b); }
__device__ float warpfold_clc_powf(float, float) __asm__("_Z3powff");
WARPFOLD_DEVICE float __nv_powf(float a, float b) { return warpfold_clc_powf(a, b); }
__device__ double warpfold_clc_remainder(double, double) __asm__("_Z9remainderdd");
WARPFOLD_DEVICE double __nv_remainder(double a, double b) { return warpfold_clc_remainder(a, b); }
__device__ double warpfold_clc_powi(double, int) __asm__("_Z4powndi");
WARPFOLD_DEVICE double __nv_powi(double a, int b) { return warpfold_clc_powi(a, b); }
__device__ float warpfold_clc_powif(float, int) __asm__("_Z4pownfi");
WARPFOLD_DEVICE float __nv_powif(float a, int b) { return warpfold_clc_powif(a, b); }
__device__ int warpfold_clc_ilogb(double) __asm__("_Z5ilogbd");
WARPFOLD_DEVICE int __nv_ilogb(double a) { return warpfold_clc_ilogb(a); }
__device__ int warpfold_clc_ilogbf(float) __asm__("_Z5ilogbf");
WARPFOLD_DEVICE int __nv_ilogbf(float a) { return warpfold_clc_ilogbf(a); }
__device__ double warpfold_clc_frexp(double, int*) __asm__("_Z5frexpdPi");
WARPFOLD_DEVICE double __nv_frexp(double a, int* b) { return warpfold_clc_frexp(a, b); }
__device__ float warpfold_clc_frexpf(float, int*) __asm__("_Z5frexpfPi");
WARPFOLD_DEVICE float __nv_frexpf(float a, int* b) { return warpfold_clc_frexpf(a, b); }
__device__ double warpfold_clc_modf(double, double*) __asm__("_Z4modfdPd");
WARPFOLD_DEVICE double __nv_modf(double a, double* b) { return warpfold_clc_modf(a, b); }
__device__ float warpfold_clc_modff(float, float*) __asm__("_Z4modffPf");
WARPFOLD_DEVICE float __nv_modff(float a, float* b) { return warpfold_clc_modff(a, b); }
__device__ double warpfold_clc_remquo(double, double, int*) __asm__("_Z6remquoddPi");
WARPFOLD_DEVICE double __nv_remquo(double a, double b, int* c) { return warpfold_clc_remquo(a, b, c); }

// Remainders of floats: exact in double precision, whereas libclc's take subnormals for zero.
WARPFOLD_DEVICE float __nv_fmodf(float a, float b) { return static_cast<float>(__nv_fmod(a, b)); }
WARPFOLD_DEVICE float __nv_remainderf(float a, float b) { return static_cast<float>(__nv_remainder(a, b)); }
WARPFOLD_DEVICE float __nv_remquof(float a, float b, int* c) { return static_cast<float>(__nv_remquo(a, b, c)); }


WARPFOLD_DEVICE double __nv_rcbrt(double a) { return 1.0 / __nv_cbrt(a); }
WARPFOLD_DEVICE double __nv_rhypot(double a, double b) { return 1.0 / __nv_hypot(a, b); }
WARPFOLD_DEVICE void __nv_sincospi(double a, double* s, double* c) {
  *s = __nv_sinpi(a);
  *c = __nv_cospi(a);
}
WARPFOLD_DEVICE float __nv_rcbrtf(float a) { return 1.0f / __nv_cbrtf(a); }
WARPFOLD_DEVICE float __nv_rhypotf(float a, float b) { return 1.0f / __nv_hypotf(a, b); }
WARPFOLD_DEVICE void __nv_sincospif(float a, float* s, float* c) {
  *s = __nv_sinpif(a);
  *c = __nv_cospif(a);
}
WARPFOLD_DEVICE void __nv_sincos(double a, double* s, double* c) {
  *s = __nv_sin(a);
  *c = __nv_cos(a);
}

}  // extern "C"
