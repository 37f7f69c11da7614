// SPDX-License-Identifier: Apache-2.0
// cuBLAS on vectors, element by element: axpy, copy, swap, scal; and ger, which adds a product of two of them to a
// matrix.
#include "handle.h"

namespace warpfold::blas {

// Of numbers that are stored as `In`, as the next but one.
template <class T, class In>
struct Axpy {
  Factor<T> alpha;
  Vector<const In> x;
  Vector<In> y;
  __device__ void operator()(unsigned long long i) const {
    const T a = alpha();
    if (!is_zero(a)) y[i] = static_cast<In>(multiply_add(a, static_cast<T>(x[i]), static_cast<T>(y[i])));
  }
};

template <class T>
struct Copy {
  Vector<const T> x;
  Vector<T> y;
  __device__ void operator()(unsigned long long i) const { y[i] = x[i]; }
};

template <class T>
struct Swap {
  Vector<T> x, y;
  __device__ void operator()(unsigned long long i) const {
    const T old = x[i];
    x[i] = y[i];
    y[i] = old;
  }
};

template <class T, class A, class In>
struct Scal {
  Factor<A> alpha;
  Vector<In> x;
  __device__ void operator()(unsigned long long i) const {
    x[i] = static_cast<In>(product(alpha(), static_cast<T>(x[i])));
  }
};

template <class T>
struct Ger {
  Factor<T> alpha;
  Vector<const T> x, y;
  T* a;
  int rows, leading;
  bool conjugates;
  __device__ void operator()(unsigned long long i) const {
    const long long row = i % rows, column = i / rows;
    const T right = conjugates ? conjugate(y[column]) : y[column];
    T& element = a[row + column * leading];
    element = multiply_add(product(alpha(), x[row]), right, element);
  }
};

namespace {

template <class T, class In>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const In* x, int incx, In* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch_for_each(handle, n, Axpy<T, In>{factor(handle, alpha), {x, n, incx}, {y, n, incy}});
}

template <class T>
cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch_for_each(handle, n, Copy<T>{{x, n, incx}, {y, n, incy}});
}

template <class T>
cublasStatus_t swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch_for_each(handle, n, Swap<T>{{x, n, incx}, {y, n, incy}});
}

template <class A, class In, class T = In>
cublasStatus_t scal(cublasHandle_t handle, int n, const A* alpha, In* x, int incx) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch_for_each(handle, n, Scal<T, A, In>{factor(handle, alpha), {x, n, incx}});
}

template <class T>
cublasStatus_t ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, int incy,
                   T* a, int lda, bool conjugates) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || m < 0 || n < 0 || incx == 0 || incy == 0 || lda < (m > 1 ? m : 1)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  return launch_for_each(handle, 1ull * m * n,
                         Ger<T>{factor(handle, alpha), {x, m, incx}, {y, n, incy}, a, m, lda, conjugates});
}

}  // namespace
}  // namespace warpfold::blas

namespace blas = warpfold::blas;
using blas::as;

extern "C" {

#define CALLS(P, T)                                                                                           \
  cublasStatus_t cublas##P##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, \
                                    int incy) {                                                               \
    return blas::axpy(handle, n, as(alpha), as(x), incx, as(y), incy);                                        \
  }                                                                                                           \
  cublasStatus_t cublas##P##copy_v2(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {     \
    return blas::copy(handle, n, as(x), incx, as(y), incy);                                                   \
  }                                                                                                           \
  cublasStatus_t cublas##P##swap_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {           \
    return blas::swap(handle, n, as(x), incx, as(y), incy);                                                   \
  }                                                                                                           \
  cublasStatus_t cublas##P##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {           \
    return blas::scal(handle, n, as(alpha), as(x), incx);                                                     \
  }
CALLS(S, float)
CALLS(D, double)
CALLS(C, cuComplex)
CALLS(Z, cuDoubleComplex)
#undef CALLS

cublasStatus_t cublasCsscal_v2(cublasHandle_t handle, int n, const float* alpha, cuComplex* x, int incx) {
  return blas::scal(handle, n, alpha, as(x), incx);
}
cublasStatus_t cublasZdscal_v2(cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x, int incx) {
  return blas::scal(handle, n, alpha, as(x), incx);
}

#define CALL(N, T, conjugates)                                                                                         \
  cublasStatus_t cublas##N##_v2(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
                                int incy, T* a, int lda) {                                                             \
    return blas::ger(handle, m, n, as(alpha), as(x), incx, as(y), incy, as(a), lda, conjugates);                       \
  }
CALL(Sger, float, false)
CALL(Dger, double, false)
CALL(Cgeru, cuComplex, false)
CALL(Cgerc, cuComplex, true)
CALL(Zgeru, cuDoubleComplex, false)
CALL(Zgerc, cuDoubleComplex, true)
#undef CALL

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, const void* x,
                            cudaDataType type_x, int incx, void* y, cudaDataType type_y, int incy,
                            cudaDataType compute) {
  return blas::with_types("cublasAxpyEx", {type_x, type_y}, {compute, type_alpha}, [&](auto number, auto stored) {
    using T = decltype(number);
    using In = decltype(stored);
    return blas::axpy(handle, n, static_cast<const T*>(alpha), static_cast<const In*>(x), incx, static_cast<In*>(y),
                      incy);
  });
}
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, void* x,
                            cudaDataType type_x, int incx, cudaDataType compute) {
  return blas::with_types("cublasScalEx", {type_x}, {compute, type_alpha}, [&](auto number, auto stored) {
    using T = decltype(number);
    using In = decltype(stored);
    return blas::scal<T, In, T>(handle, n, static_cast<const T*>(alpha), static_cast<In*>(x), incx);
  });
}

}  // extern "C"
