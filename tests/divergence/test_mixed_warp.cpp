// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {
namespace mixed_warp_test {

Warp mixed() {
  Warp warp = Warp::of_row(5, 2, 0b0011);
  widen(warp, Warp::of_row(9, 7, 0b1100));
  return warp;
}

TEST(MixedWarp, WidenTakesTheOthersRowsAndKeepsItsOwnPc) {
  const Warp warp = mixed();
  EXPECT_EQ(warp.pc, 5U);
  EXPECT_EQ(warp.mask, 0b1111U);
  EXPECT_EQ(std::vector<std::uint16_t>(warp.row.begin(), warp.row.begin() + 4),
            (std::vector<std::uint16_t>{2, 2, 7, 7}));
  EXPECT_FALSE(warp.one_row);
}

TEST(MixedWarp, WidenWithTheSameRowStaysInOne) {
  Warp warp = Warp::of_row(5, 2, 0b0011);
  widen(warp, Warp::of_row(5, 2, 0b0100));
  EXPECT_EQ(warp.mask, 0b0111U);
  EXPECT_TRUE(warp.one_row);
}

TEST(MixedWarp, WidenAnEmptyOne) {
  Warp warp;
  widen(warp, Warp::of_row(5, 2, 0b0100));
  EXPECT_EQ(warp.mask, 0b0100U);
  EXPECT_TRUE(warp.one_row);
}

TEST(MixedWarp, NarrowToOneRow) {
  Warp warp = mixed();
  narrow(warp, 0b0110);
  EXPECT_EQ(warp.mask, 0b0110U);
  EXPECT_FALSE(warp.one_row);
  narrow(warp, 0b1100);
  EXPECT_EQ(warp.mask, 0b0100U);
  EXPECT_TRUE(warp.one_row);
}

TEST(MixedWarp, RowsOfSomeLanes) {
  using Parts = std::vector<std::pair<unsigned, LaneMask>>;
  const auto parts = [](const Warp& warp, LaneMask lanes) {
    Parts found;
    for_each_row(warp, lanes, [&](unsigned row, LaneMask of_row) { found.emplace_back(row, of_row); });
    return found;
  };
  EXPECT_EQ(parts(mixed(), 0b1110), (Parts{{2, 0b0010}, {7, 0b1100}}));
  EXPECT_EQ(parts(Warp::of_row(0, 3, 0b1111), 0b0101), (Parts{{3, 0b0101}}));
  EXPECT_EQ(parts(mixed(), 0), Parts{});
}

TEST(ForEachGroup, TakesTogetherWhatHasAKeyInCommon) {
  using Parts = std::vector<std::pair<unsigned, LaneMask>>;
  const auto parts = [](const Warp& warp, LaneMask lanes) {
    Parts found;
    for_each_group(
        warp, lanes, [](unsigned row) { return row / 2; },
        [&](unsigned key, LaneMask group) { found.emplace_back(key, group); });
    return found;
  };
  Warp warp = Warp::of_row(0, 4, 0b11111);  // rows 4, 1, 5, 0, 4
  warp.row[1] = 1, warp.row[2] = 5, warp.row[3] = 0;
  warp.one_row = false;
  EXPECT_EQ(parts(warp, 0b11111), (Parts{{2, 0b10101}, {0, 0b01010}}));
  EXPECT_EQ(parts(warp, 0b01100), (Parts{{2, 0b00100}, {0, 0b01000}}));
  EXPECT_EQ(parts(Warp::of_row(0, 6, 0b1111), 0b0110), (Parts{{3, 0b0110}}));
}

TEST(WarpPerThread, CoversRowsThatDoNotDivideByTheSchedulers) {
  Geometry geometry;
  geometry.warp_size = 32;
  geometry.max_threads = 160;
  geometry.schedulers = 2;
  EXPECT_EQ(warp_per_thread(geometry, geometry.warp_size).warp_slots, 192U) << "three rows may belong to one scheduler";
  EXPECT_EQ(warp_per_thread(geometry, geometry.warp_size).warp_width, 32U);
}

TEST(Split, TakesLanesOut) {
  Warp warp = Warp::of_row(3, 1, 0b1111);
  warp.row[3] = 2;
  warp.one_row = false;
  const Warp part = split(warp, 0b1000);
  EXPECT_EQ(part.mask, 0b1000U);
  EXPECT_EQ(part.row[3], 2U);
  EXPECT_TRUE(part.one_row);
  EXPECT_EQ(warp.mask, 0b0111U);
  EXPECT_TRUE(warp.one_row) << "what is left comes from one row";
}

}  // namespace mixed_warp_test
}  // namespace warpfold::divergence
