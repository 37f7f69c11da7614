// SPDX-License-Identifier: Apache-2.0
// Variable warp sizing: gangs that split, run beside each other and meet, and slices as wide as a warp, which are PDOM.
#include <gtest/gtest.h>

#include "tests/divergence/parts_walk.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace vws_test {

using Sets = std::vector<std::string>;

TEST(Vws, WalksOfTwoSides) {
  const PartsWalk walk = walk_in_parts("vws", {"slice=2"}, if_else_program());
  EXPECT_EQ(walk.text, "0:f 1:f 2:3|4:c 3:3|5:c 6:f 7:f");
  EXPECT_EQ(walk.cycles, 6U) << "PDOM takes 8";
  EXPECT_EQ(walk_in_parts("vws", {"slice=1"}, if_else_program()).text, walk.text);
  EXPECT_EQ(walk_in_parts("vws", {"slice=2", "regang=false"}, if_else_program()).text,
            "0:f 1:f 2:3|4:c 3:3|5:c 6:3|6:c 7:3|7:c");
}

// A slice that a branch divides runs one side after the other, by its own stack, beside the others.
TEST(Vws, ASliceDivergesInside) {
  const Program program{step(), branch(4, of_threads(0b1110)), step(), jump(6), step(), step(), step(), leave()};
  EXPECT_EQ(walk_in_parts("vws", {"slice=2"}, program).text, "0:f 1:f 4:e 5:e 2:1|6:c 3:1|7:c 6:3 7:3")
      << "nobody waits for the slice";
}

TEST(Vws, MeetsWhereItSplit) {
  FlowMachine machine({"vws", {"slice=1"}}, if_else_program());
  walk_in_parts(machine, 4);
  EXPECT_EQ(machine.core.statistic("vws_splits"), 1U);
  EXPECT_EQ(machine.core.statistic("vws_regangs"), 1U);
  EXPECT_EQ(machine.core.statistic("vws_gangs_max"), 2U);
  EXPECT_EQ(machine.core.statistic("vws_full"), 0U);
}

// Gangs that issue at a meeting point have gone on: who comes later goes alone.
TEST(Vws, NobodyWaits) {
  const Program uneven{branch(3, of_threads(0b1100)), step(), step(), step(), leave()};
  EXPECT_EQ(walk_in_parts("vws", {"slice=2"}, uneven).text, "0:f 1:3|3:c 2:3|4:c 3:3 4:3");
}

// An inner split that finds no entry left stays apart behind its own end; the outer one meets.
TEST(Vws, ATableThatIsFull) {
  const Program nested{branch(5, of_threads(0b1000)),
                       branch(3, of_threads(0b0100)),
                       jump(4),
                       jump(4),
                       jump(6),
                       branch(6, of_threads(0b1000)),
                       step(),
                       leave()};
  FlowMachine machine({"vws", {"slice=1", "table=1"}}, nested);
  walk_in_parts(machine, 4);
  EXPECT_EQ(machine.core.statistic("vws_full"), 1U);
  FlowMachine roomy({"vws", {"slice=1"}}, nested);
  walk_in_parts(roomy, 4);
  EXPECT_EQ(roomy.core.statistic("vws_full"), 0U);
  EXPECT_GE(roomy.core.statistic("vws_regangs"), 1U);
}

// A barrier holds each gang by itself; behind it they are one, wherever they split.
TEST(Vws, MeetsBehindABarrier) {
  struct Case {
    bool regang, first_has_issued;
  };
  for (const auto [regang, first_has_issued] : {Case{true, false}, Case{true, true}, Case{false, false}}) {
    const FlowSetup setup{"vws", {"slice=2", regang ? "regang=true" : "regang=false"}};
    FakeCore core(setup.geometry().max_warps, 8);
    const auto mechanism = setup.configured().make(setup.geometry(), core);
    isa::Kernel kernel = kernel_of({branch(1, of_threads(0)), step(), step(), leave()});
    kernel.ops[1].kind = isa::Kind::kBarrier;
    kernel.ops[0].reconvergence = 3;
    mechanism->kernel_started(kernel);
    mechanism->block_started({0, 0, 0, 0, {0b1111}});
    mechanism->issued(0, 0);
    mechanism->branch_resolved(0, {0, 0b1100, 2, 3, isa::kNoPc, true});
    ASSERT_EQ(core.warps().size(), 2U);
    for (const WarpId id : core.warps()) core.warp(id).pc = 1;
    EXPECT_FALSE(mechanism->gives_up(0));
    EXPECT_EQ(mechanism->kept_back(0, core.warp(0), 0), 0U) << "gangs do not wait for each other";
    mechanism->committed(0, 2);
    if (first_has_issued) mechanism->issued(0, 0);
    mechanism->committed(1, 2);
    const bool meet = regang && !first_has_issued;
    EXPECT_EQ(core.warps().size(), meet ? 1U : 2U);
    if (meet) {
      EXPECT_EQ(core.warp(core.warps().front()).mask, 0b1111U);
    }
  }
}

// Whoever is under the top of its slice's stack waits for it, and nobody else of the gang does.
TEST(Vws, ASlicesStackKeepsBack) {
  FlowMachine machine({"vws", {"slice=2"}}, if_else_program());
  machine.start(0, 0, 4);
  machine.issue(0);
  machine.mechanism->branch_resolved(0, {1, 0b1110, 4, 6, isa::kNoPc, true});
  ASSERT_EQ(machine.core.warps().size(), 1U) << "both slices go to 4";
  EXPECT_EQ(machine.core.warp(0).mask, 0b1110U);
  EXPECT_EQ(machine.mechanism->kept_back(0, machine.core.warp(0), 0), 0b0001U);
  EXPECT_EQ(machine.mechanism->kept_back(0, machine.core.warp(0), 1), 0U) << "of another row";
  EXPECT_EQ(machine.mechanism->entries_on_stack(0), 3U);
  EXPECT_EQ(machine.mechanism->parked().inactive, 1U);
}

