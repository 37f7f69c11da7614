// SPDX-License-Identifier: Apache-2.0
// Edges, their times and their order: what every timing figure of the model rests on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/common/clock_probe.h"
#include "tests/common/fresh_systemc.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace clock_test {

class Clock : public FreshSystemC {
 protected:
  std::vector<Tick> log;
};

TEST_F(Clock, EdgeTimesAreRoundedDownFromZeroOn) {
  ClockTree tree("tree");
  ClockDomain& core = tree.domain(1300);
  Probe probe("p", log, 5);
  core.add(probe, 0);
  probe.wake();
  sc_core::sc_start();
  // floor(n * 10^6 / 1300) ps
  EXPECT_EQ(log, (std::vector<Tick>{{"p", 0, 0}, {"p", 1, 769}, {"p", 2, 1538}, {"p", 3, 2307}, {"p", 4, 3076}}));
}

TEST_F(Clock, EdgeTimesDoNotDrift) {
  ClockTree tree("tree");
  ClockDomain& core = tree.domain(1300);
  EXPECT_EQ(core.edge_ps(1300), 1'000'000U);
  EXPECT_EQ(core.edge_ps(1'300'000'000'000), 1'000'000'000'000'000U);
}

TEST_F(Clock, ModulesTickByIndexWhateverTheOrderOfAdding) {
  const std::vector<Tick> expected{{"a", 0, 0},    {"b", 0, 0},    {"c", 0, 0},
                                   {"a", 1, 1000}, {"b", 1, 1000}, {"c", 1, 1000}};
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe a("a", log, 2), b("b", log, 2), c("c", log, 2);
  domain.add(c, 2);
  domain.add(a, 0);
  domain.add(b, 1);
  c.wake();
  b.wake();
  a.wake();
  sc_core::sc_start();
  EXPECT_EQ(log, expected);
}

TEST_F(Clock, EqualIndicesTickInTheOrderOfAdding) {
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe a("a", log), b("b", log);
  domain.add(a, 3);
  domain.add(b, 3);
  b.wake();
  a.wake();
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{{"a", 0, 0}, {"b", 0, 0}}));
}

TEST_F(Clock, DomainsAtOneInstantAreServedInTheOrderOfMaking) {
  ClockTree tree("tree");
  ClockDomain& memory = tree.domain(500);
  ClockDomain& core = tree.domain(1000);
  Probe m("memory", log, 2), c("core", log, 3);
  core.add(c, 0);
  memory.add(m, 0);
  c.wake();
  m.wake();
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{
                     {"memory", 0, 0}, {"core", 0, 0}, {"core", 1, 1000}, {"memory", 1, 2000}, {"core", 2, 2000}}));
}

TEST_F(Clock, LaterDomainSeesAWakeAtTheSameInstant) {
  ClockTree tree("tree");
  ClockDomain& memory = tree.domain(1000);
  ClockDomain& core = tree.domain(1000);
  Probe m("memory", log), c("core", log);
  memory.add(m, 0);
  core.add(c, 0);
  m.when_ticked = [&](Cycle) {
    EXPECT_EQ(core.upcoming(), 5U);
    c.wake();
  };
  m.wake(5);
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{{"memory", 5, 5000}, {"core", 5, 5000}}));
}

TEST_F(Clock, EarlierDomainWokenAtTheSameInstantWaitsForItsNextEdge) {
  ClockTree tree("tree");
  ClockDomain& memory = tree.domain(1000);
  ClockDomain& core = tree.domain(1000);
  Probe m("memory", log), c("core", log);
  memory.add(m, 0);
  core.add(c, 0);
  c.when_ticked = [&](Cycle) {
    EXPECT_EQ(memory.upcoming(), 6U);
    EXPECT_EQ(memory.current(), 5U);
    m.wake();
  };
  c.wake(5);
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{{"core", 5, 5000}, {"memory", 6, 6000}}));
}

TEST_F(Clock, WakeFromAFasterDomainWaitsForTheSlowersEdge) {
  ClockTree tree("tree");
  ClockDomain& slow = tree.domain(650);
  ClockDomain& fast = tree.domain(1300);
  Probe s("slow", log), f("fast", log);
  slow.add(s, 0);
  fast.add(f, 0);
  f.when_ticked = [&](Cycle) { s.wake(); };
  f.wake(3);  // 2307 ps, between slow's edges 1 (1538 ps) and 2 (3076 ps)
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{{"fast", 3, 2307}, {"slow", 2, 3076}}));
}

