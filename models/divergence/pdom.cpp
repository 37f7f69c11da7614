// SPDX-License-Identifier: Apache-2.0
// PDOM: one reconvergence stack per static warp, reconverging at immediate post-dominators (TBC §2.2.2).
#include <bit>
#include <vector>

#include "models/common/error.h"
#include "models/divergence/branch_order.h"
#include "models/divergence/registry.h"

namespace warpfold::divergence {

namespace {

struct PdomParams {
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  static constexpr auto fields() {
    return std::tuple{choice("branch_order", &PdomParams::branch_order, "which side of a divergent branch runs first")};
  }
};

class Pdom final : public Mechanism {
 public:
  Pdom(const PdomParams& params, const Geometry& geometry, Core& core)
      : params_(params), core_(core), stacks_(geometry.max_warps) {}

  void kernel_started(const isa::Kernel& kernel) override { end_ = kernel.end(); }

  void block_started(const Block& block) override {
    core_.stack_depth(1);
    for (unsigned row = 0; row < block.rows(); ++row) {
      const auto from = static_cast<std::uint16_t>(block.first_row + row);
      const WarpId warp = core_.insert(Warp::of_row(0, from, block.threads[row]));
      stacks_[warp].assign(1, {0, end_, block.threads[row]});
    }
  }
  void block_finished(const Block& /*block*/) override {}

  bool keeps_warps() const override { return true; }
  // Reconverging only widens or narrows the mask of the same warp: no thread changes warps.
  bool leaves_at(WarpId /*warp*/, Pc /*next*/) const override { return false; }

  void committed(WarpId warp, Pc next) override { go_on(warp, next); }

  void branch_resolved(WarpId id, const Branch& branch) override {
    const LaneMask active = core_.warp(id).mask;
    const LaneMask taken = branch.taken & active, fall_through = active & ~taken;
    if (taken == 0 || fall_through == 0) {
      go_on(id, taken != 0 ? branch.target : branch.pc + 1);
      return;
    }
    std::vector<Entry>& stack = stacks_[id];
    stack.back().pc = branch.reconvergence;
    // The top already waits for the same point (a loop with differing trip counts): what is below it will do.
    if (stack.back().pc == stack.back().rpc) stack.pop_back();
    const Entry sides[2] = {{branch.target, branch.reconvergence, taken},
                            {branch.pc + 1, branch.reconvergence, fall_through}};
    const bool taken_first = runs_taken_first(params_.branch_order, static_cast<unsigned>(std::popcount(taken)),
                                              static_cast<unsigned>(std::popcount(fall_through)));
    const unsigned first = taken_first ? 0 : 1;
    for (const unsigned side : {1 - first, first}) {
      if (sides[side].pc != branch.reconvergence) stack.push_back(sides[side]);
    }
    core_.stack_depth(static_cast<unsigned>(stack.size()));
    show_top(id);
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    std::vector<Entry>& stack = stacks_[id];
    for (Entry& entry : stack) entry.mask &= ~lanes;
    if (stack.back().mask != 0) {
      core_.warp(id).mask = stack.back().mask;  // a guarded exit: some leave, the others go on
      go_on(id, next);
      return;
    }
    while (!stack.empty() && stack.back().mask == 0) stack.pop_back();
    if (stack.empty()) {
      core_.remove(id);
    } else {
      show_top(id);
    }
  }

  std::string waiting(unsigned /*block_slot*/) const override {
    return "none: PDOM keeps every live thread in its warp";
  }

 private:
  struct Entry {
    Pc pc, rpc;
    LaneMask mask;
  };

  void go_on(WarpId id, Pc next) {
    std::vector<Entry>& stack = stacks_[id];
    stack.back().pc = next;
    if (next == stack.back().rpc) {
      show_top(id);
    } else {
      core_.warp(id).pc = next;
    }
  }

  // Pops what has reached its reconvergence point or has no threads left, and lets the warp run the top.
  void show_top(WarpId id) {
    std::vector<Entry>& stack = stacks_[id];
    while (stack.size() > 1 && (stack.back().pc == stack.back().rpc || stack.back().mask == 0)) stack.pop_back();
    check(stack.back().mask != 0, "a warp with live threads has some at the top of its stack");
    Warp& warp = core_.warp(id);
    warp.pc = stack.back().pc;
    warp.mask = stack.back().mask;
  }

  PdomParams params_;
  Core& core_;
  Pc end_ = 0;
  std::vector<std::vector<Entry>> stacks_;  // by warp slot
};

const Register<PdomParams, Pdom> registration("pdom", "per-warp reconvergence stack at immediate post-dominators (SBR)",
                                              "TBC §2.2.2; HARP §2.1");

}  // namespace
}  // namespace warpfold::divergence
