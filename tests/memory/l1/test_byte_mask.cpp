// SPDX-License-Identifier: Apache-2.0
// Sectors of byte masks by hand.
#include <gtest/gtest.h>

#include "warpfold/memory/l1/byte_mask.h"

namespace warpfold {
namespace byte_mask_test {

TEST(ByteMask, Ranges) {
  EXPECT_EQ(byte_range(0, 0).count(), 0u);
  EXPECT_EQ(byte_range(60, 8), (std::bitset<128>(0xff) << 60));
  EXPECT_EQ(byte_range(0, 128).count(), 128u);
}

TEST(ByteMask, SectorsTouchedAndCovered) {
  const ByteMask bytes = byte_range(28, 40);  // four of the first sector, all of the second, four of the third
  EXPECT_EQ(touched_sectors(bytes, 128, 32), 0b0111u);
  EXPECT_EQ(covered_sectors(bytes, 128, 32), 0b0010u);
  EXPECT_EQ(touched_sectors(bytes, 128, 128), 1u);
  EXPECT_EQ(covered_sectors(bytes, 128, 128), 0u);
  EXPECT_EQ(covered_sectors(byte_range(0, 64), 64, 32), 0b11u);
}

}  // namespace byte_mask_test
}  // namespace warpfold
