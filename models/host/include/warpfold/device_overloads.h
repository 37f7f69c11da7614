// SPDX-License-Identifier: Apache-2.0
// Overloads that CUDA C++ has and clang's headers lack: min and max beyond int (without them max(float, float) would
// silently truncate), the float forms that are declared but never defined, and the host's share.
#pragma once

#define WARPFOLD_DEVICE static __device__ __inline__ __attribute__((always_inline))
#define WARPFOLD_HOST static __host__ __inline__ __attribute__((always_inline, unused))

WARPFOLD_DEVICE unsigned int min(unsigned int a, unsigned int b) { return __nv_umin(a, b); }
WARPFOLD_DEVICE long long min(long long a, long long b) { return __nv_llmin(a, b); }
WARPFOLD_DEVICE unsigned long long min(unsigned long long a, unsigned long long b) { return __nv_ullmin(a, b); }
WARPFOLD_DEVICE long min(long a, long b) { return a < b ? a : b; }
WARPFOLD_DEVICE unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
WARPFOLD_DEVICE float min(float a, float b) { return __nv_fminf(a, b); }
WARPFOLD_DEVICE double min(double a, double b) { return __nv_fmin(a, b); }
WARPFOLD_DEVICE unsigned int min(unsigned int a, int b) { return min(a, static_cast<unsigned int>(b)); }
WARPFOLD_DEVICE unsigned int min(int a, unsigned int b) { return min(static_cast<unsigned int>(a), b); }
WARPFOLD_DEVICE unsigned long min(unsigned long a, long b) { return min(a, static_cast<unsigned long>(b)); }
WARPFOLD_DEVICE unsigned long min(long a, unsigned long b) { return min(static_cast<unsigned long>(a), b); }
WARPFOLD_DEVICE unsigned long long min(unsigned long long a, long long b) {
  return min(a, static_cast<unsigned long long>(b));
}
WARPFOLD_DEVICE unsigned long long min(long long a, unsigned long long b) {
  return min(static_cast<unsigned long long>(a), b);
}
WARPFOLD_DEVICE double min(float a, double b) { return __nv_fmin(a, b); }
WARPFOLD_DEVICE double min(double a, float b) { return __nv_fmin(a, b); }

WARPFOLD_DEVICE unsigned int max(unsigned int a, unsigned int b) { return __nv_umax(a, b); }
WARPFOLD_DEVICE long long max(long long a, long long b) { return __nv_llmax(a, b); }
WARPFOLD_DEVICE unsigned long long max(unsigned long long a, unsigned long long b) { return __nv_ullmax(a, b); }
WARPFOLD_DEVICE long max(long a, long b) { return a > b ? a : b; }
WARPFOLD_DEVICE unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
WARPFOLD_DEVICE float max(float a, float b) { return __nv_fmaxf(a, b); }
WARPFOLD_DEVICE double max(double a, double b) { return __nv_fmax(a, b); }
WARPFOLD_DEVICE unsigned int max(unsigned int a, int b) { return max(a, static_cast<unsigned int>(b)); }
WARPFOLD_DEVICE unsigned int max(int a, unsigned int b) { return max(static_cast<unsigned int>(a), b); }
WARPFOLD_DEVICE unsigned long max(unsigned long a, long b) { return max(a, static_cast<unsigned long>(b)); }
WARPFOLD_DEVICE unsigned long max(long a, unsigned long b) { return max(static_cast<unsigned long>(a), b); }
WARPFOLD_DEVICE unsigned long long max(unsigned long long a, long long b) {
  return max(a, static_cast<unsigned long long>(b));
}
WARPFOLD_DEVICE unsigned long long max(long long a, unsigned long long b) {
  return max(static_cast<unsigned long long>(a), b);
}
WARPFOLD_DEVICE double max(float a, double b) { return __nv_fmax(a, b); }
WARPFOLD_DEVICE double max(double a, float b) { return __nv_fmax(a, b); }

