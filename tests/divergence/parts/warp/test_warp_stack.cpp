// SPDX-License-Identifier: Apache-2.0
// The stack of one warp entry by entry: what a branch pushes, where threads wait, and which of them wait for a turn.
#include <gtest/gtest.h>

#include "warpfold/divergence/parts/warp/warp_stack.h"

namespace warpfold::divergence {
namespace warp_stack_test {

constexpr Pc kEnd = 100;
constexpr auto kTaken = BranchOrder::kTakenFirst;
constexpr Branch kIfElse{5, 0b0011, 20, 30, isa::kNoPc, true};  // at 5: lanes 0 and 1 to 20, reconverging at 30
constexpr Branch kWithPoint{5, 0b0011, 20, 30, 25, true};       // the same with a likely-convergence point

class FourThreads : public testing::Test {
 protected:
  FourThreads() { stack.start(0b1111, kEnd); }
  void expect_top(Pc pc, LaneMask mask) {
    EXPECT_EQ(stack.top().pc, pc);
    EXPECT_EQ(stack.top().mask, mask);
  }
  WarpStack stack;
};

TEST_F(FourThreads, RunsTheSidesInTurnThenTheWhole) {
  EXPECT_FALSE(stack.go_on(5));
  EXPECT_EQ(stack.diverge(kIfElse, kTaken), 3U);
  expect_top(20, 0b0011);
  EXPECT_EQ(stack.inactive(), 0b1100U) << "the other side's turn has not come";
  EXPECT_EQ(stack.reconverging(), 0U);
  EXPECT_FALSE(stack.go_on(21));
  EXPECT_TRUE(stack.go_on(30));
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.inactive(), 0U);
  EXPECT_EQ(stack.reconverging(), 0b0011U);
  EXPECT_TRUE(stack.go_on(30));
  expect_top(30, 0b1111);
  EXPECT_EQ(stack.reconverging(), 0U);
  EXPECT_EQ(stack.entries().size(), 1U);
}

TEST_F(FourThreads, TheSideAtTheReconvergencePointWaitsThere) {
  EXPECT_EQ(stack.diverge({5, 0b0011, 30, 30, isa::kNoPc, true}, kTaken), 2U);
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.inactive(), 0U);
  EXPECT_EQ(stack.reconverging(), 0b0011U);
}

// Each branch leaves one lane behind: nothing can be deeper.
TEST_F(FourThreads, TwoEntriesALaneAreRoomForAll) {
  EXPECT_EQ(stack.diverge({5, 0b0111, 20, 90, isa::kNoPc, true}, kTaken), 3U);
  EXPECT_EQ(stack.diverge({21, 0b0011, 30, 80, isa::kNoPc, true}, kTaken), 5U);
  EXPECT_EQ(stack.diverge({31, 0b0001, 40, 70, isa::kNoPc, true}, kTaken), 2U * 4 - 1);
}

TEST_F(FourThreads, ALikelyPointIsOneEntryMore) {
  EXPECT_EQ(stack.diverge({5, 0b0111, 20, 90, 85, true}, kTaken), 4U);
  EXPECT_EQ(stack.diverge({21, 0b0011, 30, 80, 75, true}, kTaken), 7U);
  EXPECT_EQ(stack.diverge({31, 0b0001, 40, 70, 65, true}, kTaken), 3U * 4 - 2);
}

TEST_F(FourThreads, TheOtherOrder) {
  stack.diverge(kIfElse, BranchOrder::kNotTakenFirst);
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.inactive(), 0b0011U);
}

TEST_F(FourThreads, AnInnerBranchLeavesTheOuterSidesWhereTheyAre) {
  stack.diverge(kIfElse, kTaken);
  EXPECT_EQ(stack.diverge({21, 0b0001, 25, 28, isa::kNoPc, true}, kTaken), 5U);
  expect_top(25, 0b0001);
  EXPECT_EQ(stack.inactive(), 0b1110U);
  EXPECT_TRUE(stack.go_on(28));
  expect_top(22, 0b0010);
  EXPECT_EQ(stack.inactive(), 0b1100U);
  EXPECT_EQ(stack.reconverging(), 0b0001U);
}

