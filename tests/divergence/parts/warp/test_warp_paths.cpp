// SPDX-License-Identifier: Apache-2.0
// Warps on several paths: which of them are in the warp buffer, when threads leave a warp, and who becomes one with
// whom.
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp/warp_paths.h"

namespace warpfold::divergence {
namespace warp_paths_test {

constexpr Geometry kGeometry{4, 4, 32, 32, 1, 2};

// Keeps as many meeting points as there are.
class Paths final : public WarpPaths {
 public:
  Paths(const PathRules& rules, Core& core) : WarpPaths(rules, kGeometry, core, "paths") {}
  using WarpPaths::let_silent_go;

 private:
  unsigned point_for(Row& row, const Path& path, Pc pc) override {
    return row.points.begin(pc, path.point, path.mask, row.clock);
  }
};

class WarpPathsTest : public testing::Test {
 protected:
  explicit WarpPathsTest(PathRules rules = {}) : paths(rules, core) {
    kernel.ops.resize(50);
    paths.kernel_started(kernel);
    paths.block_started(block);
  }
  void expect(WarpId id, Pc pc, LaneMask mask) {
    ASSERT_TRUE(core.live(id)) << id;
    EXPECT_EQ(core.warp(id).pc, pc);
    EXPECT_EQ(core.warp(id).mask, mask);
  }
  const Block block{0, 0, 0, 0, {0b1111, 0b0111}};
  FakeCore core{32, 8, 0, 2};
  isa::Kernel kernel;
  Paths paths;
};

// Lanes 0 and 1 go to 20, all meet at 30.
constexpr Branch kIfElse{5, 0b0011, 20, 30, isa::kNoPc, true};

TEST_F(WarpPathsTest, EachPathIsAWarpOfItsRowsScheduler) {
  EXPECT_FALSE(paths.traits.keeps_warps);
  paths.branch_resolved(1, kIfElse);
  expect(1, 20, 0b0011);
  expect(3, 6, 0b0100);
  EXPECT_EQ(core.warp(3).row[2], 1);
  EXPECT_EQ(core.statistic("paths_max_paths"), 2U);
}

TEST_F(WarpPathsTest, ThreadsLeaveAWarpToWaitUnlessTheyAreTheLast) {
  paths.branch_resolved(0, kIfElse);
  EXPECT_FALSE(paths.leaves_at(0, 21));
  EXPECT_TRUE(paths.leaves_at(0, 30));
  paths.committed(0, 30);
  EXPECT_FALSE(core.live(0));
  EXPECT_EQ(paths.parked().reconverging, 2U);
  EXPECT_NE(paths.waiting(0).find("2 where they meet others"), std::string::npos);
  EXPECT_FALSE(paths.leaves_at(2, 30)) << "all go on in this warp";
  paths.committed(2, 30);
  expect(2, 30, 0b1111);
  EXPECT_EQ(paths.parked().reconverging, 0U);
}

TEST_F(WarpPathsTest, AnExitLetsThoseGoOnWhoWaited) {
  paths.branch_resolved(0, kIfElse);
  paths.committed(0, 30);
  paths.exited(2, 0b0100, 8);
  expect(2, 8, 0b1000);
  paths.exited(2, 0b1000, 9);
  expect(2, 30, 0b0011);
}

TEST_F(WarpPathsTest, WithoutMergingPathsPassEachOther) {
  paths.branch_resolved(0, kIfElse);
  EXPECT_FALSE(paths.traits.mixes_paths);
  EXPECT_FALSE(paths.leaves_at(0, 6));
  paths.committed(0, 6);
  expect(0, 6, 0b0011);
}

TEST_F(WarpPathsTest, APathThatOutlivesItsKernelIsOurMistake) { EXPECT_THROW(paths.kernel_ended(), InternalError); }

TEST_F(WarpPathsTest, ThreadsThatComeBackTogetherMeetWhereTheyWereToMeet) {
  paths.branch_resolved(0, kIfElse);
  paths.branch_resolved(0, {20, 0b0001, 24, 28, isa::kNoPc, true});
  ASSERT_EQ(core.warps().size(), 4U) << "three paths, and the other row";
  const WarpId second = 4;
  expect(second, 21, 0b0010);
  EXPECT_TRUE(paths.gives_up(2));
  EXPECT_TRUE(paths.gives_up(second));
  paths.together(Warp::of_row(25, 0, 0b1110));
  EXPECT_EQ(core.warps().size(), 4U) << "a path that meets at 28, one that meets at 30";
  paths.committed(0, 28);
  paths.committed(2, 28);
  EXPECT_TRUE(core.live(2)) << "not its point";
}

// By its own rules a path stands where it is until it is issued; what is in flight is no longer there.
class Merging : public WarpPathsTest {
 protected:
  Merging() : WarpPathsTest({.merge = PathMerge::kAnywhere}) {}
};

TEST_F(Merging, APathTakesInWhoComesToWhereItStands) {
  EXPECT_TRUE(paths.traits.mixes_paths);
  paths.branch_resolved(0, kIfElse);
  EXPECT_TRUE(paths.leaves_at(0, 6));
  paths.committed(0, 6);
  EXPECT_FALSE(core.live(0));
  expect(2, 6, 0b1111);
  EXPECT_EQ(core.statistic("paths_merges"), 1U);
}

TEST_F(Merging, NotOneInFlight) {
  paths.branch_resolved(0, kIfElse);
  paths.issued(2, 1);
  EXPECT_FALSE(paths.leaves_at(0, 6));
  paths.committed(0, 6);
  expect(0, 6, 0b0011);
  paths.committed(2, 7);
  EXPECT_TRUE(paths.leaves_at(0, 7));
}

TEST_F(Merging, BehindAJumpOthersMayStandByThen) {
  kernel.ops[20].kind = isa::Kind::kBranch;
  EXPECT_FALSE(paths.leaves_at(0, 40));
  paths.branch_resolved(0, kIfElse);
  EXPECT_TRUE(paths.leaves_at(0, 40));
  EXPECT_FALSE(paths.leaves_at(1, 40)) << "all of a row go with it";
}

TEST_F(Merging, NotOneAtACollective) {
  kernel.ops[6].collective = true;
  paths.branch_resolved(0, kIfElse);
  EXPECT_FALSE(paths.leaves_at(0, 6));
}

TEST_F(Merging, NotOneThatMeetsElsewhere) {
  paths.branch_resolved(0, kIfElse);
  paths.branch_resolved(0, {20, 0b0001, 24, 28, isa::kNoPc, true});
  EXPECT_FALSE(paths.leaves_at(0, 6));
  EXPECT_TRUE(paths.leaves_at(0, 21)) << "but the other side of its last branch";
}

class BehindBranches : public WarpPathsTest {
 protected:
  BehindBranches() : WarpPathsTest({.merge = PathMerge::kBehindBranches}) {}
};

TEST_F(BehindBranches, OnlyAJumpMerges) {
  paths.branch_resolved(0, kIfElse);
  paths.committed(0, 6);
  expect(0, 6, 0b0011);
  paths.committed(0, 9);
  paths.branch_resolved(0, {9, 0b0011, 6, 30, isa::kNoPc, true});
  EXPECT_FALSE(core.live(0));
  expect(2, 6, 0b1111);
}

TEST_F(WarpPathsTest, WhoIsLetGoIsNotWaitedForAnyMore) {
  paths.branch_resolved(0, kIfElse);
  paths.committed(0, 30);
  Counter& times = core.stats().counter("times", "", "");
  paths.let_silent_go(10, 9, times);
  EXPECT_EQ(times.value(), 0U);
  paths.let_silent_go(10, 10, times);
  EXPECT_EQ(times.value(), 1U);
  expect(0, 30, 0b0011);
  paths.committed(2, 30);
  expect(2, 30, 0b1100);
}

class OneAtATime : public WarpPathsTest {
 protected:
  OneAtATime() : WarpPathsTest({.at_once = 1}) {}
};

TEST_F(OneAtATime, TheRowsWarpShowsThePathThatHasTheTurn) {
  EXPECT_TRUE(paths.traits.keeps_warps);
  EXPECT_EQ((PathRules{.at_once = 1}.shape(kGeometry).warp_slots), 8U);
  paths.branch_resolved(0, kIfElse);
  expect(0, 20, 0b0011);
  EXPECT_EQ(core.warps().size(), 2U);
  EXPECT_EQ(paths.parked().inactive, 2U);
  EXPECT_FALSE(paths.leaves_at(0, 30));
  paths.committed(0, 30);
  expect(0, 6, 0b1100);
  EXPECT_EQ(paths.parked().inactive, 0U);
  EXPECT_EQ(paths.parked().reconverging, 2U);
  paths.committed(0, 30);
  expect(0, 30, 0b1111);
}

// Rows of the same number of paths at most have room in their scheduler's part of the warp buffer.
TEST(PathRules, HaveASlotForEachPathThatMayRun) {
  EXPECT_EQ((PathRules{.at_once = 0}.shape(kGeometry).warp_slots), 32U);
  EXPECT_EQ((PathRules{.at_once = 2}.shape(kGeometry).warp_slots), 16U);
  EXPECT_EQ((PathRules{.at_once = 9}.shape(kGeometry).warp_slots), 32U) << "a warp has four threads";
  EXPECT_EQ((PathRules{.at_once = 2}.shape({4, 4, 20, 5, 1, 2}).warp_slots), 12U) << "five rows, three a scheduler";
}

}  // namespace warp_paths_test
}  // namespace warpfold::divergence
