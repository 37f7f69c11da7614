// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block and its tiles, after the Programming Guide.
#pragma once

#include "collectives.h"

namespace cooperative_groups {

struct thread_block {
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
};
inline thread_block this_thread_block() { return {}; }

template <unsigned Size>
class thread_block_tile {
 public:
  thread_block_tile(unsigned rank, unsigned threads) : rank_(rank), threads_(threads) {}
  static unsigned size() { return Size; }
  static unsigned thread_rank() { return cuda_twin::lane() % Size; }
  unsigned meta_group_rank() const { return rank_ / Size; }
  unsigned meta_group_size() const { return (threads_ + Size - 1) / Size; }

  static void sync() { __syncwarp(lanes()); }
  template <class T>
  static T shfl(T value, int rank) {
    return __shfl_sync(lanes(), value, rank, Size);
  }
  template <class T>
  static T shfl_up(T value, unsigned by) {
    return __shfl_up_sync(lanes(), value, by, Size);
  }
  template <class T>
  static T shfl_down(T value, unsigned by) {
    return __shfl_down_sync(lanes(), value, by, Size);
  }
  template <class T>
  static T shfl_xor(T value, unsigned with) {
    return __shfl_xor_sync(lanes(), value, static_cast<int>(with), Size);
  }
  static int any(int value) { return __any_sync(lanes(), value); }
  static int all(int value) { return __all_sync(lanes(), value); }
  static unsigned ballot(int value) { return __ballot_sync(lanes(), value) >> first(); }
  template <class T>
  static unsigned match_any(T value) {
    return __match_any_sync(lanes(), value) >> first();
  }

 private:
  static unsigned first() { return cuda_twin::lane() / Size * Size; }
  static unsigned lanes() { return 0xffffffffu >> (32 - Size) << first(); }

  unsigned rank_, threads_;  // of the thread, and how many there are, in what is parted into tiles
};
template <unsigned Size, class Parent>
thread_block_tile<Size> tiled_partition(const Parent& parent) {
  return {parent.thread_rank(), parent.size()};
}

// What the tile's threads give, rank by rank up to this one's; of all threads where `all`.
template <unsigned Size, class T, class Operator>
T folded(const thread_block_tile<Size>& tile, T value, Operator combine, bool all) {
  T result = tile.shfl(value, 0);
  for (unsigned rank = 1; rank < Size; ++rank) {
    const T next = tile.shfl(value, static_cast<int>(rank));
    if (all || rank <= tile.thread_rank()) result = combine(result, next);
  }
  return result;
}
template <class T>
struct plus {
  T operator()(T a, T b) const { return static_cast<T>(a + b); }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned Size, class T, class Operator>
T reduce(const thread_block_tile<Size>& tile, T value, Operator combine) {
  return folded(tile, value, combine, true);
}
template <unsigned Size, class T>
T inclusive_scan(const thread_block_tile<Size>& tile, T value) {
  return folded(tile, value, plus<T>(), false);
}
template <unsigned Size, class T>
T exclusive_scan(const thread_block_tile<Size>& tile, T value) {
  return static_cast<T>(folded(tile, value, plus<T>(), false) - value);
}

}  // namespace cooperative_groups
