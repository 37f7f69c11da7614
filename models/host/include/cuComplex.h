// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs, for C, C++ and kernels.
#pragma once
#define CU_COMPLEX_H_

#include <math.h>

#include "host_defines.h"
#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WARPFOLD_COMPLEX static __host__ __device__ __inline__ __attribute__((unused))

WARPFOLD_COMPLEX cuFloatComplex make_cuFloatComplex(float real, float imaginary) {
  return make_float2(real, imaginary);
}
WARPFOLD_COMPLEX cuComplex make_cuComplex(float real, float imaginary) { return make_float2(real, imaginary); }
WARPFOLD_COMPLEX cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) {
  return make_double2(real, imaginary);
}
WARPFOLD_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
  return make_double2((double)x.x, (double)x.y);
}
WARPFOLD_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return make_float2((float)x.x, (float)x.y);
}

/* The names of one precision: `f` is the suffix of its functions, `m` that of the C library's. */
#define WARPFOLD_COMPLEX_OPERATIONS(f, m, Real, Complex, make)                                                    \
  WARPFOLD_COMPLEX Real cuCreal##f(Complex x) { return x.x; }                                                     \
  WARPFOLD_COMPLEX Real cuCimag##f(Complex x) { return x.y; }                                                     \
  WARPFOLD_COMPLEX Complex cuConj##f(Complex x) { return make(x.x, -x.y); }                                       \
  WARPFOLD_COMPLEX Complex cuCadd##f(Complex x, Complex y) { return make(x.x + y.x, x.y + y.y); }                 \
  WARPFOLD_COMPLEX Complex cuCsub##f(Complex x, Complex y) { return make(x.x - y.x, x.y - y.y); }                 \
  WARPFOLD_COMPLEX Complex cuCmul##f(Complex x, Complex y) {                                                      \
    return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                                    \
  }                                                                                                               \
  /* Scaled, so that the square of the divisor's length neither overflows nor vanishes. */                        \
  WARPFOLD_COMPLEX Complex cuCdiv##f(Complex x, Complex y) {                                                      \
    const Real scale = 1 / (fabs##m(y.x) + fabs##m(y.y));                                                         \
    const Real a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale, inverse = 1 / (c * c + d * d); \
    return make((a * c + b * d) * inverse, (b * c - a * d) * inverse);                                            \
  }                                                                                                               \
  WARPFOLD_COMPLEX Real cuCabs##f(Complex x) { return hypot##m(x.x, x.y); }                                       \
  WARPFOLD_COMPLEX Complex cuCfma##f(Complex x, Complex y, Complex z) {                                           \
    return make(x.x * y.x + z.x - x.y * y.y, x.x * y.y + z.y + x.y * y.x);                                        \
  }
WARPFOLD_COMPLEX_OPERATIONS(f, f, float, cuFloatComplex, make_float2)
WARPFOLD_COMPLEX_OPERATIONS(, , double, cuDoubleComplex, make_double2)
#undef WARPFOLD_COMPLEX_OPERATIONS
#undef WARPFOLD_COMPLEX
