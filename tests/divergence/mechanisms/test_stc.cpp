// SPDX-License-Identifier: Apache-2.0
// Spare-time compaction: who waits in which pool, what comes out of it and when, and that rows are whole again where
// their outermost divergence ends.
#include <gtest/gtest.h>

#include "tests/divergence/example_programs.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace stc_test {

// A core on which a test plays the pipeline: rows of four lanes, everybody starts at 0.
class StcMoves : public testing::Test {
 protected:
  void start(const std::vector<std::string>& parameters, const std::vector<LaneMask>& threads,
             const std::vector<Pc>& meetings = {}) {
    setup = {"stc", parameters};
    setup.max_rows = static_cast<unsigned>(threads.size());
    core = std::make_unique<FakeCore>(setup.geometry().max_warps, setup.max_rows);
    stc = setup.configured().make(setup.geometry(), *core);
    kernel.ops.resize(kEnd);
    for (const Pc pc : meetings) {
      isa::MicroOp& branch = kernel.ops[pc - 1];
      branch.kind = isa::Kind::kBranch, branch.may_diverge = true, branch.reconvergence = pc;
    }
    stc->kernel_started(kernel);
    stc->block_started({0, 0, 0, 0, threads});
  }
  void branch(WarpId id, Pc pc, LaneMask taken, Pc target, Pc reconvergence, bool may_diverge = true) {
    stc->branch_resolved(id, {pc, taken, target, reconvergence, isa::kNoPc, may_diverge});
  }
  std::string dry(Cycle now) {
    stc->running_dry(0, now);
    return warps();
  }
  std::string warps() const { return core->warps_text(4); }
  std::uint64_t count(const std::string& name) const { return core->statistic("stc_" + name); }
  static constexpr Pc kEnd = 20;
  FlowSetup setup;
  std::unique_ptr<FakeCore> core;
  std::unique_ptr<Mechanism> stc;
  isa::Kernel kernel;
};

TEST_F(StcMoves, BothSidesWaitUntilASchedulerRunsDry) {
  start({}, {0b1111});
  branch(0, 0, 0b0010, 5, 8);
  EXPECT_EQ(warps(), "");
  EXPECT_EQ(stc->parked().inactive, 4U);
  EXPECT_EQ(dry(1), "1{0,2,3}") << "the pool of most threads";
  EXPECT_EQ(dry(1), "1{0,2,3}") << "one warp a cycle";
  EXPECT_EQ(dry(2), "1{0,2,3} 5{1}");
  EXPECT_EQ(count("given_dry"), 2U);
}

TEST_F(StcMoves, WhatFillsAllLanesGoesAtOnce) {
  start({}, {0b1111, 0b1111});
  branch(0, 0, 0b0011, 5, 8);
  branch(1, 0, 0b1110, 5, 8);
  EXPECT_EQ(warps(), "5{0,5,6,7}") << "the row that has most threads there first";
  EXPECT_EQ(count("given_full"), 1U);
  EXPECT_EQ(dry(1), "5{0,5,6,7} 1{4,2,3}") << "three at 1, thread 1 at 5";
}

// Only a row's outermost divergence waits.
TEST_F(StcMoves, ARowIsWholeAgainWhereItFirstDiverged) {
  start({}, {0b1111}, {8});
  branch(0, 0, 0b0011, 5, 8);
  dry(1);
  ASSERT_EQ(dry(2), "1{2,3} 5{0,1}");
  EXPECT_TRUE(stc->leaves_at(1, 8));
  branch(1, 5, 0b0001, 7, 6);
  EXPECT_EQ(stc->parked().inactive, 2U) << "no entry of its own";
  dry(3);
  ASSERT_EQ(dry(4), "1{2,3} 6{1} 7{0}");
  stc->committed(1, 8);
  stc->committed(2, 8);
  EXPECT_EQ(stc->parked().reconverging, 2U);
  EXPECT_EQ(stc->kept_back(kNoWarp, Warp::of_row(1, 0, 0b1100), 0), 0b0011U);
  stc->committed(0, 8);
  EXPECT_EQ(warps(), "8{0,1,2,3}");
  EXPECT_EQ(stc->parked().reconverging, 0U);
  EXPECT_EQ(count("divergences"), 1U);
  EXPECT_EQ(count("reborn"), 1U);
}

