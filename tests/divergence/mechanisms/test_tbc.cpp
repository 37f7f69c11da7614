// SPDX-License-Identifier: Apache-2.0
// TBC: what runs in which order and in whose company; when warps wait for their block and when not (TBC §3).
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "tests/divergence/flow_machine.h"

namespace warpfold::divergence {
namespace tbc_test {

Outcome among(std::vector<unsigned> threads) {
  return [threads = std::move(threads)](Who who, unsigned) {
    return std::find(threads.begin(), threads.end(), who.thread) != threads.end();
  };
}
Outcome rounds(std::vector<unsigned> table) {
  return [table = std::move(table)](Who who, unsigned visit) { return visit < table.at(who.thread); };
}

struct Ran {
  std::string issued;
  unsigned deepest, compactions;
};

Ran run(Program program, unsigned threads = 8, std::vector<std::string> parameters = {}) {
  FlowMachine machine({"tbc", std::move(parameters)}, std::move(program));
  machine.start(0, 0, threads);
  machine.run();
  return {machine.issued(), machine.core.deepest, machine.core.compactions};
}

// Threads 0, 5, 6 take; 1, 2, 3, 4, 7 fall through: TBC Fig. 7 with threads counted from 0.
Program if_else() { return {branch(3, among({0, 5, 6})), step(), jump(4), step(), leave()}; }

TEST(Tbc, IfElse) {
  const Ran ran = run(if_else());
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 2{4,1,2,3} 1{7} 2{7} 4{0,1,2,3} 4{4,5,6,7}");
  EXPECT_EQ(ran.deepest, 3U);
  EXPECT_EQ(ran.compactions, 3U);
}

TEST(Tbc, BranchOrder) {
  const char* const not_taken = "0{0,1,2,3} 0{4,5,6,7} 1{4,1,2,3} 2{4,1,2,3} 1{7} 2{7} 3{0,5,6} 4{0,1,2,3} 4{4,5,6,7}";
  EXPECT_EQ(run(if_else(), 8, {"branch_order=not_taken_first"}).issued, not_taken);
  EXPECT_EQ(run(if_else(), 8, {"branch_order=fewest_first"}).issued, run(if_else()).issued)
      << "3 against 5 of the block";
}

TEST(Tbc, WithoutCompactorThreadsStayInTheirRows) {
  EXPECT_EQ(run(if_else(), 8, {"compactor=false"}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 3{0} 3{5,6} 1{1,2,3} 2{1,2,3} 1{4,7} 2{4,7} 4{0,1,2,3} 4{4,5,6,7}");
}

// TBC §3.2: off for a launch. The kernel here is k.
TEST(Tbc, TheCompactorIsOffForKernelsByName) {
  EXPECT_EQ(run(if_else(), 8, {"uncompacted=sort,k"}).issued, run(if_else(), 8, {"compactor=false"}).issued);
  EXPECT_EQ(run(if_else(), 8, {"uncompacted=sort,kk"}).issued, run(if_else()).issued);
}

// if (t > 6) { if (t > 5) … } nested so that each branch's taken side is the next branch: a level leaves the branching
// entry and the other side behind, two entries, and the innermost two sides run on top of three levels: 1 + 3 × 2.
TEST(Tbc, ADeepStackGoesToMemoryAndComesBack) {
  const auto above = [](unsigned thread) { return Outcome([=](Who who, unsigned) { return who.thread > thread; }); };
  // 0: to 3   1, 2: the other side   3: to 6   …   9: innermost   10, 11, 12: behind the branches
  const Program program{branch(3, above(0)),
                        step(),
                        jump(12),
                        branch(6, above(2)),
                        step(),
                        jump(11),
                        branch(9, above(4)),
                        step(),
                        jump(10),
                        step(),
                        step(),
                        step(),
                        leave()};
  FlowMachine machine({"tbc", {"stack_entries=4"}}, program);
  machine.start(0, 0, 8);
  machine.run();
  const Ran large = run(program);
  EXPECT_EQ(machine.issued(), large.issued);
  EXPECT_EQ(large.deepest, 7U);
  std::string moves;
  for (const Spill& part : machine.core.spills) {
    EXPECT_EQ(part.bytes, 1 + 10U) << "a mask of eight threads, two pcs and a count";
    moves += fmt::format("{}{} ", part.way == Spill::Way::kOut ? "out " : "in ", part.offset / part.bytes);
  }
  EXPECT_EQ(moves, "out 0 out 1 out 2 in 2 in 1 in 0 ");
  EXPECT_EQ(machine.core.statistic("block_stack_spills"), 3U);
  EXPECT_EQ(machine.core.statistic("block_stack_reloads"), 3U);
}

TEST(Tbc, AStackHasRoomForAllOrForABranch) {
  const auto why_not = [](std::vector<std::string> parameters) {
    return FlowSetup{"tbc", std::move(parameters)}.configured().why_not(Geometry());
  };
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not({"stack_entries=4"}), "");
  EXPECT_EQ(why_not({"stack_entries=3"}), "stack_entries = 3: a branch takes up to 4 of them; 0 is no limit");
  EXPECT_FALSE((FlowSetup{"tbc", {}}.configured().spills));
  EXPECT_TRUE((FlowSetup{"tbc", {"stack_entries=4"}}.configured().spills));
}

TEST(Tbc, AnIfHasOneSide) {
  const Ran ran = run({branch(2, among({1, 2, 3, 4})), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 0{4,5,6,7} 1{0,5,6,7} 2{0,1,2,3} 2{4,5,6,7}");
  EXPECT_EQ(ran.deepest, 2U) << "TBC Table 3: the side that is at its RPC is not counted";
}

// Warps synchronise at a branch that may diverge although none does (TBC §3.3).
TEST(Tbc, ABranchThatMayDivergeSynchronises) {
  const Ran ran = run({branch(2, among({0, 1, 2, 3, 4, 5, 6, 7})), step(), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 0{4,5,6,7} 2{0,1,2,3} 3{0,1,2,3} 2{4,5,6,7} 3{4,5,6,7}");
  EXPECT_EQ(ran.compactions, 1U);
}

TEST(Tbc, AUniformBranchDoesNot) {
  const Ran ran = run({uniform(2, {}), step(), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 2{0,1,2,3} 3{0,1,2,3} 0{4,5,6,7} 2{4,5,6,7} 3{4,5,6,7}");
  EXPECT_EQ(ran.compactions, 0U);
  const Ran not_taken = run({uniform(2, among({})), step(), leave()}, 4);
  EXPECT_EQ(not_taken.issued, "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3}");
}

// A uniform loop: a warp may be rounds ahead of the others.
TEST(Tbc, WarpsRunAheadInAUniformLoop) {
  EXPECT_EQ(run({step(), uniform(0, [](Who, unsigned visit) { return visit < 2; }), leave()}).issued,
            "0{0,1,2,3} 1{0,1,2,3} 0{0,1,2,3} 1{0,1,2,3} 0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} "
            "0{4,5,6,7} 1{4,5,6,7} 0{4,5,6,7} 1{4,5,6,7} 0{4,5,6,7} 1{4,5,6,7} 2{4,5,6,7}");
}

TEST(Tbc, AUniformBranchToTheReconvergencePointArrivesThere) {
  EXPECT_EQ(run({branch(3, among({0, 5, 6})), uniform(4, {}), step(), step(), leave()}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 1{7} 4{0,1,2,3} 4{4,5,6,7}");
}

TEST(Tbc, NestedBranchesCompactAgain) {
  const Ran ran = run({branch(5, among({3, 7})), branch(3, among({0, 5})), step(), step(), step(), leave()});
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 0{4,5,6,7} 1{0,1,2} 1{4,5,6} 2{4,1,2} 2{6} 3{0,1,2} 4{0,1,2} 3{4,5,6} 4{4,5,6} 5{0,1,2,3} "
            "5{4,5,6,7}");
  EXPECT_EQ(ran.deepest, 3U);
}

// Threads leave a loop after 1 to 4 rounds: fewer and fewer warps, and the stack does not grow.
TEST(Tbc, ALoopCompactsRoundByRound) {
  const Ran ran = run({step(), branch(0, rounds({0, 1, 2, 3, 3, 0, 0, 0})), leave()});
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 1{0,1,2,3} 0{4,5,6,7} 1{4,5,6,7} 0{4,1,2,3} 1{4,1,2,3} 0{4,2,3} 1{4,2,3} 0{4,3} 1{4,3} "
            "2{0,1,2,3} 2{4,5,6,7}");
  EXPECT_EQ(ran.deepest, 2U);
}

TEST(Tbc, ALongLoopNeedsNoMoreThanAShortOne) {
  EXPECT_EQ(run({step(), branch(0, rounds({5000, 1, 0, 9, 4999, 0, 0, 0})), leave()}).deepest, 2U);
}

TEST(Tbc, ExitsInOneSideLeaveTheStaticArrangementBroken) {
  EXPECT_EQ(run({branch(2, among({0, 5, 6})), jump(3), leave(), step(), leave()}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 2{0,5,6} 1{4,1,2,3} 3{4,1,2,3} 4{4,1,2,3} 1{7} 3{7} 4{7}")
      << "thread 4 has taken lane 0 of the first warp";
}

TEST(Tbc, AGuardedExitCanEmptyAnEntry) {
  EXPECT_EQ(run({branch(3, among({0, 5, 6})), step(), jump(4), leave_if({}), step(), leave()}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 2{4,1,2,3} 4{4,1,2,3} 5{4,1,2,3} 1{7} 2{7} 4{7} 5{7}");
}

TEST(Tbc, AGuardedExitNarrowsItsWarp) {
  EXPECT_EQ(run({leave_if(among({0, 5})), step(), branch(3, among({1, 6})), leave()}).issued,
            "0{0,1,2,3} 1{1,2,3} 2{1,2,3} 0{4,5,6,7} 1{4,6,7} 2{4,6,7} 3{4,1,2,3} 3{6,7}");
}

// The block goes on when the last warp that it waits for ends instead of coming.
TEST(Tbc, AnExitingWarpIsNotWaitedFor) {
  EXPECT_EQ(run({uniform(1, {}), leave_if(among({4, 5, 6, 7})), branch(4, among({0})), step(), leave()}).issued,
            "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 0{4,5,6,7} 1{4,5,6,7} 3{1,2,3} 4{0,1,2,3}")
      << "the branch reconverges with whoever is left";
}

TEST(Tbc, APartialLastRow) {
  EXPECT_EQ(run(if_else(), 6).issued, "0{0,1,2,3} 0{4,5} 3{0,5} 1{4,1,2,3} 2{4,1,2,3} 4{0,1,2,3} 4{4,5}");
}

// It always waits for the block, right or wrong (TSTBC Fig. 7).
TEST(Tbc, CountsWhetherItWasRightToWait) {
  const auto classes = [](std::vector<unsigned> taken, std::vector<std::string> parameters) {
    FlowMachine machine({"tbc", std::move(parameters)}, {branch(2, among(std::move(taken))), step(), leave()});
    machine.start(0, 0, 8);
    machine.run();
    return fmt::format(
        "{} {} {} {}", machine.core.statistic("validity_stall_stall"), machine.core.statistic("validity_bypass_bypass"),
        machine.core.statistic("validity_stall_bypass"), machine.core.statistic("validity_bypass_stall"));
  };
  EXPECT_EQ(classes({0, 1, 2, 4, 5, 7}, {}), "1 0 0 0") << "{3} and {6} run as one warp";
  EXPECT_EQ(classes({0, 4}, {}), "0 0 1 0");
  EXPECT_EQ(classes({0, 1, 2, 3}, {}), "0 0 1 0") << "no warp diverges";
  EXPECT_EQ(classes({0, 1, 2, 4, 5, 7}, {"compactor=false"}), "0 0 0 1") << "compacts nothing";
}

TEST(Tbc, OneWarpBehavesAsPdom) {
  const Program program{branch(3, among({1, 3})), step(), jump(4), step(), leave()};
  FlowMachine pdom({"pdom", {}}, program);
  pdom.start(0, 0, 4);
  pdom.run();
  EXPECT_EQ(run(program, 4).issued, pdom.issued());
}

class TbcBlocks : public testing::Test {
 protected:
  // Blocks of two warps of four lanes in the slots 0 to 2.
  void start() {
    const FlowSetup setup{"tbc", {}, 4, 2, 3};
    core.emplace(6, 6, 2);
    tbc = setup.configured().make(setup.geometry(), *core);
    kernel.ops.resize(50);
    tbc->kernel_started(kernel);
    for (unsigned slot = 0; slot < 3; ++slot) tbc->block_started({slot, 7, slot, slot * 2, {0b1111, 0b1111}});
  }
  std::vector<WarpId> warps_of(unsigned slot) const {
    std::vector<WarpId> ids;
    for (const WarpId id : core->warps()) {
      if (core->block_of(id) == slot) ids.push_back(id);
    }
    return ids;
  }
  std::optional<FakeCore> core;
  isa::Kernel kernel;
  std::unique_ptr<Mechanism> tbc;
};

TEST_F(TbcBlocks, BlocksDoNotWaitForEachOther) {
  start();
  const Branch all{4, 0b1111, 9, 9, isa::kNoPc, true};
  tbc->branch_resolved(warps_of(1)[0], all);
  EXPECT_TRUE(core->requests.empty()) << "one of block 1's two warps";
  tbc->branch_resolved(warps_of(0)[0], all);
  tbc->branch_resolved(warps_of(0)[0], all);
  ASSERT_EQ(core->requests.size(), 1U);
  EXPECT_EQ(core->requests[0].block_slot, 0U);
  EXPECT_EQ(core->requests[0].block_id, 7U);
  EXPECT_EQ(core->requests[0].first_row, 0U);
  EXPECT_EQ(core->requests[0].pc, 9U);
  EXPECT_TRUE(core->requests[0].regroup);
  EXPECT_EQ(warps_of(1).size(), 1U);
}

TEST_F(TbcBlocks, LeavesAtTheReconvergencePointOfItsBlock) {
  start();
  for (const WarpId id : warps_of(0)) tbc->branch_resolved(id, {4, 0b0011, 8, 12, isa::kNoPc, true});
  core->deliver(*tbc);
  core->deliver(*tbc);
  EXPECT_FALSE(tbc->traits.keeps_warps);
  EXPECT_TRUE(tbc->leaves_at(warps_of(0)[0], 12));
  EXPECT_FALSE(tbc->leaves_at(warps_of(0)[0], 11));
  EXPECT_FALSE(tbc->leaves_at(warps_of(1)[0], 12)) << "another block has another stack";
  EXPECT_TRUE(tbc->leaves_at(warps_of(1)[0], 50)) << "the end of the kernel";
  const WarpId id = warps_of(0)[0];
  EXPECT_TRUE(tbc->leaves_by(id, {9, 0, 10, 11, isa::kNoPc, true}, false)) << "all go to the compactor";
  EXPECT_FALSE(tbc->leaves_by(id, {9, 0, 10, 11, isa::kNoPc, false}, false));
}

TEST_F(TbcBlocks, SaysWhatItWaitsFor) {
  start();
  EXPECT_EQ(tbc->waiting(1), "block-wide stack of 1 entries, the top (pc 0, rpc 50) waits for 2 warps");
  tbc->branch_resolved(warps_of(1)[0], {4, 0b0011, 8, 12, isa::kNoPc, true});
  EXPECT_EQ(tbc->waiting(1), "block-wide stack of 3 entries, the top (pc 12, rpc 50) waits for 1 warps");
}

}  // namespace tbc_test
}  // namespace warpfold::divergence
