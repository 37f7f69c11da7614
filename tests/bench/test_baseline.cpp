// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tb/bench/baseline.h"
#include "warpfold/common/error.h"

namespace warpfold::bench {
namespace baseline_test {

using Json = nlohmann::ordered_json;

Json counts(double bfs, double matmul, int cycles = 900, double misses = 100) {
  const auto point = [&](const char* workload, double count) {
    return Json{{"workload", workload},    {"mechanism", "tbc"},   {"cycles", cycles},
                {"warp_instructions", 70}, {kInstructions, count}, {kMisses, misses}};
  };
  return {{"machine", "tbc2011"},
          {"size", "small"},
          {"compiler", "gcc 12.2.0"},
          {"points", Json::array({point("bfs", bfs), point("matmul", matmul)})}};
}

TEST(Baseline, WithinThreePercent) {
  const Comparison comparison = compare_counts(counts(1029, 2000), counts(1000, 2000), "b.json");
  EXPECT_EQ(comparison.over, 0u);
  EXPECT_EQ(comparison.text,
            "instructions against b.json: +1.44 %, geometric mean of 2 points; 0 of them over +3 %\n"
            "L1 data cache misses against b.json: +0.00 %, geometric mean of 2 points; 0 of them over +10 %\n");
}

TEST(Baseline, OnePointOverIsNamedThoughTheMeanIsBetter) {
  const Comparison comparison = compare_counts(counts(1040, 1000), counts(1000, 2000), "b.json");
  EXPECT_EQ(comparison.over, 1u);
  EXPECT_EQ(comparison.text,
            "bfs under tbc: 1000.0 -> 1040.0 instructions (+4.0 %): TOO MANY\n"
            "instructions against b.json: -27.89 %, geometric mean of 2 points; 1 of them over +3 %\n"
            "L1 data cache misses against b.json: +0.00 %, geometric mean of 2 points; 0 of them over +10 %\n");
}

TEST(Baseline, MissesAreACountOfTheirOwn) {
  const Comparison comparison = compare_counts(counts(900, 2000, 900, 111), counts(1000, 2000), "b.json");
  EXPECT_EQ(comparison.over, 2u);
  EXPECT_EQ(comparison.text,
            "instructions against b.json: -5.13 %, geometric mean of 2 points; 0 of them over +3 %\n"
            "bfs under tbc: 100.0 -> 111.0 L1 data cache misses (+11.0 %): TOO MANY\n"
            "matmul under tbc: 100.0 -> 111.0 L1 data cache misses (+11.0 %): TOO MANY\n"
            "L1 data cache misses against b.json: +11.00 %, geometric mean of 2 points; 2 of them over +10 %\n");
}

TEST(Baseline, OtherSimulatedWorkIsSaid) {
  const Comparison comparison = compare_counts(counts(1000, 2000, 901), counts(1000, 2000), "b.json");
  EXPECT_EQ(comparison.over, 0u);
  EXPECT_NE(comparison.text.find(
                "matmul under tbc: 2000.0 -> 2000.0 instructions (+0.0 %); what is simulated is not what it was\n"),
            std::string::npos)
      << comparison.text;
}

std::string error_of(const Json& now, const Json& before) {
  try {
    compare_counts(now, before, "b.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Baseline, WhatCannotBeComparedIsRefused) {
  Json other = counts(1, 1);
  other["machine"] = "harp2013";
  EXPECT_EQ(error_of(counts(1, 1), other),
            "b.json: its machine is harp2013, not tbc2011: count that, or make a new baseline");
  other = counts(1, 1);
  other["points"] = Json::array();
  EXPECT_EQ(error_of(counts(1, 1), other), "b.json: none of the counted points is in it");
}

}  // namespace baseline_test
}  // namespace warpfold::bench
