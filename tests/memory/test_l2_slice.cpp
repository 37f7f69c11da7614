// SPDX-License-Identifier: Apache-2.0
// An L2 slice alone, between a scripted network and a scripted DRAM, all at 1 GHz; 20 cycles of hit latency, DRAM
// answers after 10. A request sent at edge c is looked up at c + 20, and a hit answered then.
#include <gtest/gtest.h>

#include "models/memory/l2_slice.h"
#include "tests/memory/scripted.h"
#include "tests/memory/simulation.h"

namespace warpfold {
namespace {

using Step = test::ScriptedInitiator::Step;

L2Params twenty_cycles() {
  L2Params params;
  params.hit_latency_cycles = 20;
  return params;
}

L2Params two_lines() {
  L2Params params = twenty_cycles();
  params.size_bytes = 128;
  params.ways = 2;
  return params;
}

struct Bench {
  explicit Bench(const L2Params& params)
      : clocks("clocks"),
        memory_clock(clocks.domain(1000)),
        slice_clock(clocks.domain(1000)),
        outside(clocks.domain(1000)),
        dram("dram", memory_clock, 0),
        slice("slice", params, AddressMap(256, 4), 2, slice_clock, 1, stats, pool),
        network("network", outside, 0, pool) {
    network.socket.bind(slice.network_socket);
    slice.dram_socket.bind(dram.socket);
  }
  void run(std::vector<Step> steps) {
    network.steps = std::move(steps);
    network.start();
    sc_core::sc_start();
    for (const auto& outcome : network.outcomes) EXPECT_EQ(outcome.responses, 1u);
    EXPECT_EQ(pool.in_use(), 0u);
  }
  Cycle answered(std::size_t step) const { return network.outcomes[step].answered_ps / 1000; }
  std::uint64_t stat(const std::string& name) {
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name == "l2_" + name) return entry.counter.value();
    }
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }

  test::Simulation simulation;
  StatGroup stats{"l2_2"};
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& memory_clock;
  ClockDomain& slice_clock;
  ClockDomain& outside;
  test::ScriptedTarget dram;
  L2Slice slice;
  test::ScriptedInitiator network;
};

// The n-th line of slice 2 of 4, whose chunks of 256 bytes begin at 512.
constexpr Address line(unsigned n) { return 512 + n / 4 * 1024 + n % 4 * 64; }
constexpr Step read(unsigned n, Cycle from = 0) { return {false, line(n), 64, from}; }
constexpr Step write(unsigned n, Cycle from = 0, std::uint32_t bytes = 64) { return {true, line(n), bytes, from}; }
constexpr Step atomic(unsigned n, Cycle from = 0) { return {true, line(n), 4, from, true}; }

TEST(L2Slice, MissGoesToDramAndTheNextAccessHits) {
  Bench bench(twenty_cycles());
  bench.run({read(5), read(5, 100)});
  EXPECT_EQ(bench.answered(0), 20u + 10);
  EXPECT_EQ(bench.answered(1), 100u + 20);
  ASSERT_EQ(bench.dram.seen.size(), 1u);
  EXPECT_EQ(bench.dram.seen[0].address, line(5));
  EXPECT_EQ(bench.dram.seen[0].at, 20u);
  EXPECT_EQ(bench.stat("hits"), 1u);
  EXPECT_EQ(bench.stat("misses"), 1u);
}

TEST(L2Slice, HitLatencyMovesByTheParameter) {
  L2Params params = twenty_cycles();
  params.hit_latency_cycles = 19;
  Bench bench(params);
  bench.run({read(5), read(5, 100)});
  EXPECT_EQ(bench.answered(1), 119u);
}

TEST(L2Slice, AStoreThatCoversTheLineFetchesNothing) {
  Bench bench(twenty_cycles());
  bench.run({write(0), read(0, 50)});
  EXPECT_EQ(bench.answered(0), 20u);
  EXPECT_EQ(bench.answered(1), 70u);
  EXPECT_TRUE(bench.dram.seen.empty());
}

TEST(L2Slice, APartialStoreFetchesTheLineFirst) {
  Bench bench(twenty_cycles());
  bench.run({write(0, 0, 32), read(0, 50)});
  EXPECT_EQ(bench.answered(0), 30u);
  EXPECT_EQ(bench.answered(1), 70u);
  ASSERT_EQ(bench.dram.seen.size(), 1u);
  EXPECT_FALSE(bench.dram.seen[0].write);
}

TEST(L2Slice, WritesModifiedVictimsBackBeforeTheFetch) {
  Bench bench(two_lines());
  bench.run({write(0), write(1, 5), read(2, 50), read(0, 100)});
  ASSERT_EQ(bench.dram.seen.size(), 4u);
  EXPECT_TRUE(bench.dram.seen[0].write);
  EXPECT_EQ(bench.dram.seen[0].address, line(0));
  EXPECT_EQ(bench.dram.seen[0].bytes, 64u);
  EXPECT_EQ(bench.dram.seen[1].address, line(2));
  EXPECT_EQ(bench.dram.seen[2].address, line(1));  // the other one, when line 0 comes back
  EXPECT_TRUE(bench.dram.seen[2].write);
  EXPECT_EQ(bench.dram.seen[3].address, line(0));
  EXPECT_EQ(bench.stat("writebacks"), 2u);
}

