// SPDX-License-Identifier: Apache-2.0
// rtl/warp_pool.sv against the model's warp pool, operation by operation.
#include <deque>

#include "tb/cosim/shadows/pool_shadow.h"
#include "tests/cosim/shadow_bench.h"
#include "tests/divergence/fake_core.h"

namespace warpfold::cosim {
namespace lockstep_warp_pool_test {

using divergence::FakeCore;
using divergence::Geometry;
using divergence::Warp;
using divergence::WarpId;
using divergence::WarpPool;
using divergence::WarpSet;
using isa::LaneMask;
using isa::Pc;

struct Size {
  unsigned lanes, rows, entries, schedulers;
  unsigned operations;

  Geometry geometry() const {
    Geometry geometry;
    geometry.warp_size = lanes;
    geometry.max_threads = lanes * rows;
    geometry.schedulers = schedulers;
    geometry.max_warps = divergence::warp_per_thread(geometry, lanes).warp_slots;
    return geometry;
  }
};

// Threads move as in a core: those that are in no warp enter at one of few pcs, warps of the pool issue and dissolve.
class RandomThreads {
 public:
  RandomThreads(FakeCore& core, WarpPool& pool, const Size& size)
      : core_(core), pool_(pool), size_(size), random_(size.lanes), outside_(size.rows, low_bits(size.lanes)) {
    isa::Kernel kernel;
    kernel.ops.resize(kEnd);
    pool_.kernel_started(kernel);
  }

  void step() {
    const unsigned scheduler = draw(size_.schedulers), what = draw(8);
    if (what < 4) {
      enter(scheduler);
    } else if (what < 6) {
      select(scheduler);
    } else if (what < 7 || emptying_ > 0) {
      issue(scheduler);
    }
    if (emptying_ > 0) {
      --emptying_;
    } else if (draw(1000) == 0) {
      emptying_ = 4 * size_.lanes * size_.rows;
    }
  }

 private:
  static constexpr Pc kEnd = 60'000;

  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }

  WarpSet warps_of(unsigned scheduler) {
    WarpSet warps(size_.geometry().max_warps);
    for (const WarpId id : core_.warps()) {
      if (id % size_.schedulers == scheduler) warps.insert(id);
    }
    return warps;
  }
  WarpId draw_warp(const WarpSet& warps) {
    WarpId id = warps.next(0);
    for (unsigned skip = draw(warps.size()); skip > 0; --skip) id = warps.next(id + 1);
    return id;
  }

  // Any threads of the scheduler's rows, each from one of them.
  Warp draw_threads(unsigned scheduler) {
    const unsigned rows = (size_.rows - scheduler + size_.schedulers - 1) / size_.schedulers;
    const bool one_row = draw(2) == 0;
    const unsigned any = scheduler + draw(rows) * size_.schedulers;
    Warp warp = Warp::of_row(draw_pc(), static_cast<std::uint16_t>(any), 0);
    for (LaneMask rest = sparse_or_dense(random_, draw(6)) & low_bits(size_.lanes); rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const unsigned row = one_row ? any : scheduler + draw(rows) * size_.schedulers;
      if ((outside_[row] >> lane & 1) == 0) continue;
      warp.row[lane] = static_cast<std::uint16_t>(row);
      warp.mask |= LaneMask{1} << lane;
    }
    warp.one_row = divergence::from_one_row(warp);
    return warp;
  }
  // Threads meet at few pcs, and the table gets full of many.
  Pc draw_pc() { return draw(4) == 0 ? draw(kEnd) : 300 * draw(4); }

  void enter(unsigned scheduler) {
    const Warp warp = draw_threads(scheduler);
    if (warp.mask == 0 || emptying_ > 0) return;
    move(warp, false);
    const unsigned how = draw(4);
    if (how < 2) return pool_.enter(warp);
    const WarpId id = core_.insert(warp, scheduler);
    if (how == 2) {
      pool_.enter(id);
    } else {
      pool_.enter_closed(id);
    }
  }

  void issue(unsigned scheduler) {
    const WarpSet warps = warps_of(scheduler);
    if (warps.empty()) return;
    const WarpId id = draw_warp(warps);
    pool_.issued(id);
    move(core_.warp(id), true);
    core_.remove(id);
  }

  void select(unsigned scheduler) {
    WarpSet ready = warps_of(scheduler);
    for (unsigned without = draw(ready.size() + 1); without > 0 && ready.size() > 1; --without) {
      ready.erase(draw_warp(ready));
    }
    if (!ready.empty()) pool_.prefer(ready);
  }

  void move(const Warp& warp, bool out) {
    for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
      const LaneMask lane = rest & -rest;
      LaneMask& row = outside_[warp.row[static_cast<unsigned>(std::countr_zero(rest))]];
      row = out ? row | lane : row & ~lane;
    }
  }

  FakeCore& core_;
  WarpPool& pool_;
  Size size_;
  std::mt19937_64 random_;
  std::vector<LaneMask> outside_;  // by row: threads in no warp
  unsigned emptying_ = 0;          // steps in which warps issue only
};

class WarpPoolLockStep : public ShadowTest {
 protected:
  WarpPoolLockStep() : ShadowTest("pool") {}

  // Returns how many warps found the table full.
  std::uint64_t run(Session& session, const Size& size) {
    const Geometry geometry = size.geometry();
    FakeCore core(geometry.max_warps, size.rows, 0, size.schedulers);
    WarpPool pool(core, geometry, size.entries);
    std::deque<PoolShadow> shadows;
    for (unsigned s = 0; s < size.schedulers; ++s) {
      const PoolShadow::Size of_rtl{size.lanes, size.entries, geometry.max_warps, geometry.max_threads};
      pool.observe(s, &shadows.emplace_back(session, clock, 0, s, of_rtl));
    }
    RandomThreads threads(core, pool, size);
    while (operations(session) < size.operations) threads.step();
    return core.statistic("dwf_lut_full");
  }
};

class WarpPoolSizes : public WarpPoolLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(WarpPoolSizes, RandomOperations) {
  Session session = this->session();
  std::uint64_t alone = 0;
  EXPECT_EQ(complaint([&] { alone = run(session, GetParam()); }), "");
  EXPECT_EQ(alone == 0, GetParam().entries == 256) << "the table was full at times";
  report(operations(session), "pool");
}

INSTANTIATE_TEST_SUITE_P(Sizes, WarpPoolSizes,
                         ::testing::Values(Size{4, 4, 2, 1, 200'000}, Size{8, 16, 5, 2, 100'000},
                                           Size{32, 8, 256, 1, 50'000}),
                         [](const auto& size) {
                           return fmt::format("{}x{}in{}", size.param.lanes, size.param.rows, size.param.entries);
                         });

TEST_F(WarpPoolLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("warp_pool"));
  expect_caught(complaint([&] { run(session, {4, 4, 4, 1, 10'000}); }), "core0.pool_scheduler0", "[a-z]+: ");
}

TEST_F(WarpPoolLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {4, 4, 3, 1, 30'000}); }), "");
  // Of 347 bits ten: no entry is lower than the first, all 16 threads are never at one pc, the reset comes once.
  expect_coverage(directory / "pool.reset.dat", directory / "pool.dat", 100, 97);
}

}  // namespace lockstep_warp_pool_test
}  // namespace warpfold::cosim
