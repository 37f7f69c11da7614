// SPDX-License-Identifier: Apache-2.0
// Simultaneous branch interweaving: what issues in one cycle, where threads meet, and that it never takes more cycles
// than PDOM has issues.
#include <gtest/gtest.h>

#include "tests/divergence/parts_walk.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace sbi_test {

using Sets = std::vector<std::string>;

TEST(Sbi, WalksOfTwoSides) {
  for (const Sets& sets : std::vector<Sets>{{}, {"alone=true"}, {"warps=true"}, {"order=pc"}, {"order=depth_pc"}}) {
    const PartsWalk walk = walk_in_parts("sbi", sets, if_else_program());
    EXPECT_EQ(walk.text, "0:f 1:f 2:3|4:c 3:3|5:c 6:f 7:f");
    EXPECT_EQ(walk.cycles, 6U) << "PDOM takes 8";
  }
}

// Those who come to 8 first wait there for the others.
TEST(Sbi, WalksOfAShortCircuit) {
  const PartsWalk walk = walk_in_parts("sbi", {}, short_circuit_program());
  EXPECT_EQ(walk.text, "0:f 1:6|4:9 2:6|5:9 3:2|4:4 5:4|6:8 6:4|7:1 7:4 8:f 9:f");
  EXPECT_EQ(walk.cycles, 9U);
}

TEST(Sbi, WalksOfALoop) {
  const PartsWalk walk = walk_in_parts("sbi", {}, loop_program());
  EXPECT_EQ(walk.text, "0:f 1:f 2:5|4:a 3:5 5:f 0:e 1:e 2:4|4:a 3:4 5:e 0:4 1:4 2:4 3:4 5:4 6:f 7:f");
  EXPECT_EQ(walk.cycles, 17U);
}

// Without it those who leave a loop run ahead, and the others follow a round each.
TEST(Sbi, ASecondaryWaitsBehindTheRegion) {
  const Program loop{step(), branch(0, [](Who who, unsigned visit) { return visit < who.thread; }), step(), leave()};
  EXPECT_EQ(walk_in_parts("sbi", {}, loop).text, "0:f 1:f 0:e 1:e 0:c 1:c 0:8 1:8 2:f 3:f");
  EXPECT_EQ(walk_in_parts("sbi", {"wait=false"}, loop).text,
            "0:f 1:f 0:e|2:1 1:e|3:1 0:c|2:2 1:c|3:2 0:8|2:4 1:8|3:4 2:8 3:8");
  FlowMachine machine({"sbi", {}}, loop);
  walk_in_parts(machine, 4);
  EXPECT_EQ(machine.core.statistic("sbi_waits"), 3U) << "threads 0, 1 and 2";
}

// A branch is part of the region that ends where its sides meet: thread 2, which comes there another way, waits for 0
// and 1, which are at the branch.
TEST(Sbi, WhoIsAtTheBranchIsWaitedFor) {
  const Program program{branch(4, of_threads(0b1100)),
                        branch(3, of_threads(0b0010)),  // behind it: 6
                        jump(6),
                        jump(6),
                        branch(8, of_threads(0b1000)),  // behind it: 9
                        jump(6),
                        step(),
                        jump(9),
                        step(),
                        leave()};
  FlowMachine machine({"sbi", {"order=pc"}}, program);
  machine.start(0, 0, 4);
  const auto issue_at = [&](Pc pc) {
    for (const WarpId id : machine.core.warps()) {
      if (machine.core.warp(id).pc == pc) return machine.issue(id);
    }
    FAIL() << "nobody is at " << pc;
  };
  issue_at(0);
  issue_at(4);
  ASSERT_EQ(machine.core.warps().size(), 2U);
  EXPECT_EQ(machine.core.statistic("sbi_waits"), 0U);
  issue_at(5);
  ASSERT_EQ(machine.core.warps().size(), 1U);
  EXPECT_EQ(machine.core.warp(machine.core.warps().front()).pc, 1U);
  EXPECT_EQ(machine.core.statistic("sbi_waits"), 1U);
}

// Of the two in the buffer the secondary goes with its primary, or also alone.
TEST(Sbi, WhoIssuesFirst) {
  for (const bool alone : {false, true}) {
    FlowMachine machine({"sbi", {alone ? "alone=true" : "alone=false"}}, if_else_program());
    machine.start(0, 0, 4);
    machine.issue(0);
    machine.issue(0);
    ASSERT_EQ(machine.core.warps().size(), 2U);
    WarpSet both(8), second(8);
    WarpId primary = kNoWarp, secondary = kNoWarp;
    for (const WarpId id : machine.core.warps()) {
      both.insert(id);
      (machine.core.warp(id).pc == 2 ? primary : secondary) = id;
    }
    second.insert(secondary);
    WarpSet ready = both;
    machine.mechanism->prefer(ready, 0);
    EXPECT_TRUE(ready.contains(primary));
    EXPECT_EQ(ready.size(), 1U);
    ready = second;
    machine.mechanism->prefer(ready, 0);
    EXPECT_EQ(ready.contains(secondary), alone);
    EXPECT_EQ(machine.mechanism->partner({primary, 0b0011, 1}, second, 0), secondary);
    EXPECT_EQ(machine.mechanism->partner({primary, 0b0011, 2}, second, 0), kNoWarp) << "two a cycle";
    EXPECT_EQ(machine.mechanism->partner({primary, 0b0011, 1}, WarpSet(8), 0), kNoWarp) << "it is not ready";
    machine.run_preferred();
  }
}