TEST(L2Slice, CleanVictimsLeaveSilently) {
  Bench bench(two_lines());
  bench.run({read(0), read(1, 50), read(2, 100), read(0, 150)});
  ASSERT_EQ(bench.dram.seen.size(), 4u);
  for (const auto& seen : bench.dram.seen) EXPECT_FALSE(seen.write);
  EXPECT_EQ(bench.stat("writebacks"), 0u);
}

TEST(L2Slice, ServesWhatWaitedForALineInOrder) {
  Bench bench(twenty_cycles());
  bench.run({read(0), write(0, 0, 32), atomic(0), read(0)});
  EXPECT_EQ(bench.dram.seen.size(), 1u);
  EXPECT_EQ(bench.network.answers, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(bench.answered(0), 30u);
  EXPECT_EQ(bench.answered(1), 31u);
  EXPECT_EQ(bench.answered(2), 32u);
  EXPECT_EQ(bench.answered(3), 34u);  // the atomic holds the slice for two cycles
  EXPECT_EQ(bench.stat("merged"), 3u);
  EXPECT_EQ(bench.stat("atomics"), 1u);
}

TEST(L2Slice, AtomicsHoldTheSlice) {
  L2Params params = twenty_cycles();
  params.atomic_cycles = 5;
  Bench bench(params);
  bench.run({write(0), atomic(0, 100), atomic(0, 101), read(0, 102)});
  EXPECT_EQ(bench.answered(1), 120u);
  EXPECT_EQ(bench.answered(2), 125u);
  EXPECT_EQ(bench.answered(3), 130u);
}

TEST(L2Slice, StallsWithoutAnMshr) {
  L2Params params = twenty_cycles();
  params.mshr_entries = 1;
  Bench bench(params);
  bench.run({read(0), read(1)});
  EXPECT_EQ(bench.answered(0), 30u);
  EXPECT_EQ(bench.answered(1), 41u);  // looked up at 21, in vain; again at 31
  EXPECT_EQ(bench.stat("stall_mshr_cycles"), 9u);
}

TEST(L2Slice, StallsWhenALineHasNoRoomForAnotherWaiter) {
  L2Params params = twenty_cycles();
  params.mshr_merges = 1;
  Bench bench(params);
  bench.run({read(0), read(0)});
  EXPECT_EQ(bench.answered(0), 30u);
  EXPECT_EQ(bench.answered(1), 31u);
  EXPECT_EQ(bench.stat("hits"), 1u);
}

TEST(L2Slice, StallsWhenAllWaysAreOnTheirWay) {
  Bench bench(two_lines());
  bench.run({read(0), read(1), read(2)});
  EXPECT_EQ(bench.answered(1), 31u);
  EXPECT_EQ(bench.answered(2), 42u);  // the line of 1 is served at 31, so the way of 0 is taken at 32
}

TEST(L2Slice, StallsWhenTheQueueToDramIsFull) {
  L2Params params = twenty_cycles();
  params.dram_queue_entries = 2;
  Bench bench(params);
  bench.dram.capacity = 1;  // END_REQ with the answer
  bench.run({read(0), read(1), read(2)});
  EXPECT_EQ(bench.dram.seen[1].at, 30u);
  EXPECT_EQ(bench.dram.seen[2].at, 40u);
  EXPECT_EQ(bench.stat("stall_dram_cycles"), 8u);  // from 22 to 30
}

TEST(L2Slice, BackPressureReachesTheNetwork) {
  L2Params params = twenty_cycles();
  params.mshr_entries = 1;
  params.request_queue_entries = 2;
  Bench bench(params);
  bench.dram.delay = 1000;
  std::vector<Step> steps;
  for (unsigned n = 0; n < 30; ++n) steps.push_back(read(n));
  bench.run(steps);
  // Line 0 is with DRAM; 22 places (20 of the pipeline, 2 behind it) hold the next ones.
  EXPECT_LT(bench.network.outcomes[22].accepted_ps, 100'000u);
  EXPECT_GT(bench.network.outcomes[23].accepted_ps, 1'000'000u);
}

TEST(L2Slice, HoldsResponsesUntilTheNetworkTakesThem) {
  L2Params params = twenty_cycles();
  params.response_queue_entries = 1;
  Bench bench(params);
  bench.network.response_hold = 40;
  bench.run({write(0), read(0), read(0), atomic(1)});
  EXPECT_EQ(bench.network.answers, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(bench.answered(0), 20u);
  EXPECT_EQ(bench.answered(1), 61u);  // END_RESP at 60, after the slice's turn at that edge
  EXPECT_GT(bench.stat("stall_response_cycles"), 0u);
}

}  // namespace
}  // namespace warpfold
