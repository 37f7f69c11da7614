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
  void arrive(unsigned slot, divergence::WarpId warp, unsigned threads) {
    entries_[slot].arrived += threads;
    entries_[slot].warps.push_back(warp);
  }
  void exit(unsigned slot, unsigned threads) { entries_[slot].live -= threads; }
  unsigned live(unsigned slot) const { return entries_[slot].live; }
  unsigned arrived(unsigned slot) const { return entries_[slot].arrived; }

  // All live threads of the block are here: empties the entry and returns the warps that may go on, in the order of
  // arrival, good until the next call. Empty: the barrier stays closed.
  const std::vector<divergence::WarpId>& open(unsigned slot) {
    Entry& entry = entries_[slot];
    opened_.clear();
    if (entry.arrived != entry.live) return opened_;
    entry.arrived = 0;
    opened_.swap(entry.warps);  // lists change hands and keep their room
    return opened_;
  }

 private:
  struct Entry {
    unsigned live = 0;     // threads of the block that have not exited
    unsigned arrived = 0;  // of them, at the barrier
    std::vector<divergence::WarpId> warps;
  };
  std::vector<Entry> entries_;
  std::vector<divergence::WarpId> opened_;
};

}  // namespace warpfold
