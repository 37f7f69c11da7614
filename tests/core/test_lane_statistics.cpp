// SPDX-License-Identifier: Apache-2.0
// Warp and thread instructions, and SIMD cycles with an active lane.
#include <gtest/gtest.h>

#include "models/core/lane_statistics.h"

namespace warpfold {
namespace {

std::vector<std::uint64_t> counted(unsigned simd_width, std::initializer_list<isa::LaneMask> masks) {
  StatGroup stats("core");
  LaneStatistics lanes(stats, simd_width);
  for (const isa::LaneMask mask : masks) lanes.count(mask);
  std::vector<std::uint64_t> values;
  for (const char* name : {"warp_instructions", "thread_instructions", "simd_active_cycles"}) {
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name == name) values.push_back(entry.counter.value());
    }
  }
  return values;
}

using Values = std::vector<std::uint64_t>;

TEST(LaneStatistics, CountsGroupsWithAnActiveLane) {
  EXPECT_EQ(counted(8, {0xffff'ffff}), (Values{1, 32, 4}));
  EXPECT_EQ(counted(8, {0x0000'ffff}), (Values{1, 16, 2}));
  EXPECT_EQ(counted(8, {0x0101'0101}), (Values{1, 4, 4}));
  EXPECT_EQ(counted(8, {0x8000'0000, 0x1}), (Values{2, 2, 2}));
  EXPECT_EQ(counted(16, {0x0101'0101}), (Values{1, 4, 2}));
}

TEST(LaneStatistics, WideWarpsAndWidePipelines) {
  EXPECT_EQ(counted(32, {~isa::LaneMask{0}}), (Values{1, 64, 2}));
  EXPECT_EQ(counted(64, {~isa::LaneMask{0}, 1}), (Values{2, 65, 2}));
  EXPECT_EQ(counted(1, {0xf0f0}), (Values{1, 8, 8}));
}

}  // namespace
}  // namespace warpfold
