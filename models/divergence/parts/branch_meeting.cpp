// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/branch_meeting.h"

#include <bit>

#include "warpfold/divergence/parts/block/block_stack.h"

namespace warpfold::divergence {
namespace {

unsigned count(const Gathering& gathering, unsigned side) {
  return gathering.warps == 0 ? 0 : thread_count(gathering.threads[side]);
}

}  // namespace

void Gathering::add(const Block& block, const Warp& warp, LaneMask lanes, LaneMask taken) {
  if (warps == 0) {
    for (std::vector<LaneMask>& side : threads) side.assign(block.rows(), 0);
  }
  ++warps;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const LaneMask bit = LaneMask{1} << lane;
    threads[(taken & bit) != 0 ? 1 : 0][warp.row[lane] - block.first_row] |= bit;
  }
}

void Meeting::open(const Branch& at, BranchOrder which_first) {
  branch = at.pc;
  target = {at.pc + 1, at.target};
  rpc = at.reconvergence;
  order = which_first;
  all.warps = waiting.warps = 0;
  stage = 0;
  running.reset();
}

unsigned Meeting::entered(const Gathering& gathering) const {
  if (running) return *running;
  const unsigned first = runs_taken_first(order, count(gathering, 1), count(gathering, 0)) ? 1 : 0;
  return runs(first) ? first : 1 - first;
}

unsigned warps_after(const Gathering& gathering, unsigned side) { return compacted_warps(gathering.threads[side]); }

bool compaction_helps(const Meeting& meeting) {
  const Gathering& all = meeting.all;
  return all.warps != 0 && warps_after(all, meeting.entered(all)) < all.warps;
}

}  // namespace warpfold::divergence
