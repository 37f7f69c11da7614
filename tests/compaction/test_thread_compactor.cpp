// SPDX-License-Identifier: Apache-2.0
// The thread compactor alone between stubs: when which warp comes out.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "tests/core/core_fixture.h"
#include "warpfold/compaction/thread_compactor.h"

namespace warpfold {
namespace thread_compactor_test {

using divergence::CompactionRequest;
using divergence::Warp;
using isa::LaneMask;
using Rows = std::vector<LaneMask>;

class Compactor : public CoreTest {
 protected:
  using Requests = TypedProtocol<CompactionRequest>;
  using Warps = TypedProtocol<CompactedWarp>;

  // The compactor comes before what asks it, as in a core.
  void make(unsigned latency, unsigned stages = 1) {
    compactor_params.latency_cycles = latency;
    compactor_params.stages = stages;
    compactor.emplace("compactor", compactor_params, clock, 1U, stats);
    script.emplace("script", clock, 2U);
    source.emplace("source", clock);
    sink.emplace("sink", clock);
    source->socket.bind(compactor->request_socket);
    compactor->warp_socket.bind(sink->socket);
  }
  static CompactionRequest request_of(unsigned block_slot, Rows threads, bool regroup = true) {
    return {block_slot, 100 + block_slot, 8 * block_slot, 20 + block_slot, regroup, std::move(threads)};
  }
  void ask_at(Cycle at, CompactionRequest request) {
    script->at(at, [this, request]() mutable { EXPECT_EQ(source->send(request), tlm::TLM_COMPLETED); });
  }
  // Cycle and block of each warp that was taken or offered.
  using Times = std::vector<std::pair<Cycle, unsigned>>;
  Times times() const {
    Times list;
    for (const auto& [at, compacted] : sink->seen) list.emplace_back(at, compacted.block_slot);
    return list;
  }

