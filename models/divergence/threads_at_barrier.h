// SPDX-License-Identifier: Apache-2.0
// Threads that wait at __syncthreads in no warp, by block: theirs may have held threads of several blocks.
#pragma once

#include <bit>
#include <vector>

#include "models/divergence/mixed_warp.h"

namespace warpfold::divergence {

class ThreadsAtBarrier {
 public:
  ThreadsAtBarrier(const Core& core, unsigned max_blocks) : core_(core), blocks_(max_blocks) {}

  // The threads of a warp, to go on at its pc.
  void keep(const Warp& warp) {
    const auto block_of_row = [this](unsigned row) { return core_.block_of_row(row); };
    for_each_group(warp, warp.mask, block_of_row,
                   [&](unsigned slot, LaneMask lanes) { narrow(blocks_[slot].emplace_back(warp), lanes); });
  }
  // Calls enter(warp) for what was kept of a block, in the order of arrival.
  template <class Enter>
  void release(unsigned slot, Enter enter) {
    for (const Warp& warp : blocks_[slot]) enter(warp);
    blocks_[slot].clear();
  }
  unsigned count(unsigned slot) const {
    unsigned threads = 0;
    for (const Warp& warp : blocks_[slot]) threads += static_cast<unsigned>(std::popcount(warp.mask));
    return threads;
  }
  bool empty() const {
    for (const std::vector<Warp>& block : blocks_) {
      if (!block.empty()) return false;
    }
    return true;
  }

 private:
  const Core& core_;
  std::vector<std::vector<Warp>> blocks_;  // by slot
};

}  // namespace warpfold::divergence
