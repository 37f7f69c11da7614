// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/stacks/warp_stack_shadow.h"

namespace warpfold::cosim {

using divergence::WarpStack;
using isa::LaneMask;
using isa::Pc;

namespace {

constexpr const char* kWarpStackOps[] = {"start", "go on", "branch", "exit"};

}  // namespace

// RTL with likely-convergence points does as that without where no branch has one.
RtlParameters WarpStackShadow::parameters(unsigned lanes, unsigned warps) {
  return {{"Warps", warps}, {"Lanes", lanes}, {"Depth", kDepth}, {"PcWidth", kPcBits}, {"Likely", 1}};
}

WarpStackShadow::WarpStackShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned lanes,
                                 unsigned warps)
    : Shadow(session, clock, "warp-stack", core, parameters(lanes, warps), ""),
      op_warp_(model_.pin("op_warp_i")),
      op_lanes_(model_.pin("op_lanes_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_target_(model_.pin("op_target_i")),
      op_rpc_(model_.pin("op_rpc_i")),
      op_likely_valid_(model_.pin("op_likely_valid_i")),
      op_likely_(model_.pin("op_likely_i")),
      op_taken_first_(model_.pin("op_taken_first_i")),
      warp_pc_(model_.pin("warp_pc_o")),
      warp_mask_(model_.pin("warp_mask_o")),
      depth_(model_.pin("depth_o")),
      overflow_(model_.pin("overflow_o")) {
  for (unsigned slot = 0; slot < warps; ++slot) warps_.emplace_back(*this, slot);
  operations(kWarpStackOps);
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("entries_of_stacks", 0, kDepth),
             coverage.event("stacks_filled"),
             coverage.event("stacks_overflowed"),
             coverage.sizes("entries_that_pop", 0, kDepth - 1),
             coverage.sizes("slots_of_warps", 0, warps - 1),
             coverage.sizes("warps_at_once", 1, warps),
             coverage.sizes("lanes_that_take_a_branch", 0, lanes - 1),
             coverage.event("branches_with_likely_points"),
             coverage.event("threads_at_likely_points"),
             coverage.event("branches_that_replace_the_top"),
             coverage.event("branches_to_their_reconvergence"),
             coverage.event("taken_goes_first"),
             coverage.event("fall_through_goes_first"),
             coverage.event("exits_of_some"),
             coverage.event("exits_of_all")};
}

void WarpStackShadow::Warp::started(const WarpStack& after, LaneMask threads, Pc end) {
  lost_ = false;
  if (shadow_.running_ == 0) shadow_.model_.rtl().forget();
  ++shadow_.running_;
  shadow_.op_lanes_.set(threads);
  shadow_.set_pc(shadow_.op_rpc_, end);
  size_ = 0;
  operate(Op::kStart, after, 1);
}

void WarpStackShadow::Warp::went_on(const WarpStack& after, Pc next) {
  shadow_.set_pc(shadow_.op_pc_, next);
  shadow_.coverage().count_if(next == top_.lpc, shadow_.points_.to_likely);
  operate(Op::kGoOn, after, size_);
}

void WarpStackShadow::Warp::diverged(const WarpStack& after, const divergence::Branch& branch, bool taken_first,
                                     unsigned deepest) {
  shadow_.op_lanes_.set(branch.taken);
  shadow_.set_pc(shadow_.op_pc_, branch.pc + 1);
  shadow_.set_pc(shadow_.op_target_, branch.target);
  shadow_.set_pc(shadow_.op_rpc_, branch.reconvergence);
  const bool likely = branch.likely != isa::kNoPc;
  shadow_.op_likely_valid_.set(likely ? 1 : 0);
  shadow_.set_pc(shadow_.op_likely_, likely ? branch.likely : 0);
  shadow_.op_taken_first_.set(taken_first ? 1 : 0);
  Coverage& coverage = shadow_.coverage();
  const Points& points = shadow_.points_;
  coverage.each(points.lanes, branch.taken & top_.mask);
  coverage.count_if(likely, points.likely);
  coverage.count_if(branch.reconvergence == top_.rpc, points.replaces);
  coverage.count_if(branch.target == branch.reconvergence || branch.pc + 1 == branch.reconvergence, points.one_side);
  coverage.count(taken_first ? points.taken_first : points.fall_first);
  operate(Op::kBranch, after, deepest);
}

void WarpStackShadow::Warp::exited(const WarpStack& after, LaneMask lanes, Pc next) {
  if (after.empty()) --shadow_.running_;
  shadow_.op_lanes_.set(lanes);
  shadow_.set_pc(shadow_.op_pc_, next);
  shadow_.coverage().count(after.empty() ? shadow_.points_.exits_of_all : shadow_.points_.exits_of_some);
  operate(Op::kExit, after, size_);
}

void WarpStackShadow::Warp::operate(Op op, const WarpStack& after, std::size_t deepest) {
  if (lost_) return;
  const bool overflows = deepest > kDepth;
  Coverage& coverage = shadow_.coverage();
  coverage.count_if(deepest == kDepth, shadow_.points_.filled);
  coverage.count_if(overflows, shadow_.points_.overflowed);
  coverage.size(shadow_.points_.slots, slot_);
  if (!overflows) {
    coverage.size(shadow_.points_.entries, static_cast<unsigned>(after.empty() ? 0 : deepest));
    coverage.size(shadow_.points_.pops, static_cast<unsigned>(deepest - after.entries().size()));
  }
  if (op == Op::kStart) coverage.size(shadow_.points_.at_once, shadow_.running_);
  size_ = after.entries().size();
  if (!after.empty()) top_ = after.top();
  const char* const name = kWarpStackOps[static_cast<unsigned>(op)];
  const auto same = [&](const char* what, std::uint64_t expected, std::uint64_t got) {
    shadow_.same(name, what, expected, got);
  };
  shadow_.op_warp_.set(slot_);
  shadow_.Shadow::operate(static_cast<unsigned>(op), name);
  same("the branch has no room", overflows ? 1 : 0, shadow_.overflow_.get());
  if (overflows) {
    ++shadow_.model_.record.overflows;
    lost_ = true;
    return;
  }
  same("entries", after.entries().size(), shadow_.depth_.get());
  if (after.empty()) return;
  same("pc of the warp", after.top().pc, shadow_.warp_pc_.get());
  same("threads of the warp", after.top().mask, shadow_.warp_mask_.get());
}

}  // namespace warpfold::cosim
