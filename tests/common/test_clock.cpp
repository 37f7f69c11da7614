// SPDX-License-Identifier: Apache-2.0
// Edges, their times and their order: what every timing figure of the model rests on.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
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
    if (left_ > 0) --left_;
    return left_ == 0 ? kNever : now + stride_;
  }
  using Clocked::clock;
  using Clocked::wake;
  std::function<void(Cycle)> when_ticked;

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

TEST_F(Clock, UselessFrequenciesAreRefused) {
  ClockTree tree("tree");
  EXPECT_THROW(tree.domain(0), InternalError);
  EXPECT_NO_THROW(tree.domain(1'000'000));
  EXPECT_THROW(tree.domain(1'000'001), InternalError);
}

}  // namespace
}  // namespace warpfold
