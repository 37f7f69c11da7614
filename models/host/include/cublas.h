// SPDX-License-Identifier: Apache-2.0
// The interface of cuBLAS before it had handles: one for the program, results returned, the last status kept. What the
// calls do is what those of cublas_v2.h do. Link with -lcublas.
#pragma once
#if defined(CUBLAS_V2_H_) && !defined(WARPFOLD_BOTH_CUBLAS)
#error "cublas.h and cublas_v2.h are two interfaces: include one of them"
#endif
#define CUBLAS_H_

#include "warpfold/cublas_types.h"

#if defined(__cplusplus)
extern "C" {
#endif

cublasStatus_t cublasInit(void);
cublasStatus_t cublasShutdown(void);
cublasStatus_t cublasGetError(void);
cublasStatus_t cublasGetVersion(int* version);
cublasStatus_t cublasAlloc(int n, int bytes, void** pointer);
cublasStatus_t cublasFree(void* pointer);
cublasStatus_t cublasSetKernelStream(cudaStream_t stream);

/* Operations are 'n', 't' or 'c', in either case. P: the letter of a type, as T. */
#define WARPFOLD_CUBLAS_ALL(P, T)                                                                                      \
  void cublas##P##axpy(int n, T alpha, const T* x, int incx, T* y, int incy);                                          \
  void cublas##P##copy(int n, const T* x, int incx, T* y, int incy);                                                   \
  void cublas##P##swap(int n, T* x, int incx, T* y, int incy);                                                         \
  void cublas##P##scal(int n, T alpha, T* x, int incx);                                                                \
  void cublas##P##gemv(char operation, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, \
                       int incy);                                                                                      \
  void cublas##P##gemm(char of_a, char of_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,   \
                       T beta, T* c, int ldc);
WARPFOLD_CUBLAS_ALL(S, float)
WARPFOLD_CUBLAS_ALL(D, double)
WARPFOLD_CUBLAS_ALL(C, cuComplex)
WARPFOLD_CUBLAS_ALL(Z, cuDoubleComplex)
#undef WARPFOLD_CUBLAS_ALL

float cublasSdot(int n, const float* x, int incx, const float* y, int incy);
double cublasDdot(int n, const double* x, int incx, const double* y, int incy);
cuComplex cublasCdotu(int n, const cuComplex* x, int incx, const cuComplex* y, int incy);
cuComplex cublasCdotc(int n, const cuComplex* x, int incx, const cuComplex* y, int incy);
cuDoubleComplex cublasZdotu(int n, const cuDoubleComplex* x, int incx, const cuDoubleComplex* y, int incy);
cuDoubleComplex cublasZdotc(int n, const cuDoubleComplex* x, int incx, const cuDoubleComplex* y, int incy);
float cublasSnrm2(int n, const float* x, int incx);
double cublasDnrm2(int n, const double* x, int incx);
float cublasScnrm2(int n, const cuComplex* x, int incx);
double cublasDznrm2(int n, const cuDoubleComplex* x, int incx);
float cublasSasum(int n, const float* x, int incx);
double cublasDasum(int n, const double* x, int incx);
float cublasScasum(int n, const cuComplex* x, int incx);
double cublasDzasum(int n, const cuDoubleComplex* x, int incx);
int cublasIsamax(int n, const float* x, int incx);
int cublasIdamax(int n, const double* x, int incx);
int cublasIcamax(int n, const cuComplex* x, int incx);
int cublasIzamax(int n, const cuDoubleComplex* x, int incx);
int cublasIsamin(int n, const float* x, int incx);
int cublasIdamin(int n, const double* x, int incx);
int cublasIcamin(int n, const cuComplex* x, int incx);
int cublasIzamin(int n, const cuDoubleComplex* x, int incx);
void cublasSger(int m, int n, float alpha, const float* x, int incx, const float* y, int incy, float* a, int lda);
void cublasDger(int m, int n, double alpha, const double* x, int incx, const double* y, int incy, double* a, int lda);

#if defined(__cplusplus)
}
#endif
