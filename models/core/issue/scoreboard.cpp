// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/issue/scoreboard.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {

using divergence::Warp;
using divergence::WarpId;
using isa::LaneMask;
using isa::Word;

Scoreboard::Scoreboard(ScoreboardKind kind, unsigned slots, unsigned rows) : kind_(kind), warps_(slots), rows_(rows) {}

void Scoreboard::kernel_started(unsigned words) {
  for (Entry& entry : warps_) {
    check(entry.in_flight == 0, "a kernel starts on an empty pipeline");
    if (kind_ == ScoreboardKind::kPerRegister) entry.pending.assign(words, 0);
  }
  words_ = words;
  if (follows_threads()) lanes_.assign(std::size_t{rows_} * words, 0);
}

bool Scoreboard::allows_beside_others(WarpId id, const Warp& warp, const isa::MicroOp& op) const {
  const auto all_free = [&op](const auto& is_free) {
    return std::all_of(op.reads.begin(), op.reads.end(), is_free) &&
           std::all_of(op.writes.begin(), op.writes.end(), is_free);
  };
  if (follows_threads()) {
    bool free = true;
    divergence::for_each_row(warp, warp.mask, [&](unsigned row, LaneMask lanes) {
      const LaneMask* const pending = lanes_.data() + std::size_t{row} * words_;  // a kernel may have no register
      free = free && all_free([&](Word word) { return (pending[word] & lanes) == 0; });
    });
    return free;
  }
  const Entry& entry = warps_[id];
  return kind_ == ScoreboardKind::kPerRegister && all_free([&](Word word) { return entry.pending[word] == 0; });
}

std::uint32_t Scoreboard::registers_pending(WarpId id, const Warp& warp, const isa::MicroOp& op) {
  if (kind_ == ScoreboardKind::kPerRegister) {
    for (Word word : op.writes) ++warps_[id].pending[word];
    return 0;
  }
  divergence::for_each_row(warp, warp.mask, [&](unsigned row, LaneMask lanes) {
    for (Word word : op.writes) pending(row, word) |= lanes;
  });
  const std::uint32_t ticket = in_flight_.take();
  in_flight_[ticket] = warp;
  return ticket;
}

void Scoreboard::registers_written(WarpId id, std::uint32_t ticket, const isa::MicroOp& op) {
  if (kind_ == ScoreboardKind::kPerRegister) {
    for (Word word : op.writes) --warps_[id].pending[word];
    return;
  }
  threads_written(ticket, op, ~LaneMask{0});
  in_flight_.give_back(ticket);
}

void Scoreboard::threads_written(std::uint32_t ticket, const isa::MicroOp& op, LaneMask written) {
  Warp& who = in_flight_[ticket];
  divergence::for_each_row(who, who.mask & written, [&](unsigned row, LaneMask lanes) {
    for (Word word : op.writes) pending(row, word) &= ~lanes;
  });
  who.mask &= ~written;
}

LaneMask Scoreboard::free_threads(const Warp& warp) const {
  LaneMask lanes = warp.mask;
  for (const Warp& other : in_flight_.all()) {
    divergence::for_each_row(other, other.mask, [&](unsigned row, LaneMask of_row) {
      lanes &= ~divergence::lanes_of_row(warp, row, of_row);
    });
  }
  return lanes;
}

bool Scoreboard::threads_busy(const Warp& warp) const {
  const auto& all = in_flight_.all();
  return std::any_of(all.begin(), all.end(), [&](const Warp& other) { return divergence::share_threads(warp, other); });
}

}  // namespace warpfold
