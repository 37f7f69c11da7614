// SPDX-License-Identifier: Apache-2.0
// What warps wait for, instruction by instruction: the part of the issue stage that only a profile needs.
#include "warpfold/core/issue_stage.h"

namespace warpfold {

using divergence::WarpId;

// Between two visits of a port nothing changes for its warps: what they waited for at the last one holds up to now.
void IssueStage::profile_waits(Port& port, Cycle now) {
  for (const auto& [pc, why] : port.waiting) profile_->waited(pc, why, now - port.waiting_since);
  port.waiting.clear();
  port.waiting_since = now;
  if (port.charged_until > now) return;  // it issues
  for (WarpId id = port.slots.next(0); id != divergence::kNoWarp; id = port.slots.next(id + 1)) {
    if (warps_.live(id)) port.waiting.emplace_back(warps_.warp(id).pc, wait_of(port, id));
  }
}

Wait IssueStage::wait_of(const Port& port, WarpId id) const {
  const Slot& slot = slots_[id];
  if (ready_.contains(id)) return port.idle == &stall_ ? Wait::kUnit : Wait::kMechanism;
  if (warps_.waits_for_mechanism(id) || slot.held_until != 0) return Wait::kMechanism;
  if (warps_.waits(id)) return Wait::kBarrier;
  if (slot.fetching) return Wait::kFetch;
  return slot.memory_in_flight > 0 ? Wait::kMemory : Wait::kExecution;
}

}  // namespace warpfold
