// SPDX-License-Identifier: Apache-2.0
// Blocks with a stack each: which threads are parked (HARP §3.3.1), and that nothing outlives a kernel.
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/block/block_compaction.h"

namespace warpfold::divergence {
namespace block_compaction_test {

class TwoBlocks : public testing::Test {
 protected:
  TwoBlocks() {
    kernel.ops.resize(50);
    mechanism.kernel_started(kernel);
    for (const unsigned slot : {0U, 1U}) mechanism.block_started(block(slot));
  }
  static Block block(unsigned slot) { return {slot, slot, slot, 2 * slot, {0b1111, 0b1111}}; }
  static Geometry geometry() {
    Geometry geometry;
    geometry.max_blocks = 2;
    return geometry;
  }
  void expect_parked(std::uint64_t inactive, std::uint64_t reconverging, const char* why = "") {
    EXPECT_EQ(mechanism.parked().inactive, inactive) << why;
    EXPECT_EQ(mechanism.parked().reconverging, reconverging) << why;
  }
  FakeCore core{8, 4, 2};
  BlockCompaction mechanism{{}, geometry(), core};
  isa::Kernel kernel;
};

constexpr Branch kIfElse{5, 0b0001, 20, 30, isa::kNoPc, true};

TEST_F(TwoBlocks, CountsThreadsThroughABranch) {
  expect_parked(0, 0);
  mechanism.branch_resolved(0, kIfElse);
  expect_parked(0, 4, "they wait for the rest of the block");
  mechanism.branch_resolved(1, kIfElse);
  expect_parked(6, 2, "two in the compactor, six wait for their turn");
  core.deliver(mechanism);
  expect_parked(6, 1);
  core.deliver(mechanism);
  expect_parked(6, 0);
  mechanism.committed(0, 30);
  expect_parked(6, 1);
  mechanism.committed(1, 30);
  expect_parked(0, 8, "two wait at the reconvergence point, six in the compactor");
  while (!core.requests.empty()) core.deliver(mechanism);
  expect_parked(0, 2);
}

TEST_F(TwoBlocks, ExitsAreNoLongerParked) {
  mechanism.branch_resolved(0, kIfElse);
  mechanism.branch_resolved(1, kIfElse);
  core.deliver(mechanism);
  core.deliver(mechanism);
  mechanism.exited(0, 0b0001, 21);
  mechanism.exited(1, 0b0001, 21);
  expect_parked(0, 6);
  core.deliver(mechanism);
  mechanism.exited(0, 0b0010, 7);
  expect_parked(0, 3, "a guarded exit narrows its warp");
}

// Lane 0 of both rows goes to 20 and from there to the likely point 25, the others to 6 and past it.
TEST_F(TwoBlocks, ThreadsGoOnTogetherFromTheLikelyPoint) {
  Branch branch = kIfElse;
  branch.likely = 25;
  mechanism.branch_resolved(0, branch);
  mechanism.branch_resolved(1, branch);
  EXPECT_EQ(core.deepest, 4U);
  core.deliver(mechanism);
  core.deliver(mechanism);
  EXPECT_TRUE(mechanism.leaves_at(0, 25));
  EXPECT_TRUE(mechanism.leaves_at(0, 30));
  EXPECT_FALSE(mechanism.leaves_at(2, 25)) << "another block";
  mechanism.committed(0, 25);
  mechanism.committed(1, 25);
  ASSERT_EQ(core.requests.size(), 1U);
  EXPECT_EQ(core.requests[0].pc, 6U);
  expect_parked(0, 8);
  core.deliver(mechanism);
  core.deliver(mechanism);
  mechanism.committed(0, 25);
  mechanism.committed(1, 25);
  ASSERT_EQ(core.requests.size(), 1U);
  EXPECT_EQ(core.requests[0].pc, 25U);
  EXPECT_EQ(core.requests[0].threads, (std::vector<LaneMask>{0b1111, 0b1111}));
}

TEST_F(TwoBlocks, ABlockThatOutlivesItsKernelIsOurMistake) {
  EXPECT_THROW(mechanism.kernel_ended(), InternalError);
  for (const WarpId id : core.warps()) mechanism.exited(id, 0b1111, 9);
  for (const unsigned slot : {0U, 1U}) mechanism.block_finished(block(slot));
  EXPECT_NO_THROW(mechanism.kernel_ended());
}

}  // namespace block_compaction_test
}  // namespace warpfold::divergence
