// SPDX-License-Identifier: Apache-2.0
// Large warps: what is packed into which sub-warp, and who waits for whom (HARP §2.3).
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"
#include "warpfold/common/error.h"

namespace warpfold::divergence {
namespace lwm_test {

// Sub-warps of four lanes, large warps of eight threads; blocks of up to 16.
const FlowSetup kSetup{"lwm", {"large_warp=8"}, 4, 4, 1};

Outcome among(std::vector<unsigned> threads) {
  return
      [threads](Who who, unsigned) { return std::find(threads.begin(), threads.end(), who.thread) != threads.end(); };
}

FlowMachine run(const Program& program, unsigned threads, const FlowSetup& setup = kSetup) {
  FlowMachine machine(setup, program);
  machine.start(0, 0, threads);
  machine.run();
  return machine;
}

TEST(Lwm, ADivergentPathIsPackedLaneByLane) {
  // 0: A; 1: B of threads 1, 2, 3, 4, 7; 3: C of 0, 5, 6; 4: D
  const FlowMachine machine = run({branch(3, among({0, 5, 6})), step(), jump(4), step(), leave()}, 8);
  EXPECT_EQ(machine.issued(), "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 1{7} 2{4,1,2,3} 2{7} 4{0,1,2,3} 4{4,5,6,7}");
  EXPECT_EQ(machine.core.statistic("lwm_subwarps"), 9U);
  EXPECT_EQ(machine.core.statistic("lwm_instructions"), 5U) << "A, C, both of B, D";
  EXPECT_EQ(machine.core.deepest, 3U);
}

TEST(Lwm, SubwarpsWaitForEachOtherAtEveryInstruction) {
  FlowMachine machine(kSetup, {step(), step(), leave()});
  machine.start(0, 0, 8);
  ASSERT_EQ(machine.core.warps().size(), 2U);
  machine.issue(machine.core.warps().front());
  ASSERT_EQ(machine.core.warps().size(), 1U) << "the first waits";
  machine.issue(machine.core.warps().front());
  EXPECT_EQ(machine.core.warps().size(), 2U) << "both go on";
  EXPECT_EQ(machine.issued(), "0{0,1,2,3} 0{4,5,6,7}");
  machine.run();
}

TEST(Lwm, LargeWarpsOfABlockAreIndependent) {
  FlowMachine machine(kSetup, {branch(2, among({8})), step(), leave()});
  machine.start(0, 0, 13);
  ASSERT_EQ(machine.core.warps().size(), 4U) << "13 threads: two large warps, the last sub-warp of one lane";
  machine.run();
  EXPECT_EQ(machine.issued(),
            "0{0,1,2,3} 0{4,5,6,7} 1{0,1,2,3} 1{4,5,6,7} 2{0,1,2,3} 2{4,5,6,7} "
            "0{8,9,10,11} 0{12} 1{12,9,10,11} 2{8,9,10,11} 2{12}");
}

TEST(Lwm, ABranchThatAllTakeDoesNotTouchTheStack) {
  const FlowMachine machine = run({branch(2, among({0, 1, 2, 3, 4, 5, 6, 7})), step(), leave()}, 8);
  EXPECT_EQ(machine.issued(), "0{0,1,2,3} 0{4,5,6,7} 2{0,1,2,3} 2{4,5,6,7}");
  EXPECT_EQ(machine.core.deepest, 1U);
  EXPECT_EQ(machine.core.statistic("lwm_packings"), 1U);
}

TEST(Lwm, ThreadsThatExitLeaveTheOthersRunning) {
  Program program{leave(), step(), leave()};
  program[0].outcome = among({0, 1, 2, 3, 6});
  EXPECT_EQ(run(program, 8).issued(), "0{0,1,2,3} 0{4,5,6,7} 1{4,5,7} 2{4,5,7}");
}

TEST(Lwm, OneSubwarpBehavesAsPdom) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    const FlowMachine lwm = run(program, 4), pdom = run(program, 4, {"pdom", {}, 4, 4, 1});
    ASSERT_EQ(lwm.issued(), pdom.issued()) << "seed " << seed;
  }
}

TEST(Lwm, SeveralLargeWarpsOnSeveralSchedulers) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    FlowSetup setup = kSetup;
    setup.max_blocks = 2;
    setup.schedulers = 1 + static_cast<unsigned>(seed % 3);
    FlowMachine machine(setup, arbitrary_program(seed));
    std::mt19937_64 random(seed);
    machine.start(0, 1, 16);
    machine.start(1, 2, 11);
    ASSERT_NO_THROW(machine.run_some(random, ~0U)) << "seed " << seed;
    ASSERT_NO_THROW(machine.end()) << "seed " << seed;
  }
}

// Blocks of one large warp each take turns, or one scheduler would issue for all of them; warp slot s is scheduler
// s % 2's.
TEST(Lwm, LargeWarpsOfAllBlocksAreSpreadOverTheSchedulers) {
  const auto schedulers = [](unsigned threads) {
    FlowSetup setup = kSetup;
    setup.max_blocks = 3;
    setup.schedulers = 2;
    FlowMachine machine(setup, {step(), leave()});
    for (unsigned slot = 0; slot < 3; ++slot) machine.start(slot, slot, threads);
    std::string text;
    for (unsigned slot = 0; slot < 3; ++slot) {
      std::vector<unsigned> subwarps(2, 0);  // of the block, by scheduler
      for (const WarpId id : machine.core.warps()) {
        if (machine.core.block_of(id) == slot) ++subwarps[id % 2];
      }
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", subwarps[0], subwarps[1]);
    }
    return text;
  };
  EXPECT_EQ(schedulers(8), "2:0 0:2 2:0");
  EXPECT_EQ(schedulers(16), "2:2 2:2 2:2");
}

TEST(Lwm, RefusesLargeWarpsThatAreNoWholeWarps) {
  const auto why_not = [](const char* parameter) {
    Geometry geometry;
    geometry.simd_width = 16;
    return find_mechanism("lwm").configure(ConfigNode::from_text(parameter, "t.yaml")).why_not(geometry);
  };
  EXPECT_EQ(why_not("large_warp: 128"), "");
  EXPECT_EQ(why_not("large_warp: 32"), "");
  EXPECT_EQ(why_not("large_warp: 48"), "large_warp = 48 threads is no multiple of the warp size, 32");
  EXPECT_EQ(why_not("large_warp: 16"), "large_warp = 16 threads is no multiple of the warp size, 32");
}

TEST(Lwm, SaysWhichThreadsAreParked) {
  FlowMachine machine(kSetup, {branch(3, among({0, 5, 6})), step(), jump(4), step(), leave()});
  machine.start(0, 0, 8);
  const auto parked = [&] {
    return std::pair{machine.mechanism->parked().inactive, machine.mechanism->parked().reconverging};
  };
  const auto issue = [&] { machine.issue(machine.core.warps().front()); };
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(parked(), (Counts{0, 0}));
  issue(), issue();
  EXPECT_EQ(parked(), (Counts{5, 0})) << "C runs, B waits for its turn";
  issue();
  EXPECT_EQ(parked(), (Counts{0, 3})) << "B runs, C waits at D";
  machine.run();
  EXPECT_EQ(parked(), (Counts{0, 0}));
}

TEST(Lwm, SaysWhatItsThreadsWaitFor) {
  FlowMachine machine(kSetup, {step(), leave()});
  machine.start(0, 0, 8);
  EXPECT_EQ(machine.mechanism->waiting(0), "large warp of rows from 0: 2 of 2 sub-warps busy, stack of 1");
  machine.run();
}

}  // namespace lwm_test
}  // namespace warpfold::divergence
