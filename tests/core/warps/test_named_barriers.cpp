// SPDX-License-Identifier: Apache-2.0
// Barriers with names and counts: who counts, who waits, when one opens.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/core/warps/named_barriers.h"

namespace warpfold {
namespace named_barriers_test {

using Threads = NamedBarriers::Threads;

constexpr std::uint32_t kAll = ~std::uint32_t{0};

void wait(NamedBarriers& barriers, const NamedBarriers::Name& name, divergence::WarpId warp, const Threads& arriving) {
  barriers.arrive(name, arriving, {}, "here");
  barriers.wait(name, {warp, divergence::Warp::of_row(0, 0, 0xffffffff)});
}

TEST(NamedBarriers, OpensWithItsCountOfWhichSomeDoNotWait) {
  NamedBarriers barriers;
  const NamedBarriers::Name name{1, 4, 64};
  wait(barriers, name, 7, {kAll, 0, 0});
  EXPECT_EQ(barriers.threads(), 32U);
  EXPECT_FALSE(barriers.take_full(1, {kAll, kAll, kAll}));
  barriers.arrive(name, {0, 0, kAll}, {}, "here");
  EXPECT_FALSE(barriers.take_full(0, {kAll, kAll, kAll})) << "another block";
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
  wait(barriers, name, 0, {kAll, 0});
  wait(barriers, name, 1, {0, 0x0f});
  EXPECT_FALSE(barriers.take_full(0, {kAll, 0xff})) << "four of the eight are still to come";
  EXPECT_TRUE(barriers.take_full(0, {kAll, 0x0f})) << "or have exited";
}

TEST(NamedBarriers, WithoutACountAllThatLiveMustCome) {
  NamedBarriers barriers;
  const NamedBarriers::Name name{0, 2, 0};
  wait(barriers, name, 0, {kAll, 0});
  EXPECT_FALSE(barriers.take_full(0, {kAll, 1}));
  EXPECT_TRUE(barriers.take_full(0, {32, 0}));
}

TEST(NamedBarriers, ThoseWhoArriveAndExitCountOnce) {
  NamedBarriers barriers;
  const NamedBarriers::Name name{0, 2, 64};
  barriers.arrive(name, {0xffff, 0}, {}, "here");
  wait(barriers, name, 1, {0, kAll});
  EXPECT_FALSE(barriers.take_full(0, {0xffff0000, kAll})) << "half of the first warp is still to come";
  barriers.arrive(name, {0xffff0000, 0}, {}, "here");
  EXPECT_TRUE(barriers.take_full(0, {0xffff0000, kAll}));
}

TEST(NamedBarriers, CountsPredicatesAndKeepsBarriersApart) {
  NamedBarriers barriers;
  barriers.arrive({0, 1, 64}, {kAll, 0}, 5, "here");
  barriers.arrive({0, 2, 64}, {kAll, 0}, 1, "here");
  barriers.arrive({0, 1, 64}, {0, kAll}, 6, "here");
  const auto full = barriers.take_full(0, {kAll, kAll});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->name.barrier, 1U);
  EXPECT_EQ(full->holding, 11U);
  EXPECT_EQ(full->threads(), 64U);
  EXPECT_THROW(barriers.arrive({0, 2, 32}, {0, kAll}, {}, "there"), UserError);
  barriers.block_started(0);
  EXPECT_TRUE(barriers.empty()) << "a block takes nothing over";
}

}  // namespace named_barriers_test
}  // namespace warpfold
