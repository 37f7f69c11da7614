// SPDX-License-Identifier: Apache-2.0
// cuBLAS: matrix times vector.
#include "handle.h"
#include "reductions.cuh"

namespace warpfold::blas {

constexpr unsigned kRows = 128;

// y = alpha A x + beta y: a thread for each row, along which it adds from left to right. x passes through shared
// memory.
template <class T>
__global__ void gemv_rows(int m, int n, Factor<T> alpha, const T* a, int lda, Vector<const T> x, Factor<T> beta,
                          Vector<T> y) {
  __shared__ T tile[kRows];
  const long long row = 1ll * blockIdx.x * kRows + threadIdx.x;
  T s = {};
  for (int first = 0; first < n; first += kRows) {
    const int columns = min(n - first, static_cast<int>(kRows));
    if (static_cast<int>(threadIdx.x) < columns) tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    if (row < m) {
      for (int j = 0; j < columns; ++j) s = multiply_add(a[row + 1ll * (first + j) * lda], tile[j], s);
    }
    __syncthreads();
  }
  if (row < m) y[row] = scaled_sum(alpha(), s, beta(), &y[row]);
}

template <class T>
struct SumPart {
  using Part = T;
  __device__ static Part merged(Part a, Part b) { return sum(a, b); }
};

// y = alpha Aᵀ x + beta y: a block for each column. Thread t takes elements t, t + 128 and so on; then a tree.
template <class T>
__global__ void gemv_columns(int m, Factor<T> alpha, const T* a, int lda, Vector<const T> x, Factor<T> beta,
                             Vector<T> y, bool conjugates) {
  const T* const column = a + 1ll * blockIdx.x * lda;
  T s = {};
  for (int i = static_cast<int>(threadIdx.x); i < m; i += kRows) {
    s = multiply_add(conjugates ? conjugate(column[i]) : column[i], x[i], s);
  }
  s = merged_in_block<SumPart<T>, kRows>(s);
  if (threadIdx.x == 0) y[blockIdx.x] = scaled_sum(alpha(), s, beta(), &y[blockIdx.x]);
}

namespace {

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t operation, int m, int n, const T* alpha, const T* a,
                    int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(operation) || m < 0 || n < 0 || lda < (m > 1 ? m : 1) || incx == 0 || incy == 0 ||
      alpha == nullptr || beta == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Factor<T> a_factor = factor(handle, alpha), b_factor = factor(handle, beta);
  if (operation == CUBLAS_OP_N) {
    return launch(handle, gemv_rows<T>, dim3(blocks_for(m, kRows, ~0u)), dim3(kRows), m, n, a_factor, a, lda,
                  Vector<const T>(x, n, incx), b_factor, Vector<T>(y, m, incy));
  }
  return launch(handle, gemv_columns<T>, dim3(n), dim3(kRows), m, a_factor, a, lda, Vector<const T>(x, m, incx),
                b_factor, Vector<T>(y, n, incy), operation == CUBLAS_OP_C);
}

}  // namespace
}  // namespace warpfold::blas

namespace blas = warpfold::blas;
using blas::as;

extern "C" {

#define CALL(P, T)                                                                                                    \
  cublasStatus_t cublas##P##gemv_v2(cublasHandle_t handle, cublasOperation_t operation, int m, int n, const T* alpha, \
                                    const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {       \
    return blas::gemv(handle, operation, m, n, as(alpha), as(a), lda, as(x), incx, as(beta), as(y), incy);            \
  }
CALL(S, float)
CALL(D, double)
CALL(C, cuComplex)
CALL(Z, cuDoubleComplex)
#undef CALL

}  // extern "C"
