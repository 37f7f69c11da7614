// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra on the device: the vectors, matrix times vector and matrix times matrix of BLAS, by kernels of
// the model's own (tb/libraries/cublas). Matrices are stored by columns. Link with -lcublas.
#pragma once
#define CUBLAS_V2_H_
#if defined(CUBLAS_H_)
#error "cublas.h and cublas_v2.h are two interfaces: include one of them"
#endif

#include "warpfold/cublas_types.h"
#if defined(__cplusplus)
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* The handle */
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
/* Kept, and without effect: results are the same in every mode. */
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);

/* P: the letter of a type, T. Names with _v2 stand for those without. */
#define WARPFOLD_CUBLAS_ALL(P, T)                                                                                      \
  cublasStatus_t cublas##P##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y,          \
                                    int incy);                                                                         \
  cublasStatus_t cublas##P##copy_v2(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy);               \
  cublasStatus_t cublas##P##swap_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy);                     \
  cublasStatus_t cublas##P##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x, int incx);                     \
  cublasStatus_t cublas##P##gemv_v2(cublasHandle_t handle, cublasOperation_t operation, int m, int n, const T* alpha,  \
                                    const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy);         \
  cublasStatus_t cublas##P##gemm_v2(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,      \
                                    int n, int k, const T* alpha, const T* a, int lda, const T* b, int ldb,            \
                                    const T* beta, T* c, int ldc);                                                     \
  cublasStatus_t cublas##P##gemmBatched(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,  \
                                        int n, int k, const T* alpha, const T* const a[], int lda, const T* const b[], \
                                        int ldb, const T* beta, T* const c[], int ldc, int batches);                   \
  cublasStatus_t cublas##P##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,  \
                                               int m, int n, int k, const T* alpha, const T* a, int lda,               \
                                               long long stride_a, const T* b, int ldb, long long stride_b,            \
                                               const T* beta, T* c, int ldc, long long stride_c, int batches);         \
  cublasStatus_t cublas##P##geam(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,  \
                                 const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,        \
                                 int ldc);
WARPFOLD_CUBLAS_ALL(S, float)
WARPFOLD_CUBLAS_ALL(D, double)
WARPFOLD_CUBLAS_ALL(C, cuComplex)
WARPFOLD_CUBLAS_ALL(Z, cuDoubleComplex)
#undef WARPFOLD_CUBLAS_ALL

/* Those whose names differ between real and complex numbers: N is the name, T the type, R that of the result. */
#define WARPFOLD_CUBLAS_DOT(N, T) \
  cublasStatus_t cublas##N##_v2(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result);
WARPFOLD_CUBLAS_DOT(Sdot, float)
WARPFOLD_CUBLAS_DOT(Ddot, double)
WARPFOLD_CUBLAS_DOT(Cdotu, cuComplex)
WARPFOLD_CUBLAS_DOT(Cdotc, cuComplex)
WARPFOLD_CUBLAS_DOT(Zdotu, cuDoubleComplex)
WARPFOLD_CUBLAS_DOT(Zdotc, cuDoubleComplex)
#undef WARPFOLD_CUBLAS_DOT
#define WARPFOLD_CUBLAS_SIZE(N, T, R) \
  cublasStatus_t cublas##N##_v2(cublasHandle_t handle, int n, const T* x, int incx, R* result);
WARPFOLD_CUBLAS_SIZE(Snrm2, float, float)
WARPFOLD_CUBLAS_SIZE(Dnrm2, double, double)
WARPFOLD_CUBLAS_SIZE(Scnrm2, cuComplex, float)
WARPFOLD_CUBLAS_SIZE(Dznrm2, cuDoubleComplex, double)
WARPFOLD_CUBLAS_SIZE(Sasum, float, float)
WARPFOLD_CUBLAS_SIZE(Dasum, double, double)
WARPFOLD_CUBLAS_SIZE(Scasum, cuComplex, float)
WARPFOLD_CUBLAS_SIZE(Dzasum, cuDoubleComplex, double)
WARPFOLD_CUBLAS_SIZE(Isamax, float, int)
WARPFOLD_CUBLAS_SIZE(Idamax, double, int)
WARPFOLD_CUBLAS_SIZE(Icamax, cuComplex, int)
WARPFOLD_CUBLAS_SIZE(Izamax, cuDoubleComplex, int)
WARPFOLD_CUBLAS_SIZE(Isamin, float, int)
WARPFOLD_CUBLAS_SIZE(Idamin, double, int)
WARPFOLD_CUBLAS_SIZE(Icamin, cuComplex, int)
WARPFOLD_CUBLAS_SIZE(Izamin, cuDoubleComplex, int)
#undef WARPFOLD_CUBLAS_SIZE
cublasStatus_t cublasCsscal_v2(cublasHandle_t handle, int n, const float* alpha, cuComplex* x, int incx);
cublasStatus_t cublasZdscal_v2(cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x, int incx);
#define WARPFOLD_CUBLAS_GER(N, T)                                                                                      \
  cublasStatus_t cublas##N##_v2(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
                                int incy, T* a, int lda);
