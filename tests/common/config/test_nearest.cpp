// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/common/config/nearest.h"

namespace warpfold {
namespace nearest_test {

TEST(Nearest, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("pdmo", "pdom"), 1U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // a swapped pair is not edited again
}

TEST(Nearest, FirstOfTheClosest) {
  EXPECT_EQ(nearest("tbd", {"pdom", "tbc", "tba"}), "tbc");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, SuggestionIsAHintOrTheWholeList) {
  EXPECT_EQ(suggestion("pdmo", {"tbc", "pdom"}), "did you mean 'pdom'?");
  EXPECT_EQ(suggestion("PDOM", {"tbc", "pdom"}), "did you mean 'pdom'?");
  EXPECT_EQ(suggestion("lrr", {"GTO", "LRR"}), "did you mean 'LRR'?");
  EXPECT_EQ(suggestion("elephant", {"tbc", "pdom"}), "known are tbc, pdom");
  EXPECT_EQ(suggestion("x", {}), "none are known");
  EXPECT_EQ(suggestion("", {"tbc", "pdom"}), "known are tbc, pdom");
}

}  // namespace nearest_test
}  // namespace warpfold
