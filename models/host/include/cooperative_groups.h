// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block, tiles of a warp, the threads that are together, and the grid.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
#include "warpfold/group_shuffles.h"

namespace cooperative_groups {

// Any group, as functions take it by value. Those of at most a warp are named by the mask of their lanes.
class thread_group {
 public:
  __device__ unsigned long long size() const {
    if (kind_ == grid) return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z * block_size();
    return kind_ == block ? block_size() : __popc(mask_);
  }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    if (kind_ == grid) return block_number() * block_size() + rank_in_block();
    return kind_ == block ? rank_in_block() : rank_in_mask(mask_);
  }
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const;

 protected:
  enum Kind { block, lanes, grid };
  __device__ thread_group(Kind kind, unsigned int mask) : kind_(kind), mask_(mask) {}
  __device__ static unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned int rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  __device__ static unsigned int lane() { return rank_in_block() % 32u; }
  __device__ static unsigned int rank_in_mask(unsigned int mask) { return __popc(mask & ((1u << lane()) - 1u)); }
  __device__ static unsigned long long block_number() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  // The tile of `size` lanes, a power of two, that this thread lies in.
  __device__ static unsigned int tile_mask(unsigned int size) {
    return (size >= 32 ? 0xffffffffu : (1u << size) - 1u) << (lane() & ~(size - 1u));
  }

  Kind kind_;
  unsigned int mask_;
  friend __device__ inline thread_group tiled_partition(const thread_group& parent, unsigned int size);
};

class thread_block : public thread_group {
 public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned int size() { return block_size(); }
  __device__ static unsigned int num_threads() { return block_size(); }
  __device__ static unsigned int thread_rank() { return rank_in_block(); }
  __device__ static dim3 group_index() { return blockIdx; }
  __device__ static dim3 thread_index() { return threadIdx; }
  __device__ static dim3 group_dim() { return blockDim; }
  __device__ static dim3 dim_threads() { return blockDim; }

 private:
  __device__ thread_block() : thread_group(block, 0) {}
  friend __device__ inline thread_block this_thread_block();
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

// Blocks arrive one by one; the last lets all go on. They must be on the device together (a cooperative launch).
static __device__ unsigned int __warpfold_grid_arrived __attribute__((unused));
static __device__ unsigned int __warpfold_grid_generation __attribute__((unused));

class grid_group : public thread_group {
 public:
  __device__ static void sync() {
    __syncthreads();
    if (rank_in_block() == 0) {
      const unsigned int generation = atomicAdd(&__warpfold_grid_generation, 0u);
      __threadfence();
      if (atomicAdd(&__warpfold_grid_arrived, 1u) + 1u == num_blocks()) {
        atomicExch(&__warpfold_grid_arrived, 0u);
        __threadfence();
        atomicAdd(&__warpfold_grid_generation, 1u);
      } else {
        while (atomicAdd(&__warpfold_grid_generation, 0u) == generation) {
        }
      }
      __threadfence();
    }
    __syncthreads();
  }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long block_rank() { return block_number(); }
  __device__ static dim3 block_index() { return blockIdx; }
  __device__ static dim3 dim_blocks() { return gridDim; }
  __device__ static dim3 group_dim() { return gridDim; }

 private:
  __device__ grid_group() : thread_group(grid, 0) {}
  friend __device__ inline grid_group this_grid();
};
__device__ inline grid_group this_grid() { return grid_group(); }

__device__ inline void thread_group::sync() const {
  if (kind_ == grid) {
    grid_group::sync();
  } else if (kind_ == block) {
    __syncthreads();
  } else {
    __syncwarp(mask_);
  }
}

// Lanes of a warp in the order of their numbers, as many as the mask has.
class coalesced_group : public thread_group {
 public:
  __device__ unsigned int size() const { return __popc(mask_); }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int thread_rank() const { return rank_in_mask(mask_); }
  __device__ unsigned int meta_group_rank() const { return meta_rank_; }
  __device__ unsigned int meta_group_size() const { return meta_size_; }
  __device__ void sync() const { __syncwarp(mask_); }

  // From the thread of that rank; from beyond either end of the group, the thread's own value.
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return details::shuffle_words(mask_, value, lane_of(static_cast<unsigned int>(rank) % size()));
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned int by) const {
    const unsigned int rank = thread_rank();
    return details::shuffle_words(mask_, value, lane_of(by <= rank ? rank - by : rank));
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned int by) const {
    const unsigned int rank = thread_rank();
    return details::shuffle_words(mask_, value, lane_of(rank + by < size() ? rank + by : rank));
  }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned int ballot(int predicate) const { return ranks_of(__ballot_sync(mask_, predicate)); }
  template <class T>
  __device__ unsigned int match_any(T value) const {
    return ranks_of(__match_any_sync(mask_, value));
  }
  template <class T>
  __device__ unsigned int match_all(T value, int& all) const {
    return ranks_of(__match_all_sync(mask_, value, &all));
  }

