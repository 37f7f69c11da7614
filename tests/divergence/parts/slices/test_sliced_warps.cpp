// SPDX-License-Identifier: Apache-2.0
// Slices of warps: lanes, slots and traits. What mechanisms make of them is in the tests of vws and dwr.
#include <gtest/gtest.h>

#include "warpfold/divergence/parts/slices/sliced_warps.h"

namespace warpfold::divergence {
namespace sliced_warps_test {

TEST(SliceWidth, Lanes) {
  const SliceWidth eight(8), whole(64);
  EXPECT_EQ(eight.lanes_of(0), 0xffU);
  EXPECT_EQ(eight.lanes_of(3), 0xff00'0000U);
  EXPECT_EQ(eight.lanes_of_all(0b1010), 0xff00'ff00U);
  EXPECT_EQ(eight.lanes_of_all(0), 0U);
  EXPECT_EQ(eight.with(0x8001'0000), 0b1100U);
  EXPECT_EQ(eight.with(0), 0U);
  EXPECT_EQ(eight.with(~LaneMask{0}), 0xffU);
  EXPECT_EQ(whole.lanes_of(0), ~LaneMask{0});
  EXPECT_EQ(whole.with(1), 1U);
}

// A slice may be a warp of its own, beside the others of its scheduler.
TEST(SliceWidth, Slots) {
  Geometry core;
  EXPECT_EQ(SliceWidth(8).of_warp(core), 4U);
  EXPECT_EQ(SliceWidth(8).shape(core).warp_slots, 128U);
  EXPECT_EQ(SliceWidth(8).shape(core).warp_width, 32U);
  EXPECT_EQ(SliceWidth(32).shape(core).warp_slots, 32U);
  core.max_threads = 5 * 32;
  core.schedulers = 2;
  EXPECT_EQ(SliceWidth(16).shape(core).warp_slots, 12U) << "three rows of a scheduler";
  EXPECT_EQ(SliceWidth(32).shape(core).warp_slots, 5U);
}

TEST(SliceWidth, OneSliceKeepsItsWarp) {
  const Geometry core;
  for (const bool one : {true, false}) {
    const Traits traits = SliceWidth(one ? 32 : 8).traits(core);
    EXPECT_EQ(traits.keeps_warps, one);
    EXPECT_EQ(traits.mixes_paths, !one);
    EXPECT_EQ(traits.issues_parts, !one);
  }
}

}  // namespace sliced_warps_test
}  // namespace warpfold::divergence
