// SPDX-License-Identifier: Apache-2.0
// Programs made up, whose cycles are known: what the sampler says of them, and how many launches it wants timed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/sampling/made_programs.h"

namespace warpfold {
namespace launch_sampler_test {

using namespace sampling_test;

struct Judged {
  LaunchSampler::Estimate estimate;
  double truth = 0;
  std::vector<bool> timed;
  double error() const { return estimate.cycles / truth - 1; }
  bool holds() const { return std::abs(estimate.cycles - truth) <= estimate.half_width; }
};

Judged judge(const std::vector<Made>& program, double aim = 0.03) {
  Judged judged;
  const auto note = [&](const Made& launch, bool timed) {
    judged.timed.push_back(timed);
    judged.truth += launch.cycles;
  };
  judged.estimate = sample(program, fmt::format("{}%", 100 * aim), note).total();
  return judged;
}

TEST(LaunchSampler, EqualLaunchesNeedFew) {
  const Judged judged = judge(program(1000, 1, 0, same));
  EXPECT_DOUBLE_EQ(judged.estimate.cycles, 7'000'000);
  EXPECT_LE(judged.estimate.timed, 30U);
  EXPECT_EQ(judged.estimate.launches, 1000U);
  EXPECT_TRUE(judged.timed[0] && judged.timed[1]);
}

TEST(LaunchSampler, AFewLaunchesAreAllTimedAndKnown) {
  const std::vector<Made> few{{.kernel = "a", .instructions = 10, .cycles = 100},
                              {.kernel = "b", .instructions = 1000, .cycles = 900},
                              {.kernel = "a", .instructions = 10, .cycles = 103}};
  const Judged judged = judge(few);
  EXPECT_EQ(judged.estimate.timed, 3U);
  EXPECT_DOUBLE_EQ(judged.estimate.cycles, 1103);
  EXPECT_DOUBLE_EQ(judged.estimate.half_width, 0);
}

TEST(LaunchSampler, ASingleLaunchVariesAsOthersDo) {
  std::vector<Made> made = program(40, 1, 0.05, same);
  made.push_back({.kernel = "once", .instructions = 10, .cycles = 1'000'000});
  const LaunchSampler::Estimate estimate = judge(made).estimate;
  EXPECT_LT(estimate.timed, 41U);
  EXPECT_GT(estimate.half_width, 20'000) << "it was timed in a program of which parts took no time";
}

TEST(LaunchSampler, TheIntervalHoldsAndIsAsNarrowAsAsked) {
  for (const double noise : {0.02, 0.1, 0.3}) {
    SCOPED_TRACE(noise);
    unsigned holds = 0, narrow = 0;
    constexpr unsigned kPrograms = 200;
    for (unsigned seed = 1; seed <= kPrograms; ++seed) {
      const Judged judged = judge(program(600, seed, noise, same));
      holds += judged.holds() ? 1 : 0;
      narrow += judged.estimate.half_width < 0.05 * judged.estimate.cycles ? 1 : 0;
    }
    EXPECT_GE(holds, 0.90 * kPrograms);
    EXPECT_GE(narrow, 0.85 * kPrograms);
  }
}

TEST(LaunchSampler, MoreNoiseWantsMoreLaunches) {
  const std::uint64_t quiet = judge(program(2000, 3, 0.01, same)).estimate.timed;
  const std::uint64_t loud = judge(program(2000, 3, 0.3, same)).estimate.timed;
  EXPECT_GT(loud, 3 * quiet);
  EXPECT_GT(judge(program(2000, 3, 0.3, same), 0.01).estimate.timed, 2 * loud);
}

// Work differs by a factor of a hundred.
Made uneven(std::size_t, std::mt19937& random) {
  const double work = std::pow(10.0, std::uniform_real_distribution<double>(3, 5)(random));
  return {.instructions = work, .cycles = 500 + work};
}

TEST(LaunchSampler, CyclesGoByWhatLaunchesDo) {
  unsigned holds = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const Judged judged = judge(program(800, seed, 0.05, uneven));
    EXPECT_LT(std::abs(judged.error()), 0.06) << seed;
    EXPECT_LT(judged.estimate.timed, 200U);
    holds += judged.holds() ? 1 : 0;
  }
  EXPECT_GE(holds, 45U);
}

// More work takes more than its share, as where caches no longer hold it; grids grow with it.
TEST(LaunchSampler, ACurveIsFollowed) {
  const auto bends = [](std::size_t n, std::mt19937&) {
    const double work = 1000 + 100 * static_cast<double>(n);
    return Made{.blocks = static_cast<unsigned>(1 + n / 4), .instructions = work, .cycles = 500 + work * work / 50'000};
  };
  const Judged judged = judge(program(600, 1, 0.01, bends));
  EXPECT_LT(std::abs(judged.error()), 0.03);
  EXPECT_TRUE(judged.holds());
  EXPECT_LT(judged.estimate.timed, 60U);
}

// Whether instructions are counted one by one or by the hundred million.
TEST(LaunchSampler, TheUnitOfWorkDoesNotMatter) {
  const auto bends = [](double unit) {
    return [unit](std::size_t n, std::mt19937&) {
      const double work = 1000 + 100 * static_cast<double>(n);
      return Made{.instructions = unit * work, .cycles = 500 + work * work / 50'000};
    };
  };
  const Judged one = judge(program(600, 1, 0.01, bends(1))), many = judge(program(600, 1, 0.01, bends(1e8)));
  EXPECT_NEAR(many.estimate.cycles / one.estimate.cycles, 1, 1e-6);
  EXPECT_EQ(many.timed, one.timed);
}

TEST(LaunchSampler, BlocksOfOtherSizesAreAnotherKernels) {
  const auto in_turn = [](std::size_t n, std::mt19937&) {
    return Made{.instructions = 5000, .cycles = n % 3 == 0 ? 70'000.0 : 7000.0, .threads = n % 3 == 0 ? 32U : 256U};
  };
  const Judged judged = judge(program(999, 1, 0, in_turn));
  EXPECT_DOUBLE_EQ(judged.estimate.cycles, judged.truth);
  EXPECT_LE(judged.estimate.timed, 60U);
}

// The line through what was timed falls, and one launch that was not lies far behind where it meets 0.
TEST(LaunchSampler, NoEstimateIsNegative) {
  const auto falls = [](std::size_t n, std::mt19937&) {
    const double work = n == 290 ? 1e7 : 1000 + 10 * static_cast<double>(n % 50);
    return Made{.instructions = work, .cycles = n == 290 ? 100 : 5000 - 2 * work};
  };
  const Judged judged = judge(program(300, 1, 0, falls));
  ASSERT_FALSE(judged.timed[290]);
  EXPECT_GE(judged.estimate.cycles, judged.estimate.timed_cycles);
}

// One launch does a hundred times what those before it did, and is not timed.
TEST(LaunchSampler, WhatLiesFarFromAllThatWasTimedIsUncertain) {
  std::vector<Made> made = program(60, 1, 0.1, uneven);
  std::size_t spared = 40;
  const std::vector<bool> timed = judge(made).timed;
  while (timed[spared]) ++spared;
  const double before = judge(made).estimate.half_width;
  made[spared].instructions = made[spared].cycles = 1e7;
  const Judged judged = judge(made);
  EXPECT_FALSE(judged.timed[spared]);
  EXPECT_GT(judged.estimate.half_width, 4 * before);
}

// Twice as slow at the end as at the beginning, and nothing that they do tells why.
TEST(LaunchSampler, DriftIsSeen) {
  const auto drifts = [](std::size_t n, std::mt19937&) {
    return Made{.instructions = 5000, .cycles = 7000 + 7.0 * static_cast<double>(n)};
  };
  EXPECT_LT(std::abs(judge(program(1000, 1, 0.01, drifts)).error()), 0.1);
  EXPECT_TRUE(judge(program(1000, 1, 0.01, drifts)).holds());
}

TEST(LaunchSampler, ChoosesTheSameEveryTime) {
  const std::vector<Made> made = program(500, 7, 0.1, uneven);
  EXPECT_EQ(judge(made).timed, judge(made).timed);
}

TEST(LaunchSampler, GivenLaunchesAreTimedAndTheFirstTwoOfEachGroup) {
  std::vector<Made> made = program(20, 1, 0, same);
  made[10].kernel = made[12].kernel = made[14].kernel = "other";
  std::vector<bool> timed;
  const LaunchSampler sampler = sample(made, "1,5-6,14,19-30", [&](const Made&, bool t) { timed.push_back(t); });
  EXPECT_EQ(sampler.timed_launches(), (std::vector<std::size_t>{0, 1, 5, 6, 10, 12, 14, 19}));
  EXPECT_EQ(std::count(timed.begin(), timed.end(), true), 8);
  EXPECT_DOUBLE_EQ(sampler.total().cycles, 140'000);
}

TEST(LaunchSampler, KernelsSumUp) {
  LaunchSampler sampler(SampleChoice::parse("3%", "aim"));
  for (unsigned n = 0; n < 100; ++n) {
    for (const char* const kernel : {"a", "b"}) {
      const double cycles = *kernel == 'a' ? 1000 + n % 7 : 50;
      const bool timed = sampler.begins(kernel, {10}, {64});
      timed ? sampler.timed(cycles, cycles) : sampler.passed(cycles);
    }
  }
  EXPECT_EQ(sampler.kernels(), (std::vector<std::string>{"a", "b"}));
  EXPECT_NEAR(sampler.of_kernel("a").cycles + sampler.of_kernel("b").cycles, sampler.total().cycles, 1e-6);
  EXPECT_EQ(sampler.of_kernel("b").launches, 100U);
}

TEST(LaunchSampler, ALaunchThatFailedIsChosenAnew) {
  LaunchSampler sampler(SampleChoice::parse("3%", "aim"));
  EXPECT_TRUE(sampler.begins("k", {10}, {64}));
  EXPECT_TRUE(sampler.begins("k", {10}, {64}));
  sampler.timed(100, 1000);
  EXPECT_EQ(sampler.total().launches, 1U);
  EXPECT_DOUBLE_EQ(sampler.total().cycles, 1000);
}

}  // namespace launch_sampler_test
}  // namespace warpfold
