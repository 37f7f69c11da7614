// SPDX-License-Identifier: Apache-2.0
// Which side runs first, by the numbers of threads that go either way.
#include <gtest/gtest.h>

#include "warpfold/divergence/parts/branch_order.h"

namespace warpfold::divergence {
namespace branch_order_test {

TEST(BranchOrder, FixedOrdersDoNotCount) {
  for (const unsigned taken : {0U, 1U, 31U}) {
    EXPECT_TRUE(runs_taken_first(BranchOrder::kTakenFirst, taken, 1));
    EXPECT_FALSE(runs_taken_first(BranchOrder::kNotTakenFirst, taken, 1));
  }
}

TEST(BranchOrder, FewestFirstTiesGoToTaken) {
  EXPECT_TRUE(runs_taken_first(BranchOrder::kFewestFirst, 15, 17));
  EXPECT_TRUE(runs_taken_first(BranchOrder::kFewestFirst, 16, 16));
  EXPECT_FALSE(runs_taken_first(BranchOrder::kFewestFirst, 17, 15));
}

TEST(BranchOrder, Spellings) {
  constexpr auto& names = Choices<BranchOrder>::names;
  EXPECT_STREQ(names[static_cast<unsigned>(BranchOrder::kTakenFirst)], "taken_first");
  EXPECT_STREQ(names[static_cast<unsigned>(BranchOrder::kNotTakenFirst)], "not_taken_first");
  EXPECT_STREQ(names[static_cast<unsigned>(BranchOrder::kFewestFirst)], "fewest_first");
}

}  // namespace branch_order_test
}  // namespace warpfold::divergence
