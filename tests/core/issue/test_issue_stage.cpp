// SPDX-License-Identifier: Apache-2.0
// Who issues when, and what every cycle of every scheduler is charged to.
#include "tests/core/issue_fixture.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace issue_stage_test {

TEST_F(IssueStageTest, OneInstructionOfAWarpAtATime) {
  alu();
  exit();
  start();
  enter(0, 0);
  run(60);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {20, 0}})) << "in the cycle in which the first is written back";
  EXPECT_EQ(mechanism.told, issues());
  EXPECT_EQ(stage->issued(), 2u);
  stage->settle();
  EXPECT_EQ(stat("warp_instructions"), 2u);
  EXPECT_EQ(stat("thread_instructions"), 64u);
  EXPECT_EQ(stat("simd_active_cycles"), 8u);
  expect_breakdown(41, 2 * 4, 0, 0, 41 - 8);
  EXPECT_EQ(stat("issue_w29_32"), 8u);
}

TEST_F(IssueStageTest, TheInstructionCarriesWhatTimingNeeds) {
  op(Unit::kAlu).guard = 16;  // a predicate that is false in every lane
  kernel.predicates = 1;
  exit();
  start();
  enter(3, 5, 0xf0, 2);
  run(4);
  ASSERT_EQ(pipeline.seen.size(), 1u);
  const Instruction& got = pipeline.seen[0].payload;
  EXPECT_EQ(got.warp, 5u);
  EXPECT_EQ(got.pc, 0u);
  EXPECT_EQ(got.active, 0xf0u);
  EXPECT_EQ(got.executed, 0u);
  EXPECT_EQ(got.issued_at, 3u);
  EXPECT_EQ(got.width, 32u);
  EXPECT_FALSE(got.gone_on);
}

TEST_F(IssueStageTest, ReadyWarpsShareThePort) {
  alu();
  exit();
  start();
  for (WarpId id = 0; id < 6; ++id) enter(0, id);
  run(100);
  // Six warps of four cycles each fill 24 cycles: the first, ready again at 20, waits for its turn.
  Issues expected;
  for (WarpId id = 0; id < 12; ++id) expected.emplace_back(4 * id, id % 6);
  EXPECT_EQ(issues(), expected);
  expect_breakdown(65, 48, 0, 0, 65 - 48);
}

TEST_F(IssueStageTest, GreedyThenOldest) {
  params.warp_policy = WarpPolicy::kGto;
  params.scoreboard = ScoreboardKind::kPerRegister;
  alu();
  alu();
  exit();
  start();
  enter(0, 7);
  enter(0, 2);
  run(100);
  // Warp 7 stays until its exit has to wait for both of its instructions, then 2 does the same, though of a lower slot.
  EXPECT_EQ(issues(), (Issues{{0, 7}, {4, 7}, {8, 2}, {12, 2}, {24, 7}, {32, 2}}));
}

TEST_F(IssueStageTest, TheMechanismMayNarrowTheChoice) {
  alu();
  exit();
  start();
  mechanism.preferred = 3;
  for (const WarpId id : {0, 1, 3}) enter(0, id);
  run(12);
  EXPECT_EQ(issues(), (Issues{{0, 3}, {4, 0}, {8, 1}}));
}

TEST_F(IssueStageTest, WaitingForMemoryIsW0Mem) {
  load();
  exit();
  start();
  load_done = 100;
  enter(0, 0);
  run(130);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {100, 0}}));
  expect_breakdown(121, 8, 0, 96, 17);  // 4 to 100; 104 to 121
}

TEST_F(IssueStageTest, ACycleLessOfMemoryIsACycleLessOfW0Mem) {
  load();
  exit();
  start();
  load_done = 99;
  enter(0, 0);
  run(130);
  expect_breakdown(121, 8, 0, 95, 18);
}

TEST_F(IssueStageTest, OneWarpInMemoryIsEnoughForW0Mem) {
  load();
  exit();
  start();
  load_done = 50;
  enter(0, 0);
  enter(10, 1);
  run(90);
  // Both loads complete at 50: port held [0,4), [10,14), [50,54), [54,58).
  expect_breakdown(75, 16, 0, 6 + 36, 17);
}

