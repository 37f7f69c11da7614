// SPDX-License-Identifier: Apache-2.0
// The warp pool of dynamic warp formation: who joins whom, what bounds the lookup table, and whose turn it is.
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp_pool.h"

namespace warpfold::divergence {
namespace warp_pool_test {

constexpr unsigned kWidth = 4, kRows = 8;

Geometry geometry_of(unsigned schedulers) {
  Geometry geometry;
  geometry.warp_size = kWidth;
  geometry.max_threads = kWidth * kRows;
  geometry.schedulers = schedulers;
  geometry.max_warps = warp_per_thread(geometry, geometry.warp_size).warp_slots;
  return geometry;
}

class WarpPoolTest : public testing::Test {
 protected:
  WarpPoolTest() { start(pool); }
  void start(WarpPool& with) {
    kernel.ops.resize(20);
    with.kernel_started(kernel);
  }
  // Threads of a row arrive at a pc.
  void arrive(Pc pc, std::uint16_t row, LaneMask lanes) { pool.enter(Warp::of_row(pc, row, lanes)); }
  // "3{0,1} …": the warps of the buffer by slot.
  static std::string text(const FakeCore& core, FakeCore& mutable_core) {
    std::string all;
    for (const WarpId id : core.warps()) {
      const Warp& warp = mutable_core.warp(id);
      all += fmt::format("{}{}{}", all.empty() ? "" : " ", warp.pc, threads_text(warp, kWidth));
    }
    return all;
  }
  std::string warps() { return text(core, core); }
  std::uint64_t stat(const std::string& name) const { return core.statistic("dwf_" + name); }
  // The pc that the policy chooses among all warps of a scheduler, less those named.
  WarpSet ready(std::vector<WarpId> without = {}) const {
    WarpSet set(kWidth * kRows);
    for (const WarpId id : core.warps()) {
      if (std::find(without.begin(), without.end(), id) == without.end()) set.insert(id);
    }
    return set;
  }
  std::vector<WarpId> preferred(WarpSet set) {
    pool.prefer(set);
    std::vector<WarpId> ids;
    for (WarpId id = set.next(0); id != kNoWarp; id = set.next(id + 1)) ids.push_back(id);
    return ids;
  }
  using Ids = std::vector<WarpId>;

