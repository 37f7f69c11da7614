// SPDX-License-Identifier: Apache-2.0
// The issue stage in front of units that schedulers share, that hold an instruction for longer than the port, or that
// have a way to memory of their own.
#include "tests/core/issue_fixture.h"

namespace warpfold {
namespace issue_stage_units_test {

// Warps of even slots belong to scheduler 0, of odd ones to scheduler 1.
class IssueUnitsTest : public IssueStageTest {
 protected:
  IssueUnitsTest() { params.schedulers = 2; }
};

TEST_F(IssueUnitsTest, SchedulersThatShareAUnitTakeTurns) {
  params.units.sfu = 1;
  op(Unit::kSfu);
  exit();
  start();
  for (WarpId id = 0; id < 4; ++id) enter(0, id);
  run(64);
  // A special function holds the unit for 16 cycles; exits are free to go between them.
  Issues special;
  for (const auto& [at, instruction] : pipeline.seen) {
    if (instruction.pc == 0) special.emplace_back(at, instruction.warp);
  }
  EXPECT_EQ(special, (Issues{{0, 0}, {16, 1}, {32, 2}, {48, 3}}));
}

TEST_F(IssueUnitsTest, WhatWaitsForASharedUnitIsStalled) {
  params.units.sfu = 1;
  op(Unit::kSfu);
  exit();
  start();
  enter(0, 0);
  enter(0, 1);
  run(60);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {16, 1}, {20, 0}, {36, 1}}));
  expect_breakdown(57, 16, 16, 0, 2 * 57 - 32);
}

TEST_F(IssueUnitsTest, FourSchedulersShareTwoUnitsInPairs) {
  params.schedulers = 4;
  params.units.fp64 = 2;
  hold = 8;
  op(Unit::kFp64);
  exit();
  start();
  for (WarpId id = 0; id < 4; ++id) enter(0, id);
  run(10);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 2}, {8, 1}, {8, 3}}));
}

// A port of 32 lanes in front of units of 16: an instruction holds its unit for two cycles, the port for one.
class HalfWarpUnitsTest : public IssueUnitsTest {
 protected:
  HalfWarpUnitsTest() {
    params.schedulers = 1;
    params.simd_width = 16;
    params.issue_width = 32;
    params.scoreboard = ScoreboardKind::kPerRegister;
    hold = 2;
    port = 1;
    op(Unit::kAlu, {}, {1});
    op(Unit::kFloat, {}, {2});
    op(Unit::kAlu, {}, {3});
    op(Unit::kFloat, {}, {4});
    exit();
  }
  Issues issues_of_one_warp() {
    start();
    enter(0, 0);
    run(8);
    return issues();
  }
};

TEST_F(HalfWarpUnitsTest, TheSimdUnitTakesAnInstructionEveryOtherCycle) {
  EXPECT_EQ(issues_of_one_warp(), (Issues{{0, 0}, {2, 0}, {4, 0}, {6, 0}}));
}

TEST_F(HalfWarpUnitsTest, AnIntegerUnitTakesOneInBetween) {
  params.units.integer = 1;
  EXPECT_EQ(issues_of_one_warp(), (Issues{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
}

TEST_F(IssueUnitsTest, AnOperationWithAnIntervalHoldsTheSimdUnit) {
  params.schedulers = 1;
  params.operations.int_mul.interval_cycles = 8;
  params.scoreboard = ScoreboardKind::kPerRegister;
  hold = 8;  // as the pipeline answers then, and the port is held for 4
  op(Unit::kAlu, {}, {1}).operation = isa::Operation::kIntMul;
  op(Unit::kAlu, {}, {2}).operation = isa::Operation::kIntMul;
  exit();
  start();
  enter(0, 0);
  run(20);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {8, 0}}));
}

TEST_F(IssueUnitsTest, AFullLoadStoreUnitWithItsOwnWayHoldsUpMemoryAlone) {
  params.units.memory = 1;
  load();
  alu();
  exit();
  start();
  load_done = 100;
  unblocked = 30;
  enter(0, 0);
  enter(0, 1);
  enter(0, 2, kAll, 2, 1);
  run(40);
  // Warp 0 fills the unit, warp 2 computes and ends, warp 1 waits for END_REQ.
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 2}, {24, 2}, {30, 1}}));
}

TEST_F(IssueUnitsTest, ASchedulerWithoutAnOperandCollectorStalls) {
  alu();
  exit();
  start();
  pipeline.answer = [this](Instruction& instruction, tlm::tlm_phase&) {
    instruction.takes_last_collector = instruction.warp == 0 && instruction.pc == 0;
    return take(instruction);
  };
  before.at(10, [this] {
    Instruction of_scheduler_0;
    of_scheduler_0.takes_last_collector = true;
    pipeline.send_back(of_scheduler_0, tlm::END_REQ);
  });
  for (WarpId id = 0; id < 3; ++id) enter(0, id);
  run(60);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}, {10, 2}, {20, 0}, {20, 1}, {30, 2}})) << "scheduler 1 goes on";
  // Four issues of four cycles for scheduler 0, which stalls from 4 to 10; two for scheduler 1.
  expect_breakdown(60, 6 * 4, 6, 0, 2 * 60 - 24 - 6);
}

TEST_F(IssueUnitsTest, WaitingForAFullLoadStoreUnitIsAStall) {
  params.schedulers = 1;
  params.units.memory = 1;
  load();
  exit();
  start();
  load_done = 60;
  unblocked = 30;
  enter(0, 0);
  enter(0, 1);
  run(90);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {30, 1}, {60, 0}, {64, 1}}));
  expect_breakdown(85, 16, 26, 26, 17);
}

}  // namespace issue_stage_units_test
}  // namespace warpfold