TEST_F(IssueStageTest, SharedMemoryAndParametersAreNotWaitedForAsMemory) {
  load().space = isa::Space::kParam;
  kernel.ops[0].offset = 0;
  launch.parameters.resize(4);
  exit();
  start();
  load_done = 40;
  enter(0, 0);
  run(70);
  expect_breakdown(61, 8, 0, 0, 53);
}

TEST_F(IssueStageTest, AFullLoadStoreUnitStallsEveryWarp) {
  load();
  exit();
  start();
  load_done = 100;
  unblocked = 30;
  enter(0, 0);
  enter(0, 1);
  run(130);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {30, 1}, {100, 0}, {104, 1}})) << "on END_REQ, in the same cycle";
  expect_breakdown(125, 16, 26, 66, 17);  // stall 4 to 30, memory 34 to 100, idle 108 to 125
}

TEST_F(IssueStageTest, AStallThatEndsWhileThePortIsHeldCostsNothing) {
  load();
  exit();
  start();
  load_done = 50;
  unblocked = 3;
  enter(0, 0);
  enter(0, 1);
  run(90);
  EXPECT_EQ(issues()[1], (std::pair{Cycle{4}, WarpId{1}}));
  expect_breakdown(75, 16, 0, 42, 17);
}

TEST_F(IssueStageTest, BucketsByActiveLanesChargeTheHeldCycles) {
  exit();
  start();
  const std::vector<LaneMask> masks{0x1, 0xf, 0x1f, 0xffff, 0x1'ffff, 0x0fff'ffff, 0x1fff'ffff, kAll};
  for (WarpId id = 0; id < masks.size(); ++id) enter(0, id, masks[id], static_cast<std::uint16_t>(id));
  run(60);
  EXPECT_EQ(stat("issue_w1_4"), 8u);    // 1 and 4 lanes
  EXPECT_EQ(stat("issue_w5_8"), 4u);    // 5
  EXPECT_EQ(stat("issue_w13_16"), 4u);  // 16
  EXPECT_EQ(stat("issue_w17_20"), 4u);  // 17
  EXPECT_EQ(stat("issue_w25_28"), 4u);  // 28
  EXPECT_EQ(stat("issue_w29_32"), 8u);  // 29 and 32
  stage->settle();
  EXPECT_EQ(stat("thread_instructions"), 1u + 4 + 5 + 16 + 17 + 28 + 29 + 32);
  EXPECT_EQ(stat("simd_active_cycles"), 1u + 1 + 1 + 2 + 3 + 4 + 4 + 4);
  expect_breakdown(49, 32, 0, 0, 17);
}

TEST_F(IssueStageTest, OtherWidthsFallIntoEighths) {
  params.warp_size = 16;
  exit();
  start(0, 16);
  enter(0, 0, 0x1);
  enter(0, 1, 0x7, 1);
  enter(0, 2, 0xffff, 2);
  run(60);
  EXPECT_EQ(stat("issue_w1_4"), 2u) << "16 lanes hold the port 2 cycles";
  EXPECT_EQ(stat("issue_w5_8"), 2u) << "3 of 16";
  EXPECT_EQ(stat("issue_w29_32"), 2u);
}

TEST_F(IssueStageTest, ALaneOfFourIsAQuarter) {
  params.warp_size = 4;
  exit();
  start(0, 4);
  enter(0, 0, 0x1);
  run(60);
  EXPECT_EQ(stat("issue_w1_4"), 0u);
  EXPECT_EQ(stat("issue_w5_8"), 1u) << "8 of 32";
}

TEST_F(IssueStageTest, ANarrowUnitLetsOthersIssueAndItsOwnWait) {
  // Warps 0 and 1 begin with a special function, warp 2 with an ALU instruction (it starts at pc 1).
  op(Unit::kSfu);
  alu();
  exit();
  start();
  enter(0, 0);
  enter(0, 1);
  enter(0, 2, kAll, 2, 1);
  run(16);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 2}})) << "the unit takes 16 cycles, the port 4";
  EXPECT_EQ(stage->waits_for(1), "the issue port");
  run(1);
  EXPECT_EQ(issues().back(), (std::pair{Cycle{16}, WarpId{1}}));
  run(100);
  // Stalled from 8 to 16: warp 1 is ready, its unit is not.
  EXPECT_EQ(stat("stall"), 8u);
}

