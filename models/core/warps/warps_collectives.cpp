// SPDX-License-Identifier: Apache-2.0
// Collectives: threads of a warp that wait for one another.
#include <algorithm>

#include "warpfold/core/warps/warps.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {

using divergence::WarpId;
using isa::LaneMask;
using isa::Pc;

void Warps::arrive_at_rendezvous(const Instruction& instruction) {
  const WarpId id = instruction.warp;
  const divergence::Warp warp = slots_[id].warp;
  ++rendezvous_waits_;
  const bool stays = !mechanism_->gives_up(id);
  rendezvous_.arrive(stays ? id : divergence::kNoWarp, warp);
  if (stays) {
    waits_now(id, State::kAtCollective);
    slots_[id].meeting = instruction.executed;
    return;
  }
  divergence::Warp others = warp;  // whose guard does not hold
  divergence::narrow(others, ~instruction.executed);
  ++others.pc;
  if (others.mask != 0) mechanism_->together(others);
}

void Warps::settle_rendezvous() {
  while (const auto met = rendezvous_.take_complete(kept_back_)) {
    ++rendezvous_met_;
    rendezvous_left_out_ += isa::count_lanes(met->left_out);
    resume(met->waiting);
  }
}

// Warps go on once all their lanes have met their others. Threads that left theirs form one of each row and pc.
void Warps::resume(const std::vector<WaitingThreads>& met) {
  std::vector<divergence::Warp> formed;
  for (const WaitingThreads& waited : met) {
    if (!waited.in_warp()) {
      divergence::for_each_row(waited.threads, waited.threads.mask, [&](unsigned row, LaneMask lanes) {
        const auto same = std::find_if(formed.begin(), formed.end(), [&](const divergence::Warp& warp) {
          return warp.row[0] == row && warp.pc == waited.threads.pc + 1;
        });
        if (same != formed.end()) {
          same->mask |= lanes;
        } else {
          formed.push_back(divergence::Warp::of_row(waited.threads.pc + 1, static_cast<std::uint16_t>(row), lanes));
        }
      });
      continue;
    }
    Slot& slot = slots_[waited.warp];
    slot.meeting &= ~waited.threads.mask;
    if (slot.meeting == 0) committed(waited.warp, waited.threads.pc + 1);
  }
  for (const divergence::Warp& warp : formed) mechanism_->together(warp);
}

}  // namespace warpfold
