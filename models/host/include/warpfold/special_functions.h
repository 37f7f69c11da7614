// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA that the C library does not have: their float overloads on the device, and the host's share.
#pragma once

#define WARPFOLD_OVERLOAD(name) \
  static __device__ __inline__ __attribute__((always_inline)) float name(float x) { return ::name##f(x); }
WARPFOLD_OVERLOAD(erfinv)
WARPFOLD_OVERLOAD(erfcinv)
WARPFOLD_OVERLOAD(erfcx)
WARPFOLD_OVERLOAD(normcdf)
WARPFOLD_OVERLOAD(normcdfinv)
WARPFOLD_OVERLOAD(cyl_bessel_i0)
WARPFOLD_OVERLOAD(cyl_bessel_i1)
WARPFOLD_OVERLOAD(j0)
WARPFOLD_OVERLOAD(j1)
WARPFOLD_OVERLOAD(y0)
WARPFOLD_OVERLOAD(y1)
#undef WARPFOLD_OVERLOAD
static __device__ __inline__ __attribute__((always_inline)) void sincospi(float x, float* s, float* c) {
  ::sincospif(x, s, c);
}

#define WARPFOLD_HOST static __host__ __inline__ __attribute__((unused))
WARPFOLD_HOST double rcbrt(double x) { return 1.0 / ::cbrt(x); }
WARPFOLD_HOST float rcbrtf(float x) { return 1.0f / ::cbrtf(x); }
WARPFOLD_HOST float rcbrt(float x) { return rcbrtf(x); }
WARPFOLD_HOST double normcdf(double x) { return 0.5 * ::erfc(x * -0.70710678118654752); }
WARPFOLD_HOST float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
WARPFOLD_HOST float normcdf(float x) { return normcdff(x); }
// Reduced to a quarter turn first, which is exact.
WARPFOLD_HOST void sincospi(double x, double* s, double* c) {
  const double quarters = ::nearbyint(2 * ::fmod(x, 2.0)),
               angle = (::fmod(x, 2.0) - 0.5 * quarters) * 3.14159265358979324;
  const double sine = ::sin(angle), cosine = ::cos(angle);
  switch (static_cast<int>(quarters) & 3) {
    case 0:
      *s = sine, *c = cosine;
      break;
    case 1:
      *s = cosine, *c = -sine;
      break;
    case 2:
      *s = -sine, *c = -cosine;
      break;
    default:
      *s = -cosine, *c = sine;
      break;
  }
}
WARPFOLD_HOST void sincospif(float x, float* s, float* c) {
  double sine, cosine;
  sincospi(static_cast<double>(x), &sine, &cosine);
  *s = static_cast<float>(sine), *c = static_cast<float>(cosine);
}
WARPFOLD_HOST void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
WARPFOLD_HOST double sinpi(double x) {
  double s, c;
  sincospi(x, &s, &c);
  return s;
}
WARPFOLD_HOST double cospi(double x) {
  double s, c;
  sincospi(x, &s, &c);
  return c;
}
WARPFOLD_HOST float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
WARPFOLD_HOST float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
WARPFOLD_HOST float sinpi(float x) { return sinpif(x); }
WARPFOLD_HOST float cospi(float x) { return cospif(x); }
#undef WARPFOLD_HOST
