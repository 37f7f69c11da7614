// SPDX-License-Identifier: Apache-2.0
// Frontier: who runs when, where threads meet, who is parked, and that none of it costs more issues than PDOM's stack.
#include <gtest/gtest.h>

#include "tests/divergence/example_programs.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace frontier_test {

const std::vector<std::string> kOrders{"rpo", "pc", "depth_pc"};

std::string frontier(Program program, const std::vector<std::string>& parameters = {}) {
  return walk("frontier", parameters, std::move(program));
}

TEST(Frontier, WalksThroughAnIfAndAnElse) {
  for (const std::string& order : kOrders)
    EXPECT_EQ(frontier(if_else_program(), {"order=" + order}), "0:f 1:f 2:3 3:3 4:c 5:c 6:f 7:f");
}

// Ten issues, where PDOM needs fourteen: those that come to 4, 5 and 7 meet there.
TEST(Frontier, MeetsBeforeThePostDominator) {
  const std::string expected = "0:f 1:6 2:6 3:2 4:d 5:d 6:c 7:5 8:f 9:f";
  for (const std::string& order : kOrders) EXPECT_EQ(frontier(short_circuit_program(), {"order=" + order}), expected);
  EXPECT_EQ(walk("pdom", {}, short_circuit_program()), "0:f 4:9 5:9 7:1 6:8 1:6 2:6 4:4 5:4 6:4 7:4 3:2 8:f 9:f");
}

TEST(Frontier, GoesRoundALoop) {
  for (const std::string& order : kOrders) {
    EXPECT_EQ(frontier(loop_program(), {"order=" + order}),
              "0:f 1:f 2:5 3:5 4:a 5:f 0:e 1:e 2:4 3:4 4:a 5:e 0:4 1:4 2:4 3:4 5:4 6:f 7:f");
  }
}

TEST(Frontier, HasAsManyContextsAsNeeded) {
  FlowMachine machine({"frontier", {}}, short_circuit_program());
  machine.start(0, 0, 4);
  machine.run();
  EXPECT_EQ(machine.core.statistic("frontier_contexts_max"), 3U);
  EXPECT_EQ(machine.core.statistic("frontier_inserts"), 4U) << "of the branches at 0, 2, 5 and 6";
  EXPECT_EQ(machine.core.statistic("frontier_merges"), 4U) << "at 4, 7 and, twice, 8";
  EXPECT_EQ(machine.core.statistic("frontier_turns"), 3U) << "at 4, and at 7 and 8 where others come";
  EXPECT_EQ(machine.core.compactions, 0U);
}

// The loop's exit, at 2, is before the rest of its body: with the program's own order threads that leave run ahead to
// the end, and the others follow one round each.
TEST(Frontier, KeepsLoopsTogether) {
  const Outcome leaves = [](Who who, unsigned visit) { return visit > who.thread; };
  const Program program{step(),  branch(3, [leaves](Who who, unsigned visit) { return !leaves(who, visit); }),
                        jump(5), step(),
                        jump(0), step(),
                        leave()};
  const std::string together = frontier(program);
  EXPECT_EQ(together.substr(together.rfind("5:")), "5:f 6:f");
  EXPECT_NE(frontier(program, {"order=pc"}), together);
}

TEST(Frontier, MeetsInTheNextInstruction) {
  EXPECT_EQ(frontier({branch(1, of_threads(0b0100)), step(), leave()}), "0:f 1:f 2:f");
  EXPECT_EQ(frontier({branch(2, of_threads(0b0100)), step(), step(), leave()}), "0:f 1:b 2:f 3:f")
      << "by falling through";
}

TEST(Frontier, ExitsLeaveTheirContexts) {
  EXPECT_EQ(frontier({branch(2, of_threads(0b0110)), leave(), step(), leave()}), "0:f 1:9 2:6 3:6");
  EXPECT_EQ(frontier({leave_if(of_threads(0b0101)), step(), leave()}), "0:f 1:a 2:a");
  EXPECT_EQ(frontier({branch(3, of_threads(0b0011)), step(), jump(4), leave_if(of_threads(0b0101)), leave()}),
            "0:f 1:c 2:c 3:3 4:e");
}

// The first in the order runs, the others are parked: on a side that has not had its turn, or behind others.
TEST(Frontier, KnowsWhoIsParked) {
  FlowMachine machine({"frontier", {}}, if_else_program());
  machine.start(0, 0, 4);
  const auto parked = [&] {
    return std::pair(machine.mechanism->parked().inactive, machine.mechanism->parked().reconverging);
  };
  const auto expect = [&](Pc at, std::uint64_t inactive, std::uint64_t reconverging) {
    while (machine.core.warp(0).pc != at) machine.issue(0);
    EXPECT_EQ(parked(), std::pair(inactive, reconverging)) << at;
  };
  expect(1, 0, 0);
  expect(2, 2, 0);
  expect(4, 0, 2);
  expect(6, 0, 0);
  machine.run();
  EXPECT_EQ(parked(), std::pair(std::uint64_t{0}, std::uint64_t{0}));
}

