// SPDX-License-Identifier: Apache-2.0
// Warps with stacks of their own: which threads are parked (HARP §3.3.1), and that nothing outlives a kernel.
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp/warp_reconvergence.h"

namespace warpfold::divergence {
namespace warp_reconvergence_test {

class TwoStacks : public testing::Test {
 protected:
  TwoStacks() {
    kernel.ops.resize(50);
    mechanism.kernel_started(kernel);
    mechanism.block_started(block);
  }
  void expect_parked(std::uint64_t inactive, std::uint64_t reconverging) {
    EXPECT_EQ(mechanism.parked().inactive, inactive);
    EXPECT_EQ(mechanism.parked().reconverging, reconverging);
  }
  const Block block{0, 0, 0, 0, {0b1111, 0b0111}};
  FakeCore core{8, 8};
  WarpReconvergence mechanism{{}, Geometry{}, core};
  isa::Kernel kernel;
};

constexpr Branch kIfElse{5, 0b0001, 20, 30, isa::kNoPc, true};

TEST_F(TwoStacks, CountsThreadsOfAllWarps) {
  expect_parked(0, 0);
  mechanism.branch_resolved(0, kIfElse);
  expect_parked(3, 0);
  mechanism.branch_resolved(1, kIfElse);
  expect_parked(5, 0);
  mechanism.committed(0, 21);
  expect_parked(5, 0);
  mechanism.committed(0, 30);
  expect_parked(2, 1);
  mechanism.committed(0, 30);
  expect_parked(2, 0);
  mechanism.exited(1, 0b0001, 22);
  expect_parked(0, 0);
}

TEST_F(TwoStacks, ABranchThatAllTakeParksNobody) {
  mechanism.branch_resolved(1, {5, 0b1111, 20, 30, 25, true});
  EXPECT_EQ(core.warp(1).pc, 20U);
  mechanism.branch_resolved(1, {20, 0, 28, 30, 25, true});
  EXPECT_EQ(core.warp(1).pc, 21U);
  expect_parked(0, 0);
  EXPECT_EQ(core.deepest, 1U);
}

TEST_F(TwoStacks, ASlotServesAnotherWarpAfterwards) {
  mechanism.branch_resolved(0, kIfElse);
  mechanism.exited(0, 0b0001, 21);
  mechanism.exited(0, 0b1110, 7);
  mechanism.exited(1, 0b0111, 7);
  expect_parked(0, 0);
  EXPECT_NO_THROW(mechanism.kernel_ended());
  mechanism.kernel_started(kernel);
  mechanism.block_started(block);
  mechanism.branch_resolved(0, kIfElse);
  expect_parked(3, 0);
}

TEST_F(TwoStacks, AStackThatOutlivesItsKernelIsOurMistake) { EXPECT_THROW(mechanism.kernel_ended(), InternalError); }

}  // namespace warp_reconvergence_test
}  // namespace warpfold::divergence
