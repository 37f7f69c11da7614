// SPDX-License-Identifier: Apache-2.0
// Several parts in a cycle: who issues beside whom, what units and the port are held for, and what it is charged to.
#include <algorithm>

#include "tests/core/issue_fixture.h"
#include "warpfold/core/issue/pc_profile.h"

namespace warpfold {
namespace issue_stage_parts_test {

using divergence::IssuedParts;
using divergence::kNoWarp;
using divergence::WarpSet;

// Warps 0, 1 and 2 hold the low, the middle and the high lanes of rows of their own, warp 3 the middle ones too.
class IssuePartsTest : public IssueStageTest {
 protected:
  static constexpr LaneMask kLow = 0xff, kMiddle = 0xff00, kHigh = 0xffff'0000;

  IssuePartsTest() {
    mechanism.partner = [this](const IssuedParts& parts, const WarpSet& ready) {
      asked.push_back(parts);
      WarpId fits = kNoWarp;
      for (WarpId id = ready.next(0); id != kNoWarp && fits == kNoWarp; id = ready.next(id + 1)) {
        if ((warp_unit->warps().warp(id).mask & parts.lanes) == 0) fits = id;
      }
      return fits;
    };
  }
  void enter_all(unsigned warps, isa::Pc pc = 0) {
    const std::array<LaneMask, 4> masks{kLow, kMiddle, kHigh, kMiddle};
    for (WarpId id = 0; id < warps; ++id) enter(0, id, masks.at(id), static_cast<std::uint16_t>(id), pc);
  }
  std::vector<Cycle> issued_at(isa::Pc pc) const {
    std::vector<Cycle> cycles;
    for (const auto& [at, instruction] : pipeline.seen) {
      if (instruction.pc == pc) cycles.push_back(at);
    }
    return cycles;
  }

  std::vector<IssuedParts> asked;
};

TEST_F(IssuePartsTest, DistinctLanesIssueInOneCycle) {
  alu();
  exit();
  start();
  enter_all(4);
  run(60);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}, {0, 2}, {4, 3}, {20, 0}, {20, 1}, {20, 2}, {24, 3}}));
  stage->settle();
  EXPECT_EQ(stat("warp_instructions"), 8u);
  EXPECT_EQ(stat("issues"), 4u);
  EXPECT_EQ(stat("joint_issues"), 2u);
  EXPECT_EQ(stat("joint_parts"), 4u);
  EXPECT_EQ(stat("issue_w29_32"), 8u) << "by the lanes of all parts";
  EXPECT_EQ(stat("issue_w5_8"), 8u);
  expect_breakdown(45, 16, 0, 0, 45 - 16);
  ASSERT_GE(asked.size(), 2u);
  EXPECT_EQ(asked[0].first, 0u);
  EXPECT_EQ(asked[0].lanes, kLow);
  EXPECT_EQ(asked[0].count, 1u);
  EXPECT_EQ(asked[1].lanes, kLow | kMiddle);
  EXPECT_EQ(asked[1].count, 2u);
}

TEST_F(IssuePartsTest, ThePickIsThePolicys) {
  params.warp_policy = WarpPolicy::kGto;
  alu();
  exit();
  start();
  enter(0, 5, kLow, 5);
  enter(0, 1, kMiddle, 1);
  run(4);
  EXPECT_EQ(issues(), (Issues{{0, 5}, {0, 1}}));
}

TEST_F(IssuePartsTest, OnePartGoesToMemory) {
  load();
  exit();
  start();
  load_done = 50;
  enter_all(3);
  run(12);
  EXPECT_EQ(issued_at(0), (std::vector<Cycle>{0, 4, 8}));
  EXPECT_EQ(stat("joint_issues"), 0u);
}

TEST_F(IssuePartsTest, OthersGoBesideAMemoryInstruction) {
  load();
  alu();
  exit();
  start();
  load_done = 50;
  enter(0, 0, kLow, 0);
  enter(0, 1, kMiddle, 1, 1);
  run(4);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}}));
}

