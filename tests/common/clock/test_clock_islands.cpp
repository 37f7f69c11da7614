// SPDX-License-Identifier: Apache-2.0
// Islands of a clock tree: ahead of it, together with it, and what becomes of their modules' wishes in between.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/common/clock_probe.h"
#include "tests/common/fresh_systemc.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/pace.h"

namespace warpfold {
namespace clock_islands_test {

class ClockIslands : public FreshSystemC {
 protected:
  std::vector<Tick> log;
};

// Islands may be some picoseconds ahead, and say what they are asked.
struct Rules : IslandRules {
  void part(std::uint64_t /*served*/) override { ++parted; }
  void join() override { ++joined; }
  void prepare(std::span<const unsigned> /*islands*/) override {}
  std::uint64_t horizon(std::uint64_t served) override { return served + ahead; }
  std::uint64_t horizon_of(unsigned /*island*/, std::uint64_t served, std::uint64_t until) override {
    return std::min(until, served + ahead);
  }
  bool in_step(unsigned island) override { return island == in_step_island; }
  bool stops(unsigned /*island*/, std::uint64_t /*next*/) override { return false; }
  void collect(std::span<const unsigned> /*islands*/) override {}
  void settle(std::uint64_t reached) override { settled.push_back(reached); }
  std::uint64_t next_news() const override { return ClockIsland::kNoTime; }
  void tell_news(std::uint64_t /*now*/) override {}

  std::uint64_t ahead = 10'000;
  unsigned in_step_island = ~0U;
  std::vector<std::uint64_t> settled;
  unsigned parted = 0, joined = 0;
};

// A clock of 1 GHz in a tree and in two islands of it.
struct Apart {
  explicit Apart(std::vector<Tick>& log, Pace::Rule rule = Pace::Rule::kApart, unsigned edges = 30)
      : tree("tree"), own(tree.domain(1000)), pace(rule), probe("tree", tree_log, edges) {
    tree.tell(rules);
    own.add(probe, 0);
    for (const char* const name : {"a", "b"}) {
      ClockDomain& domain = tree.make_island().domain(own);
      domain.add(islands.emplace_back(name, log, edges), 0);
    }
    for (Probe& island : islands) island.wake();
    probe.wake();
    tree.run_ahead(true);
    tree.run_apart(&pace, nullptr);
  }
  std::string error() {
    sc_core::sc_start();
    try {
      tree.rethrow();
    } catch (const std::runtime_error& thrown) {
      return thrown.what();
    }
    return "";
  }

  ClockTree tree;
  ClockDomain& own;
  Pace pace;
  Rules rules;
  std::vector<Tick> tree_log;
  Probe probe;
  std::deque<Probe> islands;
};

TEST_F(ClockIslands, IslandsGoAheadAndTheTreeFollows) {
  Apart apart(log);
  std::size_t most_ahead = 0;
  apart.probe.when_ticked = [&](Cycle now) {
    EXPECT_EQ(apart.own.current(), now);
    for (Probe& island : apart.islands) EXPECT_GE(island.clock().upcoming(), now) << "served up to now, but not now";
    most_ahead = std::max(most_ahead, log.size() - 2 * now);
  };
  sc_core::sc_start();
  EXPECT_EQ(log.size(), 60U);
  EXPECT_EQ(apart.tree_log.size(), 30U);
  EXPECT_GE(most_ahead, 10U);
  EXPECT_EQ(now_ps(), 29'000U);
  EXPECT_EQ(apart.own.upcoming(), 30U);
  EXPECT_GT(apart.rules.settled.size(), 2U);
}

// What modules want goes with them, be it soon or late.
TEST_F(ClockIslands, IslandsPartAndJoinAndMissNoEdge) {
  Apart apart(log, Pace::Rule::kInTurns, Probe::kAsAsked);
  const auto after = [](Cycle now) { return now < 300 ? now + (now % 7 == 0 ? 100 : 3) : kNever; };
  for (Probe& island : apart.islands) island.when_ticked = [&](Cycle now) { island.again = after(now); };
  apart.probe.when_ticked = [&](Cycle now) { apart.probe.again = now < 300 ? now + 1 : kNever; };
  sc_core::sc_start();
  std::vector<Cycle> wanted;
  for (Cycle at = 0; at != kNever; at = after(at)) wanted.push_back(at);
  for (const Probe& island : apart.islands) {
    std::vector<Cycle> ticked;
    for (const Tick& tick : log) {
      if (tick.who == island.name()) ticked.push_back(tick.edge);
    }
    EXPECT_EQ(ticked, wanted) << island.name();
  }
  EXPECT_EQ(apart.tree_log.size(), 301U);
  EXPECT_EQ(apart.rules.parted, 3U);
  EXPECT_EQ(apart.rules.joined, 3U);
}

TEST_F(ClockIslands, AnIslandInStepHoldsTheTreeBackAndIsNeverAheadOfIt) {
  Apart apart(log);
  apart.rules.in_step_island = 1;
  apart.islands[1].when_ticked = [&](Cycle now) { EXPECT_EQ(apart.tree_log.size(), now + 1); };
  apart.probe.when_ticked = [&](Cycle now) {
    const auto of_b = std::count_if(log.begin(), log.end(), [](const Tick& tick) { return tick.who == "b"; });
    EXPECT_EQ(static_cast<Cycle>(of_b), now);
  };
  sc_core::sc_start();
  EXPECT_EQ(log.size(), 60U);
}

TEST_F(ClockIslands, OfIslandsErrorsTheFirstOneIsTold) {
  const auto fail_at = [](Probe& probe, Cycle when) {
    probe.when_ticked = [when, &probe](Cycle now) {
      if (now == when) throw std::runtime_error(fmt::format("{} at {}", probe.name(), now));
    };
  };
  Apart apart(log);
  fail_at(apart.islands[0], 7);
  fail_at(apart.islands[1], 5);
  fail_at(apart.probe, 9);
  EXPECT_EQ(apart.error(), "b at 5");
}

TEST_F(ClockIslands, OfIslandsErrorsAtOneInstantThatOfTheLowerOneIsTold) {
  Apart apart(log);
  for (Probe* const probe : {&apart.islands[0], &apart.islands[1]}) {
    probe->when_ticked = [probe](Cycle now) {
      if (now == 6) throw std::runtime_error(probe->name());
    };
  }
  EXPECT_EQ(apart.error(), "a");
}

}  // namespace clock_islands_test
}  // namespace warpfold
