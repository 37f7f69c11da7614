// SPDX-License-Identifier: Apache-2.0
// clang's CUDA headers in the order in which they need one another, with the types of ours below them.
#pragma once

#include <__clang_cuda_builtin_vars.h>

// The order is the point. For CUDA 9.0 the intrinsics on bytes and halfwords are functions of the device library, for
// later versions video instructions, which GPUs since Kepler do not have.
// clang-format off
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9000
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
// clang-format on

// With -use_fast_math nvcc takes the short version of more functions than clang's header does.
#if defined(__CLANG_CUDA_APPROX_TRANSCENDENTALS__)
extern "C" __device__ float __nv_fast_sqrtf(float);
#define __nv_sqrtf __nv_fast_sqrtf
#define __nv_expf __nv_fast_expf
#define __nv_exp10f __nv_fast_exp10f
#define __nv_log10f __nv_fast_log10f
#define __nv_powf __nv_fast_powf
#define __nv_tanf __nv_fast_tanf
#endif
#include <__clang_cuda_math.h>
#undef __nv_sqrtf
#undef __nv_expf
#undef __nv_exp10f
#undef __nv_log10f
#undef __nv_powf
#undef __nv_tanf

extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ int printf(const char*, ...);
__device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                             size_t char_bytes);
// glibc's assert() ends here.
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0, void* stream = 0);
}

namespace std {
__device__ static inline void free(void* pointer) { ::free(pointer); }
__device__ static inline void* malloc(size_t bytes) { return ::malloc(bytes); }
}  // namespace std

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return make_uint3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return make_uint3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return make_uint3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return make_uint3(x, y, z); }

// clang-format off
#include <__clang_cuda_cmath.h>
// Renamed: device_shuffles.h says why.
#define __shfl __warpfold_clang__shfl
#define __shfl_up __warpfold_clang__shfl_up
#define __shfl_down __warpfold_clang__shfl_down
#define __shfl_xor __warpfold_clang__shfl_xor
#define __shfl_sync __warpfold_clang__shfl_sync
#define __shfl_up_sync __warpfold_clang__shfl_up_sync
#define __shfl_down_sync __warpfold_clang__shfl_down_sync
#define __shfl_xor_sync __warpfold_clang__shfl_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_down_sync
#undef __shfl_xor_sync
#include "device_shuffles.h"
#include <__clang_cuda_complex_builtins.h>
// clang-format on

// clang 14 believes that barriers and fences leave a __shared__ variable alone whose address it sees taken nowhere, and
// moves loads and stores across them (LLVM issue 58626). An empty statement that may change memory keeps them in place.
#define WARPFOLD_ORDERED(type, name, parameters, arguments)                                     \
  __device__ static inline __attribute__((always_inline)) type __warpfold_##name parameters {   \
    struct After {                                                                              \
      __device__ __attribute__((always_inline)) ~After() { __asm__ volatile("" ::: "memory"); } \
    } after;                                                                                    \
    __asm__ volatile("" ::: "memory");                                                          \
    return __##name arguments;                                                                  \
  }
WARPFOLD_ORDERED(void, syncthreads, (), ())
WARPFOLD_ORDERED(int, syncthreads_and, (int value), (value))
WARPFOLD_ORDERED(int, syncthreads_or, (int value), (value))
WARPFOLD_ORDERED(int, syncthreads_count, (int value), (value))
WARPFOLD_ORDERED(void, syncwarp, (unsigned mask = 0xffffffff), (mask))
WARPFOLD_ORDERED(void, threadfence, (), ())
WARPFOLD_ORDERED(void, threadfence_block, (), ())
WARPFOLD_ORDERED(void, threadfence_system, (), ())
#undef WARPFOLD_ORDERED
#define __syncthreads __warpfold_syncthreads
#define __syncthreads_and __warpfold_syncthreads_and
#define __syncthreads_or __warpfold_syncthreads_or
#define __syncthreads_count __warpfold_syncthreads_count
#define __syncwarp __warpfold_syncwarp
#define __threadfence __warpfold_threadfence
#define __threadfence_block __warpfold_threadfence_block
#define __threadfence_system __warpfold_threadfence_system
