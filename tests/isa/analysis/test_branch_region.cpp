// SPDX-License-Identifier: Apache-2.0
// What lies behind a branch up to where its threads meet, and what kind of branch it is.
#include <gtest/gtest.h>

#include "warpfold/isa/analysis/branch_region.h"

namespace warpfold::isa {
namespace branch_region_test {

MicroOp step() { return {}; }
MicroOp jump(Pc target) {
  MicroOp op;
  op.kind = Kind::kBranch;
  op.target = op.reconvergence = target;
  return op;
}
MicroOp jump_if(Pc target, Pc reconvergence) {
  MicroOp op = jump(target);
  op.guard = 0;
  op.reconvergence = reconvergence;
  return op;
}
MicroOp leave() {
  MicroOp op;
  op.kind = Kind::kExit;
  return op;
}

BranchRegion region(std::vector<MicroOp> ops, Pc branch) {
  Kernel kernel;
  kernel.ops = std::move(ops);
  return region_of(kernel, branch);
}

using Pcs = std::vector<Pc>;

TEST(BranchRegion, OfAnIfIsWhatItSkips) {
  const BranchRegion found = region({step(), jump_if(4, 4), step(), step(), step(), leave()}, 1);
  EXPECT_EQ(found.inside, (Pcs{2, 3}));
  EXPECT_EQ(found.kind, BranchKind::kIf);
}

TEST(BranchRegion, OfAnIfWithTwoSidesAreBoth) {
  const BranchRegion found = region({jump_if(3, 4), step(), jump(4), step(), step(), leave()}, 0);
  EXPECT_EQ(found.inside, (Pcs{1, 2, 3}));
  EXPECT_EQ(found.kind, BranchKind::kIf);
}

TEST(BranchRegion, OfALoopsEndIsTheLoop) {
  const BranchRegion found = region({step(), step(), step(), jump_if(1, 4), leave()}, 3);
  EXPECT_EQ(found.inside, (Pcs{1, 2, 3}));
  EXPECT_EQ(found.kind, BranchKind::kLoop);
}

// 1: an if in the loop 1 to 5, 3: the way out of its middle, to 6.
TEST(BranchRegion, AnIfOfALoopThatCanBeLeftFromTheMiddleIsLate) {
  const std::vector<MicroOp> ops{step(), jump_if(3, 6), jump(4), jump_if(6, 6), step(), jump_if(1, 6), leave()};
  EXPECT_EQ(region(ops, 1).kind, BranchKind::kLateIf);
  EXPECT_EQ(region(ops, 1).inside, (Pcs{1, 2, 3, 4, 5}));
  EXPECT_EQ(region(ops, 3).kind, BranchKind::kLoop) << "one of its ways leaves";
}

TEST(BranchRegion, AnIfOfALoopWhoseThreadsMeetInItIsAnIf) {
  const std::vector<MicroOp> ops{step(), jump_if(3, 3), step(), step(), jump_if(1, 5), leave()};
  EXPECT_EQ(region(ops, 1).inside, (Pcs{2}));
  EXPECT_EQ(region(ops, 1).kind, BranchKind::kIf);
}

TEST(BranchRegion, ThreadsThatMeetOnlyAtTheEnd) {
  const BranchRegion found = region({jump_if(2, 4), leave(), step(), leave()}, 0);
  EXPECT_EQ(found.inside, (Pcs{1, 2, 3}));
}

}  // namespace branch_region_test
}  // namespace warpfold::isa
