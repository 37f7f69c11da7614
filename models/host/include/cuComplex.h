// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs, for C, C++ and kernels.
#pragma once
#define CU_COMPLEX_H_

#include <math.h>

#include "host_defines.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WARPFOLD_COMPLEX __host__ __device__ static inline

// `f` ends the names of the single-precision functions. Quotients and magnitudes are of scaled parts, which overflow
// only where the result does.
#define WARPFOLD_COMPLEX_FUNCTIONS(Complex, Real, f)                                                        \
  WARPFOLD_COMPLEX Complex make_##Complex(Real re, Real im) {                                               \
    Complex z;                                                                                              \
    z.x = re;                                                                                               \
    z.y = im;                                                                                               \
    return z;                                                                                               \
  }                                                                                                         \
  WARPFOLD_COMPLEX Real cuCreal##f(Complex z) { return z.x; }                                               \
  WARPFOLD_COMPLEX Real cuCimag##f(Complex z) { return z.y; }                                               \
  WARPFOLD_COMPLEX Complex cuConj##f(Complex z) { return make_##Complex(z.x, -z.y); }                       \
  WARPFOLD_COMPLEX Complex cuCadd##f(Complex a, Complex b) { return make_##Complex(a.x + b.x, a.y + b.y); } \
  WARPFOLD_COMPLEX Complex cuCsub##f(Complex a, Complex b) { return make_##Complex(a.x - b.x, a.y - b.y); } \
  WARPFOLD_COMPLEX Complex cuCmul##f(Complex a, Complex b) {                                                \
    return make_##Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                    \
  }                                                                                                         \
  WARPFOLD_COMPLEX Complex cuCdiv##f(Complex a, Complex b) {                                                \
    const Real scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                                                   \
    const Real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                      \
    const Real inverse = 1 / (bx * bx + by * by);                                                           \
    return make_##Complex((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);                    \
  }                                                                                                         \
  WARPFOLD_COMPLEX Real cuCabs##f(Complex z) { return hypot##f(z.x, z.y); }                                 \
  WARPFOLD_COMPLEX Complex cuCfma##f(Complex a, Complex b, Complex c) {                                     \
    return make_##Complex(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);                        \
  }

WARPFOLD_COMPLEX_FUNCTIONS(cuFloatComplex, float, f)
WARPFOLD_COMPLEX_FUNCTIONS(cuDoubleComplex, double, )

WARPFOLD_COMPLEX cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
WARPFOLD_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
WARPFOLD_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}

#undef WARPFOLD_COMPLEX_FUNCTIONS
#undef WARPFOLD_COMPLEX
