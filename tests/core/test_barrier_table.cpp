// SPDX-License-Identifier: Apache-2.0
// Barriers count the live threads of a block, whatever warps they travel in.
#include <gtest/gtest.h>

#include "models/core/barrier_table.h"

namespace warpfold {
namespace {

using Warps = std::vector<divergence::WarpId>;

TEST(BarrierTable, OpensWithTheLastThreadInTheOrderOfArrival) {
  BarrierTable table(2);
  table.block_started(1, 96);
  table.arrive(1, 7, 32);
  EXPECT_TRUE(table.open(1).empty());
  table.arrive(1, 3, 32);
  table.arrive(1, 5, 31);
  EXPECT_TRUE(table.open(1).empty()) << "95 of 96";
  EXPECT_EQ(table.arrived(1), 95u);
  table.arrive(1, 4, 1);
  EXPECT_EQ(table.open(1), (Warps{7, 3, 5, 4}));
  EXPECT_EQ(table.arrived(1), 0u);
  EXPECT_TRUE(table.open(1).empty()) << "once";
}

TEST(BarrierTable, CanBeUsedAgain) {
  BarrierTable table(1);
  table.block_started(0, 64);
  for (int round = 0; round < 3; ++round) {
    table.arrive(0, 0, 32);
    EXPECT_TRUE(table.open(0).empty());
    table.arrive(0, 1, 32);
    EXPECT_EQ(table.open(0), (Warps{0, 1}));
  }
}

TEST(BarrierTable, ExitedThreadsAreNotWaitedFor) {
  BarrierTable table(1);
  table.block_started(0, 64);
  table.arrive(0, 0, 32);
  table.exit(0, 31);
  EXPECT_TRUE(table.open(0).empty());
  EXPECT_EQ(table.live(0), 33u);
  table.exit(0, 1);
  EXPECT_EQ(table.open(0), (Warps{0}));
}

TEST(BarrierTable, ABlockWithoutWaitersDoesNotOpen) {
  BarrierTable table(1);
  table.block_started(0, 32);
  table.exit(0, 32);
  EXPECT_TRUE(table.open(0).empty()) << "nobody arrived and nobody lives";
}

TEST(BarrierTable, BlocksAreApartAndASlotStartsAfresh) {
  BarrierTable table(2);
  table.block_started(0, 32);
  table.block_started(1, 32);
  table.arrive(0, 0, 32);
  EXPECT_TRUE(table.open(1).empty());
  table.block_started(0, 64);
  EXPECT_EQ(table.arrived(0), 0u);
  table.arrive(0, 2, 64);
  EXPECT_EQ(table.open(0), (Warps{2}));
}

}  // namespace
}  // namespace warpfold
