// SPDX-License-Identifier: Apache-2.0
// Warps of a row, and sets of warps against std::set.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {
namespace warp_test {

TEST(Warp, OfRowTakesEveryLaneFromThatRow) {
  const Warp warp = Warp::of_row(12, 7, 0b1011);
  EXPECT_EQ(warp.pc, 12U);
  EXPECT_EQ(warp.mask, 0b1011U);
  EXPECT_TRUE(warp.one_row);
  for (const std::uint16_t row : warp.row) EXPECT_EQ(row, 7);
}

TEST(Block, HasARowPerMask) {
  Block block;
  EXPECT_EQ(block.rows(), 0U);
  block.threads = {0b1111, 0b1111, 0b0001};
  EXPECT_EQ(block.rows(), 3U);
}

TEST(WarpSet, OfNoneIsEmpty) {
  const WarpSet none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.next(0), kNoWarp);
}

// The word boundaries: the last member of a word, the first of the next, the last of the set.
TEST(WarpSet, NextCrossesWords) {
  WarpSet set(130);
  for (const WarpId warp : {0U, 63U, 64U, 127U, 128U, 129U}) set.insert(warp);
  EXPECT_EQ(set.next(0), 0U);
  EXPECT_EQ(set.next(1), 63U);
  EXPECT_EQ(set.next(63), 63U);
  EXPECT_EQ(set.next(64), 64U);
  EXPECT_EQ(set.next(65), 127U);
  EXPECT_EQ(set.next(129), 129U);
  EXPECT_EQ(set.next(130), kNoWarp);
  EXPECT_EQ(set.next(192), kNoWarp) << "beyond the last word";
  set.erase(129);
  EXPECT_EQ(set.next(129), kNoWarp);
}

std::set<WarpId> members(const WarpSet& set) {
  std::set<WarpId> all;
  for (WarpId warp = set.next(0); warp != kNoWarp; warp = set.next(warp + 1)) all.insert(warp);
  return all;
}

TEST(WarpSet, BehavesAsASet) {
  std::mt19937 random(3);
  for (const unsigned capacity : {1U, 63U, 64U, 65U, 200U}) {
    for (int round = 0; round < 50; ++round) {
      WarpSet a(capacity), b(capacity);
      std::set<WarpId> in_a, in_b;
      const unsigned most_a = random() % capacity + 1, most_b = random() % capacity + 1;  // the words above have none
      for (unsigned i = 0; i < capacity; ++i) {
        const unsigned what = random() % 3;
        const WarpId warp = random() % (what == 1 ? most_b : most_a);
        switch (what) {
          case 0:
            a.insert(warp), in_a.insert(warp);
            break;
          case 1:
            b.insert(warp), in_b.insert(warp);
            break;
          default:
            a.erase(warp), in_a.erase(warp);
            break;
        }
      }
      std::set<WarpId> both, either = in_a, only_a = in_a;
      for (const WarpId warp : in_b) {
        if (in_a.contains(warp)) both.insert(warp);
        either.insert(warp);
        only_a.erase(warp);
      }
      EXPECT_EQ(members(a), in_a);
      EXPECT_EQ(a.size(), in_a.size());
      EXPECT_EQ(a.empty(), in_a.empty());
      EXPECT_EQ(a == b, in_a == in_b);
      EXPECT_EQ(a.intersects(b), !both.empty());
      EXPECT_EQ(members(WarpSet(a) &= b), both);
      EXPECT_EQ(members(WarpSet(a) |= b), either);
      EXPECT_EQ(members(WarpSet(a) -= b), only_a);
      for (WarpId warp = 0; warp < capacity; ++warp) EXPECT_EQ(a.contains(warp), in_a.contains(warp));
      b = a;
      EXPECT_EQ(members(b), in_a);
      EXPECT_EQ(a, b);
    }
  }
}

}  // namespace warp_test
}  // namespace warpfold::divergence
