// SPDX-License-Identifier: Apache-2.0
// Without packing an instruction holds its unit for a cycle per group of lanes, whatever its mask.
#include <gtest/gtest.h>

#include "models/divergence/lane_packing.h"

namespace warpfold::divergence {
namespace {

TEST(NoPacking, EveryGroupTakesItsCycle) {
  const NoPacking packing;
  for (const isa::LaneMask mask : {isa::LaneMask{0}, isa::LaneMask{1}, isa::LaneMask{0xffff'ffff}}) {
    EXPECT_EQ(packing.cycles(mask, 32, 8), 4U) << "TBC Table 2: a warp takes four cycles";
    EXPECT_EQ(packing.cycles(mask, 32, 32), 1U);
    EXPECT_EQ(packing.cycles(mask, 32, 1), 32U);
  }
}

TEST(NoPacking, AtLeastOneCycle) {
  const NoPacking packing;
  EXPECT_EQ(packing.cycles(0b11, 2, 8), 1U) << "a warp narrower than the unit";
  EXPECT_EQ(packing.cycles(0b11, 9, 8), 2U) << "a group that is not full";
}

}  // namespace
}  // namespace warpfold::divergence