  isa::Kernel kernel;
  FakeCore core{kWidth * kRows, kRows};
  WarpPool pool{core, geometry_of(1), 256};
};

TEST_F(WarpPoolTest, ThreadsOfOnePcFillFreeLanes) {
  arrive(3, 0, 0b0011);
  arrive(3, 1, 0b1100);
  EXPECT_EQ(warps(), "3{0,1,6,7}");
  EXPECT_FALSE(core.warp(0).one_row);
  arrive(3, 2, 0b0001);
  EXPECT_EQ(warps(), "3{0,1,6,7} 3{8}") << "a full warp is closed";
  EXPECT_EQ(stat("lut_lookups"), 3U);
  EXPECT_EQ(stat("lut_hits"), 1U);
  EXPECT_EQ(stat("threads_merged"), 2U);
  EXPECT_EQ(stat("warps_formed"), 2U);
}

TEST_F(WarpPoolTest, OtherPcsDoNotMix) {
  arrive(3, 0, 0b0011);
  arrive(4, 1, 0b1100);
  EXPECT_EQ(warps(), "3{0,1} 4{6,7}");
  EXPECT_EQ(stat("lut_hits"), 0U);
}

TEST_F(WarpPoolTest, ThreadsWhoseLanesAreTakenFormTheNextOpenWarp) {
  arrive(3, 0, 0b0011);
  arrive(3, 1, 0b0111);
  EXPECT_EQ(warps(), "3{0,1,6} 3{4,5}") << "one joins, two do not";
  arrive(3, 2, 0b1000);
  EXPECT_EQ(warps(), "3{0,1,6} 3{4,5,11}") << "the open warp is the newer one, the older has a free lane for ever";
}

TEST_F(WarpPoolTest, AnIssuedWarpIsClosed) {
  arrive(3, 0, 0b0011);
  pool.issued(0);
  arrive(3, 1, 0b1100);
  EXPECT_EQ(warps(), "3{0,1} 3{6,7}");
  EXPECT_THROW(pool.issued(0), InternalError) << "it is in flight";
}

TEST_F(WarpPoolTest, AWarpKeepsItsSlotUnlessAllItsThreadsJoinAnother) {
  const WarpId first = core.insert(Warp::of_row(3, 0, 0b0011)), second = core.insert(Warp::of_row(3, 1, 0b0110));
  pool.enter(first);
  pool.enter(second);
  EXPECT_EQ(warps(), "3{0,1,6} 3{5}");
  EXPECT_TRUE(core.live(second));
  const WarpId third = core.insert(Warp::of_row(3, 2, 0b1000));
  pool.enter(third);
  EXPECT_EQ(warps(), "3{0,1,6} 3{5,11}");
  EXPECT_FALSE(core.live(third));
}

TEST_F(WarpPoolTest, NobodyJoinsAWarpThatEntersClosed) {
  pool.enter_closed(core.insert(Warp::of_row(3, 0, 0b0011)));
  arrive(3, 1, 0b1100);
  EXPECT_EQ(warps(), "3{0,1} 3{6,7}");
}

TEST_F(WarpPoolTest, ARowThatMeetsAgainIsOneRow) {
  arrive(3, 1, 0b0011);
  arrive(3, 1, 0b1100);
  EXPECT_TRUE(core.warp(0).one_row);
  EXPECT_EQ(warps(), "3{4,5,6,7}");
}

// Without an entry a warp waits alone; one gets free when a warp closes.
TEST_F(WarpPoolTest, AFullTableMergesNobodyAndIsCounted) {
  FakeCore small(kWidth * kRows, kRows);
  WarpPool two(small, geometry_of(1), 2);
  start(two);
  for (const Pc pc : {3u, 4u, 5u}) two.enter(Warp::of_row(pc, 0, LaneMask{1} << (pc - 3)));
  EXPECT_EQ(small.statistic("dwf_lut_full"), 1U);
  two.enter(Warp::of_row(5, 1, 0b1000));
  EXPECT_EQ(text(small, small), "3{0} 4{1} 5{2} 5{7}");
  EXPECT_EQ(small.statistic("dwf_lut_full"), 2U);
  two.issued(0);
  two.enter(Warp::of_row(5, 2, 0b0001));
  two.enter(Warp::of_row(5, 3, 0b0010));
  EXPECT_EQ(text(small, small), "3{0} 4{1} 5{2} 5{7} 5{8,13}");
  EXPECT_EQ(small.statistic("dwf_lut_full"), 2U);
  two.enter(Warp::of_row(6, 4, 0b1111));
  EXPECT_EQ(small.statistic("dwf_lut_full"), 3U) << "a full warp is counted, too";
}

// Nobody knows how many they are.
TEST_F(WarpPoolTest, WarpsThatFoundTheTableFullGoLast) {
  FakeCore small(kWidth * kRows, kRows);
  WarpPool one(small, geometry_of(1), 1);
  start(one);
  one.enter(Warp::of_row(5, 0, 0b0001));
  one.enter(Warp::of_row(4, 1, 0b0011));
  one.enter_closed(small.insert(Warp::of_row(3, 2, 0b1111)));
  EXPECT_EQ(small.statistic("dwf_lut_full"), 2U);
  const auto preferred = [&](Ids ids) {
    WarpSet set(kWidth * kRows);
    for (const WarpId id : ids) set.insert(id);
    one.prefer(set);
    ids.clear();
    for (WarpId id = set.next(0); id != kNoWarp; id = set.next(id + 1)) ids.push_back(id);
    return ids;
  };
  EXPECT_EQ(preferred({0, 1, 2}), (Ids{0}));
  EXPECT_EQ(preferred({1, 2}), (Ids{1, 2}));
  EXPECT_EQ(preferred({0, 1, 2}), (Ids{0})) << "the majority is as it was";
  EXPECT_THROW(one.kernel_ended(), InternalError);
  for (const WarpId id : {1u, 0u}) {
    one.issued(id);
    small.remove(id);
  }
  EXPECT_THROW(one.kernel_ended(), InternalError) << "one is alone still";
  one.enter(Warp::of_row(4, 1, 0b0011));
  EXPECT_EQ(small.statistic("dwf_lut_full"), 2U) << "the entry was free";
}

TEST_F(WarpPoolTest, AFullWarpHasItsEntryUntilItIssues) {
  FakeCore small(kWidth * kRows, kRows);
  WarpPool one(small, geometry_of(1), 1);
  start(one);
  one.enter(Warp::of_row(3, 0, 0b0011));
  one.enter(Warp::of_row(3, 1, 0b1100));
  one.enter(Warp::of_row(4, 2, 0b0001));
  EXPECT_EQ(small.statistic("dwf_lut_full"), 1U);
  one.issued(0);
  one.enter(Warp::of_row(4, 3, 0b0010));
  one.enter(Warp::of_row(4, 4, 0b0100));
  EXPECT_EQ(text(small, small), "3{0,1,6,7} 4{8} 4{13,18}");
  EXPECT_EQ(small.statistic("dwf_lut_full"), 1U);
}

TEST_F(WarpPoolTest, TheMajorityGoesFirst) {
  arrive(5, 0, 0b0001);
  arrive(7, 1, 0b0111);
  arrive(6, 2, 0b0011);
  EXPECT_EQ(preferred(ready()), (Ids{1}));
}

TEST_F(WarpPoolTest, ThreadsCountNotWarps) {
  for (std::uint16_t row = 0; row < 3; ++row) arrive(5, row, 0b0001);
  arrive(7, 3, 0b1111);
  EXPECT_EQ(preferred(ready()), (Ids{3}));
}

TEST_F(WarpPoolTest, ATieGoesToTheLowestPc) {
  arrive(7, 0, 0b0011);
  arrive(5, 1, 0b1100);
  EXPECT_EQ(preferred(ready()), (Ids{1}));
}

TEST_F(WarpPoolTest, ThePcIsKeptUntilNoneOfItsWarpsIsReady) {
  arrive(7, 0, 0b0111);
  arrive(7, 1, 0b0111);
  arrive(5, 2, 0b0011);
  EXPECT_EQ(preferred(ready()), (Ids{0, 1}));
  pool.issued(0);
  arrive(5, 3, 0b1100);
  EXPECT_EQ(preferred(ready({0})), (Ids{1})) << "though more are elsewhere now";
  EXPECT_EQ(preferred(ready({0, 1})), (Ids{2})) << "its last warp waits for a unit";
  EXPECT_EQ(preferred(ready({0})), (Ids{2})) << "and has lost its turn";
}

TEST_F(WarpPoolTest, ThePcIsChosenAnewWhenItsLastWarpHasIssued) {
  arrive(7, 0, 0b0111);
  arrive(5, 1, 0b0011);
  EXPECT_EQ(preferred(ready()), (Ids{0}));
  pool.issued(0);
  core.remove(0);
  arrive(7, 2, 0b0001);
  EXPECT_EQ(preferred(ready()), (Ids{1}));
}

TEST_F(WarpPoolTest, SchedulersShareNothing) {
  FakeCore dual(kWidth * kRows, kRows, 0, 2);
  WarpPool both(dual, geometry_of(2), 1);
  start(both);
  both.enter(Warp::of_row(3, 0, 0b0011));
  both.enter(Warp::of_row(3, 1, 0b1100));
  both.enter(Warp::of_row(3, 2, 0b1000));
  EXPECT_EQ(text(dual, dual), "3{0,1,11} 3{6,7}") << "rows 0 and 2 are the first scheduler's";
  EXPECT_EQ(dual.statistic("dwf_lut_full"), 0U) << "each has a table";
  WarpSet second(kWidth * kRows);
  second.insert(1);
  both.prefer(second);
  EXPECT_TRUE(second.contains(1));
}

TEST_F(WarpPoolTest, NothingIsLeftWhenAKernelEnds) {
  pool.kernel_ended();
  arrive(3, 0, 1);
  EXPECT_THROW(pool.kernel_ended(), InternalError);
  pool.issued(0);
  EXPECT_NO_THROW(pool.kernel_ended());
}

}  // namespace warp_pool_test
}  // namespace warpfold::divergence
