// SPDX-License-Identifier: Apache-2.0
// What accesses ask of a first-level cache: to be passed by, to keep a line or to give it up.
#include "tests/memory/l1/l1_bench.h"

namespace warpfold {
namespace l1_cache_test {

Step with(Step step, const CacheUse& use) {
  step.use = use;
  return step;
}
constexpr CacheUse kPast{.past_l1 = true};
constexpr CacheUse kNoLine{.takes_no_line = true};
constexpr CacheUse kFirst{.l1 = Eviction::kFirst};
constexpr CacheUse kLast{.l1 = Eviction::kLast};
constexpr CacheUse kUnchanged{.l1 = Eviction::kUnchanged};

L1Params two_ways() {
  L1Params params;
  params.size_bytes = 2 * 64;
  params.ways = 2;
  return params;
}

L1Params in_sectors() {
  L1Params params;
  params.line_bytes = 128;
  params.sector_bytes = 32;
  return params;
}

TEST(CacheUse, ALoadThatGoesPastFindsAndLeavesNothing) {
  Bench bench{L1Params{}};
  bench.run({load(0), with(load(0, 100), kPast), with(load(64, 200), kPast), load(64, 300)});
  EXPECT_EQ(bench.answer(1), Answer::kPending) << "though the line is there";
  EXPECT_EQ(bench.answer(3), Answer::kPending) << "nothing was left";
  EXPECT_EQ(bench.done(1), 112u);
  EXPECT_EQ(bench.stat("passed"), 2u);
  EXPECT_EQ(bench.stat("misses"), 2u);
  EXPECT_EQ(bench.stat("hits"), 0u);
  EXPECT_EQ(bench.stat("accesses"), 4u);
  EXPECT_TRUE(bench.cache.idle());
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

// Nobody joins it: what it brings may be older than what others must see.
TEST(CacheUse, ALoadThatGoesPastIsJoinedByNobodyAndJoinsNobody) {
  Bench bench{L1Params{}};
  bench.run({with(load(0), kPast), load(0), with(load(0), kPast)});
  EXPECT_EQ(bench.memory.seen.size(), 3u);
  EXPECT_EQ(bench.stat("merged"), 0u);
}

TEST(CacheUse, ALoadThatGoesPastAsksForSegments) {
  Bench bench(in_sectors());
  Step step = with(load(128), kPast);
  step.mask = byte_range(8, 4) | byte_range(72, 40);
  bench.run({step});
  EXPECT_EQ(bench.memory.seen[0].bytes, 3u * 32);
  EXPECT_EQ(bench.memory.seen[0].extension.mask, byte_range(0, 32) | byte_range(64, 64));
}

TEST(CacheUse, ALoadThatGoesPastNeedsAnMshrAndItsPlaceInTheQueue) {
  L1Params params;
  params.mshr_entries = 1;
  Bench bench(params);
  bench.run({with(load(0), kPast), with(load(0), kPast)});
  EXPECT_EQ(bench.unit.turned_away[Answer::kBlockedMshr], 1u);
  EXPECT_EQ(bench.unit.outcomes[1].issued, 11u);
}

TEST(CacheUse, LocalMemoryIsTheThreadsOwn) {
  Bench bench{L1Params{}};
  Step step = with(load(0, 100), kPast);
  step.local = true;
  bench.run({load(0), step});
  EXPECT_EQ(bench.answer(1), Answer::kHit);
}

TEST(CacheUse, WithoutAllocationHitsAreFoundAndMissesTakeNoLine) {
  Bench bench{L1Params{}};
  bench.run({load(0), with(load(0, 100), kNoLine), with(load(64, 200), kNoLine), load(64, 300)});
  EXPECT_EQ(bench.answer(1), Answer::kHit);
  EXPECT_EQ(bench.answer(2), Answer::kPending);
  EXPECT_EQ(bench.answer(3), Answer::kPending);
}

TEST(CacheUse, WithoutAllocationItStillJoinsALineOnItsWay) {
  Bench bench{L1Params{}};
  bench.run({load(0), with(load(0), kNoLine)});
  EXPECT_EQ(bench.memory.seen.size(), 1u);
  EXPECT_EQ(bench.stat("merged"), 1u);
}

TEST(CacheUse, TheFirstToGoGoesThoughItWasUsedLast) {
  for (const WayTaken allocation : {WayTaken::kOnFill, WayTaken::kOnMiss}) {
    L1Params params = two_ways();
    params.allocation = allocation;
    Bench bench(params);
    bench.run({load(0), with(load(64, 100), kFirst), load(128, 200), load(0, 300)});
    EXPECT_EQ(bench.answer(3), Answer::kHit);
  }
}

TEST(CacheUse, AHitCanMakeALineTheFirstToGo) {
  Bench bench(two_ways());
  bench.run({load(0), load(64, 100), with(load(64, 200), kFirst), load(128, 300), load(0, 400)});
  EXPECT_EQ(bench.answer(4), Answer::kHit);
}

TEST(CacheUse, TheLastToGoStaysThoughItWasUsedFirst) {
  Bench bench(two_ways());
  bench.run({with(load(0), kLast), load(64, 100), load(128, 200), load(192, 300), load(0, 400)});
  EXPECT_EQ(bench.answer(4), Answer::kHit);
}

TEST(CacheUse, AUseMayLeaveALinesPlaceAsItWas) {
  Bench bench(two_ways());
  bench.run({load(0), load(64, 100), with(load(0, 200), kUnchanged), load(128, 300), load(64, 400)});
  EXPECT_EQ(bench.answer(2), Answer::kHit);
  EXPECT_EQ(bench.answer(4), Answer::kHit) << "line 0 was the oldest still";
}

TEST(CacheUse, AStoreThatGoesPastGivesItsLineUp) {
  Bench bench{L1Params{}};
  bench.run({load(0), with(store(0, 100), kPast), load(0, 200)});
  EXPECT_EQ(bench.answer(2), Answer::kPending);
  EXPECT_EQ(bench.stat("store_hits"), 1u);
}

TEST(CacheUse, AStoreThatGoesPastTakesNoWay) {
  L1Params params = in_sectors();
  params.write_miss = L1WriteMiss::kLazyFetch;
  params.allocation = WayTaken::kOnMiss;
  Bench bench(params);
  Step past = with(store(0), kPast), plain = store(128, 0);
  Step first = load(0, 100), second = load(128, 200);
  past.mask = plain.mask = first.mask = second.mask = byte_range(0, 32);
  bench.run({past, plain, first, second});
  EXPECT_EQ(bench.answer(2), Answer::kPending);
  EXPECT_EQ(bench.answer(3), Answer::kHit);
}

TEST(CacheUse, TheLastUseOfLocalMemoryWritesNothingBack) {
  for (const bool last : {false, true}) {
    L1Params params = two_ways();
    params.allocation = WayTaken::kOnMiss;
    params.write_policy = WritePolicy::kLocalWriteBack;
    params.write_miss = L1WriteMiss::kLazyFetch;
    Bench bench(params);
    Step written = store(0, 0, 64), read = load(0, 100);
    written.local = read.local = true;
    written.mask = read.mask = byte_range(0, 64);
    read.use = {.last_use = last, .l1 = Eviction::kFirst};
    Step other = load(64, 200), third = load(128, 300);
    other.mask = third.mask = byte_range(0, 64);
    bench.run({written, read, other, third});
    EXPECT_EQ(bench.stat("writebacks"), last ? 0u : 1u);
  }
}

TEST(CacheUse, TheL2IsTold) {
  Bench bench{L1Params{}};
  bench.run({with(load(0), {.l2 = Eviction::kLast, .l2_bytes = 128}), load(64, 50)});
  EXPECT_EQ(bench.memory.seen[0].extension.l2_eviction, Eviction::kLast);
  EXPECT_EQ(bench.memory.seen[0].extension.l2_bytes, 128u);
  EXPECT_EQ(bench.memory.seen[1].extension.l2_eviction, Eviction::kNormal) << "payloads are used again";
  EXPECT_EQ(bench.memory.seen[1].extension.l2_bytes, 0u);
}

TEST(CacheUse, FewerWaysHoldFewerLines) {
  Bench bench(two_ways());
  bench.cache.invalidate(1);
  bench.run({load(0), load(64, 100), load(0, 200)});
  EXPECT_EQ(bench.answer(2), Answer::kPending);
}

// CUDA C++ Programming Guide, compute capability 7.0: 128 KB, of which shared memory can be 0, 8, 16, 32, 64 or 96 KB.
TEST(CacheUse, SharedMemoryTakesItsWaysInSteps) {
  L1Params params;
  params.size_bytes = 128 * 1024;
  params.line_bytes = 128;
  params.ways = 256;
  const std::uint64_t most = 96 * 1024;
  EXPECT_EQ(params.ways_beside(0, most), 256u);
  EXPECT_EQ(params.ways_beside(1, most), 240u);
  EXPECT_EQ(params.ways_beside(8 * 1024, most), 240u);
  EXPECT_EQ(params.ways_beside(8 * 1024 + 1, most), 224u);
  EXPECT_EQ(params.ways_beside(40 * 1024, most), 128u);
  EXPECT_EQ(params.ways_beside(65 * 1024, most), 64u);
  EXPECT_EQ(params.ways_beside(96 * 1024, most), 64u);
}

}  // namespace l1_cache_test
}  // namespace warpfold
