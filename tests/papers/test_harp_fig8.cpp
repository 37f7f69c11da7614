// SPDX-License-Identifier: Apache-2.0
// HARP Fig. 8 and 9: what a commit does to a Re-convergence Barriers table of eight entries, two ways, for SIMD units
// two lanes wide. Thread t is in lane t mod 2 of row t / 2, which is its TID without the lane's bit; the row's lowest
// two bits choose one of four sets. Threads 0, 8, 16, … and 1, 9, 17, … compete for the two entries of set 0.
#include <gtest/gtest.h>

#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/harp/harp_barriers.h"

namespace warpfold {
namespace harp_fig8_test {

using divergence::ReconvergenceBarriers;
using divergence::Warp;
using isa::LaneMask;
using isa::Pc;

constexpr Pc kRpc = 40, kOther = 50;

class Figure8 : public testing::Test {
 protected:
  Figure8() { table.kernel_started(100); }
  // A warp of one thread, or of one in each lane.
  static Warp of(unsigned thread) {
    return Warp::of_row(0, static_cast<std::uint16_t>(thread / 2), LaneMask{1} << thread % 2);
  }
  static Warp of(unsigned even, unsigned odd) {
    Warp warp = of(even);
    divergence::widen(warp, of(odd));
    return warp;
  }
  // (a): a diverged warp commits; the lanes that fail to reserve.
  LaneMask diverge(const Warp& warp, Pc rpc) { return table.reserve(warp, rpc, false).misses; }
  // (b): a warp that has not diverged commits; the lanes that are excluded from it to wait.
  LaneMask commit(const Warp& warp, Pc next) {
    const LaneMask here = table.held(warp, next);
    if (here != 0) table.reach(warp, here, next);
    return here;
  }
  ReconvergenceBarriers table{8, 2, 1};
};

TEST_F(Figure8, ALookupThatReservesANewEntryWritesTidAndRpc) {
  EXPECT_EQ(diverge(of(0, 1), kRpc), 0U);
  EXPECT_EQ(table.used(), 1U) << "one entry serves both lanes of a row";
  EXPECT_EQ(table.held(of(0, 1), kRpc), 0b11U);
  EXPECT_EQ(table.held(of(8, 9), kRpc), 0U) << "the same set, other TIDs";
}

TEST_F(Figure8, ALookupThatHitsAValidEntryWritesTheTidOfItsLane) {
  diverge(of(0), kRpc);
  EXPECT_EQ(diverge(of(9), kRpc), 0U);
  EXPECT_EQ(table.used(), 1U);
  EXPECT_EQ(table.held(of(0, 9), kRpc), 0b11U);
}

TEST_F(Figure8, WithoutMatchingOrFreeEntryTheThreadMisses) {
  diverge(of(0, 1), kRpc);
  diverge(of(8, 9), kRpc);
  EXPECT_EQ(diverge(of(16, 17), kRpc), 0b11U) << "both ways of set 0 are taken, lanes and all";
  EXPECT_EQ(diverge(of(16, 3), kRpc), 0b01U) << "thread 3 is of set 1";
  EXPECT_EQ(table.held(of(16, 3), kRpc), 0b10U);
  EXPECT_EQ(commit(of(16), kRpc), 0U) << "it misses the chance to reconverge, and goes on";
}

TEST_F(Figure8, AFullSetStillServesAThreadWhoseLaneIsFreeThere) {
  diverge(of(0), kRpc);
  diverge(of(8, 9), kOther);
  EXPECT_EQ(diverge(of(17), kRpc), 0U);
  EXPECT_EQ(diverge(of(16), kRpc), 0b01U);
}

TEST_F(Figure8, ASearchThatFindsNoMatchLetsTheWarpProceed) {
  diverge(of(0, 1), kRpc);
  EXPECT_EQ(commit(of(0, 1), kRpc - 1), 0U);
  EXPECT_EQ(commit(of(2, 3), kRpc), 0U);
}

TEST_F(Figure8, AMatchMarksTheThreadAndExcludesItFromTheWarp) {
  diverge(of(0, 1), kRpc);
  EXPECT_EQ(commit(of(0, 3), kRpc), 0b01U) << "thread 3 has no barrier here";
  EXPECT_EQ(table.waiting(), 1U);
  EXPECT_FALSE(table.complete());
  EXPECT_EQ(commit(of(2, 1), kRpc), 0b10U);
  ASSERT_TRUE(table.complete());
  const Warp reborn = table.take_complete();
  EXPECT_EQ(reborn.pc, kRpc);
  EXPECT_EQ(reborn.mask, 0b11U);
  EXPECT_EQ(reborn.row[0], 0U);
  EXPECT_EQ(reborn.row[1], 0U);
  EXPECT_TRUE(reborn.one_row);
}

// Fig. 9: lanes are banks of their own, so a warp whose threads are of different sets is served at once.
TEST_F(Figure8, ThreadsOfOneWarpMayBeOfDifferentSets) {
  EXPECT_EQ(table.reserve(of(0, 7), kRpc, false).entries, 2U);
  EXPECT_EQ(commit(of(0, 7), kRpc), 0b11U);
  EXPECT_EQ(table.take_complete().mask, 0b01U);
  EXPECT_EQ(table.take_complete().mask, 0b10U);
}

}  // namespace harp_fig8_test
}  // namespace warpfold
