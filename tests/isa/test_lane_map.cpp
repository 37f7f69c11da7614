// SPDX-License-Identifier: Apache-2.0
// Which lane runs a thread: the maps, and that each is a permutation that is its own inverse.
#include <gtest/gtest.h>

#include <vector>

#include "warpfold/isa/lane_map.h"

namespace warpfold::isa {
namespace lane_map_test {

std::vector<unsigned> flips(LaneMap map, unsigned width, unsigned rows) {
  std::vector<unsigned> list;
  for (unsigned row = 0; row < rows; ++row) list.push_back(lane_flip(map, row, width));
  return list;
}

TEST(LaneMaps, FlipLanesByRow) {
  using Flips = std::vector<unsigned>;
  EXPECT_EQ(flips(LaneMap::kIdentity, 4, 5), (Flips{0, 0, 0, 0, 0}));
  EXPECT_EQ(flips(LaneMap::kXor, 4, 6), (Flips{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(flips(LaneMap::kXorRev, 8, 9), (Flips{0, 4, 2, 6, 1, 5, 3, 7, 0}));
  EXPECT_EQ(flips(LaneMap::kMirrorOdd, 32, 3), (Flips{0, 31, 0}));
  EXPECT_EQ(flips(LaneMap::kXorRev, 1, 2), (Flips{0, 0}));
}

// Four rows of four lanes, of which the threads in the first place of each row go one way.
TEST(LaneMaps, XorSpreadsTheFirstThreadsOfFourRowsOverFourLanes) {
  LaneMask lanes = 0;
  for (unsigned row = 0; row < 4; ++row) lanes |= flipped(0x1, lane_flip(LaneMap::kXor, row, 4));
  EXPECT_EQ(lanes, 0xfu);
}

TEST(LaneMaps, FlippedMovesEveryLane) {
  const LaneMask mask = 0x8000'0000'1234'5671;
  for (unsigned flip = 0; flip < 64; ++flip) {
    LaneMask expected = 0;
    for (unsigned lane = 0; lane < 64; ++lane) expected |= (mask >> (lane ^ flip) & 1) << lane;
    EXPECT_EQ(flipped(mask, flip), expected) << flip;
    EXPECT_EQ(flipped(flipped(mask, flip), flip), mask);
  }
}

}  // namespace lane_map_test
}  // namespace warpfold::isa
