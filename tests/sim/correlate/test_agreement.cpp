// SPDX-License-Identifier: Apache-2.0
// Errors, ratios and correlations against values computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tb/sim/correlate/agreement.h"

namespace warpfold::sim {
namespace agreement_test {

TEST(Agreement, OfFiguresThatAreTheSame) {
  const Agreement all = agreement_of({{1, 1}, {20, 20}, {300, 300}});
  EXPECT_EQ(all.pairs, 3U);
  EXPECT_EQ(*all.error, 0);
  EXPECT_DOUBLE_EQ(*all.ratio, 1);
  EXPECT_DOUBLE_EQ(*all.log_correlation, 1);
  EXPECT_DOUBLE_EQ(*all.spearman, 1);
}

TEST(Agreement, ErrorsAreOfWhatWasMeasured) {
  const Agreement all = agreement_of({{50, 100}, {400, 200}});
  EXPECT_DOUBLE_EQ(*all.error, 0.75);
  EXPECT_DOUBLE_EQ(*all.ratio, 1);
  EXPECT_FALSE(all.spearman) << "two points always lie on a line";
  EXPECT_FALSE(all.log_correlation);
}

TEST(Agreement, LogarithmsCorrelate) {
  // Logarithms to the base of 10: 0, 1, 2 beside 0, 2, 1.
  const Agreement all = agreement_of({{1, 1}, {10, 100}, {100, 10}});
  EXPECT_NEAR(*all.log_correlation, 0.5, 1e-12);
  EXPECT_NEAR(*all.spearman, 0.5, 1e-12);
}

TEST(Agreement, TiesShareTheirRanks) {
  // Ranks 1.5, 1.5, 3, 4 beside 1, 2, 3.5, 3.5.
  const Agreement all = agreement_of({{5, 1}, {5, 2}, {6, 9}, {7, 9}});
  EXPECT_NEAR(*all.spearman, 4 / std::sqrt(4.5 * 4.5), 1e-12);
  EXPECT_FALSE(agreement_of({{5, 1}, {5, 2}, {5, 3}}).spearman) << "nothing is greater than another";
}

TEST(Agreement, ThereIsNoLogarithmOfNothing) {
  const Agreement all = agreement_of({{0, 10}, {5, 5}, {8, 8}});
  EXPECT_NEAR(*all.error, 1.0 / 3, 1e-12);
  EXPECT_FALSE(all.ratio);
  EXPECT_FALSE(all.log_correlation);
  EXPECT_TRUE(all.spearman);
  EXPECT_FALSE(agreement_of({}).error);
}

}  // namespace agreement_test
}  // namespace warpfold::sim
