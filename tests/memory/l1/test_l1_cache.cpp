// SPDX-License-Identifier: Apache-2.0
// The first-level cache alone.
#include "tests/memory/l1/l1_bench.h"

namespace warpfold {
namespace l1_cache_test {

TEST(L1Cache, MissFetchesTheLineAndTheNextLoadHits) {
  Bench bench{L1Params{}};
  bench.run({load(128), load(128, 100)});
  EXPECT_EQ(bench.answer(0), Answer::kPending);
  EXPECT_EQ(bench.done(0), 12u);
  EXPECT_EQ(bench.answer(1), Answer::kHit);
  EXPECT_EQ(bench.done(1), 100u + 24);
  ASSERT_EQ(bench.memory.seen.size(), 1u);
  const auto& seen = bench.memory.seen[0];
  EXPECT_FALSE(seen.write);
  EXPECT_EQ(seen.address, 128u);
  EXPECT_EQ(seen.bytes, 64u);
  EXPECT_EQ(seen.extension.core, 5u);
  EXPECT_EQ(seen.extension.client, 2u);
  EXPECT_EQ(bench.stat("accesses"), 2u);
  EXPECT_EQ(bench.stat("hits"), 1u);
  EXPECT_EQ(bench.stat("misses"), 1u);
  EXPECT_TRUE(bench.cache.idle());
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

TEST(L1Cache, HitsPassUnderMisses) {
  Bench bench{L1Params{}};
  bench.memory.delay = 100;
  bench.run({load(0), load(64, 200), load(0, 201)});
  EXPECT_EQ(bench.done(1), 302u);
  EXPECT_EQ(bench.done(2), 201u + 24);
}

TEST(L1Cache, LoadsOfALineOnItsWayMerge) {
  Bench bench{L1Params{}};
  bench.run({load(0), load(0), load(0)});
  EXPECT_EQ(bench.memory.seen.size(), 1u);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(bench.done(n), 12u);
    EXPECT_EQ(bench.unit.outcomes[n].sequence, n);
  }
  EXPECT_EQ(bench.stat("merged"), 2u);
}

TEST(L1Cache, TurnsAwayWhatTheMergeListCannotHold) {
  L1Params params;
  params.mshr_merges = 2;
  Bench bench(params);
  bench.run({load(0), load(0), load(0)});
  EXPECT_EQ(bench.unit.turned_away[Answer::kBlockedMshr], 1u);
  EXPECT_EQ(bench.unit.outcomes[2].issued, 11u);  // told when the line came
  EXPECT_EQ(bench.answer(2), Answer::kHit);
  EXPECT_EQ(bench.stat("blocked_mshr"), 1u);
}

TEST(L1Cache, TurnsAwayMissesWithoutAnMshr) {
  L1Params params;
  params.mshr_entries = 2;
  Bench bench(params);
  bench.run({load(0), load(64), load(128)});
  EXPECT_EQ(bench.unit.turned_away[Answer::kBlockedMshr], 1u);
  EXPECT_EQ(bench.unit.outcomes[2].issued, 11u);
  EXPECT_EQ(bench.done(2), 11u + 12);
}

TEST(L1Cache, HitsWhileAllMshrsAreTaken) {
  L1Params params;
  params.mshr_entries = 1;
  Bench bench(params);
  bench.run({load(0), load(64, 100), load(0, 101)});
  EXPECT_EQ(bench.answer(2), Answer::kHit);
  EXPECT_EQ(bench.done(2), 101u + 24);
}

TEST(L1Cache, TurnsAwayWhenTheMissQueueIsFull) {
  L1Params params;
  params.miss_queue_entries = 1;
  Bench bench(params);
  bench.memory.capacity = 1;  // END_REQ comes with the answer, 10 cycles later
  bench.run({load(0), load(64), store(128)});
  EXPECT_EQ(bench.unit.turned_away[Answer::kBlockedQueue], 1u);
  EXPECT_EQ(bench.unit.outcomes[2].issued, 10u);
  EXPECT_EQ(bench.memory.seen[1].at, 10u);
  EXPECT_EQ(bench.memory.seen[2].at, 20u);
  EXPECT_EQ(bench.stat("blocked_queue"), 1u);
}

TEST(L1Cache, StoresWriteThroughAndDoNotAllocate) {
  Bench bench{L1Params{}};
  bench.run({store(0), load(0, 100)});
  EXPECT_EQ(bench.answer(0), Answer::kPending);
  EXPECT_EQ(bench.done(0), 12u);
  EXPECT_TRUE(bench.memory.seen[0].write);
  EXPECT_EQ(bench.memory.seen[0].bytes, 32u);
  EXPECT_EQ(bench.answer(1), Answer::kPending);
  EXPECT_EQ(bench.stat("stores"), 1u);
  EXPECT_EQ(bench.stat("store_hits"), 0u);
}

TEST(L1Cache, ALoadHitIsAUseOfTheLine) {
  L1Params params;
  params.size_bytes = 128;
  params.ways = 2;
  Bench bench(params);
  bench.run({load(0), load(64, 50), load(0, 100), load(128, 150), load(0, 200), load(64, 250)});
  EXPECT_EQ(bench.answer(4), Answer::kHit);  // line 64 was older and left
  EXPECT_EQ(bench.answer(5), Answer::kPending);
}

TEST(L1Cache, AStoreHitIsAUseOfTheLine) {
  L1Params params;
  params.size_bytes = 128;
  params.ways = 2;
  Bench bench(params);
  bench.run({load(0), load(64, 50), store(0, 100), load(128, 150), load(0, 200), load(64, 250)});
  EXPECT_EQ(bench.stat("store_hits"), 1u);
  EXPECT_EQ(bench.answer(4), Answer::kHit);  // line 64 was older and left
  EXPECT_EQ(bench.answer(5), Answer::kPending);
}

TEST(L1Cache, RequestsForALineLeaveInOrder) {
  Bench bench{L1Params{}};
  bench.run({store(0), load(0), store(0), atomic(0)});
  ASSERT_EQ(bench.memory.seen.size(), 4u);
  EXPECT_TRUE(bench.memory.seen[0].write);
  EXPECT_FALSE(bench.memory.seen[1].write);
  EXPECT_TRUE(bench.memory.seen[2].write);
  EXPECT_TRUE(bench.memory.seen[3].extension.atomic);
}

TEST(L1Cache, AtomicsInvalidateTheLine) {
  Bench bench{L1Params{}};
  bench.run({load(0), atomic(0, 100), load(0, 200)});
  EXPECT_EQ(bench.done(1), 112u);
  EXPECT_EQ(bench.answer(2), Answer::kPending);
  EXPECT_EQ(bench.stat("atomics"), 1u);
}

TEST(L1Cache, ALineOlderThanAnAtomicTakesNoMoreLoadsAndIsNotKept) {
  Bench bench{L1Params{}};
  bench.memory.delay = 100;
  bench.run({load(0), atomic(0, 5), load(0, 10)});
  EXPECT_EQ(bench.done(0), 102u);
  EXPECT_EQ(bench.unit.outcomes[2].issued, 101u);
  EXPECT_EQ(bench.answer(2), Answer::kPending);
  EXPECT_EQ(bench.memory.seen.size(), 3u);
}

TEST(L1Cache, InvalidationEmptiesItAndDropsLinesOnTheirWay) {
  Bench bench{L1Params{}};
  bench.run({load(0)});
  bench.cache.invalidate();
  bench.unit.steps = {load(0), load(64)};
  bench.unit.start();
  sc_core::sc_start(3, sc_core::SC_NS);  // both are on their way
  EXPECT_FALSE(bench.cache.idle());
  bench.cache.invalidate();
  sc_core::sc_start();
  EXPECT_EQ(bench.answer(0), Answer::kPending);
  EXPECT_NE(bench.done(1), kNever);
  bench.run({load(64), load(0)});
  EXPECT_EQ(bench.answer(0), Answer::kPending);
  EXPECT_EQ(bench.answer(1), Answer::kPending);
}

TEST(L1Cache, TakesInOneResponseACycle) {
  L1Params params;
  params.fill_queue_entries = 1;  // END_RESP only when the response before is taken in
  Bench bench(params);
  bench.run({load(0), load(64)});
  EXPECT_EQ(bench.done(0), 12u);
  EXPECT_EQ(bench.done(1), 13u);  // offered at 11, after END_RESP
  EXPECT_EQ(bench.pool.in_use(), 0u);
}

// Lines of 128 bytes, four sectors, one set of two ways unless it says otherwise.
L1Params sectored() {
  L1Params params;
  params.size_bytes = 256;
  params.line_bytes = 128;
  params.ways = 2;
  params.sector_bytes = 32;
  return params;
}
Step part(Kind kind, Address line, std::uint32_t first, std::uint32_t bytes, Cycle from = 0, bool local = false) {
  return {kind, line, bytes, from, byte_range(first, bytes), local};
}

TEST(L1Sectors, AMissFetchesTheSectorsThatItTouches) {
  Bench bench(sectored());
  bench.run({part(Kind::kLoad, 128, 28, 8), part(Kind::kLoad, 128, 32, 32, 100), part(Kind::kLoad, 128, 96, 4, 200)});
  ASSERT_EQ(bench.memory.seen.size(), 2u);
  EXPECT_EQ(bench.memory.seen[0].address, 128u);
  EXPECT_EQ(bench.memory.seen[0].bytes, 64u);
  EXPECT_EQ(bench.memory.seen[0].extension.mask, byte_range(0, 64));
  EXPECT_EQ(bench.answer(1), Answer::kHit);
  EXPECT_EQ(bench.memory.seen[1].bytes, 32u);  // a sector of the line that is there
  EXPECT_EQ(bench.memory.seen[1].extension.mask, byte_range(96, 32));
  EXPECT_EQ(bench.stat("misses"), 2u);
  EXPECT_EQ(bench.stat("sector_misses"), 1u);
}

// The second load asks for the one sector that is not on its way and waits for both.
TEST(L1Sectors, AskForWhatIsNotOnItsWay) {
  Bench bench(sectored());
  bench.run({part(Kind::kLoad, 0, 0, 32), part(Kind::kLoad, 0, 0, 64), part(Kind::kLoad, 0, 0, 64)});
  ASSERT_EQ(bench.memory.seen.size(), 2u);
  EXPECT_EQ(bench.memory.seen[1].extension.mask, byte_range(32, 32));
  EXPECT_EQ(bench.done(0), 12u);
  EXPECT_EQ(bench.done(1), 13u);
  EXPECT_EQ(bench.done(2), 13u);
  EXPECT_EQ(bench.stat("merged"), 1u);
  bench.run({part(Kind::kLoad, 0, 0, 64, 100)});
  EXPECT_EQ(bench.answer(0), Answer::kHit);
}

TEST(L1Sectors, ALineOlderThanAnAtomicTakesNoMoreLoads) {
  Bench bench(sectored());
  bench.run({part(Kind::kLoad, 0, 0, 32), part(Kind::kAtomic, 0, 0, 4), part(Kind::kLoad, 0, 0, 64, 3)});
  EXPECT_EQ(bench.unit.outcomes[2].issued, 11u);  // when the first came
  EXPECT_EQ(bench.memory.seen[2].bytes, 64u);
}

L1Params on_miss() {
  L1Params params = sectored();
  params.allocation = WayTaken::kOnMiss;
  return params;
}

TEST(L1Allocation, OnMissTheSetsWaysBoundTheLinesOnTheirWay) {
  Bench bench(on_miss());
  bench.run({part(Kind::kLoad, 0, 0, 32), part(Kind::kLoad, 128, 0, 32), part(Kind::kLoad, 256, 0, 32)});
  EXPECT_EQ(bench.unit.turned_away[Answer::kBlockedMshr], 1u);
  EXPECT_EQ(bench.unit.outcomes[2].issued, 11u);
  L1Params params = on_miss();
  params.allocation = WayTaken::kOnFill;
  Bench other(params);
  other.run({part(Kind::kLoad, 0, 0, 32), part(Kind::kLoad, 128, 0, 32), part(Kind::kLoad, 256, 0, 32)});
  EXPECT_EQ(other.unit.outcomes[2].issued, 2u);
}

// Line 0 is the older one, but its second sector is still on its way when line 256 wants a way.
TEST(L1Allocation, OnMissALineStaysUntilItsLastSectorHasCome) {
  Bench bench(on_miss());
  bench.run({part(Kind::kLoad, 0, 0, 32), part(Kind::kLoad, 128, 0, 32), part(Kind::kLoad, 0, 32, 32, 8),
             part(Kind::kLoad, 256, 0, 32, 14), part(Kind::kLoad, 0, 0, 64, 100)});
  EXPECT_EQ(bench.unit.outcomes[3].issued, 14u);
  EXPECT_EQ(bench.answer(4), Answer::kHit);
}

TEST(L1Allocation, OnMissAnAtomicFreesTheWay) {
  Bench bench(on_miss());
  bench.memory.delay = 100;
  bench.run({part(Kind::kLoad, 0, 0, 32), part(Kind::kAtomic, 0, 0, 4), part(Kind::kLoad, 128, 0, 32),
             part(Kind::kLoad, 256, 0, 32), part(Kind::kLoad, 0, 0, 32, 300)});
  EXPECT_EQ(bench.unit.outcomes[3].issued, 3u);
  EXPECT_EQ(bench.answer(4), Answer::kPending);
}

// Every load hits, whatever was there before; stores and atomics go to the L2 as ever.
TEST(L1Allocation, PerfectNothingMisses) {
  L1Params params;
  params.allocation = WayTaken::kPerfect;
  Bench bench(params);
  bench.run({load(0), load(64), store(0, 100), atomic(64, 101), load(64, 200)});
  for (const std::size_t step : {0, 1, 4}) EXPECT_EQ(bench.answer(step), Answer::kHit);
  EXPECT_EQ(bench.done(4), 200u + params.hit_latency_cycles);
  EXPECT_EQ(bench.answer(2), Answer::kPending);
  EXPECT_EQ(bench.answer(3), Answer::kPending);
  EXPECT_EQ(bench.memory.seen.size(), 2u);
  EXPECT_EQ(bench.stat("hits"), 3u);
  EXPECT_EQ(bench.stat("misses"), 0u);
}

TEST(L1Stores, WriteEvictGivesUpWhatItHits) {
  L1Params params = sectored();
  params.write_policy = WritePolicy::kWriteEvict;
  Bench bench(params);
  bench.run({part(Kind::kLoad, 0, 0, 64), part(Kind::kStore, 0, 4, 4, 100), part(Kind::kLoad, 0, 32, 4, 200),
             part(Kind::kLoad, 0, 0, 4, 300)});
  EXPECT_TRUE(bench.memory.seen[1].write);
  EXPECT_EQ(bench.memory.seen[1].bytes, 4u);
  EXPECT_EQ(bench.stat("store_hits"), 1u);
  EXPECT_EQ(bench.answer(2), Answer::kHit);  // the other sector stays
  EXPECT_EQ(bench.answer(3), Answer::kPending);
}

L1Params fermi() {
  L1Params params = on_miss();
  params.sector_bytes = 0;
  params.write_policy = WritePolicy::kLocalWriteBack;
  return params;
}

// A modified line of local memory leaves with one write of 128 bytes when another takes its way.
TEST(L1Stores, LocalStoresStayInTheLineUntilItLeaves) {
  Bench bench(fermi());
  bench.run({part(Kind::kLoad, 0, 0, 4), part(Kind::kStore, 0, 0, 4, 100, true), part(Kind::kLoad, 128, 0, 4, 200),
             part(Kind::kLoad, 256, 0, 4, 300), part(Kind::kLoad, 384, 0, 4, 400)});
  EXPECT_EQ(bench.answer(1), Answer::kHit);
  ASSERT_EQ(bench.memory.seen.size(), 5u);
  EXPECT_TRUE(bench.memory.seen[2].write);
  EXPECT_EQ(bench.memory.seen[2].address, 0u);
  EXPECT_EQ(bench.memory.seen[2].bytes, 128u);
  EXPECT_EQ(bench.memory.seen[2].extension.mask, byte_range(0, 128));
  EXPECT_EQ(bench.memory.seen[3].address, 256u);
  EXPECT_EQ(bench.stat("writebacks"), 1u);
  EXPECT_EQ(bench.stat("stores"), 1u);
  EXPECT_TRUE(bench.cache.idle());
}

TEST(L1Stores, LocalWriteBackEvictsOnGlobalStoresAndSendsMissesOn) {
  Bench bench(fermi());
  bench.run({part(Kind::kLoad, 0, 0, 4), part(Kind::kStore, 0, 0, 4, 100), part(Kind::kLoad, 0, 0, 4, 200),
             part(Kind::kStore, 512, 0, 4, 300, true)});
  EXPECT_EQ(bench.answer(1), Answer::kPending);
  EXPECT_EQ(bench.answer(2), Answer::kPending);
  EXPECT_EQ(bench.answer(3), Answer::kPending);
  EXPECT_TRUE(bench.memory.seen[3].write);
  EXPECT_EQ(bench.stat("writebacks"), 0u);
}

TEST(L1Stores, WhatAnAtomicInvalidatesIsNotWrittenBack) {
  Bench bench(fermi());
  bench.run({part(Kind::kLoad, 0, 0, 4), part(Kind::kStore, 0, 0, 4, 100, true), part(Kind::kAtomic, 0, 0, 4, 200),
             part(Kind::kLoad, 128, 0, 4, 300), part(Kind::kLoad, 256, 0, 4, 400), part(Kind::kLoad, 384, 0, 4, 500)});
  EXPECT_EQ(bench.stat("writebacks"), 0u);
  EXPECT_EQ(bench.memory.seen.size(), 5u);
}

TEST(L1Stores, WhatIsModifiedIsLostWithTheKernel) {
  Bench bench(fermi());
  bench.run({part(Kind::kLoad, 0, 0, 4), part(Kind::kStore, 0, 0, 4, 100, true)});
  bench.cache.invalidate();
  bench.run({part(Kind::kLoad, 128, 0, 4), part(Kind::kLoad, 256, 0, 4), part(Kind::kLoad, 384, 0, 4, 200)});
  EXPECT_EQ(bench.stat("writebacks"), 0u);
}

// A store takes a line and goes on; a sector that was written as a whole is there, of another the load fetches it.
TEST(L1Stores, LazyFetchKeepsWhatWasWritten) {
  L1Params params = on_miss();
  params.write_miss = L1WriteMiss::kLazyFetch;
  Bench bench(params);
  bench.run({part(Kind::kStore, 0, 0, 32), part(Kind::kStore, 0, 32, 16), part(Kind::kLoad, 0, 0, 32, 100),
             part(Kind::kLoad, 0, 32, 4, 200), part(Kind::kStore, 128, 0, 16, 300),
             part(Kind::kStore, 128, 16, 16, 301), part(Kind::kLoad, 128, 0, 32, 400)});
  EXPECT_EQ(bench.answer(2), Answer::kHit);
  EXPECT_EQ(bench.answer(3), Answer::kPending);
  EXPECT_EQ(bench.memory.seen[2].bytes, 32u);
  EXPECT_EQ(bench.memory.seen[2].extension.mask, byte_range(32, 32));
  EXPECT_EQ(bench.answer(6), Answer::kHit);  // two halves
  EXPECT_EQ(bench.stat("stores"), 4u);
  EXPECT_EQ(bench.stat("store_hits"), 2u);
  EXPECT_EQ(bench.memory.seen.size(), 5u);
}

// Of a sector that was fetched every byte goes back, of another only those that were written.
TEST(L1Stores, LazyFetchWritesBackWhatIsThere) {
  L1Params params = on_miss();
  params.write_policy = WritePolicy::kLocalWriteBack;
  params.write_miss = L1WriteMiss::kLazyFetch;
  Bench bench(params);
  bench.run({part(Kind::kStore, 0, 0, 16, 0, true), part(Kind::kLoad, 0, 0, 32, 100),
             part(Kind::kStore, 0, 40, 8, 150, true), part(Kind::kLoad, 128, 0, 4, 200),
             part(Kind::kLoad, 256, 0, 4, 300)});
  ASSERT_EQ(bench.memory.seen.size(), 4u);
  EXPECT_TRUE(bench.memory.seen[2].write);
  EXPECT_EQ(bench.memory.seen[2].extension.mask, byte_range(0, 32) | byte_range(40, 8));
  EXPECT_EQ(bench.memory.seen[2].bytes, 40u);
}

// Lines 4096 bytes apart share one of 32 linear sets; under Fermi's hash those of address bits 13, 14 and 15 do not.
TEST(L1Hash, SpreadsAStrideThatLinearSetsDoNot) {
  L1Params params;
  params.size_bytes = 16 * 1024;
  params.line_bytes = 128;
  params.ways = 4;
  std::vector<Step> steps;
  for (Address n = 0; n < 8; ++n) steps.push_back(load(n * 8192, n * 50));
  for (Address n = 0; n < 8; ++n) steps.push_back(load(n * 8192, (n + 8) * 50));
  Bench linear(params);
  linear.run(steps);
  EXPECT_EQ(linear.stat("hits"), 0u);
  params.set_hash = IndexHash::kFermi;
  Bench hashed(params);
  hashed.run(steps);
  EXPECT_EQ(hashed.stat("hits"), 8u);
}

TEST(L1Cache, ReadOnlyCachesRefuseStores) {
  L1Params params;
  params.read_only = true;
  Bench bench(params);
  bench.run({load(0)});
  CacheAccess access;
  access.kind = Kind::kStore;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  EXPECT_THROW(send_forward(bench.unit.socket, access, phase), InternalError);
}

}  // namespace l1_cache_test
}  // namespace warpfold