 private:
  __device__ explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
      : thread_group(lanes, mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  __device__ unsigned int lane_of(unsigned int rank) const {
    unsigned int rest = mask_;
    for (; rank > 0; --rank) rest &= rest - 1;
    return static_cast<unsigned int>(__ffs(static_cast<int>(rest))) - 1u;
  }
  // A set of lanes as a set of ranks.
  __device__ unsigned int ranks_of(unsigned int chosen) const {
    unsigned int ranks = 0, bit = 1;
    for (unsigned int rest = mask_; rest != 0; rest &= rest - 1, bit <<= 1) {
      if ((chosen & rest & (0u - rest)) != 0) ranks |= bit;
    }
    return ranks;
  }

  unsigned int meta_rank_, meta_size_;
  friend __device__ inline coalesced_group coalesced_threads();
  friend __device__ inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size);
  template <class Label>
  friend __device__ coalesced_group labeled_partition(const coalesced_group& parent, Label label);
  template <unsigned int Size, class Parent>
  friend class thread_block_tile;
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// Size consecutive threads of one warp, Size a power of two of at most 32.
template <unsigned int Size, class Parent = void>
class thread_block_tile : public thread_group {
 public:
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>&) : thread_block_tile() {}

  __device__ static constexpr unsigned int size() { return Size; }
  __device__ static constexpr unsigned int num_threads() { return Size; }
  __device__ static unsigned int thread_rank() { return rank_in_block() % Size; }
  __device__ unsigned int meta_group_rank() const { return meta_rank_; }
  __device__ unsigned int meta_group_size() const { return meta_size_; }
  __device__ void sync() const { __syncwarp(mask_); }
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return details::shuffle<details::index>(mask_, value, rank, Size);
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned int by) const {
    return details::shuffle<details::up>(mask_, value, by, Size);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned int by) const {
    return details::shuffle<details::down>(mask_, value, by, Size);
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned int with) const {
    return details::shuffle<details::across>(mask_, value, with, Size);
  }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned int ballot(int predicate) const { return ranks_of(__ballot_sync(mask_, predicate)); }
  template <class T>
  __device__ unsigned int match_any(T value) const {
    return ranks_of(__match_any_sync(mask_, value));
  }
  template <class T>
  __device__ unsigned int match_all(T value, int& all) const {
    return ranks_of(__match_all_sync(mask_, value, &all));
  }
  __device__ operator coalesced_group() const { return coalesced_group(mask_, meta_rank_, meta_size_); }

 private:
  // Of a parent of `count` threads in which this one has rank `rank`.
  __device__ thread_block_tile(unsigned int rank, unsigned int count)
      : thread_group(lanes, tile_mask(Size)), meta_rank_(rank / Size), meta_size_((count + Size - 1) / Size) {}
  __device__ thread_block_tile() : thread_block_tile(rank_in_block(), block_size()) {}
  __device__ static unsigned int ranks_of(unsigned int chosen) { return chosen >> (lane() & ~(Size - 1u)); }

  unsigned int meta_rank_, meta_size_;
  template <unsigned int OtherSize, class Other>
  friend class thread_block_tile;
  template <unsigned int OtherSize, class Other>
  friend __device__ thread_block_tile<OtherSize, Other> tiled_partition(const Other& parent);
};

template <unsigned int Size, class Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<Size, Parent>(static_cast<unsigned int>(parent.thread_rank()),
                                         static_cast<unsigned int>(parent.size()));
}
// Of a block or of a tile; `size` is a power of two of at most 32.
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  return thread_group(thread_group::lanes,
                      thread_group::tile_mask(size) & (parent.kind_ == thread_group::lanes ? parent.mask_ : ~0u));
}
// So many threads each, in the order of their ranks; the last has what is left.
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  const unsigned int first = parent.thread_rank() / size * size;
  unsigned int mask = 0;
  for (unsigned int rank = first; rank < first + size && rank < parent.size(); ++rank) {
    mask |= 1u << parent.lane_of(rank);
  }
  return coalesced_group(mask, parent.thread_rank() / size, (parent.size() + size - 1) / size);
}

// The threads of a group that have the same label, groups in the order of their first threads.
template <class Label>
__device__ coalesced_group labeled_partition(const coalesced_group& parent, Label label) {
  const unsigned int mine = __match_any_sync(parent.mask_, label), first = mine & (0u - mine);
  const unsigned int leaders = __ballot_sync(parent.mask_, (first >> coalesced_group::lane() & 1u) != 0);
  return coalesced_group(mine, __popc(leaders & (first - 1u)), __popc(leaders));
}
__device__ inline coalesced_group binary_partition(const coalesced_group& parent, bool predicate) {
  return labeled_partition(parent, predicate ? 1 : 0);
}

template <class Group>
__device__ void sync(const Group& group) {
  group.sync();
}
template <class Group>
__device__ unsigned long long group_size(const Group& group) {
  return group.size();
}
template <class Group>
__device__ unsigned long long thread_rank(const Group& group) {
  return group.thread_rank();
}

}  // namespace cooperative_groups
#endif
