// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/divergence/parts/harp/harp_levels.h"

namespace warpfold::divergence {
namespace harp_levels_test {

constexpr unsigned kSlots = 16;

std::vector<WarpId> members(const WarpSet& set) {
  std::vector<WarpId> ids;
  for (WarpId id = set.next(0); id != kNoWarp; id = set.next(id + 1)) ids.push_back(id);
  return ids;
}
using Ids = std::vector<WarpId>;

TEST(HarpLevels, AMoveTakesACycle) {
  WarpLevels levels({}, kSlots);
  EXPECT_TRUE(levels.empty());
  EXPECT_EQ(levels.next(0), kNever);
  EXPECT_TRUE(levels.enter(3));
  EXPECT_EQ(levels.second_used(), 1U);
  EXPECT_EQ(levels.next(0), 1U);
  levels.settle(1);
  EXPECT_EQ(levels.first_used(), 1U);
  EXPECT_EQ(levels.second_used(), 0U);
  EXPECT_TRUE(levels.first_level().empty()) << "it is on its way";
  EXPECT_EQ(levels.next(1), 2U);
  levels.settle(2);
  EXPECT_EQ(members(levels.first_level()), Ids{3});
  EXPECT_EQ(levels.next(2), kNever);
}

TEST(HarpLevels, OneWarpPerCycleInTheOrderOfReadiness) {
  WarpLevels levels({}, kSlots);
  for (const WarpId id : {5U, 2U, 7U}) levels.enter(id);
  levels.settle(0);
  EXPECT_EQ(levels.ready(), 2U);
  levels.settle(1);
  EXPECT_EQ(members(levels.first_level()), Ids{5});
  levels.settle(2);
  EXPECT_EQ(members(levels.first_level()), (Ids{2, 5}));
  levels.settle(3);
  EXPECT_EQ(members(levels.first_level()), (Ids{2, 5, 7}));
}

TEST(HarpLevels, AFullFirstLevelLetsNobodyIn) {
  WarpLevels levels({2, 512, 0}, kSlots);
  for (WarpId id = 0; id < 4; ++id) levels.enter(id);
  for (Cycle now = 0; now < 5; ++now) levels.settle(now);
  EXPECT_EQ(members(levels.first_level()), (Ids{0, 1}));
  EXPECT_EQ(levels.ready(), 2U);
  EXPECT_EQ(levels.next(4), kNever) << "nothing moves until one issues";
  levels.issued(0);
  EXPECT_EQ(levels.next(4), 5U);
  levels.settle(5);
  levels.settle(6);
  EXPECT_EQ(members(levels.first_level()), (Ids{1, 2}));
}

TEST(HarpLevels, AWarpInThePipelineIsNotReadyUntilItCommits) {
  WarpLevels levels({}, kSlots);
  levels.enter(1);
  levels.settle(0);
  levels.settle(1);
  levels.issued(1);
  EXPECT_TRUE(levels.first_level().empty());
  EXPECT_EQ(levels.second_used(), 1U);
  EXPECT_EQ(levels.next(1), kNever);
  levels.settle(2);
  EXPECT_EQ(levels.ready(), 0U);
  EXPECT_EQ(levels.first_used(), 0U);
  levels.enter(1);
  levels.settle(9);
  levels.settle(10);
  EXPECT_EQ(members(levels.first_level()), Ids{1});
}

TEST(HarpLevels, APipelinedSearchDelaysEveryCommit) {
  WarpLevels levels({8, 512, 3}, kSlots);
  levels.enter(1);
  levels.settle(10);
  EXPECT_EQ(levels.next(10), 13U);
  levels.settle(12);
  EXPECT_EQ(levels.first_used(), 0U);
  EXPECT_EQ(levels.second_used(), 1U);
  levels.settle(13);
  EXPECT_EQ(levels.first_used(), 1U);
}

// The third warp finds two in Second-Level, and comes back when First-Level has taken one of them.
TEST(HarpLevels, AWarpThatFindsSecondLevelFullIsInMemoryUntilThereIsRoom) {
  WarpLevels levels({1, 2, 0}, kSlots);
  EXPECT_TRUE(levels.enter(0));
  EXPECT_TRUE(levels.enter(1));
  EXPECT_FALSE(levels.enter(2));
  EXPECT_EQ(levels.second_used(), 2U);
  EXPECT_EQ(levels.returning(), kNoWarp) << "there is no room";
  EXPECT_FALSE(levels.empty());
  levels.settle(0);
  EXPECT_EQ(levels.second_used(), 1U);
  EXPECT_EQ(levels.returning(), 2U);
  EXPECT_EQ(levels.next(0), 1U);
  levels.on_its_way(2);
  EXPECT_EQ(levels.second_used(), 2U) << "its place is kept for it";
  EXPECT_EQ(levels.returning(), kNoWarp);
  EXPECT_TRUE(levels.is_on_its_way(2));
  EXPECT_EQ(levels.ready(), 1U);
  levels.back(2);
  EXPECT_EQ(levels.ready(), 2U);
  EXPECT_FALSE(levels.is_on_its_way(2));
}

TEST(HarpLevels, WarpsComeBackInTheOrderInWhichTheyWent) {
  WarpLevels levels({8, 1, 0}, kSlots);
  EXPECT_TRUE(levels.enter(0));
  for (const WarpId id : {7U, 3U, 5U}) EXPECT_FALSE(levels.enter(id));
  Ids back;
  for (Cycle now = 0; now < 9; ++now) {
    levels.settle(now);
    const WarpId id = levels.returning();
    if (id == kNoWarp) continue;
    levels.on_its_way(id);
    levels.back(id);
    back.push_back(id);
  }
  EXPECT_EQ(back, (Ids{7, 3, 5}));
}

TEST(HarpLevels, AWarpOfSecondLevelThatCommitsHasItsPlace) {
  WarpLevels levels({1, 1, 0}, kSlots);
  levels.enter(0);
  levels.settle(0);
  levels.settle(1);
  levels.enter(1);
  levels.issued(0);
  EXPECT_EQ(levels.second_used(), 2U);
  EXPECT_TRUE(levels.enter(0)) << "it has not been away";
}

// A warp that spins for what one in memory is to do must not keep it there for ever.
TEST(HarpLevels, AWarpThatCommitsMakesRoomForOneThatHasBeenInMemoryForLong) {
  WarpLevels levels({1, 1, 0}, kSlots);
  levels.enter(0);
  levels.settle(0);
  levels.settle(1);
  levels.issued(0);
  EXPECT_FALSE(levels.enter(1));
  EXPECT_TRUE(levels.enter(0));
  levels.settle(2);
  levels.settle(3);
  levels.issued(0);
  EXPECT_EQ(levels.returning(), kNoWarp);
  levels.settle(WarpLevels::kPatience);
  EXPECT_TRUE(levels.enter(0));
  levels.issued(0);
  levels.settle(WarpLevels::kPatience + 1);
  EXPECT_FALSE(levels.enter(0)) << "it makes room";
  EXPECT_EQ(levels.returning(), 1U);
}

TEST(HarpLevels, WarpsLeaveFromAnywhere) {
  WarpLevels levels({2, 512, 0}, kSlots);
  for (WarpId id = 0; id < 5; ++id) levels.enter(id);
  levels.settle(0);
  levels.settle(1);  // 0 in First-Level, 1 on its way, 2, 3 and 4 ready
  levels.leave(3);
  levels.leave(1);
  levels.leave(0);
  EXPECT_EQ(levels.first_used(), 0U);
  EXPECT_TRUE(levels.first_level().empty());
  EXPECT_EQ(levels.ready(), 2U);
  levels.settle(2);
  levels.settle(3);
  levels.settle(4);
  EXPECT_EQ(members(levels.first_level()), (Ids{2, 4}));
  levels.leave(2);
  levels.issued(4);
  levels.leave(4);
  EXPECT_TRUE(levels.empty());
  levels.leave(4);
  EXPECT_TRUE(levels.empty()) << "whoever is in neither may leave";
}

}  // namespace harp_levels_test
}  // namespace warpfold::divergence
