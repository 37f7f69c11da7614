// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/divergence/parts/slices/ignore_list.h"

namespace warpfold::divergence {
namespace ignore_list_test {

TEST(IgnoreList, ThreeFruitlessMeetingsAreEnough) {
  IgnoreList list(4);
  EXPECT_FALSE(list.fruitless(5));
  EXPECT_FALSE(list.fruitless(5));
  EXPECT_FALSE(list.has(5));
  EXPECT_TRUE(list.fruitless(5)) << "from now on";
  EXPECT_TRUE(list.has(5));
  EXPECT_FALSE(list.fruitless(5)) << "it was before";
  EXPECT_TRUE(list.has(5));
}

TEST(IgnoreList, PlacesOfAnEntryReplaceEachOther) {
  IgnoreList list(4);
  for (int i = 0; i < 3; ++i) list.fruitless(5);
  EXPECT_FALSE(list.has(9)) << "of the same entry";
  EXPECT_FALSE(list.fruitless(9));
  EXPECT_FALSE(list.has(5));
  EXPECT_FALSE(list.fruitless(5)) << "it counts anew";
  EXPECT_FALSE(list.fruitless(6)) << "of the next entry";
  EXPECT_FALSE(list.fruitless(5));
  EXPECT_TRUE(list.fruitless(5));
  list.clear();
  EXPECT_FALSE(list.has(5));
}

}  // namespace ignore_list_test
}  // namespace warpfold::divergence
