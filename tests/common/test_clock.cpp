// SPDX-License-Identifier: Apache-2.0
// Edges, their times and their order: what every timing figure of the model rests on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/common/fresh_systemc.h"
#include "warpfold/common/clock.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace {

struct Tick {
  std::string who;
  Cycle edge;
  std::uint64_t ps;
  bool operator==(const Tick&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Tick& t) {
  return out << t.who << "@" << t.edge << " " << t.ps << "ps";
}

std::uint64_t now_ps() { return sc_core::sc_time_stamp().value(); }

// Ticks `left` times, `stride` edges apart, and notes each.
class Probe : public Clocked {
 public:
  Probe(std::string name, std::vector<Tick>& log, unsigned left = 1, Cycle stride = 1)
      : name_(std::move(name)), log_(log), left_(left), stride_(stride) {}
  Cycle tick(Cycle now) override {
    log_.push_back({name_, now, now_ps()});
    if (when_ticked) when_ticked(now);
    if (left_ == kAsAsked) return again;
    if (left_ > 0) --left_;
    return left_ == 0 ? kNever : now + stride_;
  }
  using Clocked::clock;
  using Clocked::wake;
  const std::string& name() const { return name_; }
  std::function<void(Cycle)> when_ticked;
  static constexpr unsigned kAsAsked = ~0U;  // `left`: ticks as long as `again` says
  Cycle again = kNever;

 private:
  std::string name_;
  std::vector<Tick>& log_;
  unsigned left_;
  Cycle stride_;
};

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

// Islands may be some picoseconds ahead, and say what they are asked.
struct Rules : IslandRules {
  void part(std::uint64_t /*served*/) override { ++parted; }
  void join() override { ++joined; }
  void prepare(std::span<const unsigned> /*islands*/) override {}
  std::uint64_t horizon(std::uint64_t served) override { return served + ahead; }
  std::uint64_t horizon_of(unsigned /*island*/, std::uint64_t /*served*/, std::uint64_t horizon) override {
    return horizon;
  }
  bool in_step(unsigned island) override { return island == in_step_island; }
  bool stops(unsigned /*island*/) override { return false; }
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

TEST_F(Clock, IslandsGoAheadAndTheTreeFollows) {
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
TEST_F(Clock, IslandsPartAndJoinAndMissNoEdge) {
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

TEST_F(Clock, AnIslandInStepHoldsTheTreeBackAndIsNeverAheadOfIt) {
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

TEST_F(Clock, OfIslandsErrorsTheFirstOneIsTold) {
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

TEST_F(Clock, OfIslandsErrorsAtOneInstantThatOfTheLowerOneIsTold) {
  Apart apart(log);
  for (Probe* const probe : {&apart.islands[0], &apart.islands[1]}) {
    probe->when_ticked = [probe](Cycle now) {
      if (now == 6) throw std::runtime_error(probe->name());
    };
  }
  EXPECT_EQ(apart.error(), "a");
}

TEST_F(Clock, UselessFrequenciesAreRefused) {
  ClockTree tree("tree");
  EXPECT_THROW(tree.domain(0), InternalError);
  EXPECT_NO_THROW(tree.domain(1'000'000));
  EXPECT_THROW(tree.domain(1'000'001), InternalError);
}

}  // namespace
}  // namespace warpfold
