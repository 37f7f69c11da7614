// SPDX-License-Identifier: Apache-2.0
// Loads of which some lanes have their data: the issue stage tells the mechanism, which lets these go on.
#include "tests/core/issue_fixture.h"

namespace warpfold {
namespace issue_stage_waits_test {

constexpr LaneMask kEarly = 0xf;

// A load in flight until 100, what needs its register, and an exit. The mechanism divides whatever it is told of, and
// puts the lanes that it gets into a warp of their own.
class PartOfALoad : public IssueStageTest {
 protected:
  PartOfALoad() {
    load({0});
    op(Unit::kAlu, {0}, {1});
    exit();
    load_done = 100;
    mechanism.on_part = [this](divergence::Core& core, WarpId warp, bool alone) {
      told.push_back(fmt::format("{} {}{}", clock.current(), warp, alone ? " alone" : ""));
      if (!divides) return;
      const divergence::Divided went = core.divide(warp);
      told.back() += fmt::format(": {:x} to {}, {:x} stay", went.lanes, went.next, core.warp(warp).mask);
      if (went.lanes != 0) core.insert(divergence::Warp::of_row(went.next, core.warp(warp).row[0], went.lanes));
    };
  }
  // Some lanes of the how-manieth instruction have their data.
  void part_at(Cycle at, LaneMask lanes, std::size_t which = 0) {
    before.at(at, [this, lanes, which] {
      Instruction part = pipeline.seen.at(which).payload;
      part.partly = part.gone_on = true;
      part.executed = lanes;
      release_source.send(part);
    });
  }
  std::vector<std::string> told;
  using Told = std::vector<std::string>;
  bool divides = true;
};

TEST_F(PartOfALoad, LeavesAWarpThatHasGoneOn) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  start();
  enter(0, 0);
  part_at(40, kEarly);
  run(150);
  EXPECT_EQ(told, (Told{"40 0 alone: f to 1, fffffff0 stay"}));
  EXPECT_EQ(issues(), (Issues{{0, 0}, {40, 1}, {60, 1}, {100, 0}, {120, 0}}));
  EXPECT_EQ(pipeline.seen[1].payload.active, kEarly);
  EXPECT_EQ(pipeline.seen[3].payload.active, ~kEarly & kAll);
}

TEST_F(PartOfALoad, LeavesAWarpThatStandsAtItsLoad) {
  start();
  enter(0, 0);
  part_at(40, kEarly);
  run(150);
  EXPECT_EQ(told, (Told{"40 0 alone: f to 1, fffffff0 stay"}));
  EXPECT_EQ(issues(), (Issues{{0, 0}, {40, 1}, {60, 1}, {100, 0}, {120, 0}}));
  EXPECT_EQ(mechanism.committed, 3u) << "the lanes that left commit no load";
}

TEST_F(PartOfALoad, IsKnownByThread) {
  params.scoreboard = ScoreboardKind::kPerThread;
  start();
  enter(0, 0);
  part_at(40, kEarly);
  run(150);
  EXPECT_EQ(told, (Told{"40 0 alone: f to 1, fffffff0 stay"}));
  EXPECT_EQ(issues(), (Issues{{0, 0}, {40, 1}, {60, 1}, {100, 0}, {120, 0}}));
}

TEST_F(PartOfALoad, GrowsUntilItIsDone) {
  start();
  enter(0, 0);
  part_at(40, kEarly);
  part_at(50, 0xff);
  run(150);
  EXPECT_EQ(told, (Told{"40 0 alone: f to 1, fffffff0 stay", "50 0 alone: f0 to 1, ffffff00 stay"}));
}

// It has not come to what needs the data.
TEST_F(PartOfALoad, IsToldOfWhenTheWarpWaitsForIt) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  kernel.ops.insert(kernel.ops.begin() + 1, kernel.ops[1]);
  kernel.ops[1].reads = {};
  kernel.ops[1].writes = {5};
  start();
  enter(0, 0);
  part_at(2, kEarly);
  run(59);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {4, 0}, {24, 1}, {44, 1}})) << "not at 8, with the second still in flight";
  EXPECT_EQ(told, (Told{"24 0 alone: f to 2, fffffff0 stay"}));
}

// Of two loads the lanes go on that have the data of both.
TEST_F(PartOfALoad, OfSeveralNeedsAll) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  kernel.ops.insert(kernel.ops.begin(), kernel.ops[0]);
  kernel.ops[0].writes = {3};
  start();
  enter(0, 0);
  part_at(40, 0xff, 0);
  part_at(50, 0x0f, 1);
  run(60);
  EXPECT_EQ(told, (Told{"50 0 alone: f to 2, fffffff0 stay"}));
}

TEST_F(PartOfALoad, IsNotAloneBesideAReadyWarp) {
  port = 50;
  divides = false;
  start();
  enter(0, 0);
  enter(0, 1);
  part_at(40, kEarly);
  run(45);
  EXPECT_EQ(told, (Told{"40 0"}));
}

TEST_F(PartOfALoad, CanBeTakenLaterUntilTheLoadIsDone) {
  divides = false;
  start();
  enter(0, 0);
  part_at(40, kEarly);
  divergence::Divided at_70, at_110;
  before.at(70, [&] { at_70 = warp_unit->warps().divide(0); });
  before.at(110, [&] { at_110 = warp_unit->warps().divide(0); });
  run(150);
  EXPECT_EQ(at_70.lanes, kEarly);
  EXPECT_EQ(at_110.lanes, 0u);
}

// Where threads are to leave the warp behind its load it drains, and all go on together.
TEST_F(PartOfALoad, IsNothingToAWarpThatDrains) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  mechanism.leave = 1;
  start();
  enter(0, 0);
  part_at(40, kEarly);
  run(90);
  EXPECT_TRUE(told.empty());
}

// The mechanism hears of an access while its warp is still at it, scoreboard or not.
TEST_F(IssueStageTest, TellsWhatAnAccessAsksOfLines) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  lines_by_lanes = {0xff, 0xff00};
  std::vector<std::string> told;
  mechanism.on_access = [&](WarpId id, std::span<const LaneMask> lines) {
    told.push_back(fmt::format("{} {} {:x} {:x}", clock.current(), warp_unit->warps().warp(id).pc, lines[0], lines[1]));
  };
  alu();
  load();
  exit();
  start();
  enter(0, 0);
  run(60);
  EXPECT_EQ(told, (std::vector<std::string>{"4 1 ff ff00"}));
}

}  // namespace issue_stage_waits_test
}  // namespace warpfold