TEST(Vws, AnnouncesWhoLeaves) {
  FlowMachine machine({"vws", {"slice=2"}}, if_else_program());
  machine.start(0, 0, 4);
  EXPECT_FALSE(machine.mechanism->leaves_at(0, 1));
  const Branch splits{1, 0b1100, 4, 6, isa::kNoPc, true}, divides{1, 0b1010, 4, 6, isa::kNoPc, true};
  EXPECT_TRUE(machine.mechanism->leaves_by(0, splits, true));
  EXPECT_FALSE(machine.mechanism->leaves_by(0, divides, true)) << "each slice runs its taken side first";
  EXPECT_FALSE(machine.mechanism->leaves_by(0, {1, 0b1111, 4, 6, isa::kNoPc, true}, false));
  machine.issue(0);
  machine.issue(0);
  EXPECT_TRUE(machine.mechanism->leaves_at(0, 6)) << "others may join it";
  EXPECT_FALSE(machine.mechanism->leaves_at(0, 3));
}

// Turns go round by slot, and a slice's lanes are one gang's, whether active or not.
TEST(Vws, PartnersHaveSlicesOfTheirOwn) {
  const FlowSetup setup{"vws", {"slice=2"}};
  FakeCore core(setup.geometry().max_warps, 8);
  const auto mechanism = setup.configured().make(setup.geometry(), core);
  const isa::Kernel kernel = kernel_of({step(), leave()});
  mechanism->kernel_started(kernel);
  mechanism->block_started({0, 0, 0, 0, {0b0001, 0b0010, 0b0100, 0b1111, 0b1000}});
  WarpSet ready(setup.geometry().max_warps);
  for (const WarpId id : {0U, 1U, 2U, 3U, 4U}) ready.insert(id);
  EXPECT_EQ(mechanism->partner({0, 0b0001, 1}, ready, 0), 2U) << "1 has other lanes, of the same slice";
  EXPECT_EQ(mechanism->partner({3, 0b0001, 1}, ready, 0), 4U) << "behind the pick";
  EXPECT_EQ(mechanism->partner({4, 0b1000, 1}, ready, 0), 0U) << "and round";
  EXPECT_EQ(mechanism->partner({0, 0b0101, 2}, ready, 0), kNoWarp) << "all slices are taken";
}

TEST(Vws, SlicesAsWideAsAWarpArePdom) {
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    const Program program = seed % 4 == 0 ? arbitrary_program(seed) : StructuredProgram(seed, seed % 2 == 0).make();
    EXPECT_EQ(walk("vws", {"slice=4"}, program), walk("pdom", {}, program)) << "seed " << seed;
  }
  const FlowSetup wide{"vws", {"slice=4"}}, narrow{"vws", {"slice=2"}};
  FakeCore core(64, 8);
  EXPECT_TRUE(wide.configured().make(wide.geometry(), core)->traits.keeps_warps);
  EXPECT_FALSE(wide.configured().make(wide.geometry(), core)->traits.issues_parts);
  EXPECT_FALSE(narrow.configured().make(narrow.geometry(), core)->traits.keeps_warps);
  EXPECT_EQ(narrow.geometry().max_warps, 2 * wide.geometry().max_warps);
}

// A slice runs what PDOM runs for a warp of its threads: it never takes more cycles than a warp of all.
TEST(Vws, NeverTakesMoreCyclesThanPdom) {
  std::size_t less = 0;
  for (std::uint64_t seed = 1; seed <= 2000 && !HasFailure(); ++seed) {
    const Program program = StructuredProgram(seed, seed % 2 == 0).make();
    FlowMachine machine({"pdom", {}}, program);
    machine.start(0, 0, 4);
    machine.run();
    const unsigned mine = walk_in_parts("vws", {"slice=1"}, program).cycles;
    EXPECT_LE(mine, machine.trace.size()) << "seed " << seed;
    less += mine < machine.trace.size() ? 1 : 0;
  }
  EXPECT_GT(less, 1000U);
}

TEST(Vws, EveryThreadIsAccountedFor) {
  std::uint64_t inactive = 0, reconverging = 0;
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    FlowMachine machine({"vws", {"slice=2"}}, StructuredProgram(seed, true).make());
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

TEST(Vws, SaysWhatItLacks) {
  Geometry core;
  const auto why_not = [&](const Sets& sets) { return FlowSetup{"vws", sets}.configured().why_not(core); };
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not({"slice=5"}), "mechanism.slice = 5: does not divide a warp of 32 lanes");
  EXPECT_EQ(why_not({"slice=64"}), "mechanism.slice = 64: does not divide a warp of 32 lanes");
  core.passes = true;
  EXPECT_NE(why_not({}).find("core.pipes"), std::string::npos);
  EXPECT_EQ(why_not({"slice=32"}), "") << "it issues no parts";
}

TEST(Vws, DeclaresItsHardware) {
  const HardwareGeometry geometry;
  EXPECT_EQ(FlowSetup({"vws", {}}).configured().hardware(geometry).text(),
            "slice stacks (8192 × 68 bits), slice states (256 × 39 bits), slice instruction buffers (256 × 64 bits), "
            "gang table (512 × 40 bits)");
  EXPECT_EQ(FlowSetup({"vws", {"regang=false"}}).configured().hardware(geometry).storage.size(), 3U);
}

}  // namespace vws_test
}  // namespace warpfold::divergence
