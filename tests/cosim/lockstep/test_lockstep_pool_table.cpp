// SPDX-License-Identifier: Apache-2.0
// rtl/pool_table.sv against a list of pools whose threads come and go at random.
#include <bit>

#include "tb/cosim/tables/pool_table_shadow.h"
#include "tests/cosim/shadow_bench.h"

namespace warpfold::cosim {
namespace lockstep_pool_table_test {

using divergence::kNoPool;
using divergence::Warp;
using isa::LaneMask;

struct Size {
  unsigned lanes, rows, pools, groups, patience, operations;
};

class RandomPools {
 public:
  RandomPools(PoolTableShadow& shadow, const Size& size)
      : shadow_(shadow), size_(size), random_(size.lanes), pools_(size.pools) {
    for (Pool& pool : pools_) pool.threads.resize(size.rows);
  }
  unsigned late = 0, alone = 0;

  void step() {
    const unsigned what = draw(8);
    if (what < 4) {
      add();
    } else if (what < 5) {
      give(draw(size_.pools));
    } else if (what < 7) {
      pick();
    } else {
      tick();
    }
  }

 private:
  struct Pool {
    isa::Pc pc = 0;
    unsigned group = 0, count = 0;
    Cycle since = kNever;
    std::vector<LaneMask> threads;
    LaneMask lanes() const {
      LaneMask all = 0;
      for (const LaneMask row : threads) all |= row;
      return all;
    }
  };
  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }
  bool is_full(const Pool& pool) const { return pool.lanes() == low_bits(size_.lanes); }

  void add() {
    const isa::Pc pc = draw(4) == 0 ? draw(0x10000) : draw(3);
    const unsigned group = draw(size_.groups);
    unsigned at = kNoPool;
    for (unsigned p = size_.pools; p-- > 0;) at = pools_[p].count == 0 ? p : at;
    for (unsigned p = 0; p < size_.pools; ++p) {
      if (pools_[p].count != 0 && pools_[p].pc == pc && pools_[p].group == group) at = p;
    }
    Warp warp;
    warp.pc = pc;
    warp.mask = sparse_or_dense(random_, draw(6)) & low_bits(size_.lanes);
    for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      warp.row[lane] = static_cast<std::uint16_t>(draw(size_.rows));
      if (at != kNoPool && pools_[at].count != 0 && (pools_[at].threads[warp.row[lane]] >> lane & 1) != 0) {
        warp.mask &= ~(LaneMask{1} << lane);
      }
    }
    if (warp.mask == 0) return;
    if (at == kNoPool) {
      ++alone;
      return shadow_.added(warp, group, at, false);
    }
    Pool& pool = pools_[at];
    if (pool.count == 0) pool.pc = pc, pool.group = group, pool.since = kNever;
    for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
      pool.threads[warp.row[static_cast<unsigned>(std::countr_zero(rest))]] |= rest & -rest;
    }
    pool.count += static_cast<unsigned>(std::popcount(warp.mask));
    shadow_.added(warp, group, at, is_full(pool));
  }

  // A thread of each lane, or of some.
  void give(unsigned at) {
    Pool& pool = pools_[at];
    if (pool.count == 0) return;
    Warp warp;
    warp.pc = pool.pc;
    warp.mask = pool.lanes();
    if (draw(4) == 0) warp.mask &= -warp.mask;
    for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      unsigned row = draw(size_.rows);
      while ((pool.threads[row] >> lane & 1) == 0) row = (row + 1) % size_.rows;
      warp.row[lane] = static_cast<std::uint16_t>(row);
      pool.threads[row] &= ~(rest & -rest);
    }
    pool.count -= static_cast<unsigned>(std::popcount(warp.mask));
    shadow_.given(at, warp, is_full(pool));
  }

  unsigned first(const std::vector<bool>& among, bool by_age) const {
    unsigned first = kNoPool;
    for (unsigned p = 0; p < size_.pools; ++p) {
      if (!among[p] || pools_[p].count == 0) continue;
      if (first == kNoPool) {
        first = p;
        continue;
      }
      const Pool &one = pools_[p], &other = pools_[first];
      if (!by_age && one.count != other.count ? one.count > other.count : one.since < other.since) first = p;
    }
    return first;
  }
  void pick() {
    std::vector<bool> among;
    const bool all = draw(2) == 0;
    for (unsigned p = 0; p < size_.pools; ++p) among.push_back(all || draw(2) == 0);
    const bool by_age = draw(2) == 0;
    const unsigned pool = first(among, by_age);
    shadow_.picked(among, by_age, now_, pool);
    if (pool != kNoPool && draw(2) == 0) give(pool);
  }

  void tick() {
    now_ += draw(8) == 0 ? draw(size_.patience / 2) : 1;
    for (Pool& pool : pools_) pool.since = std::min(pool.since, now_);
    const bool busy = draw(4) == 0;
    const unsigned oldest = first(std::vector<bool>(size_.pools, true), true);
    if (oldest == kNoPool) return;
    const bool gives = !busy && now_ - pools_[oldest].since >= size_.patience;
    shadow_.ticked(now_, busy, gives ? oldest : kNoPool);
    if (!gives) return;
    ++late;
    pools_[oldest].since = now_;
    give(oldest);
  }

  PoolTableShadow& shadow_;
  const Size size_;
  std::mt19937_64 random_;
  std::vector<Pool> pools_;
  Cycle now_ = 0;
};

class PoolTableLockStep : public ShadowTest {
 protected:
  PoolTableLockStep() : ShadowTest("pool-table") {}

  void run(Session& session, const Size& size) {
    PoolTableShadow shadow(session, clock, 0, {size.lanes, size.rows, {size.pools, size.groups, size.patience}});
    RandomPools pools(shadow, size);
    while (operations(session) < size.operations) pools.step();
    EXPECT_GT(pools.late, 10U);
    EXPECT_GT(pools.alone, 10U);
  }
};

class PoolTableSizes : public PoolTableLockStep, public ::testing::WithParamInterface<Size> {};

TEST_P(PoolTableSizes, RandomPools) {
  Session session = this->session();
  EXPECT_EQ(complaint([&] { run(session, GetParam()); }), "");
  report(operations(session), "pool-table");
}

INSTANTIATE_TEST_SUITE_P(Sizes, PoolTableSizes,
                         ::testing::Values(Size{4, 4, 3, 2, 40, 50'000}, Size{16, 6, 5, 1, 400, 30'000},
                                           Size{32, 32, 16, 8, 4096, 30'000}),
                         [](const auto& size) {
                           return fmt::format("{}x{}in{}", size.param.lanes, size.param.rows, size.param.pools);
                         });

TEST_F(PoolTableLockStep, AWrongOneIsCaught) {
  Session session = this->session(without_guard("pool_table"));
  expect_caught(complaint([&] { run(session, {8, 4, 6, 1, 40, 20'000}); }), "core0.pool-table", "[a-z]+: the pool");
}

TEST_F(PoolTableLockStep, Coverage) {
  Session session = this->session();
  session.collect_coverage(directory);
  EXPECT_EQ(complaint([&] { run(session, {4, 4, 4, 2, 40, 50'000}); }), "");
  expect_coverage(directory / "pool-table.reset.dat", directory / "pool-table.dat", 100, 90);
}

}  // namespace lockstep_pool_table_test
}  // namespace warpfold::cosim
