// SPDX-License-Identifier: Apache-2.0
// Threads that wait at __syncthreads in no warp, by block: theirs may have held threads of several blocks.
#pragma once

#include <bit>
#include <vector>

#include "models/divergence/mechanism.h"

namespace warpfold::divergence {

class ThreadsAtBarrier {
 public:
  ThreadsAtBarrier(const Core& core, unsigned max_blocks) : core_(core), blocks_(max_blocks) {}

  // The threads of a warp, to go on at its pc.
  void keep(const Warp& warp) {
    for (LaneMask rest = warp.mask; rest != 0;) {
      const unsigned slot = block_of(warp, rest);
      Warp part = warp;
      for (LaneMask lanes = rest; lanes != 0; lanes &= lanes - 1) {
        if (block_of(warp, lanes) != slot) part.mask &= ~(lanes & -lanes);
      }
      part.mask &= rest;
      rest &= ~part.mask;
      part.one_row = true;
      for (LaneMask lanes = part.mask; lanes != 0; lanes &= lanes - 1) {
        part.one_row = part.one_row && row_of(part, lanes) == row_of(part, part.mask);
      }
      blocks_[slot].push_back(part);
    }
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
  static unsigned row_of(const Warp& warp, LaneMask lanes) {
    return warp.row[static_cast<unsigned>(std::countr_zero(lanes))];
  }
  unsigned block_of(const Warp& warp, LaneMask lanes) const { return core_.block_of_row(row_of(warp, lanes)); }

  const Core& core_;
  std::vector<std::vector<Warp>> blocks_;  // by slot
};

}  // namespace warpfold::divergence
