// SPDX-License-Identifier: Apache-2.0
// The interface of cuBLAS before it had handles (models/host/include/cublas.h), by that which has.
#define WARPFOLD_BOTH_CUBLAS
#include "handle.h"

#pragma GCC visibility push(default)
#include <cublas.h>
#pragma GCC visibility pop

namespace warpfold::blas {
namespace {

// Of the program.
cublasHandle_t handle = nullptr;
cublasStatus_t last = CUBLAS_STATUS_SUCCESS;

void note(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) last = status;
}

// What `call` writes; zero where it fails.
template <class Result, class Call>
Result result_of(Call call) {
  Result result = {};
  note(call(&result));
  return result;
}

// Of no such letter: a value that is refused.
cublasOperation_t operation_of(char letter) {
  switch (letter) {
    case 'n':
    case 'N':
      return CUBLAS_OP_N;
    case 't':
    case 'T':
      return CUBLAS_OP_T;
    case 'c':
    case 'C':
      return CUBLAS_OP_C;
    default:
      return CUBLAS_OP_CONJG;
  }
}

}  // namespace
}  // namespace warpfold::blas

using namespace warpfold::blas;

extern "C" {

cublasStatus_t cublasInit(void) {
  if (handle != nullptr) return CUBLAS_STATUS_SUCCESS;
  last = CUBLAS_STATUS_SUCCESS;
  return cublasCreate_v2(&handle);
}
cublasStatus_t cublasShutdown(void) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = cublasDestroy_v2(handle);
  handle = nullptr;
  return status;
}
cublasStatus_t cublasGetError(void) {
  const cublasStatus_t status = last;
  last = CUBLAS_STATUS_SUCCESS;
  return status;
}
cublasStatus_t cublasGetVersion(int* version) { return cublasGetVersion_v2(handle, version); }
cublasStatus_t cublasAlloc(int n, int bytes, void** pointer) {
  if (n <= 0 || bytes <= 0 || pointer == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return cudaMalloc(pointer, static_cast<size_t>(n) * bytes) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                            : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasFree(void* pointer) {
  return cudaFree(pointer) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}
cublasStatus_t cublasSetKernelStream(cudaStream_t stream) { return cublasSetStream_v2(handle, stream); }

#define CALLS(P, T)                                                                                                    \
  void cublas##P##axpy(int n, T alpha, const T* x, int incx, T* y, int incy) {                                         \
    note(cublas##P##axpy_v2(handle, n, &alpha, x, incx, y, incy));                                                     \
  }                                                                                                                    \
  void cublas##P##copy(int n, const T* x, int incx, T* y, int incy) {                                                  \
    note(cublas##P##copy_v2(handle, n, x, incx, y, incy));                                                             \
  }                                                                                                                    \
  void cublas##P##swap(int n, T* x, int incx, T* y, int incy) {                                                        \
    note(cublas##P##swap_v2(handle, n, x, incx, y, incy));                                                             \
  }                                                                                                                    \
  void cublas##P##scal(int n, T alpha, T* x, int incx) { note(cublas##P##scal_v2(handle, n, &alpha, x, incx)); }       \
  void cublas##P##gemv(char operation, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, \
                       int incy) {                                                                                     \
    note(cublas##P##gemv_v2(handle, operation_of(operation), m, n, &alpha, a, lda, x, incx, &beta, y, incy));          \
  }                                                                                                                    \
  void cublas##P##gemm(char of_a, char of_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,   \
                       T beta, T* c, int ldc) {                                                                        \
    note(cublas##P##gemm_v2(handle, operation_of(of_a), operation_of(of_b), m, n, k, &alpha, a, lda, b, ldb, &beta, c, \
                            ldc));                                                                                     \
  }
CALLS(S, float)
CALLS(D, double)
CALLS(C, cuComplex)
CALLS(Z, cuDoubleComplex)
#undef CALLS

#define DOT(N, T)                                                                                        \
  T cublas##N(int n, const T* x, int incx, const T* y, int incy) {                                       \
    return result_of<T>([&](T* result) { return cublas##N##_v2(handle, n, x, incx, y, incy, result); }); \
  }
DOT(Sdot, float)
DOT(Ddot, double)
DOT(Cdotu, cuComplex)
DOT(Cdotc, cuComplex)
DOT(Zdotu, cuDoubleComplex)
DOT(Zdotc, cuDoubleComplex)
#undef DOT

#define SIZE(N, T, R)                                                                           \
  R cublas##N(int n, const T* x, int incx) {                                                    \
    return result_of<R>([&](R* result) { return cublas##N##_v2(handle, n, x, incx, result); }); \
  }
SIZE(Snrm2, float, float)
SIZE(Dnrm2, double, double)
SIZE(Scnrm2, cuComplex, float)
SIZE(Dznrm2, cuDoubleComplex, double)
SIZE(Sasum, float, float)
SIZE(Dasum, double, double)
SIZE(Scasum, cuComplex, float)
SIZE(Dzasum, cuDoubleComplex, double)
SIZE(Isamax, float, int)
SIZE(Idamax, double, int)
SIZE(Icamax, cuComplex, int)
SIZE(Izamax, cuDoubleComplex, int)
SIZE(Isamin, float, int)
SIZE(Idamin, double, int)
SIZE(Icamin, cuComplex, int)
SIZE(Izamin, cuDoubleComplex, int)
#undef SIZE

#define GER(N, T)                                                                                    \
  void cublas##N(int m, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) { \
    note(cublas##N##_v2(handle, m, n, &alpha, x, incx, y, incy, a, lda));                            \
  }
GER(Sger, float)
GER(Dger, double)
#undef GER

}  // extern "C"
