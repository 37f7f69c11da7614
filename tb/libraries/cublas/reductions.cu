// SPDX-License-Identifier: Apache-2.0
// cuBLAS: one value of a vector or two: dot, asum, nrm2, amax, amin.
#include "handle.h"
#include "reductions.cuh"

namespace warpfold::blas {
namespace {

constexpr unsigned kElementsPerBlock = 1024;

template <class T>
cublasStatus_t deliver(cublasHandle_t handle, const T* from, T* to) {
  if (from == to) return CUBLAS_STATUS_SUCCESS;
  const cudaError_t copied = cudaMemcpyAsync(to, from, sizeof(T), cudaMemcpyDeviceToHost, handle->stream);
  if (copied != cudaSuccess || cudaStreamSynchronize(handle->stream) != cudaSuccess) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class Op>
cublasStatus_t reduction(cublasHandle_t handle, int n, const Op& op, typename Op::Result* result) {
  using Part = typename Op::Part;
  using Result = typename Op::Result;
  static_assert(sizeof(Part) <= kPartBytes && sizeof(Result) <= kPartBytes, "the handle's memory");
  const bool on_device = handle->pointers == CUBLAS_POINTER_MODE_DEVICE;
  Part* const parts = static_cast<Part*>(handle->parts);
  Result* const target =
      on_device ? result : reinterpret_cast<Result*>(static_cast<char*>(handle->parts) + kResultOffset);
  const unsigned blocks = blocks_for(n, kElementsPerBlock, kMostParts);
  cublasStatus_t status = launch(handle, reduce<Op>, dim3(blocks), dim3(kReductionThreads), op, n, parts, target);
  if (status == CUBLAS_STATUS_SUCCESS && blocks > 1) {
    status = launch(handle, gather<Op, kMostParts>, dim3(1), dim3(kMostParts), blocks, parts, target);
  }
  return status == CUBLAS_STATUS_SUCCESS ? deliver(handle, target, result) : status;
}

// Of no elements.
template <class Result>
cublasStatus_t nothing(cublasHandle_t handle, Result* result) {
  if (handle->pointers == CUBLAS_POINTER_MODE_HOST) {
    *result = Result{};
    return CUBLAS_STATUS_SUCCESS;
  }
  const cudaError_t error = cudaMemsetAsync(result, 0, sizeof(Result), handle->stream);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <class In, class T = In>
cublasStatus_t dot(cublasHandle_t handle, int n, const In* x, int incx, const In* y, int incy, In* result,
                   bool conjugates) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0) return nothing(handle, result);
  return reduction(handle, n, Dot<T, In>{{x, n, incx}, {y, n, incy}, conjugates}, result);
}

template <class Op, class In>
cublasStatus_t of_one(cublasHandle_t handle, int n, const In* x, int incx, typename Op::Result* result) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || incx <= 0) return nothing(handle, result);
  return reduction(handle, n, Op{{x, n, incx}}, result);
}

cublasStatus_t dot_of_types(const char* call, cublasHandle_t handle, int n, const void* x, cudaDataType type_x,
                            int incx, const void* y, cudaDataType type_y, int incy, void* result,
                            cudaDataType type_result, cudaDataType compute, bool conjugates) {
  return with_types(call, {type_x, type_y, type_result}, {compute}, [&](auto number, auto stored) {
    using In = decltype(stored);
    return dot<In, decltype(number)>(handle, n, static_cast<const In*>(x), incx, static_cast<const In*>(y), incy,
                                     static_cast<In*>(result), conjugates);
  });
}

}  // namespace
}  // namespace warpfold::blas

namespace blas = warpfold::blas;
using blas::as;
using blas::Complex;

extern "C" {

#define DOT(N, T, conjugates)                                                                                          \
  cublasStatus_t cublas##N##_v2(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) { \
    return blas::dot(handle, n, as(x), incx, as(y), incy, as(result), conjugates);                                     \
  }
DOT(Sdot, float, false)
DOT(Ddot, double, false)
DOT(Cdotu, cuComplex, false)
DOT(Cdotc, cuComplex, true)
DOT(Zdotu, cuDoubleComplex, false)
DOT(Zdotc, cuDoubleComplex, true)
#undef DOT

#define SIZE(N, T, R, ...)                                                                       \
  cublasStatus_t cublas##N##_v2(cublasHandle_t handle, int n, const T* x, int incx, R* result) { \
    return blas::of_one<blas::__VA_ARGS__>(handle, n, as(x), incx, result);                      \
  }
SIZE(Snrm2, float, float, Norm<float>)
SIZE(Dnrm2, double, double, Norm<double>)
SIZE(Scnrm2, cuComplex, float, Norm<Complex<float>>)
SIZE(Dznrm2, cuDoubleComplex, double, Norm<Complex<double>>)
SIZE(Sasum, float, float, Asum<float>)
SIZE(Dasum, double, double, Asum<double>)
SIZE(Scasum, cuComplex, float, Asum<Complex<float>>)
SIZE(Dzasum, cuDoubleComplex, double, Asum<Complex<double>>)
SIZE(Isamax, float, int, Extreme<float, true>)
SIZE(Idamax, double, int, Extreme<double, true>)
SIZE(Icamax, cuComplex, int, Extreme<Complex<float>, true>)
SIZE(Izamax, cuDoubleComplex, int, Extreme<Complex<double>, true>)
SIZE(Isamin, float, int, Extreme<float, false>)
SIZE(Idamin, double, int, Extreme<double, false>)
SIZE(Icamin, cuComplex, int, Extreme<Complex<float>, false>)
SIZE(Izamin, cuDoubleComplex, int, Extreme<Complex<double>, false>)
#undef SIZE

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y,
                           cudaDataType type_y, int incy, void* result, cudaDataType type_result,
                           cudaDataType compute) {
  return blas::dot_of_types("cublasDotEx", handle, n, x, type_x, incx, y, type_y, incy, result, type_result, compute,
                            false);
}
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y,
                            cudaDataType type_y, int incy, void* result, cudaDataType type_result,
                            cudaDataType compute) {
  return blas::dot_of_types("cublasDotcEx", handle, n, x, type_x, incx, y, type_y, incy, result, type_result, compute,
                            true);
}
// The size of complex numbers is a real one.
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, void* result,
                            cudaDataType type_result, cudaDataType compute) {
  return blas::with_types("cublasNrm2Ex", {type_x}, {blas::complex_as(type_x, compute)}, [&](auto number, auto stored) {
    using Op = blas::Norm<decltype(number), decltype(stored)>;
    using Result = typename Op::Result;
    if (blas::complex_as(type_x, type_result) != type_x) return CUBLAS_STATUS_NOT_SUPPORTED;
    return blas::of_one<Op>(handle, n, static_cast<const decltype(stored)*>(x), incx, static_cast<Result*>(result));
  });
}

}  // extern "C"
