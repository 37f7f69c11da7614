// SPDX-License-Identifier: Apache-2.0
// bar.sync and bar.red: counts the threads of each block that have arrived, whatever warps they travel in.
#pragma once

#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "warpfold/core/waiting_threads.h"

namespace warpfold {

class BarrierTable {
 public:
  // Who waited at a barrier, in the order of arrival. At bar.red, how many threads brought a predicate that holds.
  struct Opened {
    std::vector<WaitingThreads> waited;
    unsigned threads = 0;
    std::optional<unsigned> holding{};
  };

  explicit BarrierTable(unsigned blocks) : entries_(blocks) {}

  void block_started(unsigned slot, unsigned threads) { entries_[slot] = {threads, {}}; }
  void arrive(unsigned slot, const WaitingThreads& waiting, std::optional<unsigned> holding = {}) {
    const auto threads = static_cast<unsigned>(std::popcount(waiting.threads.mask));
    Opened& at = entries_[slot].at;
    at.waited.push_back(waiting);
    at.threads += threads;
    if (holding) at.holding = at.holding.value_or(0) + *holding;
    arrived_ += threads;
  }
  void exit(unsigned slot, unsigned threads) { entries_[slot].live -= threads; }
  unsigned live(unsigned slot) const { return entries_[slot].live; }
  unsigned arrived(unsigned slot) const { return entries_[slot].at.threads; }
  unsigned arrived() const { return arrived_; }  // of all blocks

  const Opened& at(unsigned slot) const { return entries_[slot].at; }
  // Are all live threads of the block here, but for those left out? Then empties the entry.
  bool open(unsigned slot, unsigned left_out = 0) {
    Entry& entry = entries_[slot];
    if (entry.at.threads == 0 || entry.at.threads + left_out != entry.live) return false;
    arrived_ -= entry.at.threads;
    opened_.waited.clear();
    opened_.threads = 0;
    opened_.holding.reset();
    std::swap(opened_, entry.at);  // lists change hands and keep their room
    return true;
  }
  // The barrier that opened; good until the next one does.
  const Opened& opened() const { return opened_; }

 private:
  struct Entry {
    unsigned live = 0;  // threads of the block that have not exited
    Opened at;
  };
  std::vector<Entry> entries_;
  Opened opened_;
  unsigned arrived_ = 0;
};

}  // namespace warpfold