WARPFOLD_CUBLAS_GER(Sger, float)
WARPFOLD_CUBLAS_GER(Dger, double)
WARPFOLD_CUBLAS_GER(Cgeru, cuComplex)
WARPFOLD_CUBLAS_GER(Cgerc, cuComplex)
WARPFOLD_CUBLAS_GER(Zgeru, cuDoubleComplex)
WARPFOLD_CUBLAS_GER(Zgerc, cuDoubleComplex)
#undef WARPFOLD_CUBLAS_GER

/* On vectors whose types are told: of halves or bfloat16 computed in floats, and of the types above. Results have the
 * type of the vectors, factors that of what is computed in. */
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y,
                           cudaDataType type_y, int incy, void* result, cudaDataType type_result, cudaDataType compute);
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y,
                            cudaDataType type_y, int incy, void* result, cudaDataType type_result,
                            cudaDataType compute);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, void* result,
                            cudaDataType type_result, cudaDataType compute);
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, const void* x,
                            cudaDataType type_x, int incx, void* y, cudaDataType type_y, int incy,
                            cudaDataType compute);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, void* x,
                            cudaDataType type_x, int incx, cudaDataType compute);

/* Products of mixed types: of halves added in halves or floats, of bfloat16 or bytes in floats, of bytes in integers,
 * and those above. The factors have the type that the products are added in. */
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                            cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,
                                   int k, const void* alpha, const void* const a[], cudaDataType type_a, int lda,
                                   const void* const b[], cudaDataType type_b, int ldb, const void* beta,
                                   void* const c[], cudaDataType type_c, int ldc, int batches,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                                          int n, int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                          long long stride_a, const void* b, cudaDataType type_b, int ldb,
                                          long long stride_b, const void* beta, void* c, cudaDataType type_c, int ldc,
                                          long long stride_c, int batches, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k,
                             const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c, cudaDataType type_c, int ldc);

#if defined(__cplusplus)
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k,
                           const __half* alpha, const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc);
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,
                                  int k, const __half* alpha, const __half* const a[], int lda, const __half* const b[],
                                  int ldb, const __half* beta, __half* const c[], int ldc, int batches);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                                         int n, int k, const __half* alpha, const __half* a, int lda,
                                         long long stride_a, const __half* b, int ldb, long long stride_b,
                                         const __half* beta, __half* c, int ldc, long long stride_c, int batches);
}

/* As programs before CUDA 11 say what products are added in. */
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                                          int n, int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                          const void* b, cudaDataType type_b, int ldb, const void* beta, void* c,
                                          cudaDataType type_c, int ldc, cudaDataType compute,
                                          cublasGemmAlgo_t algorithm) {
  return cublasGemmEx(handle, of_a, of_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                      static_cast<cublasComputeType_t>(compute), algorithm);
}
static inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                                                 int m, int n, int k, const void* alpha, const void* const a[],
                                                 cudaDataType type_a, int lda, const void* const b[],
                                                 cudaDataType type_b, int ldb, const void* beta, void* const c[],
                                                 cudaDataType type_c, int ldc, int batches, cudaDataType compute,
                                                 cublasGemmAlgo_t algorithm) {
  return cublasGemmBatchedEx(handle, of_a, of_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                             batches, static_cast<cublasComputeType_t>(compute), algorithm);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t of_a,
                                                        cublasOperation_t of_b, int m, int n, int k, const void* alpha,
                                                        const void* a, cudaDataType type_a, int lda, long long stride_a,
                                                        const void* b, cudaDataType type_b, int ldb, long long stride_b,
                                                        const void* beta, void* c, cudaDataType type_c, int ldc,
                                                        long long stride_c, int batches, cudaDataType compute,
                                                        cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, of_a, of_b, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb,
                                    stride_b, beta, c, type_c, ldc, stride_c, batches,
                                    static_cast<cublasComputeType_t>(compute), algorithm);
}
#endif

#if !defined(WARPFOLD_BOTH_CUBLAS)
#include "warpfold/cublas_names.h"
#endif
