// SPDX-License-Identifier: Apache-2.0
// Blocks on a core: slots, rows, fresh registers and shared memory.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/core/warps/resident_blocks.h"

namespace warpfold {
namespace resident_blocks_test {

class ResidentBlocksTest : public testing::Test {
 protected:
  ResidentBlocksTest() {
    kernel.registers = 4;
    launch.kernel = &kernel;
    launch.block = {40, 1, 1};  // a row of 32 and one of 8
    launch.shared_bytes = 64;
  }
  isa::Kernel kernel;
  isa::Launch launch;
};

TEST_F(ResidentBlocksTest, SlotsOwnRows) {
  ResidentBlocks blocks(launch, 2, 3, 0, 1, isa::LaneMap::kIdentity);
  EXPECT_TRUE(blocks.empty());
  EXPECT_EQ(blocks.slots(), 3u);
  const divergence::Block first = blocks.start({10, {10, 0, 0}}), second = blocks.start({11, {11, 0, 0}});
  EXPECT_EQ(first.slot, 0u);
  EXPECT_EQ(first.first_row, 0u);
  EXPECT_EQ(second.slot, 1u);
  EXPECT_EQ(second.first_row, 2u);
  EXPECT_EQ(second.id, 11u);
  EXPECT_LT(first.age, second.age);
  EXPECT_EQ(second.threads, (std::vector<isa::LaneMask>{0xffff'ffff, 0xff}));
  EXPECT_EQ(blocks.threads().block_of(3).id, 11u);
  EXPECT_EQ(blocks.threads().thread_of(3, 0), 32u);
  EXPECT_TRUE(blocks.occupied(1));
  EXPECT_FALSE(blocks.occupied(2));
  EXPECT_FALSE(blocks.empty());
}

TEST_F(ResidentBlocksTest, AFreedSlotIsUsedAgainAndStartsFromZero) {
  ResidentBlocks blocks(launch, 2, 2, 0, 1, isa::LaneMap::kIdentity);
  blocks.start({0, {0, 0, 0}});
  blocks.start({1, {1, 0, 0}});
  blocks.threads().words(0, 3)[5] = 77;
  blocks.threads().block_of(0).shared[9] = std::byte{1};
  blocks.finish(0);
  EXPECT_FALSE(blocks.occupied(0));
  const divergence::Block third = blocks.start({2, {2, 0, 0}});
  EXPECT_EQ(third.slot, 0u);
  EXPECT_EQ(third.age, 2u) << "the youngest, though in the first slot";
  EXPECT_EQ(blocks.threads().words(0, 3)[5], 0u);
  EXPECT_EQ(blocks.threads().block_of(0).shared, std::vector<std::byte>(256)) << "a unit";
  EXPECT_EQ(blocks.threads().block_of(1).ctaid.x, 2u);
}

TEST_F(ResidentBlocksTest, ABlockTooManyIsAnInternalError) {
  ResidentBlocks blocks(launch, 2, 1, 0, 1, isa::LaneMap::kIdentity);
  blocks.start({0, {0, 0, 0}});
  EXPECT_THROW(blocks.start({1, {1, 0, 0}}), InternalError);
}

}  // namespace resident_blocks_test
}  // namespace warpfold
