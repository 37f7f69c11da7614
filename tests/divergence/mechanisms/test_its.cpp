// SPDX-License-Identifier: Apache-2.0
// Independent thread scheduling: what each warp runs, that without yields and merging it runs what PDOM does, and that
// the threads of a warp get a lock one after the other.
#include <gtest/gtest.h>

#include "tests/divergence/path_programs.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace its_test {

using Sets = std::vector<std::string>;

std::string walk(Program program, Sets parameters = {}) {
  FlowMachine machine({"its", std::move(parameters)}, std::move(program));
  machine.start(0, 0, 4);
  machine.run_preferred();
  return walk_of(machine);
}

TEST(Its, WalksOfTwoSides) {
  EXPECT_EQ(walk(if_else_program()), "0:f 1:f 4:c 5:c 2:3 3:3 6:f 7:f");
  EXPECT_EQ(walk(if_else_program(), {"branch_order=not_taken_first"}), "0:f 1:f 2:3 3:3 4:c 5:c 6:f 7:f");
  EXPECT_EQ(walk(if_else_program(), {"switch=every"}), "0:f 1:f 4:c 2:3 5:c 3:3 6:f 7:f");
}

TEST(Its, WalksOfAShortCircuit) {
  EXPECT_EQ(walk(short_circuit_program(), {"merge=false"}), "0:f 4:9 5:9 7:1 6:8 1:6 2:6 4:4 5:4 6:4 7:4 3:2 8:f 9:f");
  EXPECT_EQ(walk(short_circuit_program(), {"branch_order=not_taken_first"}), "0:f 1:6 2:6 3:2 4:d 5:d 6:c 7:5 8:f 9:f");
}

TEST(Its, WalksOfALoop) {
  EXPECT_EQ(walk(loop_program(), {"branch_order=not_taken_first"}),
            "0:f 1:f 2:5 3:5 4:a 5:f 0:e 1:e 2:4 3:4 4:a 5:e 0:4 1:4 2:4 3:4 5:4 6:f 7:f");
  EXPECT_EQ(walk(loop_program()), "0:f 1:f 4:a 2:5 3:5 5:f 0:e 1:e 4:a 2:4 3:4 5:e 0:4 1:4 2:4 3:4 5:4 6:f 7:f");
}

// A thread that has yielded is not waited for: who has the lock leaves the loop alone.
TEST(Its, ALockPassesFromThreadToThread) {
  SpinningWarp warp("its", {"yield_after=1"});
  EXPECT_EQ(warp.run(100), "0:f 1:f 2:1 3:1 4:1 0:e 1:e 2:2 3:2 4:2 0:c 1:c 2:4 3:4 4:4 0:8 1:8 2:8 3:8 4:8");
  EXPECT_TRUE(warp.ended());
  EXPECT_EQ(warp.core().statistic("its_yields"), 3U);
}

