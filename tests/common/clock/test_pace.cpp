// SPDX-License-Identifier: Apache-2.0
// Which way a simulation goes on, by what it has cost before.
#include <gtest/gtest.h>

#include <vector>

#include "warpfold/common/clock/pace.h"

namespace warpfold {
namespace pace_test {

constexpr std::uint64_t kMillisecond = 1'000'000;

struct Spent {
  std::uint64_t ps = 0, ns = 0, apart_ns = 0;
};

// Until `ps` have been simulated, of which each costs so many ns together and apart.
Spent go(Pace& pace, std::uint64_t ps, double together, double apart) {
  Spent spent;
  while (spent.ps < ps) {
    const std::uint64_t step = pace.rest_ps();
    const auto ns = static_cast<std::uint64_t>(static_cast<double>(step) * (pace.apart() ? apart : together));
    spent.ps += step;
    spent.ns += ns;
    if (pace.apart()) spent.apart_ns += ns;
    pace.took(step, ns);
  }
  return spent;
}

TEST(Pace, GoesTheFasterWay) {
  Pace pace;
  const Spent slow = go(pace, 1'000'000'000, 1.0, 1.3);
  EXPECT_LT(slow.apart_ns, slow.ns / 30);
  EXPECT_GT(slow.apart_ns, 0U);
  const Spent fast = go(pace, 1'000'000'000, 1.0, 0.6);
  EXPECT_LT(fast.ns, 700'000'000U) << "it is noticed within some slices";
  EXPECT_GT(fast.apart_ns, fast.ns * 6 / 10);
}

// Twice the processors for a twentieth of the time.
TEST(Pace, TakesMoreThreadsForAGainThatIsWorthThem) {
  Pace pace;
  const Spent spent = go(pace, 1'000'000'000, 1.0, 0.95);
  EXPECT_LT(spent.apart_ns, spent.ns / 30);
}

// The same processor for a twentieth less.
TEST(Pace, TakesOneThreadForLess) {
  Pace pace(Pace::Rule::kAsItPays, 1);
  const Spent spent = go(pace, 1'000'000'000, 1.0, 0.95);
  EXPECT_GT(spent.apart_ns, spent.ns * 6 / 10);
}

TEST(Pace, ShortSimulationsStayTogether) {
  Pace pace;
  EXPECT_EQ(go(pace, 5 * kMillisecond, 1.0, 0.5).apart_ns, 0U);
  EXPECT_FALSE(pace.apart());
}

TEST(Pace, SlicesGetAsLongAsTheyTakeSomeMilliseconds) {
  for (const double cost : {0.001, 1.0, 1000.0}) {
    Pace pace;
    for (int slice = 0; slice < 60; ++slice) {
      const std::uint64_t ps = pace.rest_ps();
      pace.took(ps / 2, static_cast<std::uint64_t>(static_cast<double>(ps / 2) * cost));
      EXPECT_EQ(pace.rest_ps(), ps - ps / 2) << "a slice may come in pieces";
      pace.took(ps - ps / 2, static_cast<std::uint64_t>(static_cast<double>(ps - ps / 2) * cost));
    }
    EXPECT_NEAR(static_cast<double>(pace.rest_ps()) * cost, 2e6, 1e5) << cost;
  }
}

TEST(Pace, TimeThatTakesNothingIsNoTrouble) {
  Pace pace;
  for (int i = 0; i < 100; ++i) pace.took(pace.rest_ps(), 0);
  EXPECT_GT(pace.rest_ps(), 0U);
}

TEST(Pace, AsTestsWantIt) {
  Pace always(Pace::Rule::kApart);
  EXPECT_TRUE(always.apart());
  always.took(kMillisecond, 1);
  EXPECT_TRUE(always.apart());
  Pace turns(Pace::Rule::kInTurns);
  std::vector<bool> ways;
  for (int i = 0; i < 4; ++i) {
    ways.push_back(turns.apart());
    turns.took(turns.rest_ps(), 1);
  }
  EXPECT_EQ(ways, (std::vector<bool>{false, true, false, true}));
}

}  // namespace pace_test
}  // namespace warpfold