// A warp at a barrier: together() gives its threads back as the core does.
class Waiting : public testing::Test {
 protected:
  Waiting() : mechanism_(setup_.configured().make(setup_.geometry(), core_)) {
    kernel_ = kernel_of({branch(3, of_threads(0)), step(), jump(4), step(), step(), leave()});
    mechanism_->kernel_started(kernel_);
    mechanism_->block_started({0, 0, 0, 0, {0b1111}});
  }
  WarpId only() const {
    EXPECT_EQ(core_.warps().size(), 1U);
    return core_.warps().front();
  }
  std::string now() {
    const Warp& warp = core_.warp(only());
    return fmt::format("{}:{:x}", warp.pc, warp.mask);
  }
  void diverge(LaneMask taken) {
    mechanism_->issued(only(), 0);
    mechanism_->branch_resolved(only(), {0, taken, 3, 4, isa::kNoPc, true});
  }
  bool wait() {
    mechanism_->issued(only(), 0);
    return mechanism_->gives_up(only());
  }
  void come_back(Pc pc, LaneMask lanes) { mechanism_->together(Warp::of_row(pc, 0, lanes)); }
  void leave_all() {
    while (!core_.warps().empty()) {
      const WarpId id = core_.warps().front();
      mechanism_->exited(id, core_.warp(id).mask, 5);
    }
    mechanism_->kernel_ended();
  }

  FlowSetup setup_{"frontier", {}};
  FakeCore core_{8, 8};
  isa::Kernel kernel_;
  std::unique_ptr<Mechanism> mechanism_;
};

TEST_F(Waiting, AWholeRowWaitsInItsWarp) {
  EXPECT_FALSE(wait());
  EXPECT_TRUE(core_.live(0));
  EXPECT_FALSE(mechanism_->traits.keeps_back);
}

TEST_F(Waiting, APartMakesRoomForTheOthers) {
  diverge(0b1100);
  EXPECT_EQ(now(), "1:3");
  EXPECT_TRUE(wait());
  EXPECT_EQ(now(), "3:c");
  EXPECT_TRUE(wait());
  EXPECT_TRUE(core_.warps().empty());
  EXPECT_EQ(mechanism_->parked().inactive + mechanism_->parked().reconverging, 0U) << "who waits is not parked";
  come_back(4, 0b0011);
  come_back(4, 0b1100);
  EXPECT_EQ(now(), "4:f") << "those that come back to one place meet";
  leave_all();
}

TEST_F(Waiting, WhoComesBackDoesNotInterrupt) {
  diverge(0b1100);
  EXPECT_TRUE(wait());
  mechanism_->issued(only(), 0);
  come_back(1, 0b0011);
  EXPECT_EQ(now(), "3:c") << "it may have something in flight";
  EXPECT_EQ(mechanism_->parked().inactive, 2U);
  mechanism_->committed(only(), 4);
  EXPECT_EQ(now(), "1:3");
  mechanism_->committed(only(), 4);
  EXPECT_EQ(now(), "4:f");
  leave_all();
}

TEST_F(Waiting, WhoIsAwayIsWaitedForByTheKernel) {
  diverge(0b1100);
  EXPECT_TRUE(wait());
  mechanism_->exited(only(), 0b1100, 4);
  EXPECT_TRUE(core_.warps().empty());
  EXPECT_THROW(mechanism_->kernel_ended(), std::exception);
  come_back(2, 0b0011);
  leave_all();
}

// Rows stay with their schedulers, although their warps come and go.
TEST(Frontier, ARowKeepsItsScheduler) {
  const FlowSetup setup{"frontier", {}, 4, 4, 1, 2};
  FakeCore core(4, 4, 4, 2);
  const auto mechanism = setup.configured().make(setup.geometry(), core);
  const isa::Kernel kernel = kernel_of(if_else_program());
  mechanism->kernel_started(kernel);
  mechanism->block_started({0, 0, 0, 0, {0b1111, 0b1111, 0b1111}});
  for (const WarpId id : {0U, 1U}) {
    mechanism->branch_resolved(id, {1, 0b0011, 4, 6, isa::kNoPc, true});
    mechanism->gives_up(id);
    EXPECT_EQ(core.warp(id).row[0], id);
    mechanism->gives_up(id);
  }
  mechanism->together(Warp::of_row(6, 1, 0b1111));
  EXPECT_EQ(core.warp(1).row[0], 1) << "the slot of the other scheduler stays free";
}

