// SPDX-License-Identifier: Apache-2.0
// Issue in passes to FPU, EM and SEND, as an execution unit of Ivy Bridge does (Intra-warp §2.2): warps of 16 lanes, a
// pass every two cycles.
#include "tests/core/issue_fixture.h"

namespace warpfold {
namespace issue_stage_passes_test {

constexpr LaneMask kAll16 = 0xffff;

class IssuePasses : public IssueStageTest {
 protected:
  IssuePasses() {
    params.warp_size = 16;
    params.simd_width = 4;
    params.pipes = PipeLayout::kFpuEm;
    params.issue_interval_cycles = 2;
  }
  // Warps that begin at pc 0.
  void warps_at_once(unsigned count) {
    for (WarpId id = 0; id < count; ++id) enter(0, id, kAll16, static_cast<std::uint16_t>(id));
  }
  void enter_at_pc(WarpId id, isa::Pc pc) { enter(0, id, kAll16, static_cast<std::uint16_t>(id), pc); }
  // When the lanes of the first instructions entered their pipes.
  std::vector<Cycle> entered(std::size_t count) const {
    std::vector<Cycle> cycles;
    for (std::size_t i = 0; i < count; ++i) cycles.push_back(pipeline.seen.at(i).payload.issued_at);
    return cycles;
  }
};

TEST_F(IssuePasses, TwoWarpsIssueTogetherToFpuAndEm) {
  op(Unit::kFloat);
  exit();
  start(0, 16);
  warps_at_once(2);
  run(60);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}, {20, 0}, {22, 1}})) << "SEND takes one a pass";
  EXPECT_EQ(stat("dual_issues"), 1u);
  EXPECT_EQ(stat("em_cycles"), 4u);
  EXPECT_EQ(stat("fpu_cycles"), 4u);
  expect_breakdown(43, 4 + 2 * 2, 0, 0, 43 - 8);
}

TEST_F(IssuePasses, AnExtendedFunctionAndAnIntegerIssueTogether) {
  op(Unit::kSfu);
  alu();
  exit();
  start(0, 16);
  enter_at_pc(0, 0);
  enter_at_pc(1, 1);
  run(16);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}}));
  EXPECT_EQ(stat("em_cycles"), 16u);
  EXPECT_EQ(stat("fpu_cycles"), 4u);
}

TEST_F(IssuePasses, IntegersUseOnePipe) {
  alu();
  exit();
  start(0, 16);
  warps_at_once(3);
  run(60);
  EXPECT_EQ(entered(3), (std::vector<Cycle>{0, 4, 8})) << "four lanes a cycle, without a gap";
  EXPECT_EQ(issues()[1], (std::pair{Cycle{3}, WarpId{1}})) << "the pipe is free before the next pass";
  EXPECT_EQ(stat("fpu_cycles"), 12u);
  EXPECT_EQ(stat("em_cycles"), 0u);
  EXPECT_EQ(stat("dual_issues"), 0u);
}

TEST_F(IssuePasses, APassEndsWithTheLastOperandCollector) {
  op(Unit::kFloat);
  exit();
  start(0, 16);
  pipeline.answer = [this](Instruction& instruction, tlm::tlm_phase&) {
    instruction.takes_last_collector = clock.current() == 0;
    return take(instruction);
  };
  before.at(3, [this] {
    Instruction of_scheduler_0;
    of_scheduler_0.takes_last_collector = true;
    pipeline.send_back(of_scheduler_0, tlm::END_REQ);
  });
  warps_at_once(3);
  run(10);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {3, 1}, {3, 2}}));
}

TEST_F(IssuePasses, AWarpIssuesOncePerPass) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  op(Unit::kFloat, {}, {1});
  op(Unit::kFloat, {}, {2});
  exit();
  start(0, 16);
  warps_at_once(1);
  run(10);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {2, 0}})) << "distinct warps only, though both pipes are free";
}

TEST_F(IssuePasses, OddCyclesInAPipeAreNotRoundedUpToPasses) {
  hold = 3;
  alu();
  exit();
  start(0, 16);
  warps_at_once(4);
  run(20);
  EXPECT_EQ(entered(4), (std::vector<Cycle>{0, 3, 6, 9}));
}