TEST_F(StcMoves, ExitsLetTheOthersGoOn) {
  start({}, {0b1111});
  branch(0, 0, 0b0011, 5, 8);
  dry(1);
  dry(2);
  stc->committed(1, 8);
  stc->exited(0, 0b1100, 2);
  EXPECT_EQ(warps(), "8{0,1}") << "whole: 2 and 3 are gone";
}

// What is neither full nor whole looks for others at a branch that might have parted it, and where such branches meet.
TEST_F(StcMoves, WhoLeavesIntoAPool) {
  start({}, {0b1111, 0b0111}, {12});
  EXPECT_FALSE(stc->leaves_at(0, 12)) << "whole";
  EXPECT_FALSE(stc->leaves_at(1, 12)) << "whole, if not full";
  branch(0, 0, 0b0001, 5, 15);
  ASSERT_EQ(dry(1), "1{1,2,3} 0{4,5,6}");
  EXPECT_FALSE(stc->leaves_at(0, 2));
  EXPECT_TRUE(stc->leaves_at(0, 12));
  const Branch together{2, 0b1110, 9, 11, isa::kNoPc, true};
  EXPECT_TRUE(stc->leaves_by(0, together, false));
  EXPECT_FALSE(stc->leaves_by(0, {2, 0b1110, 9, 11, isa::kNoPc, false}, false)) << "proved uniform";
  stc->branch_resolved(0, together);
  EXPECT_EQ(warps(), "0{4,5,6}");
  EXPECT_EQ(dry(2), "9{1,2,3} 0{4,5,6}");
  stc->committed(0, 10);
  EXPECT_EQ(warps(), "10{1,2,3} 0{4,5,6}");
  stc->committed(0, 12);
  EXPECT_EQ(warps(), "0{4,5,6}");
}

TEST_F(StcMoves, WithoutAPoolASideGoesAtOnce) {
  start({"pools=1"}, {0b1111});
  branch(0, 0, 0b0001, 5, 8);
  EXPECT_EQ(warps(), "5{0}");
  EXPECT_EQ(count("no_pool"), 1U);
  EXPECT_EQ(count("pools_max"), 1U);
}

TEST_F(StcMoves, PatienceEnds) {
  start({"patience=16"}, {0b1111});
  stc->tick(5);
  branch(0, 0, 0b0001, 5, 8);
  stc->tick(6);
  stc->tick(21);
  EXPECT_EQ(warps(), "");
  stc->tick(22);
  EXPECT_EQ(warps(), "1{1,2,3}") << "one a cycle";
  stc->tick(23);
  EXPECT_EQ(warps(), "1{1,2,3} 5{0}");
  EXPECT_EQ(count("given_aged"), 2U);
}

// Whoever comes back to be as old again and again does not go before the one that holds their lock.
TEST_F(StcMoves, OfThoseWhosePatienceHasEndedTheOldestGoes) {
  start({"patience=16"}, {0b1111});
  branch(0, 0, 0b0001, 5, 8);
  stc->tick(6);
  EXPECT_EQ(dry(6), "1{1,2,3}");
  branch(core->warps().front(), 2, 0b0010, 9, 15);
  stc->tick(12);
  EXPECT_EQ(warps(), "");
  stc->tick(40);
  EXPECT_EQ(warps(), "5{0}");
}

// One thread that waits since 2, and twice two since 4; three of its row wait for the one.
TEST_F(StcMoves, WhichPoolGives) {
  const auto given = [&](const std::string& pick, bool awaited) {
    start({"pick=" + pick}, {0b1111, 0b1111});
    branch(0, 0, 0b0001, 5, 8);
    stc->tick(2);
    EXPECT_NE(dry(2).find("1{1,2,3}"), std::string::npos);
    branch(1, 2, 0b0011, 9, 15);
    stc->tick(4);
    const WarpId carrier = core->warps().front();
    awaited ? stc->committed(carrier, 8) : core->remove(carrier);
    return dry(4);
  };
  for (const bool awaited : {false, true}) {
    EXPECT_EQ(given("most", awaited), "3{6,7}");
    EXPECT_EQ(given("oldest", awaited), "5{0}");
    EXPECT_EQ(given("awaited", awaited), awaited ? "5{0}" : "3{6,7}");
  }
}

