// SPDX-License-Identifier: Apache-2.0
// The interconnect alone: scripted cores and slices around it, all at 1 GHz, five cycles of latency.
#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <string>

#include "tests/memory/scripted.h"
#include "tests/memory/simulation.h"
#include "warpfold/memory/network/interconnect.h"

namespace warpfold {
namespace interconnect_test {

using Step = test::ScriptedInitiator::Step;

InterconnectParams five_cycles() {
  InterconnectParams params;
  params.latency_cycles = 5;
  return params;
}

struct Bench {
  Bench(const InterconnectParams& params, unsigned core_count, unsigned slice_count)
      : clocks("clocks"),
        network_clock(clocks.domain(1000)),
        core_clock(clocks.domain(1000)),
        network("network", params, AddressMap(256, slice_count), core_count, slice_count, network_clock, 0, stats) {
    for (unsigned n = 0; n < core_count; ++n) {
      cores.emplace_back(("core" + std::to_string(n)).c_str(), core_clock, n, pool, n);
      cores.back().socket.bind(network.core_socket(n));
    }
    for (unsigned n = 0; n < slice_count; ++n) {
      slices.emplace_back(("slice" + std::to_string(n)).c_str(), network_clock, n + 1);
      network.slice_sockets[n].bind(slices.back().socket);
    }
  }
  void run() {
    for (auto& core : cores) core.start();
    sc_core::sc_start();
  }

