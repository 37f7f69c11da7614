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
}

void WarpStackShadow::Warp::started(const WarpStack& after, LaneMask threads, Pc end) {
  lost_ = false;
  if (shadow_.running_ == 0) shadow_.model_.rtl().forget();
  ++shadow_.running_;
  shadow_.op_lanes_.set(threads);
  shadow_.set_pc(shadow_.op_rpc_, end);
  operate(Op::kStart, after);
}

void WarpStackShadow::Warp::went_on(const WarpStack& after, Pc next) {
  shadow_.set_pc(shadow_.op_pc_, next);
  operate(Op::kGoOn, after);
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
  operate(Op::kBranch, after, deepest > kDepth);
}

void WarpStackShadow::Warp::exited(const WarpStack& after, LaneMask lanes, Pc next) {
  if (after.empty()) --shadow_.running_;
  shadow_.op_lanes_.set(lanes);
  shadow_.set_pc(shadow_.op_pc_, next);
  operate(Op::kExit, after);
}

void WarpStackShadow::Warp::operate(Op op, const WarpStack& after, bool overflows) {
  if (lost_) return;
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