// What is in flight stays in its slot, and others wait behind it although they come first.
TEST(Sbi, WhatIsInFlightKeepsItsSlot) {
  const FlowSetup setup{"sbi", {"alone=true"}};
  FakeCore core(setup.geometry().max_warps, 8);
  const auto mechanism = setup.configured().make(setup.geometry(), core);
  const isa::Kernel kernel = kernel_of(short_circuit_program());
  mechanism->kernel_started(kernel);
  mechanism->block_started({0, 0, 0, 0, {0b1111}});
  mechanism->issued(0, 0);
  mechanism->branch_resolved(0, {0, 0b1001, 4, 8, isa::kNoPc, true});
  ASSERT_EQ(core.warps().size(), 2U);
  const WarpId first = core.warp(0).pc == 1 ? 0 : 1, second = 1 - first;
  mechanism->issued(second, 0);
  mechanism->issued(first, 0);
  mechanism->committed(first, 2);
  mechanism->issued(first, 0);
  mechanism->branch_resolved(first, {2, 0b0100, 4, 8, isa::kNoPc, true});
  EXPECT_EQ(core.warps().size(), 2U) << "3:2 runs, 4:4 waits since 4:9 is in flight";
  EXPECT_EQ(core.warp(first).pc, 3U);
  EXPECT_EQ(core.warp(second).mask, 0b1001U);
  EXPECT_EQ(mechanism->parked().inactive, 1U);
  mechanism->committed(second, 5);
  ASSERT_EQ(core.warps().size(), 2U);
  for (const WarpId id : core.warps()) EXPECT_EQ(core.warp(id).pc, id == first ? 3U : 4U);
  EXPECT_EQ(mechanism->parked().inactive + mechanism->parked().reconverging, 2U) << "5:9 makes room";
}

// So does one that went on while its row had no other, when others come together before it.
TEST(Sbi, WhatWentOnAloneKeepsItsSlot) {
  const FlowSetup setup{"sbi", {}};
  FakeCore core(setup.geometry().max_warps, 8);
  const auto mechanism = setup.configured().make(setup.geometry(), core);
  const isa::Kernel kernel = kernel_of(short_circuit_program());
  mechanism->kernel_started(kernel);
  mechanism->block_started({0, 0, 0, 0, {0b1111}});
  mechanism->issued(0, 0);
  mechanism->branch_resolved(0, {0, 0b1001, 4, 8, isa::kNoPc, true});
  const WarpId alone = core.warp(0).pc == 1 ? 0 : 1;
  ASSERT_TRUE(mechanism->gives_up(1 - alone));
  mechanism->issued(alone, 0);
  mechanism->committed(alone, 5);
  mechanism->together(Warp::of_row(1, 0, 0b0001));
  mechanism->together(Warp::of_row(2, 0, 0b1000));
  EXPECT_EQ(core.warps().size(), 2U);
  EXPECT_EQ(core.warp(alone).pc, 5U);
  EXPECT_EQ(core.warp(alone).mask, 0b0110U);
  EXPECT_EQ(mechanism->parked().inactive, 1U);
}

// A warp drains where it joins the other one or has to wait, and goes on beside it elsewhere.
TEST(Sbi, AnnouncesWhoLeaves) {
  FlowMachine machine({"sbi", {}}, if_else_program());
  machine.start(0, 0, 4);
  EXPECT_FALSE(machine.mechanism->leaves_at(0, 1)) << "nobody can join or be joined";
  machine.issue(0);
  machine.issue(0);
  ASSERT_EQ(machine.core.warps().size(), 2U);
  const WarpId primary = machine.core.warp(0).pc == 2 ? 0 : 1, secondary = 1 - primary;
  EXPECT_FALSE(machine.mechanism->leaves_at(primary, 3));
  EXPECT_TRUE(machine.mechanism->leaves_at(primary, 4));
  EXPECT_FALSE(machine.mechanism->leaves_at(secondary, 5));
  EXPECT_TRUE(machine.mechanism->leaves_at(secondary, 6)) << "the end of the region that the primary is in";
  machine.mechanism->issued(secondary, 0);
  EXPECT_FALSE(machine.mechanism->leaves_at(primary, 4)) << "nobody joins what is in flight";
}

