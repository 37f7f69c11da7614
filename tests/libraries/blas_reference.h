// SPDX-License-Identifier: Apache-2.0
// What tests of cuBLAS compare with: BLAS as plain loops over small whole numbers, whose sums are exact in any order.
#pragma once

#include <cublas_v2.h>

#include <complex>
#include <cstdlib>
#include <vector>

#include "on_device.h"

template <class T>
struct Number {
  using Type = T;
  static T make(int a, int) { return static_cast<T>(a); }
  static T conjugate(T x) { return x; }
};
template <class R>
struct Number<std::complex<R>> {
  using Type = std::complex<R>;
  static Type make(int a, int b) { return {static_cast<R>(a), static_cast<R>(b)}; }
  static Type conjugate(Type x) { return std::conj(x); }
};

// Values from -9 to 9, always the same.
template <class T>
std::vector<T> some(size_t count, unsigned seed) {
  std::vector<T> values(count);
  for (T& value : values) {
    const int a = static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 16) % 19 - 9;
    const int b = static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 16) % 19 - 9;
    value = Number<T>::make(a, b);
  }
  return values;
}

// Element (row, column) of op(A).
template <class T>
T element(const std::vector<T>& a, int lda, cublasOperation_t operation, int row, int column) {
  if (operation == CUBLAS_OP_N) return a[row + column * lda];
  const T value = a[column + row * lda];
  return operation == CUBLAS_OP_C ? Number<T>::conjugate(value) : value;
}

template <class T>
void reference_gemm(cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, T alpha,
                    const std::vector<T>& a, int lda, const std::vector<T>& b, int ldb, T beta, std::vector<T>& c,
                    int ldc) {
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      T sum{};
      for (int p = 0; p < k; ++p) sum += element(a, lda, of_a, row, p) * element(b, ldb, of_b, p, column);
      T& to = c[row + column * ldc];
      to = beta == T{} ? alpha * sum : alpha * sum + beta * to;
    }
  }
}

// Where element i of a vector lies.
inline int place(int i, int n, int step) { return step < 0 ? (i - (n - 1)) * step : i * step; }

// The calls of each type by one name.
#define BLAS_CALLS(P, T, C)                                                                                            \
  inline cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t oa, cublasOperation_t ob, int m, int n, int k,        \
                             const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) { \
    return cublas##P##gemm(h, oa, ob, m, n, k, (const C*)alpha, (const C*)a, lda, (const C*)b, ldb, (const C*)beta,    \
                           (C*)c, ldc);                                                                                \
  }                                                                                                                    \
  inline cublasStatus_t gemv(cublasHandle_t h, cublasOperation_t o, int m, int n, const T* alpha, const T* a, int lda, \
                             const T* x, int incx, const T* beta, T* y, int incy) {                                    \
    return cublas##P##gemv(h, o, m, n, (const C*)alpha, (const C*)a, lda, (const C*)x, incx, (const C*)beta, (C*)y,    \
                           incy);                                                                                      \
  }                                                                                                                    \
  inline cublasStatus_t geam(cublasHandle_t h, cublasOperation_t oa, cublasOperation_t ob, int m, int n,               \
                             const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) { \
    return cublas##P##geam(h, oa, ob, m, n, (const C*)alpha, (const C*)a, lda, (const C*)beta, (const C*)b, ldb,       \
                           (C*)c, ldc);                                                                                \
  }                                                                                                                    \
  inline cublasStatus_t axpy(cublasHandle_t h, int n, const T* alpha, const T* x, int incx, T* y, int incy) {          \
    return cublas##P##axpy(h, n, (const C*)alpha, (const C*)x, incx, (C*)y, incy);                                     \
  }                                                                                                                    \
  inline cublasStatus_t scal(cublasHandle_t h, int n, const T* alpha, T* x, int incx) {                                \
    return cublas##P##scal(h, n, (const C*)alpha, (C*)x, incx);                                                        \
  }                                                                                                                    \
  inline cublasStatus_t swap(cublasHandle_t h, int n, T* x, int incx, T* y, int incy) {                                \
    return cublas##P##swap(h, n, (C*)x, incx, (C*)y, incy);                                                            \
  }                                                                                                                    \
  inline cublasStatus_t copy(cublasHandle_t h, int n, const T* x, int incx, T* y, int incy) {                          \
    return cublas##P##copy(h, n, (const C*)x, incx, (C*)y, incy);                                                      \
  }
BLAS_CALLS(S, float, float)
BLAS_CALLS(D, double, double)
BLAS_CALLS(C, std::complex<float>, cuComplex)
BLAS_CALLS(Z, std::complex<double>, cuDoubleComplex)
#undef BLAS_CALLS
#define BLAS_DOT(N, M, T, C)                                                                                \
  inline cublasStatus_t N(cublasHandle_t h, int n, const T* x, int incx, const T* y, int incy, T* result) { \
    return cublas##M(h, n, (const C*)x, incx, (const C*)y, incy, (C*)result);                               \
  }
BLAS_DOT(dot, Sdot, float, float)
BLAS_DOT(dot, Ddot, double, double)
BLAS_DOT(dot, Cdotc, std::complex<float>, cuComplex)
BLAS_DOT(dot, Zdotc, std::complex<double>, cuDoubleComplex)
#undef BLAS_DOT