TEST_F(Clock, WithinAnEdgeLaterModulesRunNowAndEarlierOnesNext) {
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe a("a", log), b("b", log), c("c", log);
  domain.add(a, 0);
  domain.add(b, 1);
  domain.add(c, 2);
  b.when_ticked = [&](Cycle now) {
    EXPECT_EQ(domain.upcoming(), now + 1);
    a.wake();
    c.wake();
  };
  b.wake(4);
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{{"b", 4, 4000}, {"c", 4, 4000}, {"a", 5, 5000}}));
}

TEST_F(Clock, EarliestRequestWins) {
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe a("a", log);
  domain.add(a, 0);
  a.wake(9);
  a.wake(3);
  a.wake(6);
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{{"a", 3, 3000}}));
}

TEST_F(Clock, RequestDuringOnesOwnTickStays) {
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe a("a", log, 2, 10);
  domain.add(a, 0);
  a.when_ticked = [&](Cycle now) {
    if (now == 0) a.wake(4);
  };
  a.wake();
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{{"a", 0, 0}, {"a", 4, 4000}}));
}

TEST_F(Clock, SleepingCostsNoEdges) {
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe sleeper("sleeper", log), busy("busy", log, 3);
  domain.add(sleeper, 0);
  domain.add(busy, 1);
  sleeper.wake(1'000'000);
  busy.wake();
  const auto before = sc_core::sc_delta_count();
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{
                     {"busy", 0, 0}, {"busy", 1, 1000}, {"busy", 2, 2000}, {"sleeper", 1'000'000, 1'000'000'000}}));
  EXPECT_LE(sc_core::sc_delta_count() - before, 6U);  // the four edges and the start, not a million
}

TEST_F(Clock, StarvesAndGoesOnWhereItStood) {
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe a("a", log);
  domain.add(a, 0);
  a.wake(7);
  sc_core::sc_start();
  EXPECT_EQ(domain.current(), 7U);
  EXPECT_EQ(domain.upcoming(), 8U);
  a.wake();
  sc_core::sc_start();
  EXPECT_EQ(log, (std::vector<Tick>{{"a", 7, 7000}, {"a", 8, 8000}}));
}

// What a module does at an edge: whom it wakes for when, and when it wants to be ticked again.
struct Deeds {
  unsigned whom;
  Cycle when, again;
};
Deeds deeds_of(unsigned module, Cycle now, unsigned modules) {
  std::uint64_t hash = (now * 64 + module + 1) * 0x9e3779b97f4a7c15;
  hash ^= hash >> 31;
  constexpr Cycle kLast = 3000;
  const Cycle far = hash % 7 == 0 ? 500 : 70;
  return {static_cast<unsigned>(hash >> 8) % modules, now > kLast ? kNever : now + (hash >> 16) % far,
          now > kLast || hash % 3 == 0 ? kNever : now + 1 + (hash >> 24) % far};
}

// The rules of Clocked and ClockDomain::add, by looking at all modules at every edge.
std::vector<Tick> ticks_by_the_rules(unsigned modules) {
  std::vector<Tick> log;
  std::vector<Cycle> next(modules, kNever);
  next[0] = 0;
  for (Cycle now = 0; now < 5000; ++now) {
    for (unsigned m = 0; m < modules; ++m) {
      if (next[m] != now) continue;
      next[m] = kNever;
      log.push_back({std::to_string(m), now, now * 1000});
      const Deeds deeds = deeds_of(m, now, modules);
      Cycle& woken = next[deeds.whom];
      if (deeds.when != kNever) woken = std::min(woken, std::max(deeds.when, deeds.whom > m ? now : now + 1));
      next[m] = std::min(next[m], deeds.again);
    }
  }
  return log;
}

void compare_with_rules(unsigned modules, std::vector<Tick>& log) {
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  std::deque<Probe> probes;
  for (unsigned m = 0; m < modules; ++m) {
    Probe& probe = probes.emplace_back(std::to_string(m), log, Probe::kAsAsked);
    domain.add(probe, m);
    probe.when_ticked = [&probes, &probe, m, modules](Cycle now) {
      const Deeds deeds = deeds_of(m, now, modules);
      if (deeds.when != kNever) probes[deeds.whom].wake(deeds.when);
      probe.again = deeds.again;
    };
  }
  probes[0].wake();
  sc_core::sc_start();
  const std::vector<Tick> expected = ticks_by_the_rules(modules);
  EXPECT_GT(log.size(), 5000U);
  ASSERT_EQ(log.size(), expected.size());
  for (std::size_t i = 0; i < log.size(); ++i) ASSERT_EQ(log[i], expected[i]) << "tick " << i;
}

TEST_F(Clock, EdgesNearAndFarAreThoseOfTheRules) { compare_with_rules(150, log); }

// More than one word of bits says which words of an agenda have one.
TEST_F(Clock, EdgesOfManyModulesAreThoseOfTheRules) { compare_with_rules(9000, log); }

TEST_F(Clock, RunsAheadOfTheKernelsTimeAndWaitsForItAtTheEnd) {
  ClockTree tree("tree");
  ClockDomain& slow = tree.domain(500);
  ClockDomain& fast = tree.domain(1000);
  Probe s("slow", log, 2), f("fast", log, 4);
  slow.add(s, 0);
  fast.add(f, 0);
  tree.run_ahead(true);
  s.wake();
  f.wake();
  const auto before = sc_core::sc_delta_count();
  sc_core::sc_start();
  // In one step of the kernel, whose time the log has.
  EXPECT_EQ(log, (std::vector<Tick>{
                     {"slow", 0, 0}, {"fast", 0, 0}, {"fast", 1, 0}, {"slow", 1, 0}, {"fast", 2, 0}, {"fast", 3, 0}}));
  EXPECT_LE(sc_core::sc_delta_count() - before, 3U);
  EXPECT_EQ(now_ps(), 3000U);
  EXPECT_EQ(fast.upcoming(), 4U);
}

TEST_F(Clock, RunsAheadNoFurtherThanWhatOthersWaitFor) {
  struct Other : sc_core::sc_module {
    SC_HAS_PROCESS(Other);
    explicit Other(sc_core::sc_module_name name) : sc_module(name) {
      SC_METHOD(act);
      sensitive << event;
      dont_initialize();
    }
    void act() { probe->wake(); }
    sc_core::sc_event event;
    Probe* probe = nullptr;
  };
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe busy("busy", log, 5), woken("woken", log);
  domain.add(woken, 0);
  domain.add(busy, 1);
  tree.run_ahead(true);
  Other other("other");
  other.probe = &woken;
  other.event.notify(sc_core::sc_time(2500, sc_core::SC_PS));
  busy.wake();
  sc_core::sc_start();
  EXPECT_EQ(
      log,
      (std::vector<Tick>{
          {"busy", 0, 0}, {"busy", 1, 0}, {"busy", 2, 0}, {"woken", 3, 3000}, {"busy", 3, 3000}, {"busy", 4, 3000}}));
}

TEST_F(Clock, WhoLooksSeesTheKernelsTimeInStep) {
  struct Watch : ClockWatch {
    void clocks_rest() override { rested.push_back(now_ps()); }
    void look() override {
      looked.push_back(now_ps());
      tree->look_at(looked.size() < 3 ? now_ps() + 1500 : ClockTree::kNoTime);
    }
    ClockTree* tree = nullptr;
    std::vector<std::uint64_t> looked, rested;
  } watch;
  ClockTree tree("tree");
  ClockDomain& domain = tree.domain(1000);
  Probe busy("busy", log, 9);
  domain.add(busy, 0);
  tree.run_ahead(true);
  tree.tell(watch);
  watch.tree = &tree;
  tree.look_at(1500);
  busy.wake();
  sc_core::sc_start();
  EXPECT_EQ(watch.looked, (std::vector<std::uint64_t>{2000, 4000, 6000}));
  EXPECT_EQ(watch.rested, (std::vector<std::uint64_t>{8000}));
}

TEST_F(Clock, UselessFrequenciesAreRefused) {
  ClockTree tree("tree");
  EXPECT_THROW(tree.domain(0), InternalError);
  EXPECT_NO_THROW(tree.domain(1'000'000));
  EXPECT_THROW(tree.domain(1'000'001), InternalError);
}

}  // namespace clock_test
}  // namespace warpfold
