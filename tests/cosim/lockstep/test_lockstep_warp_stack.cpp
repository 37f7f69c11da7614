// SPDX-License-Identifier: Apache-2.0
// rtl/warp_stack.sv against the stacks of the model's warps, operation by operation.
#include <bit>

#include "tb/cosim/stacks/warp_stack_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_warp_stack_test {

using divergence::Branch;
using divergence::BranchOrder;
using divergence::WarpStack;
using isa::LaneMask;
using isa::Pc;

// Warps that do whatever a stack allows, in turn: their threads diverge, with and without a likely-convergence point,
// come to the points where they meet, and exit.
class RandomWarps {
 public:
  RandomWarps(std::vector<WarpStack>& stacks, unsigned lanes, bool likely, unsigned seed)
      : stacks_(stacks), deep_(stacks.size()), lanes_(lanes), likely_(likely), random_(seed) {}

  void step() {
    const std::size_t slot = draw(stacks_.size());
    WarpStack& stack = stacks_[slot];
    if (stack.empty()) {
      deep_[slot] = draw(8) == 0;  // ever new branches, until the RTL has no room
      stack.start(low_bits(lanes_) & (sparse_or_dense(random_, draw(6)) | 1), kEnd);
    } else if (draw(deep_[slot] ? 256 : 24) == 0) {
      exit(stack);
    } else if (draw(2) == 0 || !diverge(stack, deep_[slot])) {
      stack.go_on(deep_[slot] && draw(32) != 0 ? kPcs : next_of(stack));
    }
  }

 private:
  static constexpr Pc kPcs = 40, kEnd = 60;

  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }

  // Threads come to the end of the kernel by exit only.
  Pc next_of(const WarpStack& stack) {
    if (stack.top().rpc != kEnd && draw(3) == 0) return stack.top().rpc;
    return stack.top().lpc != isa::kNoPc && draw(3) == 0 ? stack.top().lpc : draw(kPcs);
  }
  void exit(WarpStack& stack) {
    LaneMask gone = stack.top().mask;
    if (draw(3) != 0) gone &= random_();
    stack.exit(gone, next_of(stack));
  }
  // False: it has too few threads for that.
  bool diverge(WarpStack& stack, bool deep) {
    const LaneMask mask = stack.top().mask;
    if (std::popcount(mask) < 2) return false;
    Branch branch{draw(kPcs), mask & random_(), draw(kPcs), draw(kPcs), isa::kNoPc, true};
    if (deep || branch.taken == 0 || branch.taken == mask) branch.taken = mask & (mask - 1);
    if (draw(3) == 0 && !deep) branch.reconvergence = stack.top().rpc;
    if (likely_ && draw(2) == 0) branch.likely = draw(kPcs);
    if (branch.likely == branch.reconvergence) branch.likely = isa::kNoPc;
    if (branch.target == branch.pc + 1) ++branch.target;
    stack.diverge(branch, static_cast<BranchOrder>(draw(std::size(Choices<BranchOrder>::names))));
    return true;
  }

  std::vector<WarpStack>& stacks_;
  std::vector<bool> deep_;
  unsigned lanes_;
  bool likely_;
  std::mt19937_64 random_;
};

struct Size {
  unsigned lanes, warps, operations;
  bool likely;
};

class WarpStackLockStep : public ShadowTest {
 protected:
  WarpStackLockStep() : ShadowTest("warp-stack") {}

  void run(Session& session, const Size& size) {
    WarpStackShadow shadow(session, clock, 0, size.lanes, size.warps);
    std::vector<WarpStack> stacks(size.warps);
    for (unsigned slot = 0; slot < size.warps; ++slot) stacks[slot].observe(shadow.of_warp(slot));
    RandomWarps warps(stacks, size.lanes, size.likely, size.lanes);
    while (operations(session) < size.operations) warps.step();
  }
};

class WarpStackSizes : public WarpStackLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(WarpStackSizes, RandomOperations) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  if (GetParam().lanes > 16) {
    EXPECT_GT(session.record("warp-stack").overflows, 0U);
  }
  report(operations(session), "warp-stack");
}

INSTANTIATE_TEST_SUITE_P(Sizes, WarpStackSizes,
                         ::testing::Values(Size{4, 3, 100'000, true}, Size{32, 8, 100'000, true},
                                           Size{64, 2, 50'000, false}),
                         [](const auto& size) {
                           return std::to_string(size.param.lanes) + "x" + std::to_string(size.param.warps);
                         });

TEST_F(WarpStackLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("warp_stack"));
  expect_caught(complaint([&] { run(session, {4, 3, 10'000, true}); }), "core0.warp-stack", "branch: ");
}

TEST_F(WarpStackLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {32, 4, 40'000, true}); }), "");
  expect_coverage(directory / "warp-stack.reset.dat", directory / "warp-stack.dat", 97, 90);
}

}  // namespace lockstep_warp_stack_test
}  // namespace warpfold::cosim
