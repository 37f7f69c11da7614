// SPDX-License-Identifier: Apache-2.0
// The issue stage's passes, to FPU, EM and SEND pipes.
#include <algorithm>

#include "warpfold/core/issue/issue_stage.h"

namespace warpfold {

// Candidates whose pipe is not free before the next pass drop out; returns the first cycle in which one comes back.
Cycle IssueStage::drop_waiting(Port& port, Cycle now) {
  Cycle next = kNever;
  for (unsigned group = 0; group < kPipeUses; ++group) {
    if (!candidates_.intersects(ready_for_[group])) continue;
    const auto use = static_cast<PipeUse>(group);
    const bool full = use == PipeUse::kSend && blocked_;  // until END_REQ
    const Cycle starts = port.pipes.starts_at(port.pipes.pipe_for(use, now), now);
    if (!full && starts < now + params_.issue_interval_cycles) continue;
    candidates_ -= ready_for_[group];
    if (!full) next = std::min(next, starts - params_.issue_interval_cycles + 1);
  }
  return next;
}

}  // namespace warpfold