// While the first context waits for memory another issues; they meet where neither has issued.
TEST(Frontier, RunsAnyThatIsReady) {
  FlowMachine machine({"frontier", {"run=any"}}, if_else_program());
  EXPECT_FALSE(machine.mechanism->traits.keeps_warps) << "a warp drains before it parts";
  machine.start(0, 0, 4);
  EXPECT_FALSE(machine.mechanism->leaves_at(0, 1)) << "nobody can join or be joined";
  machine.issue(0);
  machine.issue(0);
  EXPECT_TRUE(machine.mechanism->leaves_at(0, 3));
  ASSERT_EQ(machine.core.warps().size(), 2U);
  WarpSet ready(8);
  for (const WarpId id : machine.core.warps()) ready.insert(id);
  machine.mechanism->prefer(ready, 0);
  EXPECT_EQ(ready.size(), 1U);
  EXPECT_EQ(machine.core.warp(ready.next(0)).pc, 2U) << "the first in the order";
  machine.mechanism->issued(0, 0);  // and waits for memory
  machine.issue(1);
  machine.issue(1);
  machine.issue(1);
  machine.mechanism->committed(0, 3);
  machine.mechanism->issued(0, 0);
  machine.mechanism->branch_resolved(0, {3, 0b0011, 6, 6, isa::kNoPc, false});
  ASSERT_EQ(machine.core.warps().size(), 2U) << "7 and 6: one ran ahead";
}

// Others go ahead of one that waits for memory, not of one that is in the pipeline.
TEST(Frontier, RunsAnotherDuringAMemoryAccess) {
  for (const bool slow : {true, false}) {
    const FlowSetup setup{"frontier", {"run=any"}};
    FakeCore core(64, 8);
    const auto mechanism = setup.configured().make(setup.geometry(), core);
    isa::Kernel kernel = kernel_of(if_else_program());
    kernel.ops[2].kind = isa::Kind::kLoad;
    kernel.ops[2].space = slow ? isa::Space::kGlobal : isa::Space::kShared;
    mechanism->kernel_started(kernel);
    mechanism->block_started({0, 0, 0, 0, {0b1111}});
    mechanism->issued(0, 0);
    mechanism->branch_resolved(0, {1, 0b1100, 4, 6, isa::kNoPc, true});
    mechanism->issued(0, 0);
    WarpSet ready(64);
    ready.insert(1);
    mechanism->prefer(ready, 1);
    EXPECT_EQ(ready.contains(1), slow);
  }
}

// What every thread executes is checked by the machine; how often warps issue, here.
class Structured : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Orders, Structured, testing::Values("rpo", "depth_pc"));

std::size_t issues(const std::string& mechanism, const std::vector<std::string>& parameters, const Program& program,
                   unsigned threads) {
  FlowMachine machine({mechanism, parameters}, program);
  machine.start(0, 0, threads);
  machine.run();
  return machine.trace.size();
}

TEST_P(Structured, NeverIssuesMoreThanPdom) {
  std::size_t less = 0;
  for (std::uint64_t seed = 1; seed <= 3000 && !HasFailure(); ++seed) {
    const Program program = StructuredProgram(seed, seed % 2 == 0).make();
    const std::size_t of_pdom = issues("pdom", {}, program, 8),
                      mine = issues("frontier", {"order=" + GetParam()}, program, 8);
    EXPECT_LE(mine, of_pdom) << "seed " << seed;
    less += mine < of_pdom ? 1 : 0;
  }
  EXPECT_GT(less, 100U) << "breaks and early exits part threads that meet before the post-dominator";
}

TEST_P(Structured, AllMeetAgainAtTheEnd) {
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    const Program program = StructuredProgram(seed, false).make();
    FlowMachine machine({"frontier", {"order=" + GetParam()}}, program);
    machine.start(0, seed, 22);
    machine.run();
    EXPECT_EQ(machine.issues_at(static_cast<Pc>(program.size() - 1)), 6U) << "seed " << seed;
  }
}

TEST_P(Structured, EveryThreadIsAccountedFor) {
  std::uint64_t inactive = 0, reconverging = 0;
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    FlowMachine machine({"frontier", {"order=" + GetParam()}}, StructuredProgram(seed, true).make());
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

TEST(Frontier, DeclaresItsHardware) {
  const HardwareGeometry geometry;
  const Hardware rpo = FlowSetup{"frontier", {}}.configured().hardware(geometry);
  EXPECT_EQ(rpo.text(), "cold contexts (992 × 65 bits), rtl/context_sorter")
      << "32 rows of 31, with pc, mask and a bit";
  const Hardware deep = FlowSetup{"frontier", {"order=depth_pc"}}.configured().hardware(geometry);
  EXPECT_EQ(deep.text(), "cold contexts (992 × 73 bits), rtl/context_sorter");
}

TEST(Frontier, SaysWhatThreadsWaitFor) {
  FlowMachine machine({"frontier", {}}, if_else_program());
  EXPECT_NE(machine.mechanism->waiting(0).find("by the order of the code"), std::string::npos);
  machine.start(0, 0, 4);
  EXPECT_THROW(machine.mechanism->kernel_ended(), std::exception) << "a context is left";
  machine.run();
}

}  // namespace frontier_test
}  // namespace warpfold::divergence
