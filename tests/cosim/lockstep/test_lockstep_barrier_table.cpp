// SPDX-License-Identifier: Apache-2.0
// rtl/barrier_table.sv against the model's Re-convergence Barriers, operation by operation.
#include "tb/cosim/shadows/barriers.h"
#include "tests/cosim/shadow_bench.h"
#include "warpfold/divergence/parts/harp/harp_barriers.h"

namespace warpfold::cosim {
namespace lockstep_barrier_table_test {

using divergence::BarrierTableShape;
using divergence::ReconvergenceBarriers;
using divergence::Warp;
using isa::LaneMask;
using isa::Pc;

struct Size {
  unsigned lanes, rows;
  BarrierTableShape table;
  unsigned operations;
};

// Threads that diverge and reconverge as those of nested branches do: who holds barriers reserves only at points before
// them, and reaches the first. Then no two barriers wait for each other. Some leave on the way.
class RandomThreads {
 public:
  RandomThreads(ReconvergenceBarriers& table, const Size& size, unsigned seed)
      : table_(table), size_(size), random_(seed), threads_(size.lanes * size.rows) {
    table_.kernel_started(kEnd);
  }

  void step() {
    if (table_.complete() && draw(3) != 0) return take();
    const unsigned what = draw(16);
    if (what == 0 && draw(4) == 0) {
      leave(draw_warp());
    } else if (what < 7) {
      reserve(draw_warp());
    } else {
      reach(draw_warp());
    }
  }

 private:
  static constexpr Pc kEnd = 0xffff;

  struct Thread {
    std::vector<Pc> holds;  // barriers at these points, the last one first
    bool waits = false;     // has reached the last one
  };

  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }
  Thread& thread(const Warp& warp, unsigned lane) { return threads_[warp.row[lane] * size_.lanes + lane]; }
  template <class Visit>
  static void for_each_lane(LaneMask lanes, Visit visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
  }

  // Threads that run, of one row or of any that the scheduler has.
  Warp draw_warp() {
    const bool one_row = draw(2) == 0;
    const unsigned rows = (size_.rows + size_.table.schedulers - 1) / size_.table.schedulers;
    const unsigned row = draw(rows) * size_.table.schedulers;
    Warp warp;
    LaneMask wanted = sparse_or_dense(random_, draw(6)) & low_bits(size_.lanes);
    for_each_lane(wanted, [&](unsigned lane) {
      warp.row[lane] = static_cast<std::uint16_t>(one_row ? row : draw(rows) * size_.table.schedulers);
      if (!thread(warp, lane).waits) warp.mask |= LaneMask{1} << lane;
    });
    unsigned first = size_.rows;
    warp.one_row = true;
    for_each_lane(warp.mask, [&](unsigned lane) {
      if (first == size_.rows) first = warp.row[lane];
      warp.one_row = warp.one_row && warp.row[lane] == first;
    });
    return warp;
  }

  // At one of few points, so that threads meet there: fewer the deeper they are.
  void reserve(Warp warp) {
    constexpr Pc kPoints[] = {3, 4, 10, 300, 0x7fff, 0xfffe, kEnd};
    const Pc rpc = kPoints[draw(std::size(kPoints))];
    for_each_lane(warp.mask, [&](unsigned lane) {
      const Thread& holder = thread(warp, lane);
      if (!holder.holds.empty() && holder.holds.back() < rpc) warp.mask &= ~(LaneMask{1} << lane);
    });
    if (warp.mask == 0) return;
    const ReconvergenceBarriers::Reserved reserved = table_.reserve(warp, rpc, draw(2) == 0);
    for_each_lane(warp.mask & ~reserved.misses, [&](unsigned lane) {
      std::vector<Pc>& holds = thread(warp, lane).holds;
      if (holds.empty() || holds.back() != rpc) holds.push_back(rpc);
    });
  }

  // Where the first of its threads that holds a barrier has it.
  void reach(const Warp& warp) {
    Pc pc = kEnd;
    for_each_lane(warp.mask, [&](unsigned lane) {
      if (!thread(warp, lane).holds.empty() && pc == kEnd) pc = thread(warp, lane).holds.back();
    });
    LaneMask here = table_.held(warp, pc);
    for_each_lane(here, [&](unsigned lane) {
      if (thread(warp, lane).holds.back() != pc) here &= ~(LaneMask{1} << lane);
    });
    if (here == 0) return;
    table_.reach(warp, here, pc);
    for_each_lane(here, [&](unsigned lane) { thread(warp, lane).waits = true; });
  }

  void leave(const Warp& warp) {
    if (warp.mask == 0) return;
    table_.leave(warp, warp.mask);
    for_each_lane(warp.mask, [&](unsigned lane) { thread(warp, lane).holds.clear(); });
  }

  void take() {
    const Warp warp = table_.take_complete();
    for_each_lane(warp.mask, [&](unsigned lane) {
      thread(warp, lane).waits = false;
      thread(warp, lane).holds.pop_back();
    });
  }

  ReconvergenceBarriers& table_;
  Size size_;
  std::mt19937_64 random_;
  std::vector<Thread> threads_;
};

class BarrierTableLockStep : public ShadowTest {
 protected:
  BarrierTableLockStep() : ShadowTest("barriers") {}

  void run(Session& session, const Size& size) {
    RtlBarriers player(session, clock, 0, 0, size.lanes, size.rows, size.table);
    ReconvergenceBarriers table(size.table.entries, size.table.ways, size.table.schedulers);
    table.played_by(&player);
    RandomThreads threads(table, size, size.lanes);
    while (operations(session) < size.operations) threads.step();
  }
};

class BarrierTableSizes : public BarrierTableLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(BarrierTableSizes, RandomOperations) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  report(operations(session), "barriers");
}

INSTANTIATE_TEST_SUITE_P(Sizes, BarrierTableSizes,
                         ::testing::Values(Size{4, 4, {4, 4, 1}, 400'000}, Size{8, 16, {16, 4, 2}, 400'000},
                                           Size{32, 32, {16, 4, 1}, 200'000}),
                         [](const auto& size) {
                           return std::to_string(size.param.lanes) + "x" + std::to_string(size.param.rows);
                         });

TEST_F(BarrierTableLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("barrier_table"));
  expect_caught(complaint([&] { run(session, {8, 8, {8, 4, 1}, 10'000}); }), "core0.barriers_scheduler0", "[a-z]+: ");
}

TEST_F(BarrierTableLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {8, 8, {8, 4, 1}, 20'000}); }), "");
  // Of 24 lines one: operations that do not exist. Of 1194 bits 54: 32 are of an assertion and 0 while it holds, the
  // others count what one operation gives up or frees, with room for more than eight entries, or never change.
  expect_coverage(directory / "barriers.reset.dat", directory / "barriers.dat", 95, 95);
}

}  // namespace lockstep_barrier_table_test
}  // namespace warpfold::cosim
