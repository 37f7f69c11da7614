// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/warp_stack.h"

#include <bit>

#include "warpfold/common/error.h"

namespace warpfold::divergence {

void WarpStack::start(LaneMask threads, Pc end) {
  entries_.assign(1, {0, end, threads});
  live_ = threads;
  inactive_ = 0;
  if (observer_ != nullptr) observer_->started(*this, threads, end);
}

void WarpStack::went_on(Pc next) const { observer_->went_on(*this, next); }

unsigned WarpStack::diverge(const Branch& branch, BranchOrder order) {
  Entry& top = entries_.back();
  const LaneMask taken = branch.taken & top.mask, fall_through = top.mask & ~branch.taken;
  top.pc = branch.reconvergence;
  Pc lpc = isa::kNoPc;
  unsigned lpos = 0;
  if (top.pc == top.rpc) {
    lpc = top.lpc;
    lpos = top.lpos;
    entries_.pop_back();
  }
  if (branch.likely != isa::kNoPc && branch.likely != lpc) {
    entries_.push_back({branch.likely, branch.reconvergence, 0, lpc, lpos});
    lpc = branch.likely;
    lpos = static_cast<unsigned>(entries_.size()) - 1;
  }
  const Entry sides[2] = {{branch.target, branch.reconvergence, taken, lpc, lpos},
                          {branch.pc + 1, branch.reconvergence, fall_through, lpc, lpos}};
  const bool taken_first = runs_taken_first(order, static_cast<unsigned>(std::popcount(taken)),
                                            static_cast<unsigned>(std::popcount(fall_through)));
  const unsigned first = taken_first ? 0 : 1;
  for (const unsigned side : {1 - first, first}) {
    if (sides[side].pc == branch.reconvergence) continue;
    entries_.push_back(sides[side]);
    if (sides[side].pc != lpc) inactive_ |= sides[side].mask;
  }
  const auto depth = static_cast<unsigned>(entries_.size());
  settle();
  if (observer_ != nullptr) observer_->diverged(*this, branch, taken_first, depth);
  return depth;
}

void WarpStack::exit(LaneMask lanes, Pc next) {
  for (Entry& entry : entries_) entry.mask &= ~lanes;
  live_ &= ~lanes;
  inactive_ &= ~lanes;
  if (entries_.back().mask != 0) entries_.back().pc = next;
  while (!entries_.empty() && entries_.back().mask == 0) entries_.pop_back();
  if (!entries_.empty()) settle();
  if (observer_ != nullptr) observer_->exited(*this, lanes, next);
}

// Pops what has reached its reconvergence or likely-convergence point or has no threads.
void WarpStack::settle() {
  while (entries_.size() > 1) {
    const Entry& top = entries_.back();
    if (top.pc == top.lpc) {
      entries_[top.lpos].mask |= top.mask;
    } else if (top.pc != top.rpc && top.mask != 0) {
      break;
    }
    entries_.pop_back();
  }
  check(entries_.back().mask != 0, "a warp with live threads has some at the top of its stack");
  inactive_ &= ~entries_.back().mask;
}

}  // namespace warpfold::divergence
