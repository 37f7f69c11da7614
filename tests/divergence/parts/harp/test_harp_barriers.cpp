// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/harp/harp_barriers.h"

namespace warpfold::divergence {
namespace harp_barriers_test {

constexpr Pc kD = 10, kE = 20;
constexpr unsigned kWidth = 4;

// Two sets of two ways: rows 0, 2, 4, … and rows 1, 3, 5, …
class HarpBarriers : public testing::Test {
 protected:
  HarpBarriers() { table.kernel_started(30); }
  static Warp row(unsigned row, LaneMask lanes) { return Warp::of_row(0, static_cast<std::uint16_t>(row), lanes); }
  static Warp mixed(Warp a, const Warp& b) {
    widen(a, b);
    return a;
  }
  LaneMask reserve(const Warp& warp, Pc rpc) { return table.reserve(warp, rpc, false).misses; }
  // "10{0,1}" …: what completes, in order.
  std::string complete() {
    std::string text;
    while (table.complete()) {
      const Warp warp = table.take_complete();
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", warp.pc, threads_text(warp, kWidth));
    }
    return text;
  }
  ReconvergenceBarriers table{4, 2, 1};
};

TEST_F(HarpBarriers, ThreadsWaitUntilAllHaveReached) {
  EXPECT_EQ(table.reserve(row(0, 0b1111), kD, false).entries, 1U);
  EXPECT_EQ(table.used(), 1U);
  EXPECT_EQ(table.held(row(0, 0b0110), kD), 0b0110U);
  EXPECT_EQ(table.held(row(0, 0b0110), kE), 0U) << "another pc";
  EXPECT_EQ(table.held(row(2, 0b0110), kD), 0U) << "another row of the same set";
  table.reach(row(0, 0b0110), 0b0110, kD);
  EXPECT_EQ(table.waiting(), 2U);
  EXPECT_FALSE(table.complete());
  table.reach(row(0, 0b1001), 0b1001, kD);
  EXPECT_EQ(table.held(row(0, 0b1111), kD), 0U) << "complete: nobody waits for anybody";
  EXPECT_EQ(complete(), "10{0,1,2,3}");
  EXPECT_EQ(table.used(), 0U);
  EXPECT_EQ(table.waiting(), 0U);
}

TEST_F(HarpBarriers, AThreadKeepsItsBarrierThroughLaterDivergences) {
  reserve(row(0, 0b1111), kD);
  EXPECT_EQ(table.reserve(row(0, 0b0111), kD, false).entries, 0U);
  EXPECT_EQ(table.used(), 1U);
}

TEST_F(HarpBarriers, NestedOnesAreSeparate) {
  reserve(row(0, 0b1111), kD);
  reserve(row(0, 0b0011), kE);
  EXPECT_EQ(table.used(), 2U);
  table.reach(row(0, 0b0011), 0b0011, kE);
  EXPECT_EQ(complete(), "20{0,1}");
  EXPECT_EQ(table.held(row(0, 0b0011), kD), 0b0011U);
}

// Fig. 8a: a lookup that finds a valid entry writes the lane's tag there.
TEST_F(HarpBarriers, AThreadEntersABarrierThatWaitsThereAlready) {
  reserve(row(0, 0b0011), kD);
  EXPECT_EQ(table.reserve(row(2, 0b1100), kD, false).entries, 0U);
  table.reach(row(0, 0b0011), 0b0011, kD);
  EXPECT_FALSE(table.complete());
  table.reach(row(2, 0b1100), 0b1100, kD);
  EXPECT_EQ(complete(), "10{0,1,10,11}");
}

TEST_F(HarpBarriers, ALaneThatIsTakenNeedsAnotherEntry) {
  reserve(row(0, 0b0011), kD);
  EXPECT_EQ(table.reserve(row(2, 0b0110), kD, false).entries, 1U) << "lane 2 fits the first entry, lane 1 does not";
  EXPECT_EQ(table.used(), 2U);
  table.reach(row(0, 0b0011), 0b0011, kD);
  table.reach(row(2, 0b0110), 0b0010, kD);
  EXPECT_EQ(complete(), "10{9}");
  table.reach(row(2, 0b0100), 0b0100, kD);
  EXPECT_EQ(complete(), "10{0,1,10}");
}

TEST_F(HarpBarriers, RowsOfAMixedWarpGoToTheirOwnSets) {
  const Warp warp = mixed(row(0, 0b0011), row(1, 0b1100));
  EXPECT_EQ(table.reserve(warp, kD, false).entries, 2U);
  table.reach(warp, 0b1111, kD);
  EXPECT_EQ(complete(), "10{0,1} 10{6,7}");
}

TEST_F(HarpBarriers, OneEntryDoesForTwoRowsOfASet) {
  const Warp warp = mixed(row(0, 0b0011), row(2, 0b1100));
  EXPECT_EQ(table.reserve(warp, kD, false).entries, 1U);
  table.reach(warp, 0b1111, kD);
  EXPECT_EQ(complete(), "10{0,1,10,11}");
}

TEST_F(HarpBarriers, ThoseWhoWaitAreOfTheirOwnRows) {
  reserve(mixed(row(0, 0b0111), row(2, 0b1000)), kD);
  const auto waiting = [&] {
    std::string text;
    table.for_each_waiting([&](const Warp& warp) { text += threads_text(warp, kWidth) + (warp.one_row ? "1" : "n"); });
    return text;
  };
  EXPECT_EQ(waiting(), "");
  table.reach(row(0, 0b0001), 0b0001, kD);
  EXPECT_EQ(waiting(), "{0}1");
  table.reach(row(2, 0b1000), 0b1000, kD);
  EXPECT_EQ(waiting(), "{0,11}n");
}

TEST_F(HarpBarriers, AFullSetIsMissedByItsThreadsOnly) {
  reserve(row(0, 0b1111), kD);
  reserve(row(2, 0b1111), kD);
  const Warp warp = mixed(row(4, 0b0011), row(1, 0b1100));
  EXPECT_EQ(reserve(warp, kE), 0b0011U);
  EXPECT_EQ(table.held(warp, kE), 0b1100U);
}

TEST_F(HarpBarriers, AFullSetIsMissedByTheWholeWarp) {
  reserve(row(0, 0b1111), kD);
  reserve(row(2, 0b1111), kD);
  const Warp warp = mixed(row(4, 0b0011), row(1, 0b1100));
  const auto [entries, misses] = table.reserve(warp, kE, true);
  EXPECT_EQ(entries, 0U);
  EXPECT_EQ(misses, 0b1111U);
  EXPECT_EQ(table.used(), 2U);
  EXPECT_EQ(table.held(warp, kE), 0U);
}

TEST_F(HarpBarriers, AWarpThatMissesKeepsTheBarriersThatItsThreadsHold) {
  reserve(row(1, 0b1100), kD);
  reserve(row(0, 0b1111), kE);
  reserve(row(2, 0b1111), kE);
  const Warp warp = mixed(row(4, 0b0011), row(1, 0b1100));
  EXPECT_EQ(table.reserve(warp, kD, true).misses, 0b0011U);
  EXPECT_EQ(table.held(warp, kD), 0b1100U);
}

TEST_F(HarpBarriers, ALoneThreadOfAFullSetMayStillFindRoomInAnEntry) {
  reserve(row(0, 0b0001), kD);
  reserve(row(0, 0b1110), kE);
  EXPECT_EQ(table.reserve(row(2, 0b1000), kD, true).misses, 0U);
  EXPECT_EQ(table.held(row(2, 0b1000), kD), 0b1000U);
}

TEST_F(HarpBarriers, WhoeverLeavesIsWaitedForNoLonger) {
  reserve(row(0, 0b1111), kD);
  reserve(row(0, 0b1000), kE);
  table.reach(row(0, 0b0111), 0b0111, kD);
  EXPECT_EQ(table.leave(row(0, 0b1000), 0b1000), 2U) << "both of its barriers";
  EXPECT_EQ(table.used(), 1U) << "the one without threads is free at once";
  EXPECT_EQ(complete(), "10{0,1,2}");
}

TEST_F(HarpBarriers, AnEmptiedEntryIsFree) {
  reserve(row(0, 0b1111), kD);
  reserve(row(2, 0b1111), kD);
  table.leave(row(2, 0b1111), 0b1111);
  EXPECT_EQ(table.used(), 1U);
  EXPECT_EQ(reserve(row(4, 0b1111), kE), 0U);
}

// A thread that goes round a loop is back before its barrier has made its warp.
TEST_F(HarpBarriers, NobodyEntersACompleteBarrier) {
  reserve(row(0, 0b0001), kD);
  table.reach(row(0, 0b0001), 0b0001, kD);
  EXPECT_EQ(table.reserve(row(0, 0b0010), kD, false).entries, 1U);
  EXPECT_EQ(complete(), "10{0}");
  EXPECT_EQ(table.held(row(0, 0b0010), kD), 0b0010U);
}

TEST_F(HarpBarriers, ACompleteBarrierOccupiesItsEntryUntilItIsTakenOut) {
  reserve(row(0, 0b0001), kD);
  reserve(row(0, 0b0001), kE);
  table.reach(row(0, 0b0001), 0b0001, kE);
  EXPECT_EQ(reserve(row(0, 0b0010), kE), 0b0010U);
  EXPECT_EQ(complete(), "20{0}");
  EXPECT_EQ(reserve(row(0, 0b0010), kE), 0U);
}

TEST_F(HarpBarriers, CompleteOnesComeOutInTheOrderOfCompletion) {
  reserve(row(0, 0b0001), kD);
  reserve(row(1, 0b0001), kD);
  table.reach(row(1, 0b0001), 0b0001, kD);
  table.reach(row(0, 0b0001), 0b0001, kD);
  EXPECT_EQ(complete(), "10{4} 10{0}");
}

TEST_F(HarpBarriers, ReachingWithoutABarrierIsAFault) {
  EXPECT_THROW(table.reach(row(0, 0b0001), 0b0001, kD), InternalError);
}

TEST_F(HarpBarriers, SchedulersHaveEveryNthRow) {
  ReconvergenceBarriers second{4, 2, 2};  // rows 1, 5, … in one set; 3, 7, … in the other
  second.kernel_started(30);
  for (const unsigned r : {1U, 5U, 3U, 7U}) EXPECT_EQ(second.reserve(row(r, 0b1111), kD, false).misses, 0U) << r;
  EXPECT_EQ(second.reserve(row(9, 0b1111), kD, false).misses, 0b1111U);
  EXPECT_EQ(second.used(), 4U);
}

TEST_F(HarpBarriers, WaysDivideEntries) { EXPECT_THROW(ReconvergenceBarriers(10, 4, 1), InternalError); }

}  // namespace harp_barriers_test
}  // namespace warpfold::divergence
