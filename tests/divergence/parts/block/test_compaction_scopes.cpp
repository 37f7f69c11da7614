// SPDX-License-Identifier: Apache-2.0
// Scopes, meetings and groups under a policy of two switches: who waits for whom, what runs in whose company, and that
// nobody waits for ever.
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/parts/block/meeting_walks.h"
#include "tests/divergence/random_program.h"
#include "warpfold/divergence/parts/block/compaction_scopes.h"

namespace warpfold::divergence {
namespace compaction_scopes_test {

struct PlainParams {
  bool wait = true;
  bool compact = true;
  unsigned stack_entries = 32;
  Hardware hardware(const HardwareGeometry& /*geometry*/) const { return {}; }
  static constexpr auto fields() {
    return std::tuple{flag("wait", &PlainParams::wait, "do diverging warps wait for one another?"),
                      flag("compact", &PlainParams::compact, "are those who waited compacted?"),
                      field("stack_entries", "entries", &PlainParams::stack_entries, 1, 32, "of a block's stack")};
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

class Plain final : public CompactionScopes {
 public:
  Plain(const PlainParams& params, const Geometry& geometry, Core& core)
      : CompactionScopes(BranchOrder::kTakenFirst, params.stack_entries, geometry, core,
                         std::make_unique<PlainPolicy>(params)) {}
};

const Register<PlainParams, Plain> registration("scopes", "of this test", "none");

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
  std::uint64_t groups, short_groups;
};
Ran run(const Program& program, unsigned threads = 8, std::vector<std::string> parameters = {},
        const std::string& mechanism = "scopes") {
  FlowMachine machine({mechanism, std::move(parameters)}, program);
  machine.start(0, 0, threads);
  machine.run();
  const bool plain = mechanism == "scopes";
  return {machine.issued(), machine.core.deepest, machine.core.compactions,
          plain ? machine.core.statistic("branch_groups") : 0,
          plain ? machine.core.statistic("branch_groups_short") : 0};
}

TEST(CompactionScopes, ThoseWhoWaitRunTheSidesCompactedAndGoOnInTheirOwnWarps) {
  const Ran ran = run(if_else());
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 2{4,1,2,3} 1{7} 2{7} 4{0,1,2,3} 4{4,5,6,7}");
  EXPECT_EQ(ran.compactions, 2U) << "one per side; the warps that go on are no compactor's";
  EXPECT_EQ(ran.deepest, 3U) << "the entries of a block-wide stack";
  EXPECT_EQ(ran.groups, 1U);
  EXPECT_EQ(ran.short_groups, 0U);
}

TEST(CompactionScopes, UncompactedSidesRunOneAfterTheOtherToo) {
  EXPECT_EQ(run(if_else(), 8, {"compact=false"}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 3{0} 3{5,6} 1{1,2,3} 2{1,2,3} 1{4,7} 2{4,7} 4{0,1,2,3} 4{4,5,6,7}");
}

TEST(CompactionScopes, WhoDoesNotWaitRunsAsUnderPdom) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    EXPECT_EQ(run(program, 22, {"wait=false"}).issued, run(program, 22, {}, "pdom").issued) << "seed " << seed;
  }
}

TEST(CompactionScopes, AWarpThatDoesNotDivergePassesAndIsNotWaitedFor) {
  const Ran ran = run({branch(2, among({4})), step(), step(), leave()}, 12);
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 3{0,1,2,3} 0{4,5,6,7} 0{8,9,10,11} 1{5,6,7} 2{4,5,6,7} 3{4,5,6,7} "
            "1{8,9,10,11} 2{8,9,10,11} 3{8,9,10,11}");
  EXPECT_EQ(ran.short_groups, 0U) << "all have been at the branch";
}

TEST(CompactionScopes, ABranchToTheNextInstructionDividesNobody) {
  EXPECT_EQ(run({branch(1, among({0, 5})), leave()}).issued, "0{0,1,2,3} 1{0,1,2,3} 0{4,5,6,7} 1{4,5,6,7}");
}

// Another scope per round would mean 5000 of them.
TEST(CompactionScopes, ALoopTakesNoMoreRoomThanItsFirstRound) {
  const Ran ran = run({step(), branch(0, rounds({5000, 1, 0, 9, 4999, 0, 0, 0})), leave()});
  EXPECT_EQ(ran.deepest, 2U);
}

TEST(CompactionScopes, NestedBranchesCompactAgain) {
  const Ran ran = run({branch(5, among({3, 7})), branch(3, among({0, 5})), step(), step(), step(), leave()});
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 0{4,5,6,7} 1{0,1,2} 1{4,5,6} 2{4,1,2} 2{6} 3{0,1,2} 4{0,1,2} 3{4,5,6} 4{4,5,6} 5{0,1,2,3} "
            "5{4,5,6,7}");
  EXPECT_EQ(ran.deepest, 3U) << "two branches with a side each, over the block's entry";
}

TEST(CompactionScopes, ThreadsThatExitOnASideDoNotComeBack) {
  EXPECT_EQ(run({branch(3, among({0, 5, 6})), step(), jump(4), leave_if({}), step(), leave()}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 2{4,1,2,3} 4{4,1,2,3} 5{4,1,2,3} 1{7} 2{7} 4{7} 5{7}")
      << "the branch reconverges at the end of the program only";
  EXPECT_EQ(run({branch(2, among({0, 5, 6})), leave_if(among({1, 2, 3})), step(), leave()}).issued,
            "0{0,1,2,3} 0{4,5,6,7} 2{0,5,6} 3{0,5,6} 1{4,1,2,3} 2{4} 3{4} 1{7} 2{7} 3{7}")
      << "a warp goes on with whom it has left";
}

TEST(CompactionScopes, AWarpThatEndsIsNotWaitedFor) {
  const Ran ran = run({uniform(1, {}), leave_if(among({4, 5, 6, 7})), branch(4, among({0})), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 0{4,5,6,7} 1{4,5,6,7} 3{1,2,3} 4{0,1,2,3}");
  EXPECT_EQ(ran.short_groups, 0U) << "it is no warp of its scope any more";
}

// The first warp meets nobody at its branch: the other one is past it by then, on its way to another branch.
TEST(CompactionScopes, WarpsOnDifferentPathsDoNotWaitForEachOther) {
  const Ran ran = run(
      {branch(4, among({4, 5, 6, 7})), branch(3, among({0})), step(), jump(6), branch(6, among({4})), step(), leave()});
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 1{0,1,2,3} 0{4,5,6,7} 2{1,2,3} 3{0,1,2,3} 6{0,1,2,3} 4{4,5,6,7} 5{5,6,7} 6{4,5,6,7}");
  EXPECT_EQ(ran.groups, 2U);
  EXPECT_EQ(ran.short_groups, 1U);
}

// On a core whose program is told event by event: blocks of `rows` warps of four threads.
class Events : public testing::Test {
 protected:
  void start(unsigned rows, std::vector<std::string> parameters = {}) {
    core.emplace(8, 8);
    const FlowSetup setup{"scopes", std::move(parameters), 4, 8, 1};
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

TEST_F(Events, AWarpPastTheReconvergencePointIsNotWaitedFor) {
  start(2);
  plain->committed(0, 30);
  branch(1, 4, 0b0001, 10, 20);
  EXPECT_EQ(core->warps().size(), 2U) << "alone, it goes on as it is";
  start(2);
  plain->committed(0, 3);
  branch(1, 4, 0b0001, 10, 20);
  EXPECT_EQ(core->warps().size(), 1U) << "the other one may still come";
  EXPECT_EQ(plain->waiting(0), "1 warps wait at the branch at pc 4");
}

TEST_F(Events, AWarpAtABarrierIsNotWaitedFor) {
  start(3);
  branch(1, 4, 0b0001, 10, 20);
  plain->committed(0, 3);
  EXPECT_FALSE(plain->gives_up(0));
  EXPECT_EQ(core->warps().size(), 2U) << "there is a third warp";
  EXPECT_FALSE(plain->gives_up(2));
  EXPECT_EQ(core->warps().size(), 3U);
  EXPECT_EQ(core->statistic("branch_groups_short"), 1U);
}

// A barrier inside the sides of a branch, as after `if (…) return`: those outside must not wait for those inside.
TEST_F(Events, WarpsInsideABranchWhoAreAtABarrierAreNotWaitedFor) {
  start(5);
  branch(0, 4, 0b0001, 10, 40);
  branch(1, 4, 0b0010, 10, 40);
  plain->committed(4, 20);
  plain->gives_up(4);
  plain->committed(2, 8);
  branch(2, 8, 0b0011, 12, 45);
  EXPECT_EQ(core->requests.size(), 0U) << "one warp has yet to come";
  plain->committed(3, 8);
  branch(3, 8, 0b0011, 12, 45);
  deliver();
  EXPECT_EQ(core->warps().size(), 2U) << "the older branch's side runs, beside the warp at the barrier";
  EXPECT_NE(plain->waiting(0).find("2 warps wait at the branch at pc 8"), std::string::npos);
  for (const WarpId id : core->warps()) {
    if (core->warp(id).pc == 10) plain->gives_up(id);
  }
  deliver();
  EXPECT_EQ(core->warps().size(), 4U) << "the side of the other branch too, now: it compacts to two";
}

TEST_F(Events, WarpsGoOnFromABarrier) {
  start(2);
  plain->gives_up(0);
  branch(1, 4, 0b0001, 10, 20);
  deliver();
  plain->committed(0, 1);
  EXPECT_EQ(core->warp(0).pc, 1U);
  branch(0, 4, 0b0001, 10, 20);
  EXPECT_FALSE(core->live(0)) << "waits for the other one, which runs before pc 20";
  plain->committed(1, 20);
  plain->committed(1, 20);
  EXPECT_TRUE(core->live(1));
  branch(1, 30, 0b0001, 35, 40);
  EXPECT_TRUE(core->live(0)) << "which is past it now";
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

TEST_F(Events, LeavesOnlyAtTheEndOfItsScope) {
  start(2);
  EXPECT_TRUE(plain->leaves_at(0, 50));
  branch(0, 4, 0b0001, 10, 20);
  branch(1, 4, 0b0001, 10, 20);
  deliver();
  const WarpId side = core->warps().front();
  EXPECT_TRUE(plain->leaves_at(side, 20));
  EXPECT_FALSE(plain->leaves_at(side, 50));
  EXPECT_FALSE(plain->traits.keeps_warps);
  const Branch branch{11, 0b0001, 15, 18, isa::kNoPc, true};
  EXPECT_TRUE(plain->leaves_by(side, branch, true)) << "it may be compacted";
  EXPECT_FALSE(plain->leaves_by(side, branch, false)) << "it passes";
}

// Rounds of a uniform loop can mix where a warp comes to a branch at which others wait since the round before.
TEST_F(Events, AUniformBranchMayDivideAWarp) {
  start(1);
  EXPECT_TRUE(plain->traits.mixes_paths);
  plain->branch_resolved(0, {4, 0b0011, 10, 20, isa::kNoPc, false});
  EXPECT_EQ(core->warp(0).mask, 0b0011U);
  EXPECT_FALSE(plain->leaves_at(0, 20));
  plain->committed(0, 20);
  EXPECT_EQ(core->warp(0).mask, 0b1100U);
  EXPECT_EQ(core->warp(0).pc, 5U);
  plain->committed(0, 20);
  EXPECT_EQ(core->warp(0).mask, 0b1111U);
}

// Those of its own stack, those of the other side, those who are through with this one; not who is in a warp of it.
TEST_F(Events, AWarpHoldsUpWhoCannotGoOnBeforeIt) {
  start(2);
  branch(0, 4, 0b0011, 10, 40);
  branch(1, 4, 0b0111, 10, 40);
  deliver();
  ASSERT_EQ(core->warps().size(), 2U);
  const WarpId both = core->warps()[0], rest = core->warps()[1];
  ASSERT_EQ(core->warp(both).mask, 0b0111U) << "the second one's threads are under the first one's";
  ASSERT_EQ(core->warp(rest).mask, 0b0011U);
  EXPECT_EQ(plain->kept_back(rest, core->warp(rest), 0) & 0b1111, 0b1100U) << "the other side";
  EXPECT_EQ(plain->kept_back(rest, core->warp(rest), 1) & 0b1111, 0b1000U);
  plain->branch_resolved(both, {12, 0b0001, 15, 30, isa::kNoPc, false});
  EXPECT_EQ(plain->kept_back(both, core->warp(both), 0) & 0b1111, 0b1110U) << "and the warp's own others";
  EXPECT_EQ(plain->kept_back(both, core->warp(both), 1) & 0b1111, 0b1100U);
  plain->committed(rest, 40);
  EXPECT_EQ(plain->kept_back(both, core->warp(both), 1) & 0b1111, 0b1111U) << "and who has come to the end of the side";
  EXPECT_EQ(plain->entries_on_stack(both), 5U) << "the block's and the other side's, its own and its two sides'";
}

TEST_F(Events, WithoutEntriesForAMeetingWarpsPassBy) {
  start(2, {"stack_entries=4"});
  branch(0, 4, 0b0011, 10, 40);
  branch(1, 4, 0b0011, 10, 40);
  deliver();
  branch(core->warps().front(), 12, 0b0001, 15, 30);
  EXPECT_EQ(core->warps().size(), 2U);
  EXPECT_EQ(core->statistic("branch_groups_full"), 1U);
  start(2, {"stack_entries=7"});
  branch(0, 4, 0b0011, 10, 40);
  branch(1, 4, 0b0011, 10, 40);
  deliver();
  branch(core->warps().front(), 12, 0b0001, 15, 30);
  EXPECT_EQ(core->warps().size(), 1U);
}

// Each meeting gives its block's entries back, whichever block meets next: there is room for one at a time in each.
TEST(CompactionScopes, EntriesAreThereForTheNextMeeting) {
  const Program twice{branch(3, among({0, 5, 6})),
                      step(),
                      jump(4),
                      step(),
                      branch(7, among({1, 2, 6})),
                      step(),
                      jump(8),
                      step(),
                      leave()};
  FlowSetup setup{"scopes", {"stack_entries=4"}};
  setup.max_blocks = 2;
  FlowMachine machine(setup, twice);
  const auto before = [&](Pc pc) {  // a warp that has not come there
    for (const WarpId id : machine.core.warps()) {
      if (machine.core.warp(id).pc < pc) return id;
    }
    return kNoWarp;
  };
  machine.start(0, 0, 8);
  for (WarpId id = before(4); id != kNoWarp; id = before(4)) {
    machine.issue(id);
    while (!machine.core.requests.empty()) machine.core.deliver(*machine.mechanism);
  }
  ASSERT_EQ(machine.core.statistic("branch_groups"), 1U) << "block 0 is at the second branch";
  machine.start(1, 1, 8);
  machine.issue(before(1));
  machine.run();
  EXPECT_EQ(machine.core.statistic("branch_groups"), 4U);
  EXPECT_EQ(machine.core.statistic("branch_groups_full"), 0U);
}

TEST_F(Events, AFreeWarpThatExitsIsNotWaitedFor) {
  start(2, {"wait=false"});
  branch(0, 4, 0b0001, 10, 40);
  EXPECT_EQ(core->warp(0).mask, 0b0001U);
  plain->exited(0, 0b0001, 11);
  EXPECT_EQ(core->warp(0).pc, 5U) << "its other side";
  plain->exited(0, 0b1110, 6);
  EXPECT_FALSE(core->live(0));
  branch(1, 4, 0b0001, 10, 40);
  EXPECT_TRUE(core->live(1));
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
  EXPECT_EQ(plain->waiting(0), "2 warps are inside the branch at pc 4 until pc 20");
}

TEST(CompactionScopes, CountsThreadsThatArePlacedNowhere) { expect_all_threads_counted("scopes"); }
TEST(CompactionScopes, LoopsOfDifferentTripCounts) { expect_loops_to_end("scopes"); }

}  // namespace compaction_scopes_test
}  // namespace warpfold::divergence