// Declared by clang before <cmath> is read, defined by nobody.
WARPFOLD_DEVICE float acosh(float x) { return ::acoshf(x); }
WARPFOLD_DEVICE float asinh(float x) { return ::asinhf(x); }
WARPFOLD_DEVICE float atanh(float x) { return ::atanhf(x); }
WARPFOLD_DEVICE float cbrt(float x) { return ::cbrtf(x); }
WARPFOLD_DEVICE float erf(float x) { return ::erff(x); }
WARPFOLD_DEVICE float erfc(float x) { return ::erfcf(x); }
WARPFOLD_DEVICE float exp2(float x) { return ::exp2f(x); }
WARPFOLD_DEVICE float expm1(float x) { return ::expm1f(x); }
WARPFOLD_DEVICE float lgamma(float x) { return ::lgammaf(x); }
WARPFOLD_DEVICE float log1p(float x) { return ::log1pf(x); }
WARPFOLD_DEVICE float log2(float x) { return ::log2f(x); }
WARPFOLD_DEVICE float logb(float x) { return ::logbf(x); }
WARPFOLD_DEVICE float nearbyint(float x) { return ::nearbyintf(x); }
WARPFOLD_DEVICE float rint(float x) { return ::rintf(x); }
WARPFOLD_DEVICE float round(float x) { return ::roundf(x); }
WARPFOLD_DEVICE float tgamma(float x) { return ::tgammaf(x); }
WARPFOLD_DEVICE float trunc(float x) { return ::truncf(x); }
WARPFOLD_DEVICE float copysign(float x, float y) { return ::copysignf(x, y); }
WARPFOLD_DEVICE float fdim(float x, float y) { return ::fdimf(x, y); }
WARPFOLD_DEVICE float fmax(float x, float y) { return ::fmaxf(x, y); }
WARPFOLD_DEVICE float fmin(float x, float y) { return ::fminf(x, y); }
WARPFOLD_DEVICE float hypot(float x, float y) { return ::hypotf(x, y); }
WARPFOLD_DEVICE float nextafter(float x, float y) { return ::nextafterf(x, y); }
WARPFOLD_DEVICE float remainder(float x, float y) { return ::remainderf(x, y); }
WARPFOLD_DEVICE float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
WARPFOLD_DEVICE float remquo(float x, float y, int* q) { return ::remquof(x, y, q); }
WARPFOLD_DEVICE float scalbn(float x, int n) { return ::scalbnf(x, n); }
WARPFOLD_DEVICE float scalbln(float x, long n) { return ::scalblnf(x, n); }
WARPFOLD_DEVICE int ilogb(float x) { return ::ilogbf(x); }
WARPFOLD_DEVICE long long llrint(float x) { return ::llrintf(x); }
WARPFOLD_DEVICE long long llround(float x) { return ::llroundf(x); }
WARPFOLD_DEVICE long lrint(float x) { return ::lrintf(x); }
WARPFOLD_DEVICE long lround(float x) { return ::lroundf(x); }
WARPFOLD_DEVICE double nan(const char*) { return __builtin_nan(""); }
WARPFOLD_DEVICE float nanf(const char*) { return __builtin_nanf(""); }

// Functions of CUDA that the C library does not have: float overloads on the device.
WARPFOLD_DEVICE float rsqrt(float x) { return ::rsqrtf(x); }
WARPFOLD_DEVICE float rcbrt(float x) { return ::rcbrtf(x); }
WARPFOLD_DEVICE float sinpi(float x) { return ::sinpif(x); }
WARPFOLD_DEVICE float cospi(float x) { return ::cospif(x); }
WARPFOLD_DEVICE float exp10(float x) { return ::exp10f(x); }

// nvcc offers these to host code too.
WARPFOLD_HOST int min(int a, int b) { return a < b ? a : b; }
WARPFOLD_HOST unsigned int min(unsigned int a, unsigned int b) { return a < b ? a : b; }
WARPFOLD_HOST long min(long a, long b) { return a < b ? a : b; }
WARPFOLD_HOST unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
WARPFOLD_HOST long long min(long long a, long long b) { return a < b ? a : b; }
WARPFOLD_HOST unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
WARPFOLD_HOST float min(float a, float b) { return a < b ? a : b; }
WARPFOLD_HOST double min(double a, double b) { return a < b ? a : b; }
WARPFOLD_HOST unsigned int min(unsigned int a, int b) { return min(a, static_cast<unsigned int>(b)); }
WARPFOLD_HOST unsigned int min(int a, unsigned int b) { return min(static_cast<unsigned int>(a), b); }
WARPFOLD_HOST double min(float a, double b) { return min(static_cast<double>(a), b); }
WARPFOLD_HOST double min(double a, float b) { return min(a, static_cast<double>(b)); }
WARPFOLD_HOST int max(int a, int b) { return a > b ? a : b; }
WARPFOLD_HOST unsigned int max(unsigned int a, unsigned int b) { return a > b ? a : b; }
WARPFOLD_HOST long max(long a, long b) { return a > b ? a : b; }
WARPFOLD_HOST unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
WARPFOLD_HOST long long max(long long a, long long b) { return a > b ? a : b; }
WARPFOLD_HOST unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
WARPFOLD_HOST float max(float a, float b) { return a > b ? a : b; }
WARPFOLD_HOST double max(double a, double b) { return a > b ? a : b; }
WARPFOLD_HOST unsigned int max(unsigned int a, int b) { return max(a, static_cast<unsigned int>(b)); }
WARPFOLD_HOST unsigned int max(int a, unsigned int b) { return max(static_cast<unsigned int>(a), b); }
WARPFOLD_HOST double max(float a, double b) { return max(static_cast<double>(a), b); }
WARPFOLD_HOST double max(double a, float b) { return max(a, static_cast<double>(b)); }
WARPFOLD_HOST float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
WARPFOLD_HOST double rsqrt(double x) { return 1.0 / ::sqrt(x); }
WARPFOLD_HOST float rsqrt(float x) { return 1.0f / ::sqrtf(x); }

#undef WARPFOLD_DEVICE
#undef WARPFOLD_HOST
