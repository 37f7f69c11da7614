// SPDX-License-Identifier: Apache-2.0
// One stack for a block's warps that wait at branches and those that pass, under a policy of two switches: what runs in
// whose company, how far a warp runs ahead of its block, and that nobody waits for ever.
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/parts/block/meeting_walks.h"
#include "tests/divergence/random_program.h"
#include "warpfold/divergence/parts/block/selective_compaction.h"

namespace warpfold::divergence {
namespace selective_compaction_test {

struct PlainParams {
  bool wait = true;
  bool compact = true;
  Hardware hardware(const HardwareGeometry& /*geometry*/) const { return {}; }
  static constexpr auto fields() {
    return std::tuple{flag("wait", &PlainParams::wait, "do diverging warps wait for one another?"),
                      flag("compact", &PlainParams::compact, "are those who waited compacted?")};
  }
};

class PlainPolicy final : public MeetingPolicy {
 public:
  explicit PlainPolicy(const PlainParams& params) : params_(params) {}
  bool waits(Meeting& /*meeting*/) override { return params_.wait; }
  bool compacts(const Meeting& /*meeting*/) override { return params_.compact; }
  bool compacts_other(const Meeting& /*meeting*/) override { return params_.compact; }

 private:
  PlainParams params_;
};

class Plain final : public SelectiveCompaction {
 public:
  Plain(const PlainParams& params, const Geometry& geometry, Core& core)
      : SelectiveCompaction(BranchOrder::kTakenFirst, BlockStackSpills::kEntries, geometry, core,
                            std::make_unique<PlainPolicy>(params)) {}
};

const Register<PlainParams, Plain> registration("plain", "of this test", "none");

Outcome among(std::vector<unsigned> threads) {
  return [threads = std::move(threads)](Who who, unsigned) {
    return std::find(threads.begin(), threads.end(), who.thread) != threads.end();
  };
}
Outcome rounds(std::vector<unsigned> table) {
  return [table = std::move(table)](Who who, unsigned visit) { return visit < table.at(who.thread); };
}
Program if_else() { return {branch(3, among({0, 5, 6})), step(), jump(4), step(), leave()}; }

struct Ran {
  std::string issued;
  unsigned deepest, compactions;
  std::uint64_t ahead;
};
Ran run(const Program& program, unsigned threads = 8, std::vector<std::string> parameters = {}) {
  FlowMachine machine({"plain", std::move(parameters)}, program);
  machine.start(0, 0, threads);
  machine.run();
  return {machine.issued(), machine.core.deepest, machine.core.compactions, machine.core.statistic("ahead_waits")};
}

TEST(SelectiveCompaction, ThoseWhoWaitRunTheSidesCompactedAndGoOnInTheirOwnWarps) {
  const Ran ran = run(if_else());
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 2{4,1,2,3} 1{7} 2{7} 4{0,1,2,3} 4{4,5,6,7}");
  EXPECT_EQ(ran.compactions, 2U) << "one per side; the warps that go on are no compactor's";
  EXPECT_EQ(ran.deepest, 3U) << "the entries of a block-wide stack";
}

TEST(SelectiveCompaction, UncompactedSidesRunOneAfterTheOtherToo) {
  EXPECT_EQ(run(if_else(), 8, {"compact=false"}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 3{0} 3{5,6} 1{1,2,3} 2{1,2,3} 1{4,7} 2{4,7} 4{0,1,2,3} 4{4,5,6,7}");
}

// Though it meets its block at every reconvergence point.
TEST(SelectiveCompaction, AWarpThatDoesNotWaitRunsInTheCompanyThatItHasUnderPdom) {
  const auto sorted = [](const char* mechanism, std::vector<std::string> parameters, const Program& program) {
    FlowMachine machine({mechanism, std::move(parameters)}, program);
    machine.start(0, 0, 22);
    machine.run();
    std::vector<std::string> issued;
    for (const FlowMachine::Issue& issue : machine.trace)
      issued.push_back(fmt::format("{}{}", issue.pc, issue.threads));
    std::sort(issued.begin(), issued.end());
    return issued;
  };
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    EXPECT_EQ(sorted("plain", {"wait=false", "compact=false"}, program), sorted("pdom", {}, program))
        << "seed " << seed;
  }
}

TEST(SelectiveCompaction, AWarpThatDoesNotDivergePassesAndMeetsTheOthersWhereTheyReconverge) {
  EXPECT_EQ(run({branch(2, among({4})), step(), step(), leave()}, 12).issued,
            "0{0,1,2,3} 1{0,1,2,3} 0{4,5,6,7} 0{8,9,10,11} 1{5,6,7} 1{8,9,10,11} 2{0,1,2,3} 3{0,1,2,3} 2{4,5,6,7} "
            "3{4,5,6,7} 2{8,9,10,11} 3{8,9,10,11}");
}

// The second side's first instruction may run before the first side's: nobody there has diverged.
TEST(SelectiveCompaction, AWarpPassesOnTheSecondSideToo) {
  EXPECT_EQ(run({branch(3, among({4, 5, 6, 7})), step(), jump(4), step(), leave()}).issued,
            "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 0{4,5,6,7} 3{4,5,6,7} 4{0,1,2,3} 4{4,5,6,7}");
}

TEST(SelectiveCompaction, ABranchToTheNextInstructionDividesNobody) {
  EXPECT_EQ(run({branch(1, among({0, 5})), leave()}).issued, "0{0,1,2,3} 1{0,1,2,3} 0{4,5,6,7} 1{4,5,6,7}");
}

// Two entries per round would mean 10000 of them.
TEST(SelectiveCompaction, ALoopTakesNoMoreRoomThanItsFirstRound) {
  const Ran ran = run({step(), branch(0, rounds({5000, 1, 0, 9, 4999, 0, 0, 0})), leave()});
  EXPECT_EQ(ran.deepest, 2U);
}

TEST(SelectiveCompaction, NestedBranchesCompactAgain) {
  const Ran ran = run({branch(5, among({3, 7})), branch(3, among({0, 5})), step(), step(), step(), leave()});
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 0{4,5,6,7} 1{0,1,2} 1{4,5,6} 2{4,1,2} 2{6} 3{0,1,2} 4{0,1,2} 3{4,5,6} 4{4,5,6} 5{0,1,2,3} "
            "5{4,5,6,7}");
  EXPECT_EQ(ran.deepest, 3U) << "two branches with a side each, over the block's entry";
}

TEST(SelectiveCompaction, ThreadsThatExitOnASideDoNotComeBack) {
  EXPECT_EQ(run({branch(3, among({0, 5, 6})), step(), jump(4), leave_if({}), step(), leave()}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 2{4,1,2,3} 4{4,1,2,3} 5{4,1,2,3} 1{7} 2{7} 4{7} 5{7}")
      << "the branch reconverges at the end of the program only";
  EXPECT_EQ(run({branch(2, among({0, 5, 6})), leave_if(among({1, 2, 3})), step(), leave()}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 2{0,5,6} 3{0,5,6} 1{4,1,2,3} 2{4} 3{4} 1{7} 2{7} 3{7}")
      << "a warp goes on with whom it has left";
}

TEST(SelectiveCompaction, AWarpThatEndsIsNotWaitedFor) {
  EXPECT_EQ(run({uniform(1, {}), leave_if(among({4, 5, 6, 7})), branch(4, among({0})), step(), leave()}).issued,
            "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 0{4,5,6,7} 1{4,5,6,7} 3{1,2,3} 4{0,1,2,3}");
}

// Each comes to a branch of its own, the first on the second side: it runs ahead of its block to there.
TEST(SelectiveCompaction, WarpsOnTheTwoSidesOfABranchTakeTurnsAtBranches) {
  const Ran ran = run(
      {branch(4, among({4, 5, 6, 7})), branch(3, among({0})), step(), jump(6), branch(6, among({4})), step(), leave()});
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 1{0,1,2,3} 0{4,5,6,7} 4{4,5,6,7} 5{5,6,7} 2{1,2,3} 3{0,1,2,3} 6{0,1,2,3} 6{4,5,6,7}");
  EXPECT_EQ(ran.ahead, 1U);
}

// On a core whose program is told event by event: blocks of `rows` warps of four threads.
class Events : public testing::Test {
 protected:
  void start(unsigned rows, std::vector<std::string> parameters = {}) {
    core.emplace(8, 8);
    const FlowSetup setup{"plain", std::move(parameters), 4, 8, 1};
    plain = setup.configured().make(setup.geometry(), *core);
    kernel.ops.resize(50);
    plain->kernel_started(kernel);
    plain->block_started({0, 0, 0, 0, std::vector<LaneMask>(rows, 0b1111)});
  }
  void branch(WarpId id, Pc pc, LaneMask taken, Pc target, Pc rpc) {
    plain->branch_resolved(id, {pc, taken, target, rpc, isa::kNoPc, true});
  }
  void deliver() {
    while (!core->requests.empty()) core->deliver(*plain);
  }
  std::optional<FakeCore> core;
  isa::Kernel kernel;
  std::unique_ptr<Mechanism> plain;
};

TEST_F(Events, AWarpRunsAheadOfItsBlockToItsNextBranch) {
  start(2, {"wait=false", "compact=false"});
  branch(0, 4, 0b0011, 10, 20);
  EXPECT_EQ(core->warp(0).pc, 10U);
  EXPECT_EQ(core->warp(0).mask, 0b0011U) << "the others are due on the other side";
  branch(0, 12, 0b0001, 14, 18);
  EXPECT_EQ(core->warps(), std::vector<WarpId>{1}) << "waits until its block is through with the first branch";
  EXPECT_EQ(core->statistic("ahead_waits"), 1U);
  branch(1, 4, 0b1111, 10, 20);
  EXPECT_EQ(core->warp(0).pc, 14U) << "and is still not kept waiting at its own";
  EXPECT_EQ(core->warp(0).mask, 0b0001U);
  EXPECT_EQ(core->warp(1).pc, 10U);
}

// In each other's company only from the branch on that they come to together.
TEST_F(Events, AWarpThatHasPassedMeetsThoseWhoWaitedAtTheNextBranch) {
  start(3);
  branch(0, 4, 0b1111, 10, 20);
  branch(0, 12, 0b0001, 14, 18);
  branch(1, 4, 0b0010, 10, 20);
  branch(2, 4, 0b0100, 10, 20);
  ASSERT_EQ(core->requests.size(), 1U);
  deliver();
  ASSERT_EQ(core->warps().size(), 1U) << "those who waited make one warp";
  branch(core->warps().front(), 12, 0b0010, 14, 18);
  ASSERT_EQ(core->requests.size(), 1U);
  deliver();
  ASSERT_EQ(core->warps().size(), 1U) << "lane 0 of the first warp and lane 1 of the second";
  EXPECT_EQ(core->warp(core->warps().front()).mask, 0b0011U);
}

TEST_F(Events, TheSecondSideWaitsForAllWarpsOfTheFirst) {
  start(2, {"wait=false", "compact=false"});
  branch(0, 4, 0b0001, 10, 20);
  plain->committed(0, 20);
  branch(1, 4, 0b0010, 10, 20);
  EXPECT_EQ(core->warps(), std::vector<WarpId>{1});
  plain->committed(1, 20);
  EXPECT_EQ(core->warp(0).pc, 5U);
  EXPECT_EQ(core->warp(0).mask, 0b1110U);
  EXPECT_EQ(core->warp(1).mask, 0b1101U);
  plain->committed(0, 20);
  EXPECT_EQ(core->warps(), std::vector<WarpId>{1});
  plain->committed(1, 20);
  EXPECT_EQ(core->warp(0).pc, 20U) << "the block goes on in the warps that came to the branch";
  EXPECT_EQ(core->warp(0).mask, 0b1111U);
  EXPECT_EQ(core->warp(1).mask, 0b1111U);
}

// A warp at a barrier keeps its place; its block's barrier opens on threads, not on warps.
TEST_F(Events, WarpsGoOnFromABarrier) {
  start(2);
  EXPECT_FALSE(plain->gives_up(0));
  branch(1, 4, 0b0001, 10, 20);
  EXPECT_EQ(core->warps(), std::vector<WarpId>{0});
  plain->committed(0, 1);
  EXPECT_EQ(core->warp(0).pc, 1U);
  branch(0, 4, 0b0001, 10, 20);
  EXPECT_EQ(core->requests.size(), 1U);
}

TEST_F(Events, AWarpStillInTheCompactorIsWaitedFor) {
  start(2);
  branch(0, 4, 0b0011, 10, 40);
  branch(1, 4, 0b0011, 10, 40);
  ASSERT_EQ(core->requests.size(), 1U);
  core->deliver(*plain);
  const WarpId first = core->warps().front();
  branch(first, 12, 0b0001, 15, 30);
  EXPECT_TRUE(core->warps().empty());
  core->deliver(*plain);
  EXPECT_TRUE(core->requests.empty()) << "waits for the second one";
  branch(core->warps().front(), 12, 0b0001, 15, 30);
  EXPECT_EQ(core->requests.size(), 1U);
}

TEST_F(Events, LeavesOnlyAtTheReconvergencePointOfItsEntry) {
  start(2);
  EXPECT_TRUE(plain->leaves_at(0, 50));
  branch(0, 4, 0b0001, 10, 20);
  branch(1, 4, 0b0001, 10, 20);
  deliver();
  const WarpId side = core->warps().front();
  EXPECT_TRUE(plain->leaves_at(side, 20));
  EXPECT_FALSE(plain->leaves_at(side, 50));
  EXPECT_FALSE(plain->traits.keeps_warps);
  const auto leaves_by = [&](WarpId id, LaneMask taken, bool divides) {
    return plain->leaves_by(id, {11, taken, 15, 18, isa::kNoPc, true}, divides);
  };
  EXPECT_TRUE(leaves_by(side, 0b0001, true));
  EXPECT_FALSE(leaves_by(side, core->warp(side).mask, false)) << "goes on as it is";
  EXPECT_TRUE(plain->leaves_by(side, {11, core->warp(side).mask, 18, 18, isa::kNoPc, true}, false))
      << "waits for the others there";
  EXPECT_FALSE(plain->leaves_by(side, {11, core->warp(side).mask, 15, 18, isa::kNoPc, false}, false));
  EXPECT_FALSE(plain->traits.mixes_paths) << "threads of one entry are in the same round of a loop";
}

TEST_F(Events, SaysWhereThreadsAre) {
  start(2);
  EXPECT_EQ(plain->parked().inactive + plain->parked().reconverging, 0U);
  branch(0, 4, 0b0001, 10, 20);
  EXPECT_EQ(plain->parked().reconverging, 4U) << "wait for the other warp";
  branch(1, 4, 0b0011, 10, 20);
  EXPECT_EQ(plain->parked().inactive, 5U) << "the fall-through side";
  EXPECT_EQ(plain->parked().reconverging, 3U) << "in the compactor";
  deliver();
  EXPECT_EQ(plain->parked().reconverging, 0U);
  plain->committed(core->warps().front(), 20);
  EXPECT_EQ(plain->parked().inactive, 5U);
  EXPECT_EQ(plain->parked().reconverging, 2U);
  EXPECT_EQ(plain->waiting(0), "block-wide stack of 3 entries, the top (pc 10, rpc 20) waits for 1 warps");
}

TEST(SelectiveCompaction, CountsThreadsThatArePlacedNowhere) { expect_all_threads_counted("plain"); }
TEST(SelectiveCompaction, LoopsOfDifferentTripCounts) { expect_loops_to_end("plain"); }

}  // namespace selective_compaction_test
}  // namespace warpfold::divergence