// Whom all others of the block wait for need not wait until a scheduler runs dry.
TEST_F(StcMoves, ALateBlockGetsItsThreads) {
  for (const bool late : {false, true}) {
    start({late ? "release=late" : "release=dry"}, {0b1111, 0b1111});
    branch(1, 0, 0b0001, 5, 8);
    stc->tick(1);
    EXPECT_EQ(warps(), "0{0,1,2,3}") << "row 0 runs";
    EXPECT_FALSE(stc->gives_up(0)) << "a whole warp waits as it is";
    stc->tick(2);
    EXPECT_EQ(warps(), late ? "0{0,1,2,3} 1{5,6,7}" : "0{0,1,2,3}");
    if (!late) continue;
    stc->tick(3);
    EXPECT_EQ(warps(), "0{0,1,2,3} 1{5,6,7}") << "these run";
    stc->committed(1, 8);
    stc->tick(4);
    EXPECT_EQ(warps(), "0{0,1,2,3} 5{4}");
    EXPECT_TRUE(stc->gives_up(1)) << "part of a row";
    stc->together(Warp::of_row(6, 1, 0b0001));
    stc->tick(5);
    EXPECT_EQ(warps(), "0{0,1,2,3} 6{4}");
    stc->committed(0, 1);
    stc->committed(1, 8);
    EXPECT_EQ(warps(), "1{0,1,2,3} 8{4,5,6,7}");
    EXPECT_EQ(count("given_late"), 3U);
  }
}

TEST_F(StcMoves, PoolsOfABlockOrOfTheCore) {
  for (const bool core_wide : {true, false}) {
    const FlowSetup two{"stc", {core_wide ? "scope=core" : "scope=block"}, 4, 1, 2};
    FakeCore machine(two.geometry().max_warps, 2, 1);
    const auto mechanism = two.configured().make(two.geometry(), machine);
    kernel.ops.resize(kEnd);
    mechanism->kernel_started(kernel);
    mechanism->block_started({0, 0, 0, 0, {0b1111}});
    mechanism->block_started({1, 1, 1, 1, {0b1111}});
    mechanism->branch_resolved(0, {0, 0b0011, 5, 8, isa::kNoPc, true});
    mechanism->branch_resolved(1, {0, 0b1100, 5, 8, isa::kNoPc, true});
    EXPECT_EQ(machine.warps().size(), core_wide ? 2U : 0U);
  }
}

// Nobody issues more often than as many warps of one thread would, and every thread runs its own path.
TEST(Stc, RunsWhatThreadsWouldRunAlone) {
  for (const bool structured : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
      FlowMachine machine({"stc", {seed % 3 == 0 ? "pools=2" : "pools=16"}},
                          structured ? StructuredProgram(seed, seed % 2 == 0).make() : arbitrary_program(seed));
      machine.start(0, seed, 22);
      machine.run();
    }
  }
}

TEST(Stc, WarpsOfOneRowMeetAsPdomsDo) {
  FlowMachine machine({"stc", {}}, if_else_program());
  machine.start(0, 0, 4);
  machine.run();
  EXPECT_EQ(machine.issues_at(6), 1U);
  EXPECT_EQ(machine.core.statistic("stc_reborn"), 1U);
}

// What the table's logic compares is in its RTL; who gives by other rules is not.
TEST(Stc, DeclaresItsHardware) {
  const HardwareGeometry geometry;
  const auto hardware = [&](const std::vector<std::string>& sets) {
    return FlowSetup{"stc", sets}.configured().hardware(geometry);
  };
  EXPECT_NE(hardware({}).text().find("thread pools (16 × 1024 bits), rows that diverged (32 × 96 bits)"),
            std::string::npos)
      << hardware({}).text();
  EXPECT_NE(hardware({}).text().find("rtl/pool_table"), std::string::npos);
  EXPECT_EQ(hardware({}).unknown.size(), 1U);
  EXPECT_EQ(hardware({"pick=awaited", "release=late"}).unknown.size(), 3U);
}

}  // namespace stc_test
}  // namespace warpfold::divergence
