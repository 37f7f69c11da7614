// SPDX-License-Identifier: Apache-2.0
// Estimates and their intervals, as tables show them.
#include <gtest/gtest.h>

#include <cmath>

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
}

// The second of three launches takes longer than the others say, by the same share of both runs.
TEST(Sampled, LaunchesThatBothHaveTimedCountWhereTheyDiffer) {
  Json slow = stats_of(2000, 0.03), fast = stats_of(1000, 0.04);
  const auto add = [](Json& stats, double cycles, double off, const char* timed) {
    stats["sampling"]["timed"] = timed;
    stats["sampling"]["groups"] = {{{"launches", 100},
                                    {"cycles", cycles},
                                    {"freedom", 2},
                                    {"weights", {0.3, 0.4, 0.3}},
                                    {"off", {-0.5 * off, off, -0.5 * off}},
                                    {"moves", {-10 * off, 20 * off, -10 * off}}}};
  };
  add(slow, 2000, 2, "0-2");
  add(fast, 1000, 1, "0-2");
  EXPECT_NEAR(*speedup_of(slow, fast)->high, 2, 1e-9);
  add(fast, 1000, 1.2, "0-2");
  const double width = *speedup_of(slow, fast)->high / 2 - 1;
  // Shares that differ by 1, 2 and 1 in 10,000: 2.2e-8 in squares, for 100 launches and, by three samples of weights
  // whose squares sum to 0.34, for the mean of 97; Student's t with two degrees of freedom.
  EXPECT_NEAR(width, 4.303 * std::sqrt(2.2e-8 * (100 + 97 * 97 * 0.34)), 1e-5);
  EXPECT_NEAR(*speedup_of(slow, fast)->low, 2 / (1 + width), 1e-9);
  add(fast, 1000, 1.2, "0-1,3");
  EXPECT_NEAR(*speedup_of(slow, fast)->high, 2 * 1.05, 1e-9) << "others were timed: widths add";
  add(fast, 1000, 1.2, "0-2");
  fast["sampling"]["groups"].push_back(fast["sampling"]["groups"][0]);
  EXPECT_NEAR(*speedup_of(slow, fast)->high, 2 * 1.05, 1e-9) << "the program launched something else";
  add(fast, 1000, 1.2, "0-1,3");
  EXPECT_EQ(timed_launches(fast), "0-1,3");
  EXPECT_EQ(timed_launches(Json{{"total", {{"cycles", 5}}}}), "") << "a run that was not sampled";
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
  point.options.sample = SampleChoice::parse("3%", "--sample");
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
