// SPDX-License-Identifier: Apache-2.0
// Real and complex numbers alike, for kernels that are written once. Every sum is of fused products, in the order that
// stands beside each kernel, so that results are the same everywhere.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace warpfold::blas {

// As cuComplex and cuDoubleComplex lie in memory.
template <class R>
struct alignas(2 * sizeof(R)) Complex {
  R re, im;
};

template <class T>
struct RealOf {
  using Type = T;
};
template <class R>
struct RealOf<Complex<R>> {
  using Type = R;
};
template <class T>
using Real = typename RealOf<T>::Type;

// a b + c
__device__ inline float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return fma(a, b, c); }
__device__ inline __half multiply_add(__half a, __half b, __half c) { return __hfma(a, b, c); }
__device__ inline int multiply_add(int a, int b, int c) { return a * b + c; }
template <class R>
__device__ Complex<R> multiply_add(Complex<R> a, Complex<R> b, Complex<R> c) {
  return {multiply_add(-a.im, b.im, multiply_add(a.re, b.re, c.re)),
          multiply_add(a.im, b.re, multiply_add(a.re, b.im, c.im))};
}
template <class R>
__device__ Complex<R> multiply_add(R a, Complex<R> b, Complex<R> c) {
  return {multiply_add(a, b.re, c.re), multiply_add(a, b.im, c.im)};
}

__device__ inline float product(float a, float b) { return a * b; }
__device__ inline double product(double a, double b) { return a * b; }
__device__ inline __half product(__half a, __half b) { return __hmul(a, b); }
__device__ inline int product(int a, int b) { return a * b; }
template <class R>
__device__ Complex<R> product(Complex<R> a, Complex<R> b) {
  return {multiply_add(-a.im, b.im, a.re * b.re), multiply_add(a.im, b.re, a.re * b.im)};
}
template <class R>
__device__ Complex<R> product(R a, Complex<R> b) {
  return {a * b.re, a * b.im};
}

__device__ inline float sum(float a, float b) { return a + b; }
__device__ inline double sum(double a, double b) { return a + b; }
template <class R>
__device__ Complex<R> sum(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}

__device__ inline bool is_zero(float a) { return a == 0; }
__device__ inline bool is_zero(double a) { return a == 0; }
__device__ inline bool is_zero(__half a) { return static_cast<float>(a) == 0; }
__device__ inline bool is_zero(int a) { return a == 0; }
template <class R>
__device__ bool is_zero(Complex<R> a) {
  return a.re == 0 && a.im == 0;
}

__device__ inline float conjugate(float a) { return a; }
__device__ inline double conjugate(double a) { return a; }
__device__ inline __half conjugate(__half a) { return a; }
__device__ inline int conjugate(int a) { return a; }
template <class R>
__device__ Complex<R> conjugate(Complex<R> a) {
  return {a.re, -a.im};
}

// BLAS's size of a number: of a complex one the sum of both parts' sizes.
__device__ inline float size_of(float a) { return fabsf(a); }
__device__ inline double size_of(double a) { return fabs(a); }
template <class R>
__device__ R size_of(Complex<R> a) {
  return size_of(a.re) + size_of(a.im);
}

// A factor that the program passes by value or leaves on the device.
template <class T>
struct Factor {
  T value;
  const T* pointer;
  __device__ T operator()() const { return pointer != nullptr ? *pointer : value; }
};

// alpha s + beta y, where a y that beta cancels is not read.
template <class T, class Y>
__device__ T scaled_sum(T alpha, T s, T beta, const Y* y) {
  return is_zero(beta) ? product(alpha, s) : multiply_add(alpha, s, product(beta, static_cast<T>(*y)));
}

// Element i of n, from the last one backwards where the step is negative, as BLAS has it.
template <class T>
struct Vector {
  T* first;
  long long step;
  Vector(T* data, int n, int given_step) : first(data), step(given_step) {
    if (step < 0) first -= (n - 1) * step;
  }
  __device__ T& operator[](long long i) const { return first[i * step]; }
};

}  // namespace warpfold::blas