// Scoreboards of registers have a warp go on when it issues.
TEST(Sbi, WhoHasJoinedTheSecondaryDoesNotIssueWithIt) {
  FlowMachine machine({"sbi", {}}, if_else_program());
  machine.start(0, 0, 4);
  machine.issue(0);
  machine.issue(0);
  const WarpId primary = machine.core.warp(0).pc == 2 ? 0 : 1, secondary = 1 - primary;
  machine.mechanism->issued(primary, 0);
  machine.mechanism->committed(primary, 4);
  ASSERT_EQ(machine.core.warp(secondary).mask, 0b1111U);
  WarpSet ready(8);
  ready.insert(secondary);
  EXPECT_EQ(machine.mechanism->partner({primary, 0b0011, 1}, ready, 0), kNoWarp);
}

// With both interweavings another warp's primary fills the lanes, not its secondary.
TEST(Sbi, OtherWarpsFillIdleLanes) {
  for (const bool warps : {false, true}) {
    FlowMachine machine({"sbi", {warps ? "warps=true" : "warps=false"}}, if_else_program());
    machine.start(0, 0, 8);
    machine.issue(0);
    machine.issue(1);
    WarpSet other(16);
    other.insert(1);
    EXPECT_EQ(machine.mechanism->partner({0, 0b1111, 1}, other, 0), kNoWarp);
    machine.core.warp(1).mask = 0b1100;  // as if it had parted
    EXPECT_EQ(machine.mechanism->partner({0, 0b0011, 1}, other, 0), warps ? 1U : kNoWarp);
  }
}

// With one lane's turn after the other's, as rows of a block have it.
std::size_t pdom_issues(const Program& program, unsigned threads) {
  FlowMachine machine({"pdom", {}}, program);
  machine.start(0, 0, threads);
  machine.run();
  return machine.trace.size();
}

TEST(Sbi, NeverTakesMoreCyclesThanPdom) {
  std::size_t less = 0;
  for (std::uint64_t seed = 1; seed <= 2000 && !HasFailure(); ++seed) {
    const Program program = StructuredProgram(seed, seed % 2 == 0).make();
    const std::size_t of_pdom = pdom_issues(program, 4);
    const unsigned mine = walk_in_parts("sbi", {}, program).cycles;
    EXPECT_LE(mine, of_pdom) << "seed " << seed;
    less += mine < of_pdom ? 1 : 0;
  }
  EXPECT_GT(less, 1000U);
}

TEST(Sbi, RowsMeetAgainAtTheEnd) {
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    const Program program = StructuredProgram(seed, false).make();
    FlowMachine machine({"sbi", {}}, program);
    walk_in_parts(machine, 22);
    EXPECT_EQ(machine.issues_at(static_cast<Pc>(program.size() - 1)), 6U) << "seed " << seed;
  }
}

TEST(Sbi, EveryThreadIsAccountedFor) {
  std::uint64_t inactive = 0, reconverging = 0;
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    FlowMachine machine({"sbi", {"alone=true"}}, StructuredProgram(seed, true).make());
    std::mt19937_64 random(seed);
    for (machine.start(0, seed, 22); machine.live() > 0; machine.run_some(random, 1)) {
      std::uint64_t running = 0;
      for (const WarpId id : machine.core.warps())
        running += static_cast<unsigned>(std::popcount(machine.core.warp(id).mask));
      const Parked parked = machine.mechanism->parked();
      ASSERT_EQ(running + parked.inactive + parked.reconverging, machine.live()) << "seed " << seed;
      inactive += parked.inactive;
      reconverging += parked.reconverging;
    }
  }
  EXPECT_GT(inactive, 0U);
  EXPECT_GT(reconverging, 0U);
}

TEST(Sbi, SaysWhatItLacks) {
  Geometry core;
  const Configured sbi = FlowSetup{"sbi", {}}.configured();
  EXPECT_EQ(sbi.why_not(core), "");
  core.orders_blocks = true;
  EXPECT_NE(sbi.why_not(core).find("core.warp_policy: primaries issue first"), std::string::npos);
  core.orders_blocks = false;
  core.passes = true;
  EXPECT_NE(sbi.why_not(core).find("core.pipes"), std::string::npos);
  core.passes = false;
  core.packs_lanes = true;
  EXPECT_NE(sbi.why_not(core).find("core.lane_packing"), std::string::npos);
}

TEST(Sbi, DeclaresItsHardware) {
  const HardwareGeometry geometry;
  EXPECT_EQ(FlowSetup({"sbi", {}}).configured().hardware(geometry).text(),
            "secondary contexts (32 × 65 bits), cold contexts (960 × 65 bits)");
  EXPECT_EQ(FlowSetup({"sbi", {"order=depth_pc"}}).configured().hardware(geometry).text(),
            "secondary contexts (32 × 73 bits), cold contexts (960 × 73 bits)");
  EXPECT_EQ(FlowSetup({"sbi", {"warps=true"}}).configured().hardware(geometry).unknown.size(), 3U);
}

}  // namespace sbi_test
}  // namespace warpfold::divergence
