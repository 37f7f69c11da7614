// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/warp_reconvergence.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/parked.h"

namespace warpfold::divergence {

WarpReconvergence::WarpReconvergence(const WarpReconvergenceParams& params, const Geometry& geometry, Core& core)
    : Mechanism({.keeps_warps = true, .keeps_back = true, .any_order = true}),
      params_(params),
      core_(core),
      warps_(geometry.max_warps) {
  for (unsigned slot = 0; slot < geometry.max_warps; ++slot) {
    warps_[slot].stack.observe(core.taps().warp_stack_observer(slot));
  }
}

void WarpReconvergence::kernel_ended() {
  const bool none = std::all_of(warps_.begin(), warps_.end(), [](const Resident& r) { return r.stack.empty(); });
  check(none && parked_.inactive == 0 && parked_.reconverging == 0, "no stack outlives its kernel");
}

void WarpReconvergence::block_started(const Block& block) {
  core_.stack_depth(1);
  for (unsigned row = 0; row < block.rows(); ++row) {
    const auto from = static_cast<std::uint16_t>(block.first_row + row);
    const WarpId warp = core_.insert(Warp::of_row(0, from, block.threads[row]));
    warps_[warp].stack.start(block.threads[row], end_);
  }
}

void WarpReconvergence::committed(WarpId warp, Pc next) { go_on(warp, next); }

void WarpReconvergence::branch_resolved(WarpId id, const Branch& branch) {
  const LaneMask active = core_.warp(id).mask;
  const LaneMask taken = branch.taken & active;
  if (taken == 0 || taken == active) {
    go_on(id, taken != 0 ? branch.target : branch.pc + 1);
    return;
  }
  core_.stack_depth(warps_[id].stack.diverge(branch, params_.branch_order));
  show_top(id);
}

void WarpReconvergence::exited(WarpId id, LaneMask lanes, Pc next) {
  Resident& resident = warps_[id];
  resident.stack.exit(lanes, next);
  if (!resident.stack.empty()) {
    show_top(id);
    return;
  }
  count(resident);
  core_.remove(id);
}

std::string WarpReconvergence::waiting(unsigned /*block_slot*/) const {
  return "none: a stack per warp keeps every live thread in its warp";
}

void WarpReconvergence::go_on(WarpId id, Pc next) {
  if (warps_[id].stack.go_on(next)) {
    show_top(id);
  } else {
    core_.warp(id).pc = next;
  }
}

void WarpReconvergence::show_top(WarpId id) {
  Resident& resident = warps_[id];
  Warp& warp = core_.warp(id);
  warp.pc = resident.stack.top().pc;
  warp.mask = resident.stack.top().mask;
  count(resident);
}

void WarpReconvergence::count(Resident& resident) { recount(parked_, resident.counted, parked_on(resident.stack)); }

}  // namespace warpfold::divergence
