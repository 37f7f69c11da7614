// SPDX-License-Identifier: Apache-2.0
// A core's port alone: two scripted caches, a scripted network.
#include <gtest/gtest.h>

#include "tests/memory/scripted.h"
#include "tests/memory/simulation.h"
#include "warpfold/memory/network/core_port.h"

namespace warpfold {
namespace core_port_test {

using Step = test::ScriptedInitiator::Step;

struct Bench {
  Bench()
      : clocks("clocks"),
        clock(clocks.domain(1000)),
        first("first", clock, 0, pool, 0, 0),
        second("second", clock, 1, pool, 0, 1),
        port("port", PacketParams{}, clock, 2, stats, 2),
        network("network", clock, 3) {
    first.socket.bind(port.client_sockets[0]);
    second.socket.bind(port.client_sockets[1]);
    port.network_socket.bind(network.socket);
  }
  void run() {
    first.start();
    second.start();
    sc_core::sc_start();
  }
  std::uint64_t stat(const std::string& name) {
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name == name) return entry.counter.value();
    }
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }

  test::Simulation simulation;
  StatGroup stats{"core0"};
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& clock;
  test::ScriptedInitiator first;
  test::ScriptedInitiator second;
  CorePort port;
  test::ScriptedTarget network;
};

TEST(CorePort, SendsOneRequestACycleInTurns) {
  Bench bench;
  bench.first.steps = {Step{}, Step{}, Step{}};
  bench.second.steps = {Step{}, Step{}, Step{}};
  bench.run();
  ASSERT_EQ(bench.network.seen.size(), 6u);
  for (std::uint32_t n = 0; n < 6; ++n) {
    EXPECT_EQ(bench.network.seen[n].at, n);
    EXPECT_EQ(bench.network.seen[n].extension.client, n % 2);
    EXPECT_EQ(bench.network.seen[n].extension.token, n / 2);
  }
  EXPECT_EQ(bench.first.answers, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(bench.second.answers, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

TEST(CorePort, CountsTrafficInBothDirections) {
  Bench bench;
  bench.first.steps = {Step{false, 0, 64}, Step{true, 64, 32}};
  bench.second.steps = {Step{true, 128, 4, 0, true}};
  bench.run();
  EXPECT_EQ(bench.stat("core_to_memory_bytes"), 8u + (8 + 32) + (8 + 4));
  EXPECT_EQ(bench.stat("memory_to_core_bytes"), (8u + 64) + 8 + (8 + 4));
  EXPECT_EQ(bench.stat("core_to_memory_packets"), 3u);
  EXPECT_EQ(bench.stat("memory_to_core_packets"), 3u);
  EXPECT_EQ(bench.stat("port_stall_cycles"), 0u);
}

TEST(CorePort, WaitsForTheNetworkAndCountsIt) {
  Bench bench;
  bench.network.capacity = 1;  // END_REQ ten cycles after BEGIN_REQ
  bench.first.steps = {Step{}, Step{}};
  bench.second.steps = {Step{}};
  bench.run();
  ASSERT_EQ(bench.network.seen.size(), 3u);
  EXPECT_EQ(bench.network.seen[0].at, 0u);
  EXPECT_EQ(bench.network.seen[1].at, 11u);
  EXPECT_EQ(bench.network.seen[2].at, 22u);
  EXPECT_EQ(bench.stat("port_stall_cycles"), 30u);
}

TEST(CorePort, PassesEndOfResponseBack) {
  Bench bench;
  bench.first.response_hold = 50;
  bench.first.steps = {Step{}, Step{}};
  bench.run();
  EXPECT_EQ(bench.first.outcomes[0].answered_ps, 10'000u);
  EXPECT_EQ(bench.first.outcomes[1].answered_ps, 60'000u);  // END_RESP comes before the network's turn at that edge
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

}  // namespace core_port_test
}  // namespace warpfold
