// SPDX-License-Identifier: Apache-2.0
// Occupancy of kernels by their names, and the block size that fills the machine best.
#pragma once

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel, int block_size,
                                                                                 size_t dynamic_shared_bytes,
                                                                                 unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void*>(kernel),
                                                                  block_size, dynamic_shared_bytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T kernel, int blocks,
                                                                    int block_size) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<const void*>(kernel), blocks, block_size);
}

// The largest block of those with which most threads share a core; `shared_bytes_of` says what a block of a size needs.
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid_size, int* block_size,
                                                                                  T kernel, Shared shared_bytes_of,
                                                                                  int limit = 0,
                                                                                  unsigned int flags = 0) {
  if (grid_size == nullptr || block_size == nullptr) return cudaErrorInvalidValue;
  struct cudaFuncAttributes attributes;
  int device = 0, cores = 0, warp = 0, most_threads = 0;
  cudaError_t error = ::cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (error != cudaSuccess) return error;
  int most = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < most) most = limit;
  for (int size = most; size > 0; size = (size - 1) / warp * warp) {
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, reinterpret_cast<const void*>(kernel),
                                                                     size, shared_bytes_of(size), flags);
    if (error != cudaSuccess) return error;
    if (blocks * size <= most_threads) continue;
    most_threads = blocks * size;
    *block_size = size;
    *grid_size = blocks * cores;
  }
  return most_threads > 0 ? cudaSuccess : cudaErrorInvalidConfiguration;
}
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size, T kernel,
                                                                         Shared shared_bytes_of, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid_size, block_size, kernel, shared_bytes_of, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, T kernel,
                                                             size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      grid_size, block_size, kernel, [shared_bytes](int) { return shared_bytes; }, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, T kernel,
                                                                      size_t shared_bytes, int limit,
                                                                      unsigned int flags) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      grid_size, block_size, kernel, [shared_bytes](int) { return shared_bytes; }, limit, flags);
}
