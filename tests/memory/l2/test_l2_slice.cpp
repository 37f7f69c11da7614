// SPDX-License-Identifier: Apache-2.0
// An L2 slice alone, between a scripted network and a scripted DRAM, all at 1 GHz; 20 cycles of hit latency, DRAM
// answers after 10. A request sent at edge c is looked up at c + 20, and a hit answered then.
#include <gtest/gtest.h>

#include "tests/memory/scripted.h"
#include "tests/memory/simulation.h"
#include "warpfold/memory/l2/l2_slice.h"

namespace warpfold {
namespace l2_slice_test {

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
    clocks.rethrow();
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

TEST(L2Slice, OnlySoManyLinesOfASetAreModified) {
  L2Params params = two_lines();
  params.dirty_ways = 1;
  Bench bench(params);
  bench.run({write(0), write(1, 50), write(1, 100), read(0, 150), write(0, 200)});
  ASSERT_EQ(bench.dram.seen.size(), 2u);  // each line as the other is written; both stay
  EXPECT_EQ(bench.dram.seen[0].address, line(0));
  EXPECT_TRUE(bench.dram.seen[0].write);
  EXPECT_EQ(bench.dram.seen[1].address, line(1));
  EXPECT_TRUE(bench.dram.seen[1].write);
  EXPECT_EQ(bench.stat("writebacks"), 2u);
  EXPECT_EQ(bench.stat("hits"), 3u);
}

TEST(L2Slice, TheLeastRecentlyUsedOfTheModifiedIsWritten) {
  L2Params params = two_lines();
  params.size_bytes *= 2;
  params.ways *= 2;
  params.dirty_ways = 2;
  Bench bench(params);
  bench.run({read(3), write(0, 50), write(1, 100), read(0, 150), write(2, 200)});
  ASSERT_EQ(bench.dram.seen.size(), 2u);
  EXPECT_EQ(bench.dram.seen[1].address, line(1));
}

TEST(L2Slice, AHitIsAUse) {
  Bench bench(two_lines());
  bench.run({read(0), read(1, 50), read(0, 100), read(2, 150), read(0, 200)});
  EXPECT_EQ(bench.stat("hits"), 2u) << "line 1 made room for line 2";
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

// Lines of 64 bytes.
TEST(L2Slice, MovesSoManyBytesACycle) {
  L2Params params = twenty_cycles();
  params.port.bytes_per_cycle = 16;
  Bench bench(params);
  bench.run({write(0), read(0, 100), read(0, 101), read(0, 102)});
  EXPECT_EQ(bench.answered(1), 120u);
  EXPECT_EQ(bench.answered(2), 124u);
  EXPECT_EQ(bench.answered(3), 128u);
}

// Lines of 128 bytes, four sectors, two ways of one set.
L2Params sectored(L2WriteMiss write_miss = L2WriteMiss::kFetchOnWrite) {
  L2Params params = twenty_cycles();
  params.size_bytes = 256;
  params.line_bytes = 128;
  params.ways = 2;
  params.sector_bytes = 32;
  params.write_miss = write_miss;
  return params;
}
// Bytes [first, first + count) of the n-th line of 128 bytes of slice 2 of 4, asked for at the line's start.
Step part(bool is_write, unsigned n, std::uint32_t first, std::uint32_t count, Cycle from = 0, bool is_atomic = false) {
  return {is_write, line(2 * n), count, from, is_atomic, byte_range(first, count)};
}

TEST(L2Sectors, AMissFetchesTheSectorsThatItTouches) {
  Bench bench(sectored());
  bench.run({part(false, 1, 0, 64), part(false, 1, 32, 32, 100), part(false, 1, 64, 64, 200)});
  ASSERT_EQ(bench.dram.seen.size(), 2u);
  EXPECT_EQ(bench.dram.seen[0].address, line(2));
  EXPECT_EQ(bench.dram.seen[0].bytes, 64u);
  EXPECT_EQ(bench.answered(1), 120u);
  EXPECT_EQ(bench.dram.seen[1].bytes, 64u);
  EXPECT_EQ(bench.answered(2), 200u + 20 + 10);
  EXPECT_EQ(bench.stat("misses"), 1u);
  EXPECT_EQ(bench.stat("hits"), 1u);
  EXPECT_EQ(bench.stat("sector_misses"), 1u);
}

// A cache in front with lines of 64 bytes asks for half a line, at an address in the middle of it.
TEST(L2Sectors, MasksCountFromTheRequestsAddress) {
  Bench bench(sectored());
  bench.run(
      {{false, line(1), 64, 0, false, byte_range(0, 64)}, part(false, 0, 64, 64, 100), part(false, 0, 0, 4, 200)});
  EXPECT_EQ(bench.stat("hits"), 1u);
  EXPECT_EQ(bench.stat("sector_misses"), 1u);
}

// The second fetches the two sectors that are not on their way; the third needs only the first's and keeps its place.
TEST(L2Sectors, RequestsOfALineOnItsWayFetchWhatIsMissingAndKeepTheirOrder) {
  Bench bench(sectored());
  bench.run({part(false, 0, 0, 64), part(false, 0, 32, 96, 5), part(false, 0, 0, 32, 6)});
  ASSERT_EQ(bench.dram.seen.size(), 2u);
  EXPECT_EQ(bench.dram.seen[0].bytes, 64u);
  EXPECT_EQ(bench.dram.seen[1].bytes, 64u);
  EXPECT_EQ(bench.dram.seen[1].at, 25u);
  EXPECT_EQ(bench.network.answers, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(bench.answered(0), 30u);
  EXPECT_EQ(bench.answered(1), 35u);
  EXPECT_EQ(bench.answered(2), 36u);
  EXPECT_EQ(bench.stat("merged"), 2u);
}

TEST(L2Sectors, OnlyModifiedSectorsAreWrittenBack) {
  Bench bench(sectored());
  bench.run(
      {part(false, 0, 0, 128), part(true, 0, 32, 64, 50), part(false, 1, 0, 32, 100), part(false, 2, 0, 32, 150)});
  ASSERT_EQ(bench.dram.seen.size(), 4u);
  EXPECT_TRUE(bench.dram.seen[2].write);
  EXPECT_EQ(bench.dram.seen[2].bytes, 64u);
  EXPECT_EQ(bench.stat("writebacks"), 1u);
}

// Bytes 16 to 79: the first and the third sector in part, the second as a whole.
TEST(L2Sectors, AStoreFetchesTheSectorsThatItWritesInPart) {
  Bench bench(sectored());
  bench.run({part(true, 0, 16, 64), part(false, 0, 0, 96, 100)});
  ASSERT_EQ(bench.dram.seen.size(), 1u);
  EXPECT_EQ(bench.dram.seen[0].bytes, 64u);
  EXPECT_EQ(bench.answered(0), 30u);
  EXPECT_EQ(bench.stat("hits"), 1u);
}

TEST(L2Sectors, AtomicsFetchTheirSector) {
  Bench bench(sectored(L2WriteMiss::kLazyFetch));
  bench.run({part(true, 0, 36, 4, 0, true), part(false, 0, 32, 32, 100)});
  ASSERT_EQ(bench.dram.seen.size(), 1u);
  EXPECT_EQ(bench.dram.seen[0].bytes, 32u);
  EXPECT_EQ(bench.stat("hits"), 1u);
}

TEST(L2LazyFetch, StoresFetchNothingAndLoadsWhatWasNotWritten) {
  Bench bench(sectored(L2WriteMiss::kLazyFetch));
  bench.run({part(true, 0, 16, 64), part(false, 0, 32, 32, 100), part(false, 0, 0, 96, 200)});
  EXPECT_EQ(bench.answered(0), 20u);
  EXPECT_EQ(bench.answered(1), 120u);
  ASSERT_EQ(bench.dram.seen.size(), 1u);
  EXPECT_EQ(bench.dram.seen[0].bytes, 64u);  // the first and the third sector
  EXPECT_EQ(bench.answered(2), 230u);
}

TEST(L2LazyFetch, StoresTogetherMakeASectorWhole) {
  Bench bench(sectored(L2WriteMiss::kLazyFetch));
  bench.run({part(true, 0, 0, 16), part(true, 0, 16, 16), part(false, 0, 0, 32, 100)});
  EXPECT_TRUE(bench.dram.seen.empty());
}

// While sector 0 is on its way, a store covers sector 1 and a load asks for it: its fetch is not needed in the end.
TEST(L2LazyFetch, AStoreCanMakeAFetchOfItsLineNeedless) {
  Bench bench(sectored(L2WriteMiss::kLazyFetch));
  bench.run({part(false, 0, 0, 32), part(true, 0, 32, 32, 1), part(false, 0, 32, 32, 8), part(false, 0, 0, 64, 100)});
  EXPECT_EQ(bench.network.answers, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(bench.answered(2), 32u);
  EXPECT_EQ(bench.dram.seen.size(), 2u);
  EXPECT_EQ(bench.answered(3), 120u);
}

TEST(L2Copies, WhatTheyLeaveIsThere) {
  Bench bench(sectored());
  for (const std::uint32_t at : {0u, 32u}) bench.slice.fill(line(0) + at);
  bench.run({part(false, 0, 0, 64), part(false, 0, 64, 32, 50)});
  EXPECT_EQ(bench.stat("hits"), 1u);
  EXPECT_EQ(bench.stat("sector_misses"), 1u);
  EXPECT_EQ(bench.dram.seen.size(), 1u);
}

TEST(L2Copies, ACopyIntoALineIsAUse) {
  Bench bench(two_lines());
  for (const unsigned n : {0u, 1u, 0u}) bench.slice.fill(line(n));
  bench.run({read(2), read(0, 50)});
  EXPECT_EQ(bench.stat("hits"), 1u) << "line 1 made room for line 2";
}

// The line of the one MSHR is served at 32, its second fetch, which nobody needs any more, comes at 38.
TEST(L2LazyFetch, AnMshrIsTakenUntilItsLastFetchHasCome) {
  L2Params params = sectored(L2WriteMiss::kLazyFetch);
  params.mshr_entries = 1;
  Bench bench(params);
  bench.run({part(false, 0, 0, 32), part(true, 0, 32, 32, 1), part(false, 0, 32, 32, 8), part(false, 1, 0, 32, 13)});
  EXPECT_EQ(bench.answered(2), 32u);
  ASSERT_EQ(bench.dram.seen.size(), 3u);
  EXPECT_GE(bench.dram.seen[2].at, 38u);
  EXPECT_EQ(bench.answered(3), bench.dram.seen[2].at + 10);
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

// A write for which another line is written back waits for a place there, whether its own line is there or not.
TEST(L2Slice, AWriteWaitsForAPlaceInTheQueueToDramForTheLineThatItDisplaces) {
  for (const bool hits : {false, true}) {
    L2Params params = twenty_cycles();
    params.dirty_ways = 1;
    params.ways = params.size_bytes / params.line_bytes;
    params.dram_queue_entries = 2;
    Bench bench(params);
    bench.dram.capacity = 1;  // END_REQ with the answer
    bench.run({write(0), read(hits ? 3 : 4), read(1, 100), read(2, 100), write(3, 100)});
    ASSERT_EQ(bench.dram.seen.size(), 4u);
    EXPECT_TRUE(bench.dram.seen[3].write);
    EXPECT_EQ(bench.dram.seen[3].address, line(0));
    EXPECT_EQ(bench.stat("hits"), hits ? 1u : 0u);
    EXPECT_GT(bench.stat("stall_dram_cycles"), 0u);
    EXPECT_EQ(bench.stat("writebacks"), 1u);
  }
}

// A miss that writes a line back needs two places.
TEST(L2Slice, AWriteBackTakesAPlaceInTheQueueToDram) {
  L2Params params = two_lines();
  params.dram_queue_entries = 2;
  Bench bench(params);
  bench.dram.capacity = 1;  // END_REQ with the answer
  bench.run({write(0), write(1, 5), read(2, 50), read(3, 51)});
  ASSERT_EQ(bench.dram.seen.size(), 4u);
  EXPECT_EQ(bench.dram.seen[0].at, 70u);
  EXPECT_EQ(bench.dram.seen[1].at, 80u);
  EXPECT_EQ(bench.dram.seen[2].at, 91u);  // looked up at 71, in vain; again when there are two places
  EXPECT_TRUE(bench.dram.seen[2].write);
  EXPECT_EQ(bench.dram.seen[3].at, 101u);
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

Step with(Step step, Eviction eviction, std::uint8_t bytes = 0) {
  step.l2_eviction = eviction;
  step.l2_bytes = bytes;
  return step;
}

TEST(L2Slice, TheFirstToGoGoesAndTheLastToGoStays) {
  Bench first(two_lines());
  first.run({read(0), with(read(1, 50), Eviction::kFirst), read(2, 100), read(0, 150)});
  EXPECT_EQ(first.stat("hits"), 1u);
  Bench last(two_lines());
  last.run({with(read(0), Eviction::kLast), read(1, 50), read(2, 100), read(3, 150), read(0, 200)});
  EXPECT_EQ(last.stat("hits"), 1u);
}

TEST(L2Slice, AHitMovesALinesPlaceAsItSays) {
  Bench bench(two_lines());
  bench.run({read(0), read(1, 50), with(read(1, 100), Eviction::kFirst), read(2, 150), read(0, 200)});
  EXPECT_EQ(bench.stat("hits"), 2u);
}

// Who asks for a sector waits for no other that comes with it.
TEST(L2Slice, AMissFetchesTheSectorsAroundThatItIsToldOf) {
  Bench bench(sectored());
  Step first = with(part(false, 0, 32, 4), Eviction::kNormal, 64),
       second = with(part(false, 0, 64, 4, 100), Eviction::kNormal, 128);
  bench.run({first, second, part(false, 0, 0, 4, 200), part(false, 0, 96, 4, 250)});
  ASSERT_EQ(bench.dram.seen.size(), 2u);
  EXPECT_EQ(bench.dram.seen[0].bytes, 64u);
  EXPECT_EQ(bench.dram.seen[1].bytes, 64u) << "of the line what is not there";
  EXPECT_EQ(bench.stat("hits"), 2u);
}

}  // namespace l2_slice_test
}  // namespace warpfold
