// SPDX-License-Identifier: Apache-2.0
// Launches from kernels: declared, since headers of others name them in code that is never reached, and defined nowhere.
#pragma once
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDACC__)
extern "C" {
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t bytes);
__device__ cudaError_t cudaLaunchDevice(void* kernel, void* parameters, dim3 grid, dim3 block,
                                        unsigned int shared_bytes, cudaStream_t stream);
}
#endif