TEST_F(IssuePasses, InstructionsOfOneCycleAreLimitedByThePasses) {
  hold = 1;
  alu();
  exit();
  start(0, 16);
  warps_at_once(6);
  run(20);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}, {2, 2}, {2, 3}, {4, 4}, {4, 5}}));
  EXPECT_EQ(entered(6), (std::vector<Cycle>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(stat("fpu_cycles"), 6u);
}

TEST_F(IssuePasses, TwoPipesDoNotMakeMoreOfAPass) {
  hold = 1;
  op(Unit::kFloat);
  exit();
  start(0, 16);
  warps_at_once(6);
  run(20);
  EXPECT_EQ(entered(6), (std::vector<Cycle>{0, 0, 2, 2, 4, 4}));
}

TEST_F(IssuePasses, ALoneInstructionOfOneCycleIsChargedItsPass) {
  hold = 1;
  alu();
  exit();
  start(0, 16);
  warps_at_once(1);
  run(60);
  expect_breakdown(41, 2 + 2, 0, 0, 37);
}

TEST_F(IssuePasses, MemoryGoesBesideTheOthers) {
  load();
  alu();
  exit();
  start(0, 16);
  enter_at_pc(0, 0);
  enter_at_pc(1, 1);
  enter_at_pc(2, 0);
  run(10);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}, {2, 2}})) << "a message per pass";
  EXPECT_EQ(stat("fpu_cycles"), 4u);
  EXPECT_EQ(stat("em_cycles"), 0u);
}

TEST_F(IssuePasses, AFullLoadStoreUnitHoldsUpMessagesOnly) {
  load();
  alu();
  exit();
  start(0, 16);
  load_done = 100;
  unblocked = 30;
  enter_at_pc(0, 0);
  enter_at_pc(1, 0);
  enter_at_pc(2, 1);
  run(20);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 2}}));
  run(200);
  // Warp 1's load and warp 2's end wait for END_REQ, the latter from cycle 20 on. Loads at 100, an addition each (the
  // second one's lanes from 104 on), ends a latency after they issued.
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 2}, {30, 1}, {32, 2}, {100, 0}, {103, 1}, {120, 0}, {123, 1}}));
  // Issue: 0 to 4, 30 to 34, 100 to 108, 120 to 122, 123 to 125. Stall: 4 to 30. Memory: 34 to 100.
  expect_breakdown(144, 4 + 4 + 8 + 4, 26, 66, 144 - 20 - 26 - 66);
}

TEST_F(IssuePasses, ACycleOfTwoPipesIsChargedToTheInstructionIssuedFirst) {
  op(Unit::kFloat);
  exit();
  start(0, 16);
  enter(0, 0, 0x1, 0);
  enter(0, 1, kAll16, 1);
  run(10);
  EXPECT_EQ(stat("issue_w1_4"), 4u);
  EXPECT_EQ(stat("issue_w29_32"), 0u);
}

TEST_F(IssuePasses, AnInstructionThatOutlastsTheFirstIsChargedTheRest) {
  op(Unit::kSfu);
  alu();
  exit();
  start(0, 16);
  enter(0, 0, 0x1, 0, 1);
  enter(0, 1, kAll16, 1);
  run(10);
  EXPECT_EQ(stat("issue_w1_4"), 4u);
  EXPECT_EQ(stat("issue_w29_32"), 16u - 4);
}

TEST_F(IssuePasses, SchedulersTakeTurnsAtAFullLoadStoreUnit) {
  params.schedulers = 2;
  load();
  exit();
  start(0, 16);
  pipeline.answer = [this](Instruction& instruction, tlm::tlm_phase&) {
    unblocked = clock.current() + 4;
    return take(instruction);
  };
  warps_at_once(8);
  run(32);
  ASSERT_EQ(issues().size(), 8u);
  std::array<unsigned, 2> of{};
  for (std::size_t i = 0; i < 4; ++i) ++of[issues()[i].second % 2];
  EXPECT_EQ(of[0], 2u) << "of the first four places";
}

TEST_F(IssueStageTest, AnIssueIntervalHoldsAUnifiedPort) {
  params.issue_interval_cycles = 6;
  alu();
  exit();
  start();
  enter(0, 0);
  enter(0, 1);
  run(60);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {6, 1}, {20, 0}, {26, 1}}));
  expect_breakdown(47, 4 * 6, 0, 0, 47 - 24);
}

}  // namespace issue_stage_passes_test
}  // namespace warpfold
