// SPDX-License-Identifier: Apache-2.0
// Estimates and their intervals, as tables show them.
#include <gtest/gtest.h>

#include "tb/sim/runs/sampled.h"

namespace warpfold::sim {
namespace sampled_test {

using Json = nlohmann::json;

// A run's statistics, as far as they are about cycles.
Json stats_of(double cycles, double half_width, bool known = true) {
  Json total{{"cycles", cycles}, {"launches", 100}, {"timed_launches", 7}, {"timed_cycles", cycles / 10}};
  if (known) {
    total["cycles_low"] = cycles * (1 - half_width);
    total["cycles_high"] = cycles * (1 + half_width);
    total["half_width"] = half_width;
  }
  return {{"total", {{"simd_efficiency", 0.5}}},
          {"sampling", {{"total", total}, {"kernels", {{"kernel.0._Z4workPi", total}}}}}};
}

TEST(Sampled, SpeedUpsHaveBothWidths) {
  const Json slow = stats_of(2000, 0.03), fast = stats_of(1000, 0.04);
  const auto speedup = speedup_of(slow, fast);
  ASSERT_TRUE(speedup && speedup->low && speedup->high);
  EXPECT_DOUBLE_EQ(speedup->value, 2);
  EXPECT_NEAR(*speedup->high, 2 * 1.05, 1e-9);
  EXPECT_NEAR(*speedup->low, 2 / 1.05, 1e-9);
  EXPECT_DOUBLE_EQ(*speedup_of(slow, slow)->high, 1) << "of a run over itself nothing is open";
}

TEST(Sampled, WhatNobodyKnowsIsNotThere) {
  const Json known = stats_of(2000, 0.03), unknown = stats_of(1000, 0, false);
  EXPECT_FALSE(speedup_of(known, unknown)->low);
  EXPECT_FALSE(cycles_of(unknown)->high);
  EXPECT_FALSE(cycles_of(Json{{"total", {{"cycles", 5}}}})) << "a run that was not sampled";
}

TEST(Sampled, Kernels) {
  const std::string text = text_of({{}, {sampled_kernels(stats_of(2000, 0.03))}, true}, {}, 0);
  for (const char* const word : {"work", "2000", "1940", "2060", "3.0%", "100", "7", "10.0%"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

Point point_of(const std::string& mechanism, Json stats) {
  Point point;
  point.program.name = "solver";
  point.options.mechanism = mechanism;
  point.options.sample = SampleAim::parse("3%", "--sample");
  point.state = stats.is_null() ? Point::State::kWrong : Point::State::kDone;
  point.reason = "it failed";
  point.stats = std::move(stats);
  return point;
}

TEST(Sampled, Comparisons) {
  const Point base = point_of("pdom", stats_of(2000, 0.03)), fast = point_of("tbc", stats_of(1000, 0.04));
  const Point wrong = point_of("harp", nullptr);
  const std::string text = text_of({{}, {sampled_comparison({&base, &fast, &wrong})}, true}, {}, 0);
  for (const char* const word : {"pdom", "tbc", "2.00", "2.10", "1.90", "4.0%", "50.0%", "WRONG: it failed"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

}  // namespace sampled_test
}  // namespace warpfold::sim
