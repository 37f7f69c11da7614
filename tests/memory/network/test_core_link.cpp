// SPDX-License-Identifier: Apache-2.0
// The cores' end of a port, whose time may be ahead of the interconnect's.
#include <gtest/gtest.h>

#include "tests/memory/scripted.h"
#include "tests/memory/simulation.h"
#include "warpfold/memory/network/core_link.h"

namespace warpfold {
namespace core_link_test {

constexpr std::uint32_t kPlaces = 3;

struct Bench {
  explicit Bench(unsigned count = 1)
      : clocks("clocks"), clock(clocks.domain(1000)), link("link", clock, 0, 0, count, kPlaces) {
    link.run_apart(true);  // there is no interconnect to call
    for (unsigned n = 0; n < count; ++n) {
      cores.emplace_back(("core" + std::to_string(n)).c_str(), clock, n + 1, pool, n);
      cores.back().socket.bind(link.core_sockets[n]);
    }
  }
  // So many of the first core's requests, one in a nanosecond.
  void send(unsigned requests) {
    cores[0].steps.resize(requests);
    link.set_room(requests);
    cores[0].start();
    sc_core::sc_start(sc_core::sc_time(1000 * requests - 500, sc_core::SC_PS));
    ASSERT_EQ(link.sent().size(), requests);
  }
  tlm::tlm_generic_payload& sent(unsigned request) { return *link.sent()[request].payload; }

  test::Simulation simulation;
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& clock;
  CoreLink link;
  std::deque<test::ScriptedInitiator> cores;
};

TEST(CoreLink, TakesAsManyRequestsAsThereIsRoomForAndWithholdsTheNext) {
  Bench bench;
  bench.cores[0].steps.resize(4);
  bench.link.set_room(2);
  bench.cores[0].start();
  sc_core::sc_start();
  EXPECT_EQ(bench.link.sent().size(), 2U);
  EXPECT_EQ(bench.link.sent()[1].at_ps, 1000U);
  EXPECT_EQ(bench.link.room(), 0U);
  EXPECT_TRUE(bench.link.withholds());
  EXPECT_NE(bench.link.let_in(), nullptr);
  EXPECT_FALSE(bench.link.withholds());
  EXPECT_EQ(bench.link.let_in(), nullptr);
}

TEST(CoreLink, CoresThatWaitTakeTurns) {
  Bench bench(3);
  bench.link.set_room(0);
  for (auto& core : bench.cores) {
    core.steps.resize(1);
    core.start();
  }
  sc_core::sc_start();
  for (const unsigned core : {1U, 2U, 0U}) EXPECT_EQ(extension_of(*bench.link.let_in()).core, core);
}

// The interconnect at edge n sees those that have left by then, whatever the cores have done since.
TEST(CoreLink, HasAPlaceWhenTheInterconnectsTimeHasSeenOneLeave) {
  Bench bench;
  bench.send(4);
  bench.link.arrive(bench.sent(0), 5);
  bench.link.arrive(bench.sent(1), 6);
  bench.link.arrive(bench.sent(2), 9);
  EXPECT_FALSE(bench.link.has_place(4));
  EXPECT_TRUE(bench.link.has_place(5)) << "the first one leaves at this edge";
  sc_core::sc_start(sc_core::sc_time(4000, sc_core::SC_PS));
  EXPECT_FALSE(bench.link.has_place(4));
  EXPECT_TRUE(bench.link.has_place(5));
  bench.link.arrive(bench.sent(3), 10);
  EXPECT_FALSE(bench.link.has_place(5));
  EXPECT_TRUE(bench.link.has_place(6));
}

// Responses may come in another order.
TEST(CoreLink, KnowsTheOldestRequestWithoutAResponse) {
  Bench bench;
  EXPECT_EQ(bench.link.oldest_unanswered_ps(), ClockIsland::kNoTime);
  bench.send(3);
  EXPECT_EQ(bench.link.oldest_unanswered_ps(), 0U);
  bench.link.arrive(bench.sent(1), 50);
  EXPECT_EQ(bench.link.oldest_unanswered_ps(), 0U);
  bench.link.arrive(bench.sent(0), 51);
  EXPECT_EQ(bench.link.oldest_unanswered_ps(), 2000U);
  bench.link.arrive(bench.sent(2), 52);
  EXPECT_EQ(bench.link.oldest_unanswered_ps(), ClockIsland::kNoTime);
}

}  // namespace core_link_test
}  // namespace warpfold