TEST_F(IssuePartsTest, NobodyFollowsWhatFillsTheLoadStoreUnit) {
  load();
  alu();
  exit();
  start();
  load_done = 50;
  unblocked = 9;
  enter(0, 0, kLow, 0);
  enter(0, 1, kMiddle, 1, 1);
  run(12);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {9, 1}}));
}

// A load/store unit with a way of its own holds up memory instructions alone.
TEST_F(IssuePartsTest, AFullLoadStoreUnitWithItsOwnWayTakesNoPart) {
  params.units.memory = 1;
  load();
  alu();
  exit();
  start();
  load_done = 100;
  unblocked = 40;
  enter(0, 0, kLow, 0);
  enter(8, 1, kMiddle, 1, 0);
  enter(8, 2, kHigh, 2, 1);
  run(50);
  EXPECT_EQ(issued_at(0), (std::vector<Cycle>{0, 40}));
  EXPECT_EQ(issued_at(1), (std::vector<Cycle>{8}));
}

TEST_F(IssuePartsTest, APartsUnitIsFree) {
  op(Unit::kSfu);
  exit();
  start();
  enter(0, 0, kLow, 0);
  enter(4, 1, kMiddle, 1);  // its unit is held until 16
  enter(4, 2, kHigh, 2, 1);
  run(17);
  EXPECT_EQ(issued_at(0), (std::vector<Cycle>{0, 16}));
  EXPECT_EQ(issued_at(1), (std::vector<Cycle>{4}));
}

// Parts of a cycle share a unit, which is free when the last of them is through.
TEST_F(IssuePartsTest, PartsShareAUnit) {
  op(Unit::kSfu);
  exit();
  start();
  enter_all(4);
  run(17);
  EXPECT_EQ(issued_at(0), (std::vector<Cycle>{0, 0, 0, 16}));
  std::vector<bool> beside;
  for (const auto& [at, instruction] : pipeline.seen) beside.push_back(instruction.beside);
  EXPECT_EQ(beside, (std::vector<bool>{false, true, true, false}));
}

TEST_F(IssuePartsTest, TheFirstOfItsUnitIsBesideNobody) {
  alu();
  op(Unit::kSfu);
  exit();
  start();
  enter(0, 0, kLow, 0);
  enter(0, 1, kMiddle, 1, 1);
  run(4);
  ASSERT_EQ(pipeline.seen.size(), 2u);
  EXPECT_FALSE(pipeline.seen[0].payload.beside);
  EXPECT_FALSE(pipeline.seen[1].payload.beside);
}

// The others of a cycle are chosen among those that could issue when it began.
TEST_F(IssuePartsTest, AWarpIssuesOnceACycle) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  alu();
  alu();
  exit();
  start();
  enter(0, 0, kLow, 0);
  enter(0, 1, kMiddle, 1);
  run(8);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {0, 1}, {4, 1}, {4, 0}})) << "1 has the next turn";
}

TEST_F(IssuePartsTest, WhoeverSharesALaneIsNoPart) {
  mechanism.partner = [](const IssuedParts&, const WarpSet& ready) { return ready.next(0); };
  alu();
  exit();
  start();
  enter(0, 0, kLow, 0);
  enter(0, 1, kLow, 1);
  EXPECT_THROW(run(4), std::exception);
}

TEST_F(IssuePartsTest, AProfileCountsThePortsCyclesOnce) {
  alu();
  exit();
  start();
  PcProfile profile;
  stage->watched_by(&profile, nullptr);
  profile.launch_started(kernel);
  enter_all(3);
  run(10);
  profile.launch_ended(10);
  EXPECT_EQ(profile.kernels().front().counts[0].issued, 3u);
  EXPECT_EQ(profile.kernels().front().counts[0].issue_cycles, 4u);
}

// Passes take two instructions as they are; nobody is asked.
TEST_F(IssuePartsTest, PassesHaveNoParts) {
  params.pipes = PipeLayout::kFpuEm;
  alu();
  exit();
  start();
  enter_all(3);
  run(10);
  EXPECT_TRUE(asked.empty());
}

}  // namespace issue_stage_parts_test
}  // namespace warpfold
