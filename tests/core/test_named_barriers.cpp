// SPDX-License-Identifier: Apache-2.0
// Barriers with names and counts: who counts, who waits, when one opens.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/core/named_barriers.h"

namespace warpfold {
namespace {

using Counts = NamedBarriers::Counts;

void wait(NamedBarriers& barriers, const NamedBarriers::Name& name, divergence::WarpId warp, const Counts& arriving) {
  barriers.arrive(name, arriving, {}, "here");
  barriers.wait(name, {warp, divergence::Warp::of_row(0, 0, 0xffffffff)});
}

TEST(NamedBarriers, OpensWithItsCountOfWhichSomeDoNotWait) {
  NamedBarriers barriers;
  const NamedBarriers::Name name{1, 4, 64};
  wait(barriers, name, 7, {32, 0, 0});
  EXPECT_EQ(barriers.threads(), 32U);
  EXPECT_FALSE(barriers.take_full(1, {32, 32, 32}));
  barriers.arrive(name, {0, 0, 32}, {}, "here");
  EXPECT_FALSE(barriers.take_full(0, {32, 32, 32})) << "another block";
  const auto full = barriers.take_full(1, {32, 32, 32});
  ASSERT_TRUE(full);
  ASSERT_EQ(full->waited.size(), 1U);
  EXPECT_EQ(full->waited[0].warp, 7U);
  EXPECT_TRUE(barriers.empty());
  EXPECT_EQ(barriers.threads(), 0U);
}

TEST(NamedBarriers, WarpsThatAreShortCountAsWhole) {
  NamedBarriers barriers;
  const NamedBarriers::Name name{0, 1, 64};
  wait(barriers, name, 0, {32, 0});
  wait(barriers, name, 1, {0, 4});
  EXPECT_FALSE(barriers.take_full(0, {32, 8})) << "four of the eight are still to come";
  EXPECT_TRUE(barriers.take_full(0, {32, 4})) << "or have exited";
}

TEST(NamedBarriers, WithoutACountAllThatLiveMustCome) {
  NamedBarriers barriers;
  const NamedBarriers::Name name{0, 2, 0};
  wait(barriers, name, 0, {32, 0});
  EXPECT_FALSE(barriers.take_full(0, {32, 1}));
  EXPECT_TRUE(barriers.take_full(0, {32, 0}));
}

TEST(NamedBarriers, ThoseWhoArriveAndExitCountOnce) {
  NamedBarriers barriers;
  const NamedBarriers::Name name{0, 2, 96};
  barriers.arrive(name, {32, 0, 0}, {}, "here");
  wait(barriers, name, 1, {0, 32, 0});
  EXPECT_FALSE(barriers.take_full(0, {0, 32, 32}));
}

TEST(NamedBarriers, CountsPredicatesAndKeepsBarriersApart) {
  NamedBarriers barriers;
  barriers.arrive({0, 1, 64}, {32, 0}, 5, "here");
  barriers.arrive({0, 2, 64}, {32, 0}, 1, "here");
  barriers.arrive({0, 1, 64}, {0, 32}, 6, "here");
  const auto full = barriers.take_full(0, {32, 32});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->name.barrier, 1U);
  EXPECT_EQ(full->holding, 11U);
  EXPECT_EQ(full->threads, 64U);
  EXPECT_THROW(barriers.arrive({0, 2, 32}, {0, 32}, {}, "there"), UserError);
  barriers.block_started(0);
  EXPECT_TRUE(barriers.empty()) << "a block takes nothing over";
}

}  // namespace
}  // namespace warpfold
