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
  tlm::tlm_generic_payload& response(unsigned core = 0) {
    tlm::tlm_generic_payload& payload = pool.acquire(tlm::TLM_READ_COMMAND, 0, 64);
    extension_of(payload).core = core;
    extension_of(payload).token = 0;
    return payload;
  }

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
  bench.cores[0].steps.resize(1);
  bench.link.set_room(1);
  bench.cores[0].start();
  for (const Cycle at : {5, 6, 9}) bench.link.arrive(bench.response(), at);
  EXPECT_FALSE(bench.link.has_place(4));
  EXPECT_TRUE(bench.link.has_place(5)) << "the first one leaves at this edge";
  sc_core::sc_start(sc_core::sc_time(7500, sc_core::SC_PS));
  EXPECT_FALSE(bench.link.has_place(4));
  EXPECT_TRUE(bench.link.has_place(5));
  bench.link.arrive(bench.response(), 10);
  EXPECT_FALSE(bench.link.has_place(5));
  EXPECT_TRUE(bench.link.has_place(6));
}

}  // namespace core_link_test
}  // namespace warpfold
