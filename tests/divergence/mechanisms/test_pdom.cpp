// SPDX-License-Identifier: Apache-2.0
// PDOM: what each warp runs, in which order and with which threads (TBC §2.2.2; one stack per warp).
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"

namespace warpfold::divergence {
namespace pdom_test {

Outcome among(std::vector<unsigned> threads) {
  return
      [threads](Who who, unsigned) { return std::find(threads.begin(), threads.end(), who.thread) != threads.end(); };
}
// Stays in a loop for as many rounds after the first as its table says.
Outcome rounds(std::vector<unsigned> table) {
  return [table](Who who, unsigned visit) { return visit < table.at(who.thread); };
}

struct Ran {
  std::string issued;
  unsigned deepest;
};

Ran run(Program program, unsigned threads = 4, std::vector<std::string> parameters = {}) {
  FlowMachine machine({"pdom", std::move(parameters)}, std::move(program));
  machine.start(0, 0, threads);
  machine.run();
  EXPECT_EQ(machine.core.compactions, 0U) << "PDOM compacts nothing";
  return {machine.issued(), machine.core.deepest};
}

Program if_else() { return {branch(3, among({1, 3, 5})), step(), jump(4), step(), leave()}; }

TEST(Pdom, IfRunsItsBodyAndMeetsAgain) {
  const Ran ran = run({branch(2, among({0, 3})), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 1{1,2} 2{0,1,2,3}");
  EXPECT_EQ(ran.deepest, 2U) << "a side whose target is the RPC gets no entry";
}

TEST(Pdom, IfElseRunsTheTakenSideFirst) {
  const Ran ran = run(if_else());
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 3{1,3} 1{0,2} 2{0,2} 4{0,1,2,3}");
  EXPECT_EQ(ran.deepest, 3U);
}

TEST(Pdom, BranchOrder) {
  EXPECT_EQ(run(if_else(), 4, {"branch_order=not_taken_first"}).issued, "0{0,1,2,3} 1{0,2} 2{0,2} 3{1,3} 4{0,1,2,3}");
  EXPECT_EQ(run(if_else(), 4, {"branch_order=fewest_first"}).issued, "0{0,1,2,3} 3{1,3} 1{0,2} 2{0,2} 4{0,1,2,3}")
      << "a tie";
  EXPECT_EQ(run(if_else(), 3, {"branch_order=fewest_first"}).issued, "0{0,1,2} 3{1} 1{0,2} 2{0,2} 4{0,1,2}");
  const Program mostly_taken{branch(3, among({1, 2, 3})), step(), jump(4), step(), leave()};
  EXPECT_EQ(run(mostly_taken, 4, {"branch_order=fewest_first"}).issued, "0{0,1,2,3} 1{0} 2{0} 3{1,2,3} 4{0,1,2,3}");
}

TEST(Pdom, NothingIsPushedWhenAllGoOneWay) {
  const Ran taken = run({branch(2, {}), step(), leave()});
  EXPECT_EQ(taken.issued, "0{0,1,2,3} 2{0,1,2,3}");
  const Ran not_taken = run({branch(2, among({})), step(), leave()});
  EXPECT_EQ(not_taken.issued, "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3}");
  EXPECT_EQ(taken.deepest, 1U);
  EXPECT_EQ(not_taken.deepest, 1U);
}

TEST(Pdom, ABranchToTheNextInstructionChangesNothing) {
  EXPECT_EQ(run({branch(1, among({2})), leave()}).issued, "0{0,1,2,3} 1{0,1,2,3}");
}

TEST(Pdom, NestedIfsMeetInsideOut) {
  const Ran ran = run({branch(5, among({3})), branch(3, among({2})), step(), step(), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 1{0,1,2} 2{0,1} 3{0,1,2} 4{0,1,2} 5{0,1,2,3}");
  EXPECT_EQ(ran.deepest, 3U);
}

// Thread t goes round t + 1 times. The entry that waits for the RPC is there already: the stack does not grow.
TEST(Pdom, ALoopDoesNotGrowTheStack) {
  const Ran ran = run({step(), branch(0, rounds({0, 1, 2, 3})), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 1{0,1,2,3} 0{1,2,3} 1{1,2,3} 0{2,3} 1{2,3} 0{3} 1{3} 2{0,1,2,3}");
  EXPECT_EQ(ran.deepest, 2U);
}

// The same where the loop's end is a break to the reconvergence point and the rest of the body follows the branch.
TEST(Pdom, ABreakDoesNotGrowTheStack) {
  const Outcome ends = [](Who who, unsigned visit) { return visit >= who.thread; };
  const Ran ran = run({branch(3, ends), step(), jump(0), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 1{1,2,3} 2{1,2,3} 0{1,2,3} 1{2,3} 2{2,3} 0{2,3} 1{3} 2{3} 0{3} 3{0,1,2,3}");
  EXPECT_EQ(ran.deepest, 2U);
}

TEST(Pdom, ExitsLeaveEveryEntry) {
  EXPECT_EQ(run({branch(2, among({1, 2})), leave(), step(), leave()}).issued, "0{0,1,2,3} 2{1,2} 3{1,2} 1{0,3}");
  EXPECT_EQ(run({branch(3, among({1, 2})), step(), jump(4), leave(), step(), leave()}).issued,
            "0{0,1,2,3} 3{1,2} 1{0,3} 2{0,3} 4{0,3} 5{0,3}")
      << "an exit in the taken side";
}

// Real post-dominators never leave an entry below that names a thread that can exit; the mask would be wrong if one
// did.
TEST(Pdom, ExitedThreadsDoNotComeBackAtTheReconvergencePoint) {
  FakeCore core(8, 8);
  const FlowSetup setup{"pdom", {}};
  const auto pdom = setup.configured().make(setup.geometry(), core);
  isa::Kernel kernel;
  kernel.ops.resize(9);
  pdom->kernel_started(kernel);
  pdom->block_started({0, 0, 0, 0, {0b1111}});
  pdom->branch_resolved(0, {0, 0b0011, 5, 7, isa::kNoPc, true});
  pdom->exited(0, 0b0001, 6);
  EXPECT_EQ(core.warp(0).mask, 0b0010U);
  pdom->committed(0, 7);
  EXPECT_EQ(core.warp(0).mask, 0b1100U);
  EXPECT_EQ(core.warp(0).pc, 1U);
  pdom->committed(0, 7);
  EXPECT_EQ(core.warp(0).mask, 0b1110U);
  pdom->exited(0, 0b1110, 8);
  EXPECT_FALSE(core.live(0));
}

TEST(Pdom, AGuardedExitNarrowsTheRunningWarp) {
  EXPECT_EQ(run({leave_if(among({0, 2})), step(), leave()}).issued, "0{0,1,2,3} 1{1,3} 2{1,3}");
  EXPECT_EQ(run({leave_if(among({})), leave()}).issued, "0{0,1,2,3} 1{0,1,2,3}") << "nobody leaves";
  EXPECT_EQ(run({branch(3, among({0, 1})), step(), jump(4), leave_if(among({0, 2})), step(), leave()}).issued,
            "0{0,1,2,3} 3{0,1} 4{1} 5{1} 1{2,3} 2{2,3} 4{2,3} 5{2,3}")
      << "a path to the end: the branch reconverges at the end only";
  EXPECT_EQ(run({branch(3, among({0, 1})), step(), jump(4), leave_if({}), leave()}).issued,
            "0{0,1,2,3} 3{0,1} 1{2,3} 2{2,3} 4{2,3}")
      << "a guarded exit that empties its entry";
}

TEST(Pdom, WarpsGoTheirOwnWays) {
  EXPECT_EQ(run(if_else(), 6).issued, "0{0,1,2,3} 3{1,3} 1{0,2} 2{0,2} 4{0,1,2,3} 0{4,5} 3{5} 1{4} 2{4} 4{4,5}")
      << "the last row is partial";
}

TEST(Pdom, KeepsWarps) {
  const FlowSetup setup{"pdom", {}};
  FakeCore core(8, 8);
  const auto pdom = setup.configured().make(setup.geometry(), core);
  EXPECT_TRUE(pdom->traits.keeps_warps);
  isa::Kernel kernel;
  kernel.ops.resize(9);
  pdom->kernel_started(kernel);
  pdom->block_started({0, 0, 0, 2, {0b1111}});
  EXPECT_EQ(core.warp(0).row[0], 2);
  pdom->branch_resolved(0, {0, 0b0011, 5, 7, isa::kNoPc, true});
  EXPECT_FALSE(pdom->leaves_at(0, 7)) << "waiting in one's own warp is not leaving it";
  EXPECT_NE(pdom->waiting(0).find("every live thread in its warp"), std::string::npos);
}

}  // namespace pdom_test
}  // namespace warpfold::divergence
