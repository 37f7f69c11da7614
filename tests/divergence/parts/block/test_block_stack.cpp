// SPDX-License-Identifier: Apache-2.0
// The block-wide stack entry by entry: masks filled warp by warp, WCnt, pops, and its depth (TBC §3.1-3.3).
#include <gtest/gtest.h>

#include <random>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/block/block_stack.h"

namespace warpfold::divergence {
namespace block_stack_test {

using Rows = std::vector<LaneMask>;
constexpr Pc kEnd = 100;
constexpr auto kTaken = BranchOrder::kTakenFirst;

// Two rows of four lanes, the first of the core's rows being 10.
class TwoWarps : public testing::Test {
 protected:
  TwoWarps() { stack.start({0, 0, 0, 10, {0b1111, 0b1111}}, kEnd); }

  static Warp warp(unsigned row, LaneMask lanes = 0b1111) {
    return Warp::of_row(0, static_cast<std::uint16_t>(10 + row), lanes);
  }
  void both_branch(LaneMask first, LaneMask second, const Branch& branch) {
    Branch outcome = branch;
    outcome.taken = first;
    stack.arrive_at_branch(warp(0), outcome);
    outcome.taken = second;
    stack.arrive_at_branch(warp(1), outcome);
  }
  // The top's threads, in warps of their rows, reach its reconvergence point.
  void top_reconverges() {
    while (!stack.settled()) stack.arrive_at_reconvergence();
  }
  BlockStack stack;
};

constexpr Branch kIfElse{5, 0, 20, 30, isa::kNoPc, true};  // at 5: taken to 20, reconverging at 30

TEST_F(TwoWarps, StartsWithEveryThreadAtZero) {
  EXPECT_EQ(stack.size(), 1U);
  EXPECT_EQ(stack.depth(), 1U);
  EXPECT_EQ(stack.top().pc, 0U);
  EXPECT_EQ(stack.reconvergence(), kEnd);
  EXPECT_EQ(stack.top().warps, 2U);
  EXPECT_EQ(stack.top().threads, (Rows{0b1111, 0b1111}));
  EXPECT_FALSE(stack.settled());
}

TEST_F(TwoWarps, TheFirstWarpMakesTheTargetsTheOthersJoin) {
  Branch branch = kIfElse;
  branch.taken = 0b0110;
  stack.arrive_at_branch(warp(1), branch);
  ASSERT_EQ(stack.size(), 3U);
  EXPECT_EQ(stack.top().warps, 1U) << "the top stays put, one warp is still to come";
  EXPECT_EQ(stack.top().pc, 30U) << "resumes at the reconvergence point";
  EXPECT_EQ(stack.reconvergence(), kEnd);
  EXPECT_EQ(stack.entry(1).pc, 6U);
  EXPECT_EQ(stack.entry(2).pc, 20U);
  EXPECT_EQ(stack.entry(1).rpc, 30U);
  EXPECT_EQ(stack.entry(2).rpc, 30U);
  EXPECT_EQ(stack.entry(1).threads, (Rows{0, 0b1001}));
  EXPECT_EQ(stack.entry(2).threads, (Rows{0, 0b0110}));

  branch.taken = 0b0001;
  stack.arrive_at_branch(warp(0), branch);
  EXPECT_TRUE(stack.settled());
  EXPECT_EQ(stack.size(), 3U) << "no second pair";
  EXPECT_EQ(stack.entry(1).threads, (Rows{0b1110, 0b1001}));
  EXPECT_EQ(stack.entry(2).threads, (Rows{0b0001, 0b0110}));
  EXPECT_EQ(stack.depth(), 3U);
}

TEST_F(TwoWarps, RunsTheSidesInTurnThenTheWhole) {
  both_branch(0b0001, 0b0110, kIfElse);
  const BlockStack::Entry* entry = stack.advance(kTaken, true);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->pc, 20U);
  EXPECT_EQ(entry->warps, 1U) << "lanes 0, 1, 2 once each";
  EXPECT_EQ(stack.reconvergence(), 30U);
  top_reconverges();
  entry = stack.advance(kTaken, true);
  EXPECT_EQ(entry->pc, 6U);
  EXPECT_EQ(entry->warps, 2U) << "lane 3 twice";
  top_reconverges();
  entry = stack.advance(kTaken, true);
  EXPECT_EQ(entry->pc, 30U);
  EXPECT_EQ(entry->warps, 2U);
  EXPECT_EQ(entry->threads, (Rows{0b1111, 0b1111}));
  EXPECT_EQ(stack.size(), 1U);
}

TEST_F(TwoWarps, WithoutRegroupingCountsRows) {
  both_branch(0b0001, 0b0110, kIfElse);
  EXPECT_EQ(stack.advance(kTaken, false)->warps, 2U);
  top_reconverges();
  EXPECT_EQ(stack.advance(kTaken, false)->warps, 2U);
}

TEST_F(TwoWarps, BranchOrderCountsTheBlocksThreads) {
  both_branch(0b1111, 0b0001, kIfElse);  // 5 taken, 3 not
  EXPECT_EQ(stack.advance(BranchOrder::kFewestFirst, true)->pc, 6U);
  top_reconverges();
  EXPECT_EQ(stack.advance(BranchOrder::kFewestFirst, true)->pc, 20U);
  top_reconverges();
  EXPECT_EQ(stack.advance(BranchOrder::kFewestFirst, true)->pc, 30U);
}

TEST_F(TwoWarps, NotTakenFirst) {
  both_branch(0b0011, 0b0011, kIfElse);
  EXPECT_EQ(stack.advance(BranchOrder::kNotTakenFirst, true)->pc, 6U);
}

// TBC §3.3: two entries even when no thread goes one way; the empty one pops when it becomes the top.
TEST_F(TwoWarps, AnEmptySidePopsAtOnce) {
  both_branch(0, 0, kIfElse);
  EXPECT_EQ(stack.size(), 3U);
  const BlockStack::Entry* entry = stack.advance(kTaken, true);
  EXPECT_EQ(entry->pc, 6U);
  EXPECT_EQ(stack.size(), 2U);
}

TEST_F(TwoWarps, ASideAtTheReconvergencePointPopsWithoutRunning) {
  both_branch(0b1001, 0b0001, {5, 0, 30, 30, isa::kNoPc, true});  // an if: taken = past the body
  EXPECT_EQ(stack.depth(), 2U) << "TBC Table 3 does not count it";
  EXPECT_EQ(stack.advance(kTaken, true)->pc, 6U);
  EXPECT_EQ(stack.size(), 2U);
  top_reconverges();
  EXPECT_EQ(stack.advance(kTaken, true)->pc, 30U);
}

// The latch of a loop over 1 … 9: neither the entry of a round nor the side that leaves the loop stays for the next
// round.
TEST_F(TwoWarps, AnEntryThatWouldWakeAtItsOwnEndMakesRoom) {
  for (int round = 0; round < 5; ++round) {
    both_branch(0b1110, 0b1100, {9, 0, 1, 10, isa::kNoPc, true});
    EXPECT_EQ(stack.depth(), 2U) << "round " << round;
    const BlockStack::Entry* entry = stack.advance(kTaken, true);
    EXPECT_EQ(entry->pc, 1U);
    EXPECT_EQ(entry->warps, 2U);
    EXPECT_EQ(stack.size(), 2U) << "round " << round;
    EXPECT_EQ(stack.entry(0).threads, (Rows{0b1111, 0b1111}));
  }
  top_reconverges();
  EXPECT_EQ(stack.advance(kTaken, true)->pc, 10U);
}

TEST_F(TwoWarps, ABranchToTheNextInstructionIsPassedWhole) {
  both_branch(0b0011, 0b1111, {5, 0, 6, 6, isa::kNoPc, true});
  const BlockStack::Entry* entry = stack.advance(kTaken, true);
  EXPECT_EQ(entry->pc, 6U);
  EXPECT_EQ(entry->threads, (Rows{0b1111, 0b1111}));
  EXPECT_EQ(stack.size(), 1U);
}

TEST_F(TwoWarps, ExitsLeaveEveryMask) {
  both_branch(0b0001, 0b0110, kIfElse);
  stack.advance(kTaken, true);
  Warp packed = warp(0, 0b0111);  // {row 0 lane 0, row 1 lanes 1 and 2}
  packed.row[1] = packed.row[2] = 11;
  packed.one_row = false;
  stack.exit(packed, 0b0010, false);
  EXPECT_EQ(stack.top().threads, (Rows{0b0001, 0b0100}));
  EXPECT_EQ(stack.entry(0).threads, (Rows{0b1111, 0b1101}));
  EXPECT_EQ(stack.top().warps, 1U) << "the warp lives on";
  packed.mask = 0b0101;
  stack.exit(packed, 0b0101, true);
  EXPECT_TRUE(stack.settled());
  EXPECT_EQ(stack.entry(0).threads, (Rows{0b1110, 0b1001}));
  EXPECT_EQ(stack.advance(kTaken, true)->pc, 6U);
}

// Warp 0 is at the branch, warp 1 ends before it: the branch goes on with what has arrived.
TEST_F(TwoWarps, AnExitCanBeTheLastArrival) {
  Branch branch = kIfElse;
  branch.taken = 0b0011;
  stack.arrive_at_branch(warp(0), branch);
  stack.exit(warp(1), 0b1111, true);
  EXPECT_TRUE(stack.settled());
  const BlockStack::Entry* entry = stack.advance(kTaken, true);
  EXPECT_EQ(entry->pc, 20U);
  EXPECT_EQ(entry->threads, (Rows{0b0011, 0}));
}

constexpr Branch kWithPoint{5, 0, 20, 30, 25, true};  // the same as kIfElse, likely to meet at 25

TEST_F(TwoWarps, CountsTheThreadsOfASideWhoseTurnHasNotCome) {
  both_branch(0b0001, 0b0110, kIfElse);
  EXPECT_EQ(stack.inactive(), 0U) << "they wait for each other";
  stack.advance(kTaken, true);
  EXPECT_EQ(stack.inactive(), 5U);
  top_reconverges();
  stack.advance(kTaken, true);
  EXPECT_EQ(stack.inactive(), 0U);
  stack.start({0, 0, 0, 10, {0b1111, 0b1111}}, kEnd);
  both_branch(0b0001, 0b0110, {5, 0, 30, 30, isa::kNoPc, true});
  stack.advance(BranchOrder::kNotTakenFirst, true);
  EXPECT_EQ(stack.inactive(), 0U) << "one side waits at the reconvergence point";
}

// TBC §4: the entry of the likely-convergence point first, then the sides, which know where it is.
TEST_F(TwoWarps, ALikelyPointHasAnEntryBelowTheSides) {
  both_branch(0b0001, 0b0110, kWithPoint);
  ASSERT_EQ(stack.size(), 4U);
  EXPECT_EQ(stack.depth(), 4U);
  EXPECT_EQ(stack.entry(1).pc, 25U);
  EXPECT_EQ(stack.entry(1).rpc, 30U);
  EXPECT_EQ(stack.entry(1).threads, (Rows{0, 0}));
  for (const unsigned side : {2U, 3U}) {
    EXPECT_EQ(stack.entry(side).lpc, 25U);
    EXPECT_EQ(stack.entry(side).lpos, 1U);
  }
  EXPECT_EQ(stack.entry(2).threads, (Rows{0b1110, 0b1001}));
  EXPECT_EQ(stack.entry(3).threads, (Rows{0b0001, 0b0110}));
}

TEST_F(TwoWarps, ThreadsGoOnTogetherFromTheLikelyPoint) {
  both_branch(0b0001, 0b0110, kWithPoint);
  stack.advance(kTaken, true);
  EXPECT_TRUE(stack.meets_at(25));
  EXPECT_TRUE(stack.meets_at(30));
  EXPECT_FALSE(stack.meets_at(24));
  stack.arrive(25);
  EXPECT_EQ(stack.advance(kTaken, true)->pc, 6U);
  EXPECT_EQ(stack.entry(1).threads, (Rows{0b0001, 0b0110}));
  EXPECT_EQ(stack.inactive(), 0U);
  stack.arrive(25);
  stack.arrive(25);
  const BlockStack::Entry* entry = stack.advance(kTaken, true);
  EXPECT_EQ(entry->pc, 25U);
  EXPECT_EQ(entry->warps, 2U);
  EXPECT_EQ(entry->threads, (Rows{0b1111, 0b1111}));
  EXPECT_FALSE(stack.meets_at(25));
  top_reconverges();
  EXPECT_EQ(stack.advance(kTaken, true)->pc, 30U);
}

TEST_F(TwoWarps, AnEntryThatNobodyComesToPopsAtOnce) {
  both_branch(0b0001, 0b0110, kWithPoint);
  stack.advance(kTaken, true);
  top_reconverges();
  stack.advance(kTaken, true);
  top_reconverges();
  EXPECT_EQ(stack.advance(kTaken, true)->pc, 30U);
  EXPECT_EQ(stack.size(), 1U);
}

TEST_F(TwoWarps, ASideThatBeginsAtTheLikelyPointDoesNotRun) {
  both_branch(0b0001, 0b0110, {5, 0, 25, 30, 25, true});
  const BlockStack::Entry* entry = stack.advance(BranchOrder::kNotTakenFirst, true);
  EXPECT_EQ(entry->pc, 6U);
  EXPECT_EQ(stack.inactive(), 0U) << "the other side waits for no turn, but for the others";
  top_reconverges();
  entry = stack.advance(kTaken, true);
  EXPECT_EQ(entry->pc, 25U);
  EXPECT_EQ(entry->threads, (Rows{0b0001, 0b0110}));
}

// TBC footnote 7, and a loop: what is replaced leaves its place to the entries after it.
TEST_F(TwoWarps, TheSamePairOfPointsTakesTwoEntriesAndARoundTakesNone) {
  for (int round = 0; round < 3; ++round) {
    both_branch(0b1111, 0b1111, kWithPoint);
    EXPECT_EQ(stack.depth(), 4U) << round;
    stack.advance(kTaken, true);
    both_branch(0b0001, 0b0110, {21, 0, 23, 30, 25, true});
    EXPECT_EQ(stack.depth(), 5U) << round;
    stack.advance(kTaken, true);
    ASSERT_EQ(stack.size(), 5U);
    EXPECT_EQ(stack.top().lpos, 1U);
    stack.arrive(25);
    stack.advance(kTaken, true);
    stack.arrive(25);
    stack.arrive(25);
    const BlockStack::Entry* entry = stack.advance(kTaken, true);
    EXPECT_EQ(entry->pc, 25U);
    EXPECT_EQ(entry->threads, (Rows{0b1111, 0b1111}));
    ASSERT_EQ(stack.size(), 2U);
  }
}

TEST_F(TwoWarps, AnInnerPointKeepsTheOuterOne) {
  both_branch(0b1111, 0b1111, kWithPoint);
  stack.advance(kTaken, true);
  both_branch(0b0001, 0b0110, {21, 0, 23, 30, 24, true});
  stack.advance(kTaken, true);
  ASSERT_EQ(stack.size(), 6U);
  EXPECT_EQ(stack.entry(3).pc, 24U);
  EXPECT_EQ(stack.entry(3).lpc, 25U);
  EXPECT_EQ(stack.entry(3).lpos, 1U);
  EXPECT_EQ(stack.top().lpos, 3U);
}

TEST_F(TwoWarps, WarpsThatMeetAtDifferentPointsAreOurMistake) {
  both_branch(0b1111, 0b1111, kWithPoint);
  stack.advance(kTaken, true);
  stack.arrive(25);
  EXPECT_THROW(stack.arrive(30), InternalError);
}

TEST_F(TwoWarps, NothingIsLeftWhenAllHaveExited) {
  stack.exit(warp(0), 0b1111, true);
  EXPECT_FALSE(stack.settled());
  stack.exit(warp(1), 0b1111, true);
  EXPECT_TRUE(stack.settled());
  EXPECT_EQ(stack.advance(kTaken, true), nullptr);
}

TEST_F(TwoWarps, MoreArrivalsThanWarpsAreOurMistake) {
  top_reconverges();
  EXPECT_THROW(stack.arrive_at_reconvergence(), InternalError);
  EXPECT_THROW(stack.arrive_at_branch(warp(0), kIfElse), InternalError);
  EXPECT_THROW(stack.exit(warp(0), 0b1111, true), InternalError);
}

// A branch wrongly taken to be uniform lets warps go apart: better an end than threads that run on with wrong masks.
TEST_F(TwoWarps, WarpsThatMissTheirBranchAreOurMistake) {
  stack.arrive_at_branch(warp(0), kIfElse);
  Branch elsewhere = kIfElse;
  elsewhere.pc = 7;
  EXPECT_THROW(stack.arrive_at_branch(warp(1), elsewhere), InternalError);
  EXPECT_THROW(stack.arrive_at_reconvergence(), InternalError);
}

TEST_F(TwoWarps, AdvancingBeforeTheLastArrivalIsOurMistake) {
  stack.arrive_at_reconvergence();
  EXPECT_THROW(stack.advance(kTaken, true), InternalError);
}

TEST_F(TwoWarps, StartsAfresh) {
  both_branch(0b0001, 0b0110, kIfElse);
  stack.start({0, 1, 1, 4, {0b1111, 0b0001, 0b1111}}, kEnd);
  EXPECT_EQ(stack.size(), 1U);
  EXPECT_EQ(stack.top().warps, 3U);
  EXPECT_EQ(stack.top().threads, (Rows{0b1111, 0b0001, 0b1111}));
}

TEST(CompactedWarps, LargestNumberInALane) {
  EXPECT_EQ(compacted_warps({}), 0U);
  EXPECT_EQ(compacted_warps({0, 0}), 0U);
  EXPECT_EQ(compacted_warps({0b0001, 0b0010}), 1U);
  EXPECT_EQ(compacted_warps({0b0001, 0b0011, 0b0001}), 3U);
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    Rows rows(1 + random() % 40);
    for (LaneMask& row : rows) row = random() & random();
    unsigned most = 0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      unsigned threads = 0;
      for (const LaneMask row : rows) threads += row >> lane & 1;
      most = std::max(most, threads);
    }
    EXPECT_EQ(compacted_warps(rows), most);
  }
}

// Warps of one lane and blocks of 1024 threads are legal: a lane may hold as many threads as a block has.
TEST(CompactedWarps, AsManyRowsAsABlockHasThreads) {
  for (const unsigned rows : {63U, 64U, 65U, 255U, 256U, 1024U, 4096U}) {
    EXPECT_EQ(compacted_warps(Rows(rows, 0b0100)), rows);
  }
}

}  // namespace block_stack_test
}  // namespace warpfold::divergence
