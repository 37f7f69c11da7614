// SPDX-License-Identifier: Apache-2.0
// Overloads that CUDA C++ has and clang's headers lack: min and max beyond int (without them max(float, float) would
// silently truncate), the float forms that are declared but never defined, and the host's share.
#pragma once

#define WARPFOLD_DEVICE static __device__ __inline__ __attribute__((always_inline))
#define WARPFOLD_HOST static __host__ __inline__ __attribute__((always_inline, unused))

#define WARPFOLD_EXTREME(name, order)                                                                                  \
  WARPFOLD_DEVICE unsigned int name(unsigned int a, unsigned int b) { return __nv_u##name(a, b); }                     \
  WARPFOLD_DEVICE long long name(long long a, long long b) { return __nv_ll##name(a, b); }                             \
  WARPFOLD_DEVICE unsigned long long name(unsigned long long a, unsigned long long b) { return __nv_ull##name(a, b); } \
  WARPFOLD_DEVICE long name(long a, long b) { return a order b ? a : b; }                                              \
  WARPFOLD_DEVICE unsigned long name(unsigned long a, unsigned long b) { return a order b ? a : b; }                   \
  WARPFOLD_DEVICE float name(float a, float b) { return __nv_f##name##f(a, b); }                                       \
  WARPFOLD_DEVICE double name(double a, double b) { return __nv_f##name(a, b); }                                       \
  WARPFOLD_DEVICE unsigned int name(unsigned int a, int b) { return name(a, static_cast<unsigned int>(b)); }           \
  WARPFOLD_DEVICE unsigned int name(int a, unsigned int b) { return name(static_cast<unsigned int>(a), b); }           \
  WARPFOLD_DEVICE unsigned long name(unsigned long a, long b) { return name(a, static_cast<unsigned long>(b)); }       \
  WARPFOLD_DEVICE unsigned long name(long a, unsigned long b) { return name(static_cast<unsigned long>(a), b); }       \
  WARPFOLD_DEVICE unsigned long long name(unsigned long long a, long long b) {                                         \
    return name(a, static_cast<unsigned long long>(b));                                                                \
  }                                                                                                                    \
  WARPFOLD_DEVICE unsigned long long name(long long a, unsigned long long b) {                                         \
    return name(static_cast<unsigned long long>(a), b);                                                                \
  }                                                                                                                    \
  WARPFOLD_DEVICE double name(float a, double b) { return __nv_f##name(a, b); }                                        \
  WARPFOLD_DEVICE double name(double a, float b) { return __nv_f##name(a, b); }
WARPFOLD_EXTREME(min, <)
WARPFOLD_EXTREME(max, >)
#undef WARPFOLD_EXTREME

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
#define WARPFOLD_EXTREME(name, order)                                                                             \
  WARPFOLD_HOST int name(int a, int b) { return a order b ? a : b; }                                              \
  WARPFOLD_HOST unsigned int name(unsigned int a, unsigned int b) { return a order b ? a : b; }                   \
  WARPFOLD_HOST long name(long a, long b) { return a order b ? a : b; }                                           \
  WARPFOLD_HOST unsigned long name(unsigned long a, unsigned long b) { return a order b ? a : b; }                \
  WARPFOLD_HOST long long name(long long a, long long b) { return a order b ? a : b; }                            \
  WARPFOLD_HOST unsigned long long name(unsigned long long a, unsigned long long b) { return a order b ? a : b; } \
  WARPFOLD_HOST float name(float a, float b) { return a order b ? a : b; }                                        \
  WARPFOLD_HOST double name(double a, double b) { return a order b ? a : b; }                                     \
  WARPFOLD_HOST unsigned int name(unsigned int a, int b) { return name(a, static_cast<unsigned int>(b)); }        \
  WARPFOLD_HOST unsigned int name(int a, unsigned int b) { return name(static_cast<unsigned int>(a), b); }        \
  WARPFOLD_HOST double name(float a, double b) { return name(static_cast<double>(a), b); }                        \
  WARPFOLD_HOST double name(double a, float b) { return name(a, static_cast<double>(b)); }
WARPFOLD_EXTREME(min, <)
WARPFOLD_EXTREME(max, >)
#undef WARPFOLD_EXTREME
WARPFOLD_HOST float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
WARPFOLD_HOST double rsqrt(double x) { return 1.0 / ::sqrt(x); }
WARPFOLD_HOST float rsqrt(float x) { return 1.0f / ::sqrtf(x); }

#undef WARPFOLD_DEVICE
#undef WARPFOLD_HOST
