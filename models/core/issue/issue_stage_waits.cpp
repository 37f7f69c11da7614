// SPDX-License-Identifier: Apache-2.0
// Warps that wait because their mechanism holds them, or for loads of which some lanes have their data before others:
// the part of the issue stage that lets the former go, and tells the mechanism of the latter, which may let lanes go
// on.
#include <algorithm>

#include "warpfold/core/issue/issue_stage.h"

namespace warpfold {

using divergence::Warp;
using divergence::WarpId;
using isa::LaneMask;

void IssueStage::hold(WarpId id, Cycle until) {
  slots_[id].held_until = until;
  held_.push_back(id);
  refresh(id);
}

// Lets go the warps whose time has come; returns when the next one's comes.
Cycle IssueStage::release_held(Cycle now) {
  Cycle next = kNever;
  std::size_t kept = 0;
  for (const WarpId id : held_) {
    Slot& slot = slots_[id];
    if (slot.held_until > now) {
      next = std::min(next, slot.held_until);
      held_[kept++] = id;
    } else if (slot.held_until != 0) {
      slot.held_until = 0;
      refresh(id);
    }
  }
  held_.resize(kept);
  return next;
}

// Whether the warp waits for the load, or for which of its loads, is seen at the next tick: it may be about to issue.
void IssueStage::keep_part(const Instruction& part) {
  scoreboard_.partly_released(part.ticket, *part.op, part.executed);
  const auto same = std::find_if(partial_loads_.begin(), partial_loads_.end(), [&](const PartialLoad& known) {
    return known.warp == part.warp && known.pc == part.pc && known.issued_at == part.issued_at;
  });
  if (same == partial_loads_.end()) {
    partial_loads_.push_back({part.warp, part.pc, part.issued_at, part.executed, false});
  } else {
    same->done |= part.executed;
    same->told = false;
  }
  wake();
}

void IssueStage::drop_part(const Instruction& done) {
  std::erase_if(partial_loads_, [&](const PartialLoad& part) {
    return part.warp == done.warp && part.pc == done.pc && part.issued_at == done.issued_at;
  });
}

// The mechanism may move threads: the cycles before are charged with them where they were.
void IssueStage::tell_parts(Cycle now) {
  for (Port& port : ports_) charge_idle(port, now);
  for (PartialLoad& part : partial_loads_) {
    if (part.told || loaded(part.warp) == 0) continue;
    part.told = true;
    warps_.partly_loaded(part.warp, slots_[part.warp].port->ready.empty());
  }
}

// A warp that drains, or whose turn at a barrier or a collective has come, has nothing to gain. Where scoreboards know
// threads, others may be in the slot by now.
LaneMask IssueStage::loaded(WarpId id) const {
  const Slot& slot = slots_[id];
  if (!warps_.live(id) || warps_.waits(id) || slot.ready || slot.fetching || slot.drains || slot.held_until != 0)
    return 0;
  if (scoreboard_.follows_threads() && !warps_.may_issue(id)) return 0;
  LaneMask done = ~LaneMask{0};
  unsigned loads = 0;
  for (const PartialLoad& part : partial_loads_) {
    if (part.warp != id) continue;
    done &= part.done;
    ++loads;
  }
  if (loads == 0) return 0;
  const Warp& warp = warps_.warp(id);
  const LaneMask lanes = scoreboard_.free_lanes(id, warp, loads, done);
  return lanes == warp.mask ? 0 : lanes;
}

}  // namespace warpfold
