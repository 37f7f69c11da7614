// SPDX-License-Identifier: Apache-2.0
// The issue stage with a scoreboard per register: warps go on at issue, and drain where threads may leave them.
#include "tests/core/issue_fixture.h"

namespace warpfold {
namespace issue_stage_per_register_test {

TEST_F(IssueStageTest, PerRegisterIssuesUntilARegisterIsInTheWay) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  op(Unit::kAlu, {}, {1});
  op(Unit::kAlu, {2}, {3});
  op(Unit::kAlu, {1}, {4});  // waits for the first
  op(Unit::kAlu, {}, {4});   // waits for the third: writes after writes
  exit();                    // waits for all
  start();
  enter(0, 0);
  run(100);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 0}, {20, 0}, {40, 0}, {60, 0}}));
  EXPECT_TRUE(pipeline.seen[0].payload.gone_on);
  EXPECT_FALSE(pipeline.seen[4].payload.gone_on);
  EXPECT_EQ(mechanism.committed, 4u);
  expect_breakdown(81, 20, 0, 0, 61);
}

// A load that is under way until 60, a branch that issues beside it, and what is behind it.
class BranchBesideALoad : public IssueStageTest {
 protected:
  BranchBesideALoad() {
    params.scoreboard = ScoreboardKind::kPerRegister;
    load();
    branch_to(3);
    alu();
    exit();
    load_done = 60;
  }
  void go() {
    start();
    enter(0, 0);
  }
  void expect_drains() {
    go();
    run(30);
    EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 0}}));
    EXPECT_EQ(mechanism.resolved, 0u);
    EXPECT_EQ(stage->waits_for(0), "an instruction in flight");
    EXPECT_EQ(stat("drain_waits"), 1u);
    run(80);
    EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 0}, {60, 0}, {80, 0}}));
    EXPECT_EQ(mechanism.resolved, 1u);
  }
};

TEST_F(BranchBesideALoad, IsResolvedOnceTheWarpHasDrainedIfThreadsMayLeaveIt) {
  mechanism.parts = true;
  expect_drains();
}

TEST_F(BranchBesideALoad, AndSoIsOneThatLeadsWhereTheWarpIsLeft) {
  mechanism.leave = 3;
  expect_drains();
}

// The mechanism of this test falls through all the same.
TEST_F(BranchBesideALoad, IsResolvedAtOnceIfTheyMayNot) {
  mechanism.leave = 2;  // where nobody goes
  go();
  run(100);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 0}, {24, 0}, {60, 0}})) << "the exit waits for the load, as ever";
  EXPECT_EQ(stat("drain_waits"), 0u);
}

TEST_F(IssueStageTest, WithRegistersOfThreadsOnlyExitsDrain) {
  params.scoreboard = ScoreboardKind::kPerThread;
  mechanism.leave = 1;
  alu();
  branch_to(2);
  alu();
  exit();
  start();
  enter(0, 0);
  run(100);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 0}, {24, 0}, {44, 0}}));
  EXPECT_EQ(stat("drain_waits"), 0u);
}

TEST_F(IssueStageTest, AWarpDrainsWhereThreadsWouldLeaveIt) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  mechanism.leave = 2;
  alu();
  load();
  alu();
  exit();
  start();
  load_done = 60;
  enter(0, 0);
  run(30);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 0}}));
  EXPECT_EQ(mechanism.committed, 1u) << "the load's step to pc 2 is kept back";
  EXPECT_EQ(stage->waits_for(0), "an instruction in flight");
  EXPECT_EQ(stat("drain_waits"), 1u);
  run(70);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 0}, {60, 0}, {80, 0}}));
  EXPECT_EQ(mechanism.committed, 3u);
}

}  // namespace issue_stage_per_register_test
}  // namespace warpfold
