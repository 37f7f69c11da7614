// SPDX-License-Identifier: Apache-2.0
// bar.sync: counts the threads of each block that have arrived, whatever warps they travel in.
#pragma once

#include <utility>
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
  // arrival. Empty: the barrier stays closed.
  std::vector<divergence::WarpId> open(unsigned slot) {
    Entry& entry = entries_[slot];
    if (entry.warps.empty() || entry.arrived != entry.live) return {};
    entry.arrived = 0;
    return std::exchange(entry.warps, {});
  }

 private:
  struct Entry {
    unsigned live = 0;     // threads of the block that have not exited
    unsigned arrived = 0;  // of them, at the barrier
    std::vector<divergence::WarpId> warps;
  };
  std::vector<Entry> entries_;
};

}  // namespace warpfold