TEST_F(FourThreads, ExitsLeaveEveryEntry) {
  stack.diverge(kIfElse, kTaken);
  stack.exit(0b0001, 21);
  expect_top(21, 0b0010);
  stack.exit(0b0010, 22);
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.reconverging(), 0U) << "nobody is left to wait";
  EXPECT_TRUE(stack.go_on(30));
  expect_top(30, 0b1100);
  stack.exit(0b1100, 31);
  EXPECT_TRUE(stack.empty());
  EXPECT_EQ(stack.inactive() | stack.reconverging(), 0U);
}

// TBC §4: the entry of the likely-convergence point first, then the sides, which know where it is.
TEST_F(FourThreads, ALikelyPointHasAnEntryBelowTheSides) {
  EXPECT_EQ(stack.diverge(kWithPoint, kTaken), 4U);
  ASSERT_EQ(stack.entries().size(), 4U);
  const WarpStack::Entry& likely = stack.entries()[1];
  EXPECT_EQ(likely.pc, 25U);
  EXPECT_EQ(likely.rpc, 30U);
  EXPECT_EQ(likely.mask, 0U);
  EXPECT_EQ(likely.lpc, isa::kNoPc);
  for (const unsigned side : {2U, 3U}) {
    EXPECT_EQ(stack.entries()[side].lpc, 25U);
    EXPECT_EQ(stack.entries()[side].lpos, 1U);
    EXPECT_EQ(stack.entries()[side].rpc, 30U);
  }
}

TEST_F(FourThreads, ThreadsGoOnTogetherFromTheLikelyPoint) {
  stack.diverge(kWithPoint, kTaken);
  EXPECT_TRUE(stack.go_on(25));
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.entries()[1].mask, 0b0011U);
  EXPECT_EQ(stack.inactive(), 0U);
  EXPECT_EQ(stack.reconverging(), 0b0011U);
  EXPECT_TRUE(stack.go_on(25));
  expect_top(25, 0b1111);
  EXPECT_FALSE(stack.go_on(26));
  EXPECT_TRUE(stack.go_on(30));
  expect_top(30, 0b1111);
}

TEST_F(FourThreads, ThreadsThatMissTheLikelyPointWaitAtTheOther) {
  stack.diverge(kWithPoint, kTaken);
  EXPECT_TRUE(stack.go_on(30));
  expect_top(6, 0b1100);
  EXPECT_TRUE(stack.go_on(25));
  expect_top(25, 0b1100);
  EXPECT_EQ(stack.reconverging(), 0b0011U);
  EXPECT_TRUE(stack.go_on(30));
  expect_top(30, 0b1111);
}

TEST_F(FourThreads, AnEmptyLikelyEntryPopsAtOnce) {
  stack.diverge(kWithPoint, kTaken);
  stack.go_on(30);
  stack.go_on(30);
  expect_top(30, 0b1111);
  EXPECT_EQ(stack.entries().size(), 1U);
}

TEST_F(FourThreads, ASideThatBeginsAtTheLikelyPointIsAnEntryForAMoment) {
  EXPECT_EQ(stack.diverge({5, 0b0011, 25, 30, 25, true}, kTaken), 4U);
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.entries().size(), 3U);
  EXPECT_EQ(stack.entries()[1].mask, 0b0011U);
  stack.start(0b1111, kEnd);
  EXPECT_EQ(stack.diverge({5, 0b0011, 25, 30, 25, true}, BranchOrder::kNotTakenFirst), 4U);
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.entries().size(), 4U) << "it comes second";
  EXPECT_EQ(stack.inactive(), 0U) << "waiting for no turn, but for the others";
  EXPECT_EQ(stack.reconverging(), 0b0011U);
}

// TBC footnote 7.
TEST_F(FourThreads, TheSamePairOfPointsTakesTwoEntries) {
  stack.diverge(kWithPoint, kTaken);
  EXPECT_EQ(stack.diverge({21, 0b0001, 23, 30, 25, true}, kTaken), 5U) << "one replaced, two new";
  ASSERT_EQ(stack.entries().size(), 5U);
  for (const unsigned side : {3U, 4U}) EXPECT_EQ(stack.entries()[side].lpos, 1U);
}