  test::Simulation simulation;
  StatGroup stats{"interconnect"};
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& network_clock;
  ClockDomain& core_clock;
  Interconnect network;
  std::deque<test::ScriptedInitiator> cores;
  std::deque<test::ScriptedTarget> slices;
};

TEST(Interconnect, TakesItsLatencyAndOneCyclePerFlit) {
  Bench bench(five_cycles(), 1, 1);
  bench.cores[0].steps = {Step{}};
  bench.run();
  // Sent at 0, granted at 1, one flit. Answered at 16, granted at 17, three flits of 72 bytes: there at 17 + 2 + 5.
  EXPECT_EQ(bench.slices[0].seen.at(0).at, 6u);
  EXPECT_EQ(bench.cores[0].outcomes[0].answered_ps, 24'000u);
}

TEST(Interconnect, LatencyMovesByTheParameter) {
  InterconnectParams params = five_cycles();
  params.latency_cycles = 4;
  Bench bench(params, 1, 1);
  bench.cores[0].steps = {Step{}};
  bench.run();
  EXPECT_EQ(bench.slices[0].seen.at(0).at, 5u);
  EXPECT_EQ(bench.cores[0].outcomes[0].answered_ps, 22'000u);
}

// A reply to a store that is no more than its acknowledgement still takes one flit.
TEST(Interconnect, RepliesWithoutAHeaderWeighTheirDataAndAtLeastOneFlit) {
  InterconnectParams params = five_cycles();
  params.packet.response_header_bytes = 0;
  Bench bench(params, 1, 1);
  bench.cores[0].steps = {Step{}, Step{true, 64, 4, 100}};
  bench.run();
  // As above, two flits of 64 bytes; then sent at 100, at the slice at 106, answered at 116, granted at 117.
  EXPECT_EQ(bench.cores[0].outcomes[0].answered_ps, 23'000u);
  EXPECT_EQ(bench.cores[0].outcomes[1].answered_ps, 122'000u);
}

TEST(Interconnect, RoutesByAddressAndBackByCore) {
  Bench bench(five_cycles(), 3, 4);
  for (unsigned core = 0; core < 3; ++core) {
    for (Address chunk = 0; chunk < 8; ++chunk) bench.cores[core].steps.push_back({false, chunk * 256 + core * 64});
  }
  bench.run();
  for (unsigned slice = 0; slice < 4; ++slice) {
    ASSERT_EQ(bench.slices[slice].seen.size(), 6u);
    for (const auto& seen : bench.slices[slice].seen) EXPECT_EQ(seen.address / 256 % 4, slice);
  }
  for (const auto& core : bench.cores) {
    for (const auto& outcome : core.outcomes) EXPECT_EQ(outcome.responses, 1u);
  }
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

TEST(Interconnect, ContendersTakeTurns) {
  Bench bench(five_cycles(), 3, 1);
  for (auto& core : bench.cores) core.steps.assign(20, Step{});
  bench.run();
  ASSERT_EQ(bench.slices[0].seen.size(), 60u);
  for (std::uint32_t n = 0; n < 60; ++n) {
    EXPECT_EQ(bench.slices[0].seen[n].extension.core, n % 3);
    EXPECT_EQ(bench.slices[0].seen[n].extension.token, n / 3);
    EXPECT_EQ(bench.slices[0].seen[n].at, 6u + n);
  }
}

TEST(Interconnect, AResponsePortCarriesItsBytesPerCycleAndNoMore) {
  Bench bench(five_cycles(), 1, 2);
  for (Address n = 0; n < 200; ++n) bench.cores[0].steps.push_back({false, n * 256});
  bench.run();
  const auto& outcomes = bench.cores[0].outcomes;
  for (std::size_t n = 10; n < 200; ++n) {  // both slices answer; the core's port takes a packet every three cycles
    EXPECT_EQ(outcomes[n].answered_ps - outcomes[n - 1].answered_ps, 3'000u);
  }
}

TEST(Interconnect, ARequestPortCarriesItsBytesPerCycleAndNoMore) {
  Bench bench(five_cycles(), 2, 1);
  for (auto& core : bench.cores) core.steps.assign(100, Step{true, 0, 64});
  bench.run();
  const auto& seen = bench.slices[0].seen;
  ASSERT_EQ(seen.size(), 200u);
  EXPECT_EQ(seen[0].at, 8u);
  for (std::size_t n = 1; n < 200; ++n) EXPECT_EQ(seen[n].at - seen[n - 1].at, 3u);
}

Cycle arrival_of_a_store(std::uint32_t bytes_per_cycle) {
  InterconnectParams params = five_cycles();
  params.request_bytes_per_cycle = bytes_per_cycle;
  Bench bench(params, 1, 1);
  bench.cores[0].steps = {Step{true, 0, 64}};
  bench.run();
  return bench.slices[0].seen.at(0).at;
}

TEST(Interconnect, WiderPortsNeedFewerCycles) {
  EXPECT_EQ(arrival_of_a_store(71), 7u);  // of 72 bytes, one does not fit
  EXPECT_EQ(arrival_of_a_store(72), 6u);
}

TEST(Interconnect, BackPressureReachesTheCore) {
  InterconnectParams params = five_cycles();
  params.latency_cycles = 1;
  params.queue_entries = 2;
  Bench bench(params, 1, 1);
  bench.slices[0].capacity = 1;  // takes one, and the next when that is answered
  bench.slices[0].delay = 100;
  bench.cores[0].steps.assign(8, Step{});
  bench.run();
  // One at the slice, two queued for it and one on the wire, two at the input: six are accepted, the seventh waits.
  const auto& outcomes = bench.cores[0].outcomes;
  EXPECT_LT(outcomes[5].accepted_ps, 20'000u);
  EXPECT_GT(outcomes[6].accepted_ps, 100'000u);
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.responses, 1u);
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

TEST(Interconnect, BackPressureReachesTheSliceAndLosesNothing) {
  InterconnectParams params = five_cycles();
  params.queue_entries = 1;
  Bench bench(params, 2, 1);
  bench.cores[0].response_hold = 30;
  for (auto& core : bench.cores) core.steps.assign(50, Step{});
  bench.run();
  for (const auto& core : bench.cores) {
    std::vector<std::uint32_t> in_order(50);
    std::iota(in_order.begin(), in_order.end(), 0);
    EXPECT_EQ(core.answers, in_order);
  }
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

InterconnectParams two_share() {
  InterconnectParams params = five_cycles();
  params.cores_per_port = 2;
  return params;
}

TEST(Interconnect, CoresThatShareAPortShareItsBytesPerCycle) {
  Bench bench(two_share(), 4, 2);  // cores 0 and 1 on one port, 2 and 3 on the other; each port to a slice of its own
  for (unsigned core = 0; core < 4; ++core) bench.cores[core].steps.assign(50, Step{true, core / 2 * 256, 64});
  bench.run();
  for (const auto& slice : bench.slices) {
    ASSERT_EQ(slice.seen.size(), 100u);
    for (std::size_t n = 1; n < 100; ++n) EXPECT_EQ(slice.seen[n].at - slice.seen[n - 1].at, 3u);
  }
}

TEST(Interconnect, CoresThatWaitForASharedPortTakeTurns) {
  Bench bench(two_share(), 3, 1);  // the third core has a port for itself
  for (auto& core : bench.cores) core.steps.assign(40, Step{});
  bench.run();
  std::vector<unsigned> ahead(3, 0);
  for (const auto& seen : bench.slices[0].seen) {
    ++ahead[seen.extension.core];
    EXPECT_LE(ahead[0], ahead[1] + 1);
    EXPECT_LE(ahead[1], ahead[0] + 1);
  }
  EXPECT_EQ(ahead, (std::vector<unsigned>{40, 40, 40}));
}

TEST(Interconnect, ASharedPortBringsEachCoreItsOwnResponses) {
  InterconnectParams params = two_share();
  params.queue_entries = 1;
  Bench bench(params, 5, 3);
  bench.cores[0].response_hold = 30;  // holds up its neighbour too
  for (unsigned core = 0; core < 5; ++core) {
    for (Address n = 0; n < 30; ++n) bench.cores[core].steps.push_back({n % 3 == 0, (n + core) * 256});
  }
  bench.run();
  for (const auto& core : bench.cores) {
    for (const auto& outcome : core.outcomes) EXPECT_EQ(outcome.responses, 1u);
  }
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

TEST(Interconnect, MoreThanSixtyFourCores) {
  Bench bench(five_cycles(), 100, 3);
  for (unsigned core = 0; core < 100; ++core) {
    for (Address n = 0; n < 12; ++n) bench.cores[core].steps.push_back({false, (n + core) * 256});
  }
  bench.run();
  for (const auto& core : bench.cores) {
    for (const auto& outcome : core.outcomes) EXPECT_EQ(outcome.responses, 1u);
  }
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

}  // namespace interconnect_test
}  // namespace warpfold
