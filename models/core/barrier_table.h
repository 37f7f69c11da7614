// SPDX-License-Identifier: Apache-2.0
// bar.sync: counts the threads of each block that have arrived, whatever warps they travel in.
#pragma once

#include <vector>

#include "models/divergence/warp.h"

namespace warpfold {

class BarrierTable {
 public:
  explicit BarrierTable(unsigned blocks) : entries_(blocks) {}

  void block_started(unsigned slot, unsigned threads) { entries_[slot] = {threads, 0, {}}; }
  void arrive(unsigned slot, unsigned threads) {
    entries_[slot].arrived += threads;
    arrived_ += threads;
  }
  // The warp that arrived stays in the warp buffer and goes on when the barrier opens.
  void wait(unsigned slot, divergence::WarpId warp) { entries_[slot].warps.push_back(warp); }
  void exit(unsigned slot, unsigned threads) { entries_[slot].live -= threads; }
  unsigned live(unsigned slot) const { return entries_[slot].live; }
  unsigned arrived(unsigned slot) const { return entries_[slot].arrived; }
  unsigned arrived() const { return arrived_; }  // of all blocks

  // Are all live threads of the block here? Then empties the entry.
  bool open(unsigned slot) {
    Entry& entry = entries_[slot];
    if (entry.arrived == 0 || entry.arrived != entry.live) return false;
    arrived_ -= entry.arrived;
    entry.arrived = 0;
    opened_.clear();
    opened_.swap(entry.warps);  // lists change hands and keep their room
    return true;
  }
  // The warps that waited at the barrier that opened, in the order of arrival; good until the next one opens.
  const std::vector<divergence::WarpId>& opened() const { return opened_; }

 private:
  struct Entry {
    unsigned live = 0;     // threads of the block that have not exited
    unsigned arrived = 0;  // of them, at the barrier
    std::vector<divergence::WarpId> warps;
  };
  std::vector<Entry> entries_;
  std::vector<divergence::WarpId> opened_;
  unsigned arrived_ = 0;
};

}  // namespace warpfold