TEST_F(FourThreads, ARoundOfTheLoopDoesNotGrowTheStack) {
  stack.diverge(kWithPoint, kTaken);
  for (int round = 0; round < 3; ++round) {
    stack.go_on(25);
    stack.go_on(25);
    expect_top(25, 0b1111);
    EXPECT_EQ(stack.entries().size(), 2U);
    EXPECT_EQ(stack.diverge(kWithPoint, kTaken), 4U) << "the entry of the likely point makes room for the next one";
  }
}

// Decision: what replaces the top keeps its likely point where the branch has none, or another.
TEST_F(FourThreads, AnInnerLoopHasAPointOfItsOwnAndKeepsTheOuterOne) {
  stack.diverge(kWithPoint, kTaken);
  EXPECT_EQ(stack.diverge({21, 0b0001, 23, 30, 24, true}, kTaken), 6U);
  const WarpStack::Entry& inner = stack.entries()[3];
  EXPECT_EQ(inner.pc, 24U);
  EXPECT_EQ(inner.lpc, 25U);
  EXPECT_EQ(inner.lpos, 1U);
  stack.go_on(24);
  stack.go_on(24);
  expect_top(24, 0b0011);
  EXPECT_TRUE(stack.go_on(25));
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.entries()[1].mask, 0b0011U);
  stack.start(0b1111, kEnd);
  stack.diverge(kWithPoint, kTaken);
  stack.diverge({21, 0b0001, 23, 30, isa::kNoPc, true}, kTaken);
  EXPECT_EQ(stack.top().lpc, 25U) << "a branch without one";
  EXPECT_EQ(stack.top().lpos, 1U);
}

TEST_F(FourThreads, AnInnerIfMayReconvergeAtTheLikelyPoint) {
  stack.diverge(kWithPoint, kTaken);
  stack.diverge({21, 0b0001, 23, 25, isa::kNoPc, true}, kTaken);
  stack.go_on(25);
  expect_top(22, 0b0010);
  stack.go_on(25);
  expect_top(6, 0b1100);
  EXPECT_EQ(stack.entries()[1].mask, 0b0011U) << "its reconvergence entry went over at once";
}

TEST_F(FourThreads, ExitsLeaveTheLikelyEntryToo) {
  stack.diverge(kWithPoint, kTaken);
  stack.go_on(25);
  stack.exit(0b1100, 7);
  expect_top(25, 0b0011);
  stack.exit(0b0011, 26);
  EXPECT_TRUE(stack.empty());
}

// Reconvergence at the kernel's end only: the likely entry can be the lowest of the stack.
TEST_F(FourThreads, TheLikelyEntryMayBeTheLowest) {
  EXPECT_EQ(stack.diverge({5, 0b0011, 20, kEnd, 25, true}, kTaken), 3U);
  stack.exit(0b0011, 21);
  expect_top(6, 0b1100);
  stack.go_on(25);
  expect_top(25, 0b1100);
  stack.exit(0b1100, 26);
  EXPECT_TRUE(stack.empty());
}

// Up to the next point where threads may come together, and no further than asked.
TEST_F(FourThreads, GoesStraightToWhereThreadsMeet) {
  EXPECT_EQ(stack.goes_straight_to(50), 50U);
  EXPECT_EQ(stack.goes_straight_to(kEnd + 10), kEnd);
  stack.go_on(5);
  stack.diverge(kWithPoint, kTaken);
  expect_top(20, 0b0011);
  EXPECT_EQ(stack.goes_straight_to(kEnd), 25U) << "the likely-convergence point";
  EXPECT_EQ(stack.goes_straight_to(22), 22U);
  stack.go_on(27);  // past it
  EXPECT_EQ(stack.goes_straight_to(kEnd), 30U);
}

}  // namespace warp_stack_test
}  // namespace warpfold::divergence