TEST_F(IssueStageTest, SchedulersHaveTheirOwnWarpsPortsAndUnits) {
  params.schedulers = 2;
  op(Unit::kSfu);
  exit();
  start();
  for (WarpId id = 0; id < 3; ++id) enter(0, id);
  run(60);
  // 0 and 2 share scheduler 0 and its unit; 1 has scheduler 1 to itself.
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}, {16, 2}, {20, 0}, {20, 1}, {36, 2}}));
  // Scheduler 0: 4 issues, stall 4 to 16 (2 is ready); scheduler 1: 2 issues.
  expect_breakdown(57, 6 * 4, 12, 0, 2 * 57 - 24 - 12);
}

TEST_F(IssueStageTest, ASchedulerIsChargedForItsOwnMemoryAndForEverybodysStall) {
  params.schedulers = 2;
  load();
  exit();
  start();
  load_done = 40;
  unblocked = 20;
  enter(0, 1);
  run(70);
  // Scheduler 1: 4 issue, 16 stall, 20 to 40 memory, 4 issue, 44 to 61 idle. Scheduler 0: one idle cycle, stall from 1
  // to 20, then idle.
  expect_breakdown(61, 8, 16 + 19, 20, 17 + 1 + 41);
}

TEST_F(IssueStageTest, AMechanismMayFillASchedulerThatRunsDryInThatCycle) {
  params.schedulers = 2;
  alu();
  exit();
  start();
  std::vector<Cycle> dry;
  mechanism.on_dry = [&](unsigned scheduler) {
    if (scheduler != 0) return;
    dry.push_back(clock.current());
    if (clock.current() == 4) enter_slot(2, divergence::Warp::of_row(0, 1, kAll));
  };
  enter(0, 0);
  run(10);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 2}}));
  EXPECT_EQ(dry, (std::vector<Cycle>{4, 8})) << "while it has something to issue it is not asked";
}

TEST_F(IssueStageTest, AWarpStaysUntilItIsToldToGoOn) {
  op(Unit::kControl).kind = Kind::kBarrier;
  exit();
  start();
  enter(0, 0);
  run(20);
  EXPECT_EQ(stage->waits_for(0), "an instruction in flight");
  EXPECT_EQ(stage->waits_for(1), "");
  run(1);
  EXPECT_EQ(stage->waits_for(0), "a barrier");
  before.at(30, [this] { warp_unit->warps().go_on_early(0); });
  run(20);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {30, 0}}));
}

TEST_F(IssueStageTest, AnInstructionIsReleasedOnce) {
  alu();
  exit();
  start();
  enter(0, 0);
  before.at(10, [this] { complete_at(11, pipeline.seen[0].payload); });
  EXPECT_THROW(run(70), InternalError);
}

TEST_F(IssueStageTest, ThreadsDoNotLeaveAWarpWithSomethingInFlight) {
  load();
  exit();
  start();
  enter(0, 0);
  before.at(10, [this] { warp_unit->warps().remove(0); });
  EXPECT_THROW(run(20), InternalError);
}

TEST_F(IssueStageTest, AKernelsCyclesBeginAtItsStart) {
  exit();
  start(30);
  enter(34, 0);
  run(70);
  expect_breakdown(60, 4, 0, 0, 26);
  stage->kernel_started(kernel, 100);
  stage->kernel_ended(110);
  EXPECT_EQ(stat("w0_idle"), 36u);
}

TEST_F(IssueStageTest, AKernelDoesNotEndInTheMiddleOfAnIssue) {
  exit();
  start();
  enter(0, 0);
  run(3);
  EXPECT_THROW(stage->kernel_ended(3), InternalError);
  stage->kernel_ended(4);
  EXPECT_EQ(stat("w0_idle"), 0u);
}

}  // namespace issue_stage_test
}  // namespace warpfold
