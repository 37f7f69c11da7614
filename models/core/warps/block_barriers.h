// SPDX-License-Identifier: Apache-2.0
// bar.sync and bar.red: counts the threads of each block that have arrived, whatever warps they travel in.
#pragma once

#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "warpfold/core/warps/rendezvous.h"
#include "warpfold/core/warps/waiting_threads.h"

namespace warpfold {

// As chips that count warps at a barrier, one opens without threads that cannot come before those who wait have gone
// on: a stack holds threads that return early behind others where compilers merge all returns into one.
class BlockBarriers {
 public:
  // Who waited at a barrier, in the order of arrival. At bar.red, how many threads brought a predicate that holds.
  struct Opened {
    std::vector<WaitingThreads> waited;
    unsigned threads = 0;
    std::optional<unsigned> holding{};
  };

  BlockBarriers(unsigned blocks, unsigned rows) : entries_(blocks), passed_by_(rows, 0) {}

  void block_started(const divergence::Block& block, unsigned threads);
  void arrive(unsigned slot, const WaitingThreads& waiting, std::optional<unsigned> holding = {});
  void exit(unsigned slot, unsigned threads) { entries_[slot].live -= threads; }

  unsigned live(unsigned slot) const { return entries_[slot].live; }
  unsigned arrived(unsigned slot) const { return entries_[slot].at.threads; }
  unsigned missing(unsigned slot) const { return live(slot) - arrived(slot); }
  unsigned threads() const { return arrived_; }  // that wait, of all blocks

  // Are all live threads of the block here, but for those left out? Then empties the entry.
  bool open(unsigned slot, unsigned left_out = 0);
  // The barrier that opened; good until the next one does.
  const Opened& opened() const { return opened_; }

  // Is every thread that the barrier lacks kept back by its mechanism? Then they count as passed by, at the pc of those
  // who wait. `live`: who has not exited.
  bool pass_by(const divergence::Block& block, const Rendezvous& live, const Rendezvous::KeptBack& kept_back);
  // These threads, by row of the block, do: at a barrier that has a name.
  void pass_by(const divergence::Block& block, const std::vector<isa::LaneMask>& threads, isa::Pc at);
  isa::LaneMask passed_by(unsigned row) const { return passed_by_[row]; }
  isa::Pc passed_at(unsigned slot) const { return entries_[slot].passed_at; }

 private:
  struct Entry {
    unsigned live = 0;  // threads of the block that have not exited
    Opened at;
    isa::Pc passed_at = 0;  // the last barrier that opened without some
  };
  static isa::LaneMask missing_of_row(const Entry& entry, const Rendezvous& live, unsigned row);

  std::vector<Entry> entries_;
  std::vector<isa::LaneMask> passed_by_;  // by row: threads that a barrier opened without
  Opened opened_;
  unsigned arrived_ = 0;
};

}  // namespace warpfold