TEST(Its, ALockPassesWhicheverThreadHasTheTurn) {
  for (const char* turn : {"switch=block", "switch=stall", "switch=every"}) {
    for (const char* after : {"yield_after=1", "yield_after=3", "yield_after=1024"}) {
      SpinningWarp warp("its", {turn, after});
      warp.run(20'000);
      EXPECT_TRUE(warp.ended()) << turn << " " << after;
    }
  }
}

TEST(Its, WithoutYieldsThoseWhoSpinKeepTheHolderWaiting) {
  SpinningWarp warp("its", {"yield_after=0"});
  EXPECT_EQ(warp.run(6), "0:f 1:f 0:e 1:e 0:e 1:e");
  warp.run(10'000);
  EXPECT_FALSE(warp.ended());
}

// Rounds are counted from the last time that the threads yielded.
TEST(Its, ThreadsYieldOnceInSoManyRounds) {
  const Program rounds{step(), branch(0, [](Who who, unsigned visit) { return who.thread != 0 && visit < 6; }), step(),
                       leave()};
  for (const auto& [after, yields] : {std::pair{1U, 6U}, {2U, 3U}, {3U, 2U}, {4U, 1U}, {7U, 0U}}) {
    FlowMachine machine({"its", {fmt::format("yield_after={}", after)}}, rounds);
    machine.start(0, 0, 4);
    machine.run_preferred();
    EXPECT_EQ(machine.core.statistic("its_yields"), yields) << after;
  }
}

// A warp of four threads that is told what they do, threads 2 and 3 at 4 and the others at 2, to meet at 6.
class TwoPaths {
 public:
  explicit TwoPaths(unsigned yield_after)
      : setup_{"its", {"switch=stall", fmt::format("yield_after={}", yield_after)}},
        core(setup_.geometry().max_warps, 8),
        its(setup_.configured().make(setup_.geometry(), core)) {
    its->kernel_started(kernel_);
    its->block_started({0, 0, 0, 0, {0b1111}});
    its->committed(0, 1);
    jump(0, 0b1100, 4);
  }
  void jump(WarpId id, LaneMask taken, Pc to) {
    its->issued(id, ++cycle_);
    its->branch_resolved(id, {core.warp(id).pc, taken, to, 6, isa::kNoPc, true});
  }
  void step(WarpId id) {
    its->issued(id, ++cycle_);
    its->committed(id, core.warp(id).pc + 1);
  }

 private:
  FlowSetup setup_;
  const isa::Kernel kernel_ = kernel_of(if_else_program());
  Cycle cycle_ = 0;

 public:
  FakeCore core;
  std::unique_ptr<Mechanism> its;
};

TEST(Its, PathsThatMergeHaveTheRoundsOfTheOneThatHasMore) {
  TwoPaths warp(4);
  warp.step(1);
  for (unsigned round = 0; round < 2; ++round) warp.jump(0, 0b1100, 4);
  warp.jump(0, 0b1100, 3);  // where the others are: its third
  ASSERT_EQ(warp.core.warps(), std::vector<WarpId>{1});
  EXPECT_EQ(warp.core.warp(1).mask, 0b1111U);
  EXPECT_EQ(warp.core.statistic("its_yields"), 0U);
  warp.jump(1, 0b1111, 3);
  EXPECT_EQ(warp.core.statistic("its_yields"), 1U);
}

// They meet nobody any more where the others have gone on without them, even if others are to meet there again.
TEST(Its, WhoHasYieldedIsNotWaitedForAndDoesNotWait) {
  TwoPaths warp(1);
  warp.jump(0, 0b1100, 4);
  const WarpId yielded = warp.core.warp(0).mask == 0b1100U ? 0 : 1, others = 1 - yielded;
  ASSERT_EQ(warp.core.warp(yielded).mask, 0b1100U);
  for (unsigned pc = 2; pc < 6; ++pc) warp.step(others);
  EXPECT_EQ(warp.core.warp(others).pc, 6U);
  EXPECT_EQ(warp.its->parked().reconverging, 0U) << "they have gone on";
  warp.step(yielded);
  warp.step(yielded);
  EXPECT_EQ(warp.its->parked().reconverging, 0U) << "nobody waits for anybody";
  for (const WarpId id : warp.core.warps()) EXPECT_EQ(warp.core.warp(id).pc, 6U);
}

TEST(Its, WhoHasYieldedMeetsNobodyWhereTheOthersPartAnew) {
  TwoPaths warp(1);
  warp.jump(0, 0b1100, 4);
  const WarpId yielded = warp.core.warp(0).mask == 0b1100U ? 0 : 1, others = 1 - yielded;
  for (unsigned pc = 2; pc < 6; ++pc) warp.step(others);
  warp.jump(others, 0b0001, 2);  // at 6, to meet there
  warp.step(yielded);
  warp.step(yielded);
  EXPECT_EQ(warp.its->parked().reconverging, 0U);
  for (const WarpId id : warp.core.warps()) {
    EXPECT_TRUE(warp.core.warp(id).mask != 0b1100U || warp.core.warp(id).pc == 6U);
  }
}

// Fewer barriers than branches deep: those who find none meet where the others do.
TEST(Its, ADivergenceWithoutABarrierMeetsAtTheOuterOne) {
  const Program nested{
      branch(5, of_threads(0b1000)), branch(3, of_threads(0b0100)), step(), step(), step(), step(), leave()};
  EXPECT_EQ(walk(nested, {"merge=false"}), "0:f 1:7 2:3 3:7 4:7 5:f 6:f");
  FlowMachine machine({"its", {"barriers=1", "merge=false"}}, nested);
  machine.start(0, 0, 4);
  machine.run();
  EXPECT_EQ(walk_of(machine), "0:f 1:7 3:4 4:4 2:3 3:3 4:3 5:f 6:f");
  EXPECT_EQ(machine.core.statistic("its_barriers"), 1U);
  EXPECT_EQ(machine.core.statistic("its_without_barrier"), 1U);
}

// Under `stall` other threads have the turn while those who have it wait for memory, and only then.
TEST(Its, AStallPassesTheTurn) {
  const FlowSetup setup{"its", {"switch=stall"}};
  FakeCore core(setup.geometry().max_warps, 8);
  const auto its = setup.configured().make(setup.geometry(), core);
  isa::Kernel kernel = kernel_of(if_else_program());
  kernel.ops[5].kind = isa::Kind::kLoad;
  its->kernel_started(kernel);
  its->block_started({0, 0, 0, 0, {0b1111}});
  its->issued(0, 1);
  its->committed(0, 1);
  its->branch_resolved(0, {1, 0b1100, 4, 6, isa::kNoPc, true});
  ASSERT_EQ(core.warps(), (std::vector<WarpId>{0, 1}));
  EXPECT_EQ(core.warp(0).pc, 4U);
  const auto preferred = [&](std::vector<WarpId> warps) {
    WarpSet ready(setup.geometry().max_warps);
    for (const WarpId id : warps) ready.insert(id);
    its->prefer(ready, 0);
    return ready.next(0);
  };
  EXPECT_EQ(preferred({0, 1}), 0U);
  its->issued(0, 2);
  EXPECT_EQ(preferred({1}), kNoWarp) << "a step is no long wait";
  its->committed(0, 5);
  its->issued(0, 3);
  EXPECT_EQ(preferred({1}), 1U);
  its->issued(1, 4);
  its->committed(1, 3);
  EXPECT_EQ(preferred({0, 1}), 1U) << "until these wait";
}

// Whole warps wait as they are. Of others each path waits by itself, and the rest of the warp goes on.
TEST(Its, PathsWaitForTheirBlockEachByItself) {
  const FlowSetup setup{"its", {}};
  FakeCore core(setup.geometry().max_warps, 8);
  const auto its = setup.configured().make(setup.geometry(), core);
  const isa::Kernel kernel = kernel_of(if_else_program());
  its->kernel_started(kernel);
  its->block_started({0, 0, 0, 0, {0b1111}});
  EXPECT_FALSE(its->gives_up(0));
  its->committed(0, 1);
  its->branch_resolved(0, {1, 0b1100, 4, 6, isa::kNoPc, true});
  const Warp first = core.warp(0);
  EXPECT_EQ(first.mask, 0b1100U);
  EXPECT_FALSE(its->leaves_at(0, 6)) << "the other path has its warp then";
  EXPECT_TRUE(its->gives_up(0));
  EXPECT_EQ(core.warp(0).mask, 0b0011U);
  EXPECT_TRUE(its->leaves_at(0, 6)) << "nobody has";
  EXPECT_FALSE(its->leaves_at(0, 4));
  EXPECT_EQ(its->kept_back(kNoWarp, first, 0), 0U) << "nobody waits for them yet";
  its->committed(0, 6);
  EXPECT_TRUE(core.warps().empty());
  EXPECT_EQ(its->kept_back(kNoWarp, first, 0), 0b0011U) << "at the barrier, until they come";
  EXPECT_EQ(its->parked().reconverging, 2U);
  its->together(Warp::of_row(5, 0, 0b1100));
  EXPECT_EQ(core.warp(0).mask, 0b1100U);
  its->committed(0, 6);
  EXPECT_EQ(core.warp(0).mask, 0b1111U);
  its->exited(0, 0b1111, 7);
  EXPECT_NO_THROW(its->kernel_ended());
}

// A pc, two bits of state and the barrier of each of 32 threads, and sixteen barriers, for 32 warps.
TEST(Its, Hardware) {
  const Configured its = FlowSetup{"its", {}}.configured();
  EXPECT_EQ(its.hardware(HardwareGeometry{}).text(),
            "thread states (32 × 1248 bits), convergence barriers (512 × 64 bits), rtl/path_picker, "
            "rtl/convergence_barriers");
}

// What each issues of a random program, in order.
std::vector<std::string> issued(const FlowSetup& setup, const Program& program, std::uint64_t seed) {
  FlowMachine machine(setup, program);
  machine.start(0, seed, 22);
  machine.run();
  return issues_of(machine);
}

TEST(Its, IsPdomWithoutYieldsAndMerging) {
  for (const char* order : {"branch_order=taken_first", "branch_order=not_taken_first", "branch_order=fewest_first"}) {
    const FlowSetup its{"its", {order, "yield_after=0", "merge=false", "barriers=64"}}, pdom{"pdom", {order}};
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
      const Program program = StructuredProgram(seed, seed % 2 == 0).make();
      ASSERT_EQ(issued(its, program, seed), issued(pdom, program, seed)) << order << ", seed " << seed;
    }
  }
}

}  // namespace its_test
}  // namespace warpfold::divergence
