// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tb/bench/baseline.h"
#include "warpfold/common/error.h"

namespace warpfold::bench {
namespace baseline_test {

using Json = nlohmann::ordered_json;

Json counts(double bfs, double matmul, int cycles = 900) {
  const auto point = [&](const char* workload, double count) {
    return Json{{"workload", workload},
                {"mechanism", "tbc"},
                {"cycles", cycles},
                {"warp_instructions", 70},
                {"host_instructions_per_warp_instruction", count}};
  };
  return {{"machine", "tbc2011"},
          {"size", "small"},
          {"compiler", "gcc 12.2.0"},
          {"points", Json::array({point("bfs", bfs), point("matmul", matmul)})}};
}

TEST(Baseline, WithinThreePercent) {
  const Comparison comparison = compare_counts(counts(1029, 2000), counts(1000, 2000), "b.json");
  EXPECT_EQ(comparison.over, 0u);
  EXPECT_EQ(comparison.text, "against b.json: +1.44 %, geometric mean of 2 points; 0 of them over +3 %\n");
}

TEST(Baseline, OnePointOverIsNamedThoughTheMeanIsBetter) {
  const Comparison comparison = compare_counts(counts(1040, 1000), counts(1000, 2000), "b.json");
  EXPECT_EQ(comparison.over, 1u);
  EXPECT_EQ(comparison.text,
            "bfs under tbc: 1000.0 -> 1040.0 (+4.0 %): TOO MANY\n"
            "against b.json: -27.89 %, geometric mean of 2 points; 1 of them over +3 %\n");
}

TEST(Baseline, OtherSimulatedWorkIsSaid) {
  const Comparison comparison = compare_counts(counts(1000, 2000, 901), counts(1000, 2000), "b.json");
  EXPECT_EQ(comparison.over, 0u);
  EXPECT_NE(comparison.text.find("matmul under tbc: 2000.0 -> 2000.0 (+0.0 %); what is simulated is not what it was\n"),
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
