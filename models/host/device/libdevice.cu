// SPDX-License-Identifier: Apache-2.0
// Our device library: the __nv_* functions that clang's CUDA headers call, compiled once to bitcode by the build and
// linked into every device half by warpfold-cc. Everything is inlined into its caller: device code knows no calls.
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#include <__clang_cuda_libdevice_declares.h>

#define WARPFOLD_DEVICE __device__ __attribute__((always_inline))
#define WARPFOLD_LOCAL static __device__ __attribute__((always_inline))

#include "double_math.cuh"
#include "float_math.cuh"
#include "integer.cuh"
#include "libclc_math.cuh"
#include "rounding.cuh"
#include "simd.cuh"
#include "special_math.cuh"
