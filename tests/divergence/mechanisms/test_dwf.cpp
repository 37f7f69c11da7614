// SPDX-License-Identifier: Apache-2.0
// DWF: warps are broken down after every instruction, and threads at one pc share a warp if their lanes let them,
// whatever row or block they come from (TBC §2.3).
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {
namespace dwf_test {

Outcome among(std::vector<unsigned> threads) {
  return
      [threads](Who who, unsigned) { return std::find(threads.begin(), threads.end(), who.thread) != threads.end(); };
}

std::string run(Program program, unsigned threads, std::vector<std::string> parameters = {}) {
  FlowMachine machine({"dwf", std::move(parameters)}, std::move(program));
  machine.start(0, 0, threads);
  machine.run();
  EXPECT_EQ(machine.core.compactions, 0U);
  return machine.issued();
}

TEST(Dwf, WholeWarpsStayAsTheyAre) {
  EXPECT_EQ(run({step(), uniform(3, {}), step(), leave()}, 8),
            "0{0,1,2,3} 1{0,1,2,3} 3{0,1,2,3} 0{4,5,6,7} 1{4,5,6,7} 3{4,5,6,7}");
}

// The side that is there first goes on by itself.
TEST(Dwf, DivergedThreadsDoNotWaitForEachOther) {
  EXPECT_EQ(run({branch(2, among({0, 3})), jump(4), step(), step(), leave()}, 4),
            "0{0,1,2,3} 1{1,2} 4{1,2} 2{0,3} 3{0,3} 4{0,3}");
  EXPECT_EQ(run({branch(2, among({0, 3})), step(), leave()}, 4), "0{0,1,2,3} 1{1,2} 2{0,1,2,3}")
      << "they meet only where one side has not issued yet as the other arrives";
}

TEST(Dwf, ABranchToTheNextInstructionDividesNobody) {
  EXPECT_EQ(run({branch(1, among({2})), leave()}, 4), "0{0,1,2,3} 1{0,1,2,3}");
}

// Rows 0 and 1 go to 3 with two threads each, in different lanes.
TEST(Dwf, WarpsOfSeveralRowsForm) {
  EXPECT_EQ(run({branch(3, among({0, 1, 6, 7})), step(), leave(), leave()}, 8),
            "0{0,1,2,3} 1{2,3} 2{2,3} 0{4,5,6,7} 1{4,5} 2{4,5} 3{0,1,6,7}");
}

class DwfMoves : public testing::Test {
 protected:
  DwfMoves() { start(1); }
  void start(unsigned schedulers) {
    setup.max_rows = 2;
    setup.max_blocks = 2;
    setup.schedulers = schedulers;
    core = std::make_unique<FakeCore>(setup.geometry().max_warps, 4, 2, schedulers);
    dwf = setup.configured().make(setup.geometry(), *core);
    kernel.ops.resize(20);
    dwf->kernel_started(kernel);
    dwf->block_started({0, 0, 0, 0, {0b1111, 0b0011}});
    dwf->block_started({1, 1, 1, 2, {0b1111, 0b0011}});
  }
  // Everybody issues; nothing is left in the pool.
  void issue_all() {
    for (const WarpId id : core->warps()) dwf->issued(id, 0);
  }
  std::string warps() const { return core->warps_text(4); }
  FlowSetup setup{"dwf", {}};
  std::unique_ptr<FakeCore> core;
  std::unique_ptr<Mechanism> dwf;
  isa::Kernel kernel;
};

TEST_F(DwfMoves, ABlockStartsInStaticWarpsThatNobodyJoins) {
  EXPECT_EQ(warps(), "0{0,1,2,3} 0{4,5} 0{8,9,10,11} 0{12,13}");
}

TEST_F(DwfMoves, ThreadsOfSeveralBlocksShareAWarp) {
  issue_all();
  dwf->committed(1, 1);
  dwf->branch_resolved(2, {0, 0b0011, 9, 12, isa::kNoPc, true});
  EXPECT_EQ(warps(), "0{0,1,2,3} 1{4,5,10,11} 9{8,9} 0{12,13}");
  dwf->issued(1, 0);
  dwf->exited(1, 0b0101, 2);
  EXPECT_EQ(warps(), "0{0,1,2,3} 2{5,11} 9{8,9} 0{12,13}") << "one thread of each block has left";
  dwf->issued(1, 0);
  dwf->exited(1, 0b1010, 3);
  EXPECT_FALSE(core->live(1));
}

TEST_F(DwfMoves, ThreadsThatWaitedLookTheirPcUpAgain) {
  issue_all();
  dwf->committed(1, 1);
  dwf->branch_resolved(2, {0, 0b0011, 9, 12, isa::kNoPc, true});
  dwf->issued(1, 0);
  Warp threads = core->warp(1);
  threads.pc = 2;
  ASSERT_TRUE(dwf->gives_up(1));
  EXPECT_EQ(warps(), "0{0,1,2,3} 9{8,9} 0{12,13}");
  const Warp of_block_0 = split(threads, 0b0011);
  dwf->together(threads);
  EXPECT_EQ(warps(), "0{0,1,2,3} 2{10,11} 9{8,9} 0{12,13}");
  dwf->together(of_block_0);
  EXPECT_EQ(warps(), "0{0,1,2,3} 2{4,5,10,11} 9{8,9} 0{12,13}") << "they look their pc up again";
}

TEST_F(DwfMoves, ThreadsStayWithTheirRowsScheduler) {
  start(2);
  issue_all();
  dwf->committed(1, 1);
  dwf->branch_resolved(2, {0, 0b0011, 9, 12, isa::kNoPc, true});
  EXPECT_EQ(warps(), "0{0,1,2,3} 1{4,5} 1{10,11} 0{12,13} 9{8,9}");
}

TEST_F(DwfMoves, ThreadsMayLeaveAfterAnyInstruction) {
  EXPECT_TRUE(dwf->leaves_at(0, 1));
  EXPECT_FALSE(dwf->traits.keeps_warps);
  EXPECT_TRUE(dwf->traits.mixes_paths);
}

}  // namespace dwf_test
}  // namespace warpfold::divergence
