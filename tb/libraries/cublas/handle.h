// SPDX-License-Identifier: Apache-2.0
// A cuBLAS handle, and how calls use it.
#pragma once

#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

#include <cstdio>
#include <initializer_list>
#include <tuple>
#include <utility>

#include "numbers.cuh"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  void* parts = nullptr;  // device memory: what the blocks of a reduction hand to the last step, then its result
};

namespace warpfold::blas {

inline constexpr unsigned kMostParts = 64, kPartBytes = 32;
inline constexpr unsigned kResultOffset = kMostParts * kPartBytes;
inline constexpr unsigned kScratchBytes = kResultOffset + kPartBytes;

// The program's types as the kernels' own.
inline const __half* as(const __half* p) { return p; }
inline __half* as(__half* p) { return p; }
inline const __half* const* as(const __half* const* p) { return p; }
inline __half* const* as(__half* const* p) { return p; }
inline const float* as(const float* p) { return p; }
inline const double* as(const double* p) { return p; }
inline const Complex<float>* as(const cuComplex* p) { return reinterpret_cast<const Complex<float>*>(p); }
inline const Complex<double>* as(const cuDoubleComplex* p) { return reinterpret_cast<const Complex<double>*>(p); }
inline float* as(float* p) { return p; }
inline double* as(double* p) { return p; }
inline Complex<float>* as(cuComplex* p) { return reinterpret_cast<Complex<float>*>(p); }
inline Complex<double>* as(cuDoubleComplex* p) { return reinterpret_cast<Complex<double>*>(p); }
inline const float* const* as(const float* const* p) { return p; }
inline const double* const* as(const double* const* p) { return p; }
inline const Complex<float>* const* as(const cuComplex* const* p) {
  return reinterpret_cast<const Complex<float>* const*>(p);
}
inline const Complex<double>* const* as(const cuDoubleComplex* const* p) {
  return reinterpret_cast<const Complex<double>* const*>(p);
}
inline float* const* as(float* const* p) { return p; }
inline double* const* as(double* const* p) { return p; }
inline Complex<float>* const* as(cuComplex* const* p) { return reinterpret_cast<Complex<float>* const*>(p); }
inline Complex<double>* const* as(cuDoubleComplex* const* p) { return reinterpret_cast<Complex<double>* const*>(p); }

template <class T>
Factor<T> factor(cublasHandle_t handle, const T* given) {
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) return {{}, given};
  return {*given, nullptr};
}

template <class... Parameters, class... Arguments>
cublasStatus_t launch(cublasHandle_t handle, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                      Arguments... arguments) {
  std::tuple<Parameters...> values(std::move(arguments)...);
  return std::apply(
      [&](auto&... each) {
        void* pointers[] = {const_cast<void*>(static_cast<const void*>(&each))...};
        const cudaError_t error =
            cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers, 0, handle->stream);
        return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
      },
      values);
}

inline unsigned blocks_for(unsigned long long work, unsigned per_block, unsigned most) {
  const unsigned long long blocks = (work + per_block - 1) / per_block;
  return blocks > most ? most : static_cast<unsigned>(blocks);
}

// f(i) for every i below n.
template <class Function>
__global__ void for_each(unsigned long long n, Function f) {
  const unsigned long long all = 1ull * gridDim.x * blockDim.x;
  for (unsigned long long i = 1ull * blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) f(i);
}
template <class Function>
cublasStatus_t launch_for_each(cublasHandle_t handle, unsigned long long n, Function f) {
  constexpr unsigned kThreads = 256, kMostBlocks = 1024;
  return launch(handle, for_each<Function>, dim3(blocks_for(n, kThreads, kMostBlocks)), dim3(kThreads), n, f);
}

// Of a call that is told types: use(number, stored) with a value of the type that it computes in and one of that in
// which vectors and results are stored. All of `stored` are to be one type, all of `computed` another or the same.
template <class Use>
cublasStatus_t with_types(const char* call, std::initializer_list<cudaDataType> stored,
                          std::initializer_list<cudaDataType> computed, Use use) {
  const auto are = [&](cudaDataType in, cudaDataType number) {
    for (const cudaDataType type : stored) {
      if (type != in) return false;
    }
    for (const cudaDataType type : computed) {
      if (type != number) return false;
    }
    return true;
  };
  if (are(CUDA_R_16F, CUDA_R_32F)) return use(float{}, __half{});
  if (are(CUDA_R_16BF, CUDA_R_32F)) return use(float{}, __nv_bfloat16{});
  if (are(CUDA_R_32F, CUDA_R_32F)) return use(float{}, float{});
  if (are(CUDA_R_64F, CUDA_R_64F)) return use(double{}, double{});
  if (are(CUDA_C_32F, CUDA_C_32F)) return use(Complex<float>{}, Complex<float>{});
  if (are(CUDA_C_64F, CUDA_C_64F)) return use(Complex<double>{}, Complex<double>{});
  std::fprintf(stderr,
               "warpfold: warning: %s: no operation on vectors of type %d in compute type %d with such a result or "
               "factor\n",
               call, *stored.begin(), *computed.begin());
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
// The complex type of a real one, where x is complex.
inline cudaDataType complex_as(cudaDataType x, cudaDataType real) {
  if (x == CUDA_C_32F && real == CUDA_R_32F) return CUDA_C_32F;
  return x == CUDA_C_64F && real == CUDA_R_64F ? CUDA_C_64F : real;
}

inline bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

}  // namespace warpfold::blas
