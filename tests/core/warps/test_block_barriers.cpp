// SPDX-License-Identifier: Apache-2.0
// Barriers count the live threads of a block, whatever warps they travel in.
#include <gtest/gtest.h>

#include "warpfold/core/warps/block_barriers.h"

namespace warpfold {
namespace block_barriers_test {

using Warps = std::vector<divergence::WarpId>;

void start(BlockBarriers& barriers, unsigned slot, unsigned threads) {
  barriers.block_started({.slot = slot, .threads = {1}}, threads);
}

void arrive(BlockBarriers& barriers, unsigned slot, divergence::WarpId warp, unsigned threads,
            std::optional<unsigned> holding = {}) {
  const isa::LaneMask lanes = threads == 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << threads) - 1;
  barriers.arrive(slot, {warp, divergence::Warp::of_row(0, 0, lanes)}, holding);
}

Warps opened(const BlockBarriers& barriers) {
  Warps warps;
  for (const WaitingThreads& waited : barriers.opened().waited) warps.push_back(waited.warp);
  return warps;
}

TEST(BlockBarriers, OpensWithTheLastThreadInTheOrderOfArrival) {
  BlockBarriers barriers(2, 4);
  start(barriers, 1, 96);
  arrive(barriers, 1, 7, 32);
  EXPECT_FALSE(barriers.open(1));
  arrive(barriers, 1, 3, 32);
  arrive(barriers, 1, 5, 31);
  EXPECT_FALSE(barriers.open(1)) << "95 of 96";
  EXPECT_EQ(barriers.arrived(1), 95u);
  EXPECT_EQ(barriers.threads(), 95u);
  arrive(barriers, 1, 4, 1);
  ASSERT_TRUE(barriers.open(1));
  EXPECT_EQ(opened(barriers), (Warps{7, 3, 5, 4}));
  EXPECT_EQ(barriers.arrived(1), 0u);
  EXPECT_EQ(barriers.threads(), 0u);
  EXPECT_FALSE(barriers.open(1)) << "once";
}

TEST(BlockBarriers, CanBeUsedAgain) {
  BlockBarriers barriers(1, 4);
  start(barriers, 0, 64);
  for (int round = 0; round < 3; ++round) {
    arrive(barriers, 0, 0, 32);
    EXPECT_FALSE(barriers.open(0));
    arrive(barriers, 0, 1, 32);
    ASSERT_TRUE(barriers.open(0));
    EXPECT_EQ(opened(barriers), (Warps{0, 1}));
  }
}

TEST(BlockBarriers, ExitedThreadsAreNotWaitedFor) {
  BlockBarriers barriers(1, 4);
  start(barriers, 0, 64);
  arrive(barriers, 0, 0, 32);
  barriers.exit(0, 31);
  EXPECT_FALSE(barriers.open(0));
  EXPECT_EQ(barriers.live(0), 33u);
  barriers.exit(0, 1);
  ASSERT_TRUE(barriers.open(0));
  EXPECT_EQ(opened(barriers), (Warps{0}));
}

TEST(BlockBarriers, CountsThePredicatesThatHold) {
  BlockBarriers barriers(1, 4);
  start(barriers, 0, 64);
  for (const auto& [first, second] : {std::pair(3U, 4U), {0U, 0U}}) {
    arrive(barriers, 0, 0, 32, first);
    arrive(barriers, 0, 1, 32, second);
    ASSERT_TRUE(barriers.open(0));
    EXPECT_EQ(barriers.opened().holding, first + second);
    EXPECT_EQ(barriers.opened().threads, 64U);
  }
  arrive(barriers, 0, 0, 64);
  ASSERT_TRUE(barriers.open(0));
  EXPECT_EQ(barriers.opened().holding, std::nullopt) << "bar.sync brings none";
}

TEST(BlockBarriers, ABlockWithoutWaitersDoesNotOpen) {
  BlockBarriers barriers(1, 4);
  start(barriers, 0, 32);
  barriers.exit(0, 32);
  EXPECT_FALSE(barriers.open(0)) << "nobody arrived and nobody lives";
}

TEST(BlockBarriers, BlocksAreApartAndASlotStartsAfresh) {
  BlockBarriers barriers(2, 4);
  start(barriers, 0, 32);
  start(barriers, 1, 32);
  arrive(barriers, 0, 0, 32);
  EXPECT_FALSE(barriers.open(1));
  start(barriers, 0, 64);
  EXPECT_EQ(barriers.arrived(0), 0u);
  arrive(barriers, 0, 2, 64);
  ASSERT_TRUE(barriers.open(0));
  EXPECT_EQ(opened(barriers), (Warps{2}));
}

}  // namespace block_barriers_test
}  // namespace warpfold