  CompactorParams compactor_params;
  std::optional<ThreadCompactor> compactor;
  std::optional<Script> script;
  std::optional<Source<Requests>> source;
  std::optional<Sink<Warps>> sink;
};

// Fig. 7 of the paper, block B: threads 2, 3, 4, 5, 8 (counted from 1) fill one warp and part of another.
TEST_F(Compactor, OneWarpPerCycleAfterTheLatency) {
  make(1);
  ask_at(10, request_of(3, {0b1110, 0b1001}));
  EXPECT_TRUE(compactor->idle());
  run(20);
  ASSERT_EQ(times(), (Times{{11, 3}, {12, 3}}));
  const CompactedWarp& first = sink->seen[0].payload;
  EXPECT_EQ(first.warp.mask, 0b1111U);
  EXPECT_EQ(first.warp.pc, 23U);
  EXPECT_FALSE(first.warp.one_row);
  EXPECT_EQ(first.warp.row[0], 25);
  for (const unsigned lane : {1U, 2U, 3U}) EXPECT_EQ(first.warp.row[lane], 24) << "the lower row first";
  EXPECT_FALSE(first.last);
  const CompactedWarp& second = sink->seen[1].payload;
  EXPECT_EQ(second.warp.mask, 0b1000U);
  EXPECT_EQ(second.warp.row[3], 25);
  EXPECT_TRUE(second.last);
  EXPECT_TRUE(compactor->idle());
}

// An experiment, not hardware: what does its time cost?
TEST_F(Compactor, WithoutLatencyAllWarpsOfAllBlocksComeAtOnce) {
  make(0, 2);
  ask_at(10, request_of(3, {0b1110, 0b1001}));
  ask_at(10, request_of(4, {0b1000, 0b1000, 0b1000}));
  ask_at(11, request_of(5, {0b1}));
  run(20);
  EXPECT_EQ(times(), (Times{{11, 3}, {11, 3}, {11, 4}, {11, 4}, {11, 4}, {12, 5}}));
  EXPECT_TRUE(compactor->idle());
}

TEST_F(Compactor, LatencyIsToTheFirstWarp) {
  make(5);
  ask_at(10, request_of(0, {0b1, 0b1, 0b1}));
  run(30);
  EXPECT_EQ(times(), (Times{{15, 0}, {16, 0}, {17, 0}}));
}

// One compactor per core: what comes while it works waits its turn, and loses no cycle between.
TEST_F(Compactor, RequestsQueue) {
  make(2);
  ask_at(10, request_of(0, {0b1, 0b1, 0b1}));
  ask_at(10, request_of(1, {0b1, 0b1}));
  ask_at(13, request_of(2, {0b1}));
  ask_at(30, request_of(1, {0b1}));
  script->at(11, [this] { EXPECT_FALSE(compactor->idle()); });
  run(40);
  EXPECT_EQ(times(), (Times{{12, 0}, {13, 0}, {14, 0}, {15, 1}, {16, 1}, {17, 2}, {32, 1}}));
}

// Of two stages: a cycle later, and the next request a cycle after the last warp of the one before was made.
TEST_F(Compactor, TwoStages) {
  make(1, 2);
  ask_at(10, request_of(0, {0b1, 0b1, 0b1}));
  ask_at(10, request_of(1, {0b1, 0b1}));
  run(40);
  EXPECT_EQ(times(), (Times{{12, 0}, {13, 0}, {14, 0}, {16, 1}, {17, 1}}));
  EXPECT_TRUE(compactor->idle());
}

// While nobody takes warps, two are made, and a third once it is known that one has gone.
TEST_F(Compactor, TwoStagesStall) {
  make(1, 2);
  bool takes = false;
  sink->answer = [&](CompactedWarp&, tlm::tlm_phase&) { return takes ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED; };
  ask_at(10, request_of(0, {0b1, 0b1, 0b1, 0b1}));
  script->at(19, [&] { takes = true; });
  run(40);
  EXPECT_FALSE(sink->seen.empty());
  Times taken;
  for (const auto& [at, block] : times()) {
    if (at >= 20) taken.emplace_back(at, block);
  }
  EXPECT_EQ(taken, (Times{{20, 0}, {21, 0}, {22, 0}, {23, 0}}));
}

// Who asks before it has the threads does not keep others waiting.
TEST_F(Compactor, ARequestOfLater) {
  make(1);
  CompactionRequest later = request_of(0, {0b1, 0b1});
  later.after = 5;
  ask_at(10, later);
  ask_at(12, request_of(1, {0b1, 0b1}));
  run(40);
  EXPECT_EQ(times(), (Times{{13, 1}, {14, 1}, {16, 0}, {17, 0}}));
}

TEST_F(Compactor, AQueuedRequestHasItsLatencyToo) {
  make(4);
  ask_at(10, request_of(0, {0b1}));
  ask_at(12, request_of(1, {0b1}));
  run(30);
  EXPECT_EQ(times(), (Times{{14, 0}, {16, 1}}));
}

// Refused n times, a warp is offered again every cycle as it was, and nothing passes it.
TEST_F(Compactor, ARefusedWarpIsOfferedAgain) {
  make(1);
  for (const unsigned refusals : {0U, 1U, 2U, 7U}) {
    const std::size_t before = sink->seen.size();
    unsigned offers = 0;
    sink->answer = [&](CompactedWarp&, tlm::tlm_phase&) {
      return ++offers <= refusals ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
    };
    const Cycle start = 100 * (refusals + 1);
    ask_at(start, request_of(0, {0b011, 0b010, 0b110}));
    ask_at(start, request_of(1, {0b1}));
    run(start + 50 - clock.current());
    ASSERT_EQ(sink->seen.size() - before, refusals + 4);
    for (unsigned i = 0; i < refusals + 4; ++i) {
      const auto& [at, compacted] = sink->seen[before + i];
      EXPECT_EQ(at, start + 1 + i);
      const LaneMask expected[] = {0b111, 0b010, 0b010, 0b1};
      EXPECT_EQ(compacted.warp.mask, expected[i <= refusals ? 0 : i - refusals]) << "offer " << i;
      EXPECT_EQ(compacted.last, i >= refusals + 2);
    }
  }
  EXPECT_EQ(stat("compacted_warps"), 4U * 4) << "refused offers are no warps";
}

TEST_F(Compactor, CountsRequestsWarpsAndRows) {
  make(1);
  ask_at(10, request_of(0, {0b0001, 0, 0b0110, 0b1000}));
  ask_at(10, request_of(1, {0b0001, 0b0001}));
  run(20);
  EXPECT_EQ(stat("compactions"), 2U);
  EXPECT_EQ(stat("compaction_rows"), 3U + 2U);
  EXPECT_EQ(stat("compacted_warps"), 1U + 2U);
}

TEST_F(Compactor, SwitchedOffItKeepsRows) {
  make(1);
  ask_at(10, request_of(0, {0b0001, 0, 0b0110, 0b1000}, false));
  run(20);
  ASSERT_EQ(times(), (Times{{11, 0}, {12, 0}, {13, 0}}));
  EXPECT_EQ(sink->seen[1].payload.warp.mask, 0b0110U);
  EXPECT_EQ(sink->seen[1].payload.warp.row[1], 2);
  EXPECT_TRUE(sink->seen[2].payload.last);
  EXPECT_FALSE(sink->seen[1].payload.last);
}

TEST_F(Compactor, NoThreadsAreOurMistake) {
  make(1);
  ask_at(10, request_of(0, {0, 0}));
  EXPECT_THROW(run(20), InternalError);
}

}  // namespace thread_compactor_test
}  // namespace warpfold
