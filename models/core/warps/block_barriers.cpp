// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/warps/block_barriers.h"

#include <algorithm>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {

using isa::LaneMask;

void BlockBarriers::block_started(const divergence::Block& block, unsigned threads) {
  entries_[block.slot] = {threads, {}};
  std::fill_n(passed_by_.begin() + block.first_row, block.rows(), LaneMask{0});
}

void BlockBarriers::arrive(unsigned slot, const WaitingThreads& waiting, std::optional<unsigned> holding) {
  const auto threads = static_cast<unsigned>(std::popcount(waiting.threads.mask));
  Opened& at = entries_[slot].at;
  at.waited.push_back(waiting);
  at.threads += threads;
  if (holding) at.holding = at.holding.value_or(0) + *holding;
  arrived_ += threads;
}

bool BlockBarriers::open(unsigned slot, unsigned left_out) {
  Entry& entry = entries_[slot];
  if (entry.at.threads == 0 || entry.at.threads + left_out != entry.live) return false;
  arrived_ -= entry.at.threads;
  opened_.waited.clear();
  opened_.threads = 0;
  opened_.holding.reset();
  std::swap(opened_, entry.at);  // lists change hands and keep their room
  return true;
}

LaneMask BlockBarriers::missing_of_row(const Entry& entry, const Rendezvous& live, unsigned row) {
  LaneMask lanes = live.live_in(row);
  for (const WaitingThreads& waited : entry.at.waited) lanes &= ~divergence::lanes_of_row(waited.threads, row);
  return lanes;
}

bool BlockBarriers::pass_by(const divergence::Block& block, const Rendezvous& live,
                            const Rendezvous::KeptBack& kept_back) {
  Entry& entry = entries_[block.slot];
  const unsigned end = block.first_row + block.rows();
  for (unsigned row = block.first_row; row < end; ++row) {
    LaneMask lacks = missing_of_row(entry, live, row);
    for (const WaitingThreads& waited : entry.at.waited) {
      if (lacks == 0) break;
      lacks &= ~kept_back(waited, row);
    }
    if (lacks != 0) return false;
  }
  std::vector<LaneMask> missing;
  for (unsigned row = block.first_row; row < end; ++row) missing.push_back(missing_of_row(entry, live, row));
  pass_by(block, missing, entry.at.waited.front().threads.pc);
  return true;
}

void BlockBarriers::pass_by(const divergence::Block& block, const std::vector<LaneMask>& threads, isa::Pc at) {
  for (unsigned row = 0; row < block.rows(); ++row) passed_by_[block.first_row + row] |= threads[row];
  entries_[block.slot].passed_at = at;
}

}  // namespace warpfold
