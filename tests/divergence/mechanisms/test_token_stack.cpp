// SPDX-License-Identifier: Apache-2.0
// Token stack: what each warp runs, what is pushed and popped on the way, and what that costs (Divergence cost §III).
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"

namespace warpfold::divergence {
namespace token_stack_test {

Outcome among(std::vector<unsigned> threads) {
  return
      [threads](Who who, unsigned) { return std::find(threads.begin(), threads.end(), who.thread) != threads.end(); };
}
// Stays in a loop for as many rounds after the first as its table says.
Outcome rounds(std::vector<unsigned> table) {
  return [table](Who who, unsigned visit) { return visit < table.at(who.thread); };
}
// Thread t of `threads` for t rounds after the first.
Outcome own_rounds() {
  return [](Who who, unsigned visit) { return visit < who.thread; };
}

struct Ran {
  std::string issued;
  std::uint64_t sync, div, pops;
  unsigned deepest;
  std::uint64_t spills = 0, reloads = 0, bytes = 0, held = 0;
};

Ran run(Program program, unsigned threads = 4, std::vector<std::string> parameters = {}, unsigned width = 4) {
  FlowMachine machine({"token-stack", std::move(parameters), width}, std::move(program));
  machine.start(0, 0, threads);
  machine.run();
  const FakeCore& core = machine.core;
  EXPECT_EQ(core.statistic("token_pops"), core.statistic("token_sync_pushes") + core.statistic("token_div_pushes"));
  return {machine.issued(),
          core.statistic("token_sync_pushes"),
          core.statistic("token_div_pushes"),
          core.statistic("token_pops"),
          core.deepest,
          core.statistic("token_spills"),
          core.statistic("token_reloads"),
          core.statistic("token_spilled_bytes"),
          core.held};
}

void expect_tokens(const Ran& ran, std::uint64_t sync, std::uint64_t div, unsigned deepest) {
  EXPECT_EQ(ran.sync, sync);
  EXPECT_EQ(ran.div, div);
  EXPECT_EQ(ran.deepest, deepest);
}

Program if_else() { return {branch(3, among({1, 3, 5})), step(), jump(4), step(), leave()}; }
// Listing 1 as compiled (Listing 3): the test before the loop, the loop, and what follows.
Program single_loop(Outcome stays) { return {branch(3, {among({})}), step(), branch(1, stays), step(), leave()}; }

TEST(TokenStack, TheTakenSideGoesFirst) {
  const Ran ran = run(if_else());
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 3{1,3} 1{0,2} 2{0,2} 4{0,1,2,3}");
  expect_tokens(ran, 1, 1, 2);
}

TEST(TokenStack, ABranchThatAllTakeAlikePushesNothingButItsSync) {
  const Ran taken = run({branch(2, {}), step(), leave()});
  EXPECT_EQ(taken.issued, "0{0,1,2,3} 2{0,1,2,3}");
  const Ran all = run({branch(2, among({0, 1, 2, 3})), step(), step(), leave()});
  EXPECT_EQ(all.issued, "0{0,1,2,3} 2{0,1,2,3} 3{0,1,2,3}");
  expect_tokens(all, 1, 0, 1);
  const Ran none = run({branch(2, among({})), step(), step(), leave()});
  EXPECT_EQ(none.issued, "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 3{0,1,2,3}");
  expect_tokens(none, 1, 0, 1);
}

TEST(TokenStack, AUniformBranchNeedsNoSync) {
  const Ran ran = run({uniform(2, [](Who, unsigned) { return true; }), step(), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 2{0,1,2,3} 3{0,1,2,3}");
  expect_tokens(ran, 0, 0, 0);
  EXPECT_EQ(ran.held, 0u);
}

// Fig. 3 with four threads: n = 2, the last two leave a round early each.
TEST(TokenStack, WalkThroughTheSingleLoop) {
  const Ran ran = run(single_loop(rounds({3, 3, 2, 1})));
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 1{0,1,2} 2{0,1,2} 1{0,1} 2{0,1} 3{0,1,2,3} "
            "4{0,1,2,3}");
  expect_tokens(ran, 1, 2, 3);
  EXPECT_EQ(ran.held, 3 * 32u + 1) << "three pops, and one SSY, outside the loop";
  EXPECT_EQ(run(single_loop(rounds({3, 3, 2, 1})), 4, {"generation=maxwell"}).held, 3 * 26u + 1);
}

TEST(TokenStack, ALoopWithoutATestBeforeItHasItsSyncOutsideToo) {
  // The if inside is one token deeper from the first round on.
  const Ran ran = run({step(), branch(3, among({0})), step(), branch(0, among({})), step(), leave()});
  expect_tokens(ran, 2, 1, 3);
}

TEST(TokenStack, AnInnerLoopHasASyncInEveryRound) {
  const Outcome twice = [](Who, unsigned visit) { return visit < 1; };
  Program program{step(), step(), branch(1, own_rounds()), step(), branch(0, twice), step(), leave()};
  program[0].resets = 2;
  const Ran ran = run(program);
  EXPECT_EQ(ran.sync, 3u) << "the outer loop's, and the inner one's twice";
  EXPECT_EQ(ran.div, 6u);
  EXPECT_EQ(ran.deepest, 5u);
}

TEST(TokenStack, ABreakLeavesToTheLoopsEnd) {
  const Outcome ends = [](Who who, unsigned visit) { return visit >= who.thread; };
  const Ran ran = run({branch(3, ends), step(), jump(0), step(), leave()});
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 1{1,2,3} 2{1,2,3} 0{1,2,3} 1{2,3} 2{2,3} 0{2,3} 1{3} 2{3} 0{3} 3{0,1,2,3} 4{0,1,2,3}");
  expect_tokens(ran, 1, 3, 2);
}

// The sides of the branch at 1 meet where the jump at 3 leads, at the loop's head.
TEST(TokenStack, ThreadsMeetBehindAJump) {
  const Outcome done = [](Who, unsigned visit) { return visit >= 1; };
  const Ran ran = run({branch(4, done), branch(3, among({0, 1})), step(), jump(0), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 1{0,1,2,3} 3{0,1} 2{2,3} 3{2,3} 0{0,1,2,3} 4{0,1,2,3} 5{0,1,2,3}");
  expect_tokens(ran, 2, 1, 3);
}

TEST(TokenStack, AnExitPops) {
  const Ran ran = run({branch(2, among({1, 2})), leave(), step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 2{1,2} 3{1,2} 1{0,3}");
  expect_tokens(ran, 0, 1, 1);
  EXPECT_EQ(ran.held, 32u);
}

TEST(TokenStack, AGuardedExitPopsOnlyWhenNobodyIsLeft) {
  EXPECT_EQ(run({leave_if(among({0, 2})), step(), leave()}).issued, "0{0,1,2,3} 1{1,3} 2{1,3}");
  EXPECT_EQ(run({branch(3, among({0, 1})), step(), jump(4), leave_if(among({0, 2})), step(), leave()}).issued,
            "0{0,1,2,3} 3{0,1} 4{1} 5{1} 1{2,3} 2{2,3} 4{2,3} 5{2,3}");
  EXPECT_EQ(run({branch(3, among({0, 1})), step(), jump(4), leave_if(among({0, 1})), leave()}).issued,
            "0{0,1,2,3} 3{0,1} 1{2,3} 2{2,3} 4{2,3}");
}

// A side of the branch at 3 passes the head of the loop on its way to the point where the sides meet: inside the loop.
TEST(TokenStack, ThreadsMeetInTheMiddleOfALoop) {
  const Outcome done = [](Who, unsigned visit) { return visit >= 2; };
  const Ran ran = run({step(), step(), branch(5, done), branch(1, among({0})), jump(0), step(), leave()});
  EXPECT_EQ(ran.issued,
            "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 3{0,1,2,3} 4{1,2,3} 0{1,2,3} 1{0,1,2,3} 2{0,1,2,3} 3{0,1,2,3} 4{1,2,3} "
            "0{1,2,3} 1{0,1,2,3} 2{0,1,2,3} 5{0,1,2,3} 6{0,1,2,3}");
}

// The loop of 1 to 4 has two entries, 1 and 3, and two exits to 5.
TEST(TokenStack, AnIrreducibleLoopIsOneRegion) {
  const Ran ran = run({branch(3, among({0, 1})), step(), branch(5, among({2})), step(), branch(1, rounds({1, 0, 0, 0})),
                       step(), leave()});
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 3{0,1} 4{0,1} 1{0} 2{0} 3{0} 4{0} 1{2,3} 2{2,3} 3{3} 4{3} 5{0,1,2,3} 6{0,1,2,3}");
  expect_tokens(ran, 1, 3, 3);
}

TEST(TokenStack, SpillsTheLowestTokensAndReloadsThemWhenNeeded) {
  const std::vector<std::string> small{"on_chip_tokens=3", "spill_tokens=2"};
  const auto with = [&](unsigned threads) { return run(single_loop(own_rounds()), threads, small, 8); };
  Ran ran = with(3);
  EXPECT_EQ(ran.deepest, 3u);
  EXPECT_EQ(ran.spills, 0u);
  ran = with(4);
  EXPECT_EQ(ran.deepest, 4u);
  EXPECT_EQ(ran.spills, 1u) << "the fourth push";
  EXPECT_EQ(ran.reloads, 1u);
  EXPECT_EQ(ran.held, 4 * 32u + 1 + 41 + 43);
  EXPECT_EQ(ran.bytes, 2 * 5u) << "32 bits and a bit per lane";
  EXPECT_EQ(with(5).spills, 1u);
  EXPECT_EQ(with(6).spills, 2u);
  EXPECT_EQ(run(single_loop(own_rounds()), 20, {}, 64).bytes, 4 * 12u);
  EXPECT_EQ(run(single_loop(own_rounds()), 20, {"generation=maxwell"}, 64).held, 20 * 26u + 1 + 176);
}

TEST(TokenStack, KnowsWhoIsParked) {
  FlowMachine machine({"token-stack", {}}, {branch(3, among({1})), step(), jump(4), step(), step(), leave()});
  machine.start(0, 0, 4);
  const auto parked = [&] {
    return std::pair(machine.mechanism->parked().inactive, machine.mechanism->parked().reconverging);
  };
  machine.issue(0);
  EXPECT_EQ(parked(), std::pair(std::uint64_t{3}, std::uint64_t{0})) << "{1} runs";
  machine.issue(0);
  EXPECT_EQ(parked(), std::pair(std::uint64_t{0}, std::uint64_t{1})) << "{0,2,3} run, {1} waits";
  machine.run();
  EXPECT_EQ(parked(), std::pair(std::uint64_t{0}, std::uint64_t{0}));
}

TEST(TokenStack, WarpsHaveStacksOfTheirOwn) {
  const Ran ran = run(if_else(), 6);
  EXPECT_EQ(ran.issued, "0{0,1,2,3} 3{1,3} 1{0,2} 2{0,2} 4{0,1,2,3} 0{4,5} 3{5} 1{4} 2{4} 4{4,5}");
  expect_tokens(ran, 2, 2, 2);
}

TEST(TokenStack, RefusesToSpillMoreThanItHas) {
  const FlowSetup setup{"token-stack", {"on_chip_tokens=3", "spill_tokens=4"}};
  EXPECT_EQ(setup.configured().why_not(setup.geometry()), "spill_tokens = 4: only 3 tokens are on chip");
  EXPECT_EQ((FlowSetup{"token-stack", {}}.configured().why_not({})), "");
}

TEST(TokenStack, KeepsWarps) {
  FlowMachine machine({"token-stack", {}}, if_else());
  EXPECT_TRUE(machine.mechanism->traits.keeps_warps);
  machine.start(0, 0, 4);
  EXPECT_FALSE(machine.mechanism->leaves_at(0, 4)) << "waiting in one's own warp is not leaving it";
  EXPECT_NE(machine.mechanism->waiting(0).find("every live thread in its warp"), std::string::npos);
  machine.issue(0);
  EXPECT_THROW(machine.mechanism->kernel_ended(), std::exception) << "tokens are left";
  machine.run();
}

}  // namespace token_stack_test
}  // namespace warpfold::divergence
