// SPDX-License-Identifier: Apache-2.0
// What loops would cost on a token stack, from the decisions of threads that ran each by itself: the mechanism counts
// the same tokens.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"
#include "warpfold/divergence/prediction/token_prediction.h"

namespace warpfold::divergence {
namespace token_prediction_test {

constexpr unsigned kOnChip = 3, kAtATime = 2;

// One thread after the other, each to its end: the emulator has to wait for the last.
std::vector<LoopTokens> predict(const Program& program, unsigned threads) {
  const isa::Kernel kernel = kernel_of(program);
  TokenPrediction prediction(kernel, kOnChip, kAtATime);
  prediction.start(7, isa::low_lanes(threads));
  for (unsigned thread = 0; thread < threads; ++thread) {
    for (ThreadState state; !state.exited;) {
      const Pc pc = state.pc;
      const bool taken = execute(program, {0, thread}, state);
      const LaneMask lane = LaneMask{1} << thread;
      if (program[pc].outcome) prediction.decided(7, lane, taken ? lane : 0);
    }
  }
  EXPECT_TRUE(prediction.idle()) << "all threads have exited";
  return prediction.loops();
}

TokenCounts sum_of(const std::vector<LoopTokens>& loops) {
  TokenCounts sum;
  for (const LoopTokens& loop : loops) sum.add(loop.tokens);
  return sum;
}

TokenCounts of_the_mechanism(const Program& program, unsigned threads) {
  FlowMachine machine({"token-stack",
                       {fmt::format("on_chip_tokens={}", kOnChip), fmt::format("spill_tokens={}", kAtATime)},
                       threads,
                       1},
                      program);
  machine.start(0, 0, threads);
  machine.run();
  const FakeCore& core = machine.core;
  return {core.statistic("token_sync_pushes"), core.statistic("token_div_pushes"), core.statistic("token_pops"),
          core.statistic("token_spills"),      core.statistic("token_reloads"),    core.deepest};
}

TEST(TokenPrediction, StructuredProgramsAsTheMechanism) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Program program = StructuredProgram(seed, seed % 2 == 0).make();
    ASSERT_EQ(sum_of(predict(program, 8)), of_the_mechanism(program, 8)) << "seed " << seed;
  }
}

TEST(TokenPrediction, ArbitraryJumpsAsTheMechanism) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Program program = arbitrary_program(seed);
    ASSERT_EQ(sum_of(predict(program, 8)), of_the_mechanism(program, 8)) << "seed " << seed;
  }
}

Outcome rounds(unsigned more) {
  return [more](Who who, unsigned visit) { return visit < who.thread + more; };
}
bool never(Who /*who*/, unsigned /*visit*/) { return false; }

// Listing 3: threads stay for one to four rounds. Its first branch and its SSY lie before the loop and belong to it.
TEST(TokenPrediction, ALoopWithItsSync) {
  const std::vector<LoopTokens> loops = predict({branch(3, never), step(), branch(1, rounds(0)), step(), leave()}, 4);
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0].header, isa::kNoPc);
  EXPECT_EQ(loops[0].tokens, TokenCounts{});
  EXPECT_EQ(loops[1].header, 1U);
  EXPECT_EQ(loops[1].depth, 1U);
  EXPECT_EQ(loops[1].iterations, 4U);
  EXPECT_EQ(loops[1].tokens, (TokenCounts{1, 3, 4, 1, 1, 4}));
}

// Listing 4 with two rounds of the outer loop; an if in the inner one, which is that loop's, and one behind them.
TEST(TokenPrediction, TokensOfNestedLoopsAreApart) {
  const Outcome odd = [](Who who, unsigned) { return who.thread % 2 == 1; };
  const Outcome twice = [](Who, unsigned visit) { return visit < 1; };
  Program program{step(), step(),           branch(4, odd), step(), branch(1, rounds(0)),
                  step(), branch(0, twice), branch(9, odd), step(), leave()};
  program[0].resets = 4;
  const std::vector<LoopTokens> loops = predict(program, 3);
  ASSERT_EQ(loops.size(), 3U);
  EXPECT_EQ(loops[0].tokens, (TokenCounts{1, 1, 2, 0, 0, 2})) << "the if behind the loops";
  EXPECT_EQ(loops[1].header, 0U);
  EXPECT_EQ(loops[1].iterations, 2U);
  EXPECT_EQ(loops[1].tokens.div_pushes, 0U);
  EXPECT_EQ(loops[1].tokens.sync_pushes, 1U);
  EXPECT_EQ(loops[2].header, 1U);
  EXPECT_EQ(loops[2].depth, 2U);
  EXPECT_EQ(loops[2].iterations, 2 * 3U);
  EXPECT_EQ(loops[2].tokens.sync_pushes, 2 + 2 * 3U) << "its own in each round around it, and the if's in each turn";
  EXPECT_EQ(loops[2].tokens.div_pushes, 2 * (2 + 2U)) << "three threads leave one by one; two turns have odd and even";
  EXPECT_EQ(sum_of(loops), of_the_mechanism(program, 3));
}

// A break out of both loops leaves to the outer one's end.
TEST(TokenPrediction, WhatLeavesSeveralLoopsIsTheOutermosts) {
  const Outcome breaks = [](Who who, unsigned visit) { return visit == 1 + who.thread; };
  Program program{step(), branch(5, breaks), branch(1, rounds(0)), step(), jump(0), step(), leave()};
  const std::vector<LoopTokens> loops = predict(program, 3);
  ASSERT_EQ(loops.size(), 3U);
  EXPECT_GT(loops[1].tokens.div_pushes, 0U);
  EXPECT_EQ(sum_of(loops), of_the_mechanism(program, 3));
}

}  // namespace token_prediction_test
}  // namespace warpfold::divergence
