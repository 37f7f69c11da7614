// SPDX-License-Identifier: Apache-2.0
// Two sampled runs that have timed the same launches, held against each other.
#include <gtest/gtest.h>

#include "tests/gpu/sampling/made_programs.h"
#include "warpfold/gpu/sampling/paired_speedup.h"

namespace warpfold {
namespace paired_speedup_test {

using namespace sampling_test;

// What makes a launch slow is mostly the same under both mechanisms. Sampled one without the other, the interval of the
// speed-up is that of what both have in common.
TEST(PairedSpeedup, LaunchesThatBothRunsTimedTellSmallDifferences) {
  unsigned holds = 0;
  constexpr unsigned kPrograms = 100;
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    const std::vector<Made> slow = program(400, seed, 0.2, same);
    std::vector<Made> fast = slow;
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0.9, 0.01);
    double before = 0, after = 0;
    for (Made& launch : fast) {
      before += launch.cycles;
      after += launch.cycles *= normal(random);
    }
    const LaunchSampler one = sample(slow, "3%");
    const LaunchSampler other = sample(fast, SampleChoice::text_of(one.timed_launches()));
    ASSERT_EQ(one.timed_launches(), other.timed_launches());
    const double width = paired_half_width(one.residuals(), other.residuals());
    EXPECT_LT(width, 0.2 * one.total().half_width / one.total().cycles) << seed;
    const double off = one.total().cycles / other.total().cycles / (before / after) - 1;
    holds += std::abs(off) <= width ? 1 : 0;
  }
  EXPECT_GE(holds, 0.90 * kPrograms);
  EXPECT_LT(holds, kPrograms) << "an interval that always holds is too wide";
}

TEST(PairedSpeedup, ARunIsAsFastAsItself) {
  std::vector<Made> made = program(100, 1, 0.2, same);
  made.push_back({.kernel = "once", .instructions = 10, .cycles = 1000});
  const LaunchSampler sampler = sample(made, "3%");
  EXPECT_DOUBLE_EQ(paired_half_width(sampler.residuals(), sampler.residuals()), 0);
}

TEST(PairedSpeedup, WhatWasTimedWholeIsKnown) {
  std::vector<Made> slow = program(10, 1, 0.2, same), fast = program(10, 2, 0.2, same);
  slow.push_back({.kernel = "once", .instructions = 10, .cycles = 1000});
  fast.push_back({.kernel = "once", .instructions = 10, .cycles = 900});
  EXPECT_DOUBLE_EQ(paired_half_width(sample(slow, "0-10").residuals(), sample(fast, "0-10").residuals()), 0);
  EXPECT_GT(paired_half_width(sample(slow, "0-8").residuals(), sample(fast, "0-8").residuals()), 0);
}

// Most of the program is a launch that has no other like it: how much it may be off, others say.
TEST(PairedSpeedup, SingleLaunchesOfTwoRunsVaryAsOthersDo) {
  std::vector<Made> slow = program(100, 1, 0.01, same), fast = program(100, 2, 0.01, same);
  const auto width = [&](double cycles) {
    std::vector<Made> one = slow, other = fast;
    for (std::vector<Made>* const made : {&one, &other})
      made->push_back({.kernel = "once", .instructions = 10, .cycles = cycles});
    const LaunchSampler first = sample(one, "0-9,100");
    return paired_half_width(first.residuals(), sample(other, "0-9,100").residuals());
  };
  EXPECT_GT(width(1e7), 0.015);
  EXPECT_LT(width(1e7), 0.1);
}

}  // namespace paired_speedup_test
}  // namespace warpfold
