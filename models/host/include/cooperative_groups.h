// SPDX-License-Identifier: Apache-2.0
// The part of cooperative groups that needs nothing but a block: thread_block, tiles of a warp, coalesced threads.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
namespace cooperative_groups {

class thread_block {
 public:
  __device__ void sync() const { __syncthreads(); }
  __device__ unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int thread_rank() const {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  __device__ dim3 group_index() const { return blockIdx; }
  __device__ dim3 thread_index() const { return threadIdx; }
  __device__ dim3 dim_threads() const { return blockDim; }
};

__device__ inline thread_block this_thread_block() { return thread_block(); }

// Size consecutive threads of one warp, Size a power of two of at most 32.
template <unsigned int Size, class Parent = thread_block>
class thread_block_tile {
 public:
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  __device__ static unsigned int size() { return Size; }
  __device__ static unsigned int num_threads() { return Size; }
  __device__ unsigned int thread_rank() const { return this_thread_block().thread_rank() % Size; }
  __device__ unsigned int meta_group_rank() const { return this_thread_block().thread_rank() / Size; }
  __device__ unsigned int meta_group_size() const { return (this_thread_block().size() + Size - 1) / Size; }
  __device__ void sync() const { __syncwarp(mask()); }
  template <class T>
  __device__ T shfl(T value, int source) const {
    return __shfl_sync(mask(), value, source, Size);
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned int by) const {
    return __shfl_up_sync(mask(), value, by, Size);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned int by) const {
    return __shfl_down_sync(mask(), value, by, Size);
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned int with) const {
    return __shfl_xor_sync(mask(), value, with, Size);
  }
  __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
  __device__ unsigned int ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first_lane(); }

 private:
  __device__ static unsigned int first_lane() { return this_thread_block().thread_rank() % 32u / Size * Size; }
  __device__ static unsigned int mask() { return (Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1u) << first_lane(); }
};

template <unsigned int Size, class Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}

template <class Group>
__device__ void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
#endif
