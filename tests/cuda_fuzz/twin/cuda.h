// SPDX-License-Identifier: Apache-2.0
// CUDA C++ as plain C++: what generated kernels use of it, for any C++20 compiler. Blocks and threads run one after
// another (block.h). Independent of the model: nothing here may include anything of models/.
#pragma once

#include "types.h"
// What follows uses those.
#include "arithmetic.h"
#include "atomics.h"
#include "block.h"
#include "collectives.h"
#include "groups.h"
#include "halves.h"
#include "textures.h"

template <class T>
T __ldg(const T* place) {
  return *place;
}

enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
using cudaStream_t = void*;  // nothing runs beside anything else
inline cudaError_t cudaMalloc(void** place, std::size_t bytes) {
  *place = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* place) {
  std::free(place);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMallocManaged(void** place, std::size_t bytes) { return cudaMalloc(place, bytes); }
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemsetAsync(void* place, int value, std::size_t bytes, cudaStream_t) {
  std::memset(place, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t*) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

// After all headers: the C++ library's use __noinline__ themselves.
#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static
#define __launch_bounds__(...)
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
