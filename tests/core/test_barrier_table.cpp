// SPDX-License-Identifier: Apache-2.0
// Barriers count the live threads of a block, whatever warps they travel in.
#include <gtest/gtest.h>

#include "warpfold/core/barrier_table.h"

namespace warpfold {
namespace {

using Warps = std::vector<divergence::WarpId>;

void arrive(BarrierTable& table, unsigned slot, divergence::WarpId warp, unsigned threads,
            std::optional<unsigned> holding = {}) {
  const isa::LaneMask lanes = threads == 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << threads) - 1;
  table.arrive(slot, {warp, divergence::Warp::of_row(0, 0, lanes)}, holding);
}

Warps opened(const BarrierTable& table) {
  Warps warps;
  for (const WaitingThreads& waited : table.opened().waited) warps.push_back(waited.warp);
  return warps;
}

TEST(BarrierTable, OpensWithTheLastThreadInTheOrderOfArrival) {
  BarrierTable table(2);
  table.block_started(1, 96);
  arrive(table, 1, 7, 32);
  EXPECT_FALSE(table.open(1));
  arrive(table, 1, 3, 32);
  arrive(table, 1, 5, 31);
  EXPECT_FALSE(table.open(1)) << "95 of 96";
  EXPECT_EQ(table.arrived(1), 95u);
  EXPECT_EQ(table.arrived(), 95u);
  arrive(table, 1, 4, 1);
  ASSERT_TRUE(table.open(1));
  EXPECT_EQ(opened(table), (Warps{7, 3, 5, 4}));
  EXPECT_EQ(table.arrived(1), 0u);
  EXPECT_EQ(table.arrived(), 0u);
  EXPECT_FALSE(table.open(1)) << "once";
}

TEST(BarrierTable, CanBeUsedAgain) {
  BarrierTable table(1);
  table.block_started(0, 64);
  for (int round = 0; round < 3; ++round) {
    arrive(table, 0, 0, 32);
    EXPECT_FALSE(table.open(0));
    arrive(table, 0, 1, 32);
    ASSERT_TRUE(table.open(0));
    EXPECT_EQ(opened(table), (Warps{0, 1}));
  }
}

TEST(BarrierTable, ExitedThreadsAreNotWaitedFor) {
  BarrierTable table(1);
  table.block_started(0, 64);
  arrive(table, 0, 0, 32);
  table.exit(0, 31);
  EXPECT_FALSE(table.open(0));
  EXPECT_EQ(table.live(0), 33u);
  table.exit(0, 1);
  ASSERT_TRUE(table.open(0));
  EXPECT_EQ(opened(table), (Warps{0}));
}

TEST(BarrierTable, CountsThePredicatesThatHold) {
  BarrierTable table(1);
  table.block_started(0, 64);
  for (const auto& [first, second] : {std::pair(3U, 4U), {0U, 0U}}) {
    arrive(table, 0, 0, 32, first);
    arrive(table, 0, 1, 32, second);
    ASSERT_TRUE(table.open(0));
    EXPECT_EQ(table.opened().holding, first + second);
    EXPECT_EQ(table.opened().threads, 64U);
  }
  arrive(table, 0, 0, 64);
  ASSERT_TRUE(table.open(0));
  EXPECT_EQ(table.opened().holding, std::nullopt) << "bar.sync brings none";
}

TEST(BarrierTable, ABlockWithoutWaitersDoesNotOpen) {
  BarrierTable table(1);
  table.block_started(0, 32);
  table.exit(0, 32);
  EXPECT_FALSE(table.open(0)) << "nobody arrived and nobody lives";
}

TEST(BarrierTable, BlocksAreApartAndASlotStartsAfresh) {
  BarrierTable table(2);
  table.block_started(0, 32);
  table.block_started(1, 32);
  arrive(table, 0, 0, 32);
  EXPECT_FALSE(table.open(1));
  table.block_started(0, 64);
  EXPECT_EQ(table.arrived(0), 0u);
  arrive(table, 0, 2, 64);
  ASSERT_TRUE(table.open(0));
  EXPECT_EQ(opened(table), (Warps{2}));
}

}  // namespace
}  // namespace warpfold
