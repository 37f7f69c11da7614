// SPDX-License-Identifier: Apache-2.0
// Which of the ready warps issues: loose round-robin and greedy-then-oldest.
#include <gtest/gtest.h>

#include <initializer_list>

#include "warpfold/common/error.h"
#include "warpfold/core/warp_scheduler.h"

namespace warpfold {
namespace {

using divergence::WarpId;
using divergence::WarpSet;

constexpr unsigned kSlots = 70;  // more than one word of a WarpSet

WarpSet set_of(std::initializer_list<WarpId> warps) {
  WarpSet set(kSlots);
  for (const WarpId warp : warps) set.insert(warp);
  return set;
}

TEST(WarpScheduler, RoundRobinBeginsWithTheLowestSlot) {
  WarpScheduler scheduler(WarpPolicy::kLrr, kSlots);
  EXPECT_EQ(scheduler.pick(set_of({0, 1, 2})), 0u);
}

TEST(WarpScheduler, RoundRobinGoesOnBehindTheLastWarpAndWraps) {
  WarpScheduler scheduler(WarpPolicy::kLrr, kSlots);
  const WarpSet ready = set_of({3, 5, 69});
  std::vector<WarpId> order;
  for (int i = 0; i < 6; ++i) order.push_back(scheduler.pick(ready));
  EXPECT_EQ(order, (std::vector<WarpId>{3, 5, 69, 3, 5, 69}));
}

TEST(WarpScheduler, RoundRobinIsLooseAWarpThatIsNotReadyIsPassedOver) {
  WarpScheduler scheduler(WarpPolicy::kLrr, kSlots);
  EXPECT_EQ(scheduler.pick(set_of({0, 1, 2, 3})), 0u);
  EXPECT_EQ(scheduler.pick(set_of({0, 2, 3})), 2u);
  EXPECT_EQ(scheduler.pick(set_of({0, 1})), 0u);
  EXPECT_EQ(scheduler.pick(set_of({0})), 0u) << "alone, a warp issues again";
  EXPECT_EQ(scheduler.pick(set_of({1, 64})), 1u);
  EXPECT_EQ(scheduler.pick(set_of({0, 64})), 64u);
}

TEST(WarpScheduler, GreedyStaysWithItsWarpUntilThatIsNotReadyThenTakesTheOldest) {
  WarpScheduler scheduler(WarpPolicy::kGto, kSlots);
  for (const WarpId warp : {4, 2, 66}) scheduler.entered(warp);  // in order of age
  EXPECT_EQ(scheduler.pick(set_of({2, 66})), 2u) << "2 is older than 66";
  EXPECT_EQ(scheduler.pick(set_of({2, 4, 66})), 2u) << "greedy, though 4 is older";
  EXPECT_EQ(scheduler.pick(set_of({4, 66})), 4u);
  EXPECT_EQ(scheduler.pick(set_of({66})), 66u);
  EXPECT_EQ(scheduler.pick(set_of({2, 66})), 66u);
}

TEST(WarpScheduler, GreedDoesNotPassToALaterWarpOfTheSameSlot) {
  WarpScheduler scheduler(WarpPolicy::kGto, kSlots);
  scheduler.entered(0);
  scheduler.entered(1);
  EXPECT_EQ(scheduler.pick(set_of({0})), 0u);
  scheduler.entered(0);  // the old warp 0 has left, a young one has come
  EXPECT_EQ(scheduler.pick(set_of({0, 1})), 1u);
  scheduler.entered(1);
  EXPECT_EQ(scheduler.pick(set_of({0, 1})), 0u);
}

TEST(WarpScheduler, NoReadyWarpIsAnInternalError) {
  WarpScheduler lrr(WarpPolicy::kLrr, kSlots), gto(WarpPolicy::kGto, kSlots);
  EXPECT_THROW(lrr.pick(set_of({})), InternalError);
  EXPECT_THROW(gto.pick(set_of({})), InternalError);
}

}  // namespace
}  // namespace warpfold
