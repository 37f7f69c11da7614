// SPDX-License-Identifier: Apache-2.0
// Blocks of the kernels' heap: apart, aligned, reused, and refused.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/isa/services/device_heap.h"

namespace warpfold::isa {
namespace device_heap_test {

constexpr std::uint64_t kHeap = 4096;

class DeviceHeapTest : public ::testing::Test {
 protected:
  DeviceHeapTest() { EXPECT_TRUE(heap.set_bytes(kHeap)); }
  DeviceMemory memory{1 << 16};
  DeviceHeap heap{memory};
};

TEST_F(DeviceHeapTest, TakesItsMemoryWithTheFirstBlock) {
  EXPECT_EQ(DeviceHeap(memory).bytes(), std::uint64_t{8} << 20);
  EXPECT_TRUE(memory.allocations().empty());
  const Address block = heap.allocate(24);
  ASSERT_EQ(memory.allocations().size(), 1U);
  EXPECT_EQ(memory.allocations().begin()->second.bytes, kHeap);
  EXPECT_FALSE(memory.release(block));  // no allocation of the host's begins there
  EXPECT_FALSE(heap.set_bytes(2 * kHeap));
  EXPECT_EQ(heap.bytes(), kHeap);
}

TEST_F(DeviceHeapTest, FirstFit) {
  const Address a = heap.allocate(100), b = heap.allocate(16), c = heap.allocate(40);
  EXPECT_EQ(b - a, 112 + DeviceHeap::kHeaderBytes);
  EXPECT_EQ(c - b, 16 + DeviceHeap::kHeaderBytes);
  EXPECT_TRUE(heap.release(a));
  EXPECT_EQ(heap.allocate(50), a);       // in a's place
  EXPECT_EQ(heap.allocate(16), a + 80);  // in what it left
  EXPECT_GT(heap.allocate(16), c);
}

TEST_F(DeviceHeapTest, FreeNeighboursBecomeOne) {
  constexpr std::uint64_t kWhole = kHeap - DeviceHeap::kHeaderBytes;
  std::vector<Address> blocks;
  while (const Address block = heap.allocate(kHeap / 4 - DeviceHeap::kHeaderBytes)) blocks.push_back(block);
  ASSERT_EQ(blocks.size(), 4U);
  for (const std::vector<unsigned>& order :
       {std::vector<unsigned>{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 2, 1, 3}, {1, 3, 2, 0}}) {
    for (const unsigned k : order) {
      EXPECT_EQ(heap.allocate(kWhole), 0U);
      EXPECT_TRUE(heap.release(blocks[k]));
    }
    EXPECT_EQ(heap.allocate(kWhole), blocks[0]);
    EXPECT_TRUE(heap.release(blocks[0]));
    for (Address& block : blocks) block = heap.allocate(kHeap / 4 - DeviceHeap::kHeaderBytes);
  }
}

TEST_F(DeviceHeapTest, NullWhereNothingFits) {
  EXPECT_EQ(heap.allocate(kHeap), 0U);
  EXPECT_EQ(heap.allocate(~std::uint64_t{0}), 0U);
  EXPECT_NE(heap.allocate(kHeap - DeviceHeap::kHeaderBytes), 0U);
  EXPECT_EQ(heap.allocate(0), 0U);
  EXPECT_EQ(heap.blocks(), 1U);
}

TEST_F(DeviceHeapTest, EmptyBlocksAreApart) {
  const Address a = heap.allocate(0), b = heap.allocate(0);
  EXPECT_NE(a, 0U);
  EXPECT_NE(a, b);
}

TEST_F(DeviceHeapTest, OnlyBlocksAreReleased) {
  EXPECT_FALSE(heap.release(0));
  const Address a = heap.allocate(64);
  for (const Address wrong : {a + 16, a - 16, a + 1, Address{0x1234}}) EXPECT_FALSE(heap.release(wrong));
  EXPECT_TRUE(heap.release(a));
  EXPECT_FALSE(heap.release(a));
}

TEST_F(DeviceHeapTest, NoRoomOnTheDevice) {
  DeviceHeap large(memory);
  try {
    large.allocate(8);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("8388608 bytes for the heap of kernels"), std::string::npos)
        << error.what();
  }
  DeviceHeap none(memory);
  none.set_bytes(0);
  EXPECT_EQ(none.allocate(0), 0U);
}

// Against a list of what is in use.
TEST_F(DeviceHeapTest, BlocksNeverOverlap) {
  std::mt19937 random(7);
  std::map<Address, std::uint64_t> used;
  unsigned refused = 0;
  for (unsigned step = 0; step < 20000; ++step) {
    if (random() % 2 == 0 || used.empty()) {
      const std::uint64_t bytes = random() % 300;
      const Address block = heap.allocate(bytes);
      if (block == 0) {
        ++refused;
        continue;
      }
      EXPECT_EQ(block % DeviceHeap::kAlignment, 0U);
      EXPECT_TRUE(memory.find(block)->holds(block, bytes));
      const auto after = used.lower_bound(block);
      if (after != used.end()) {
        EXPECT_LE(block + bytes, after->first);
      }
      if (after != used.begin()) {
        EXPECT_LE(std::prev(after)->first + std::prev(after)->second, block);
      }
      used[block] = bytes;
    } else {
      auto victim = used.begin();
      std::advance(victim, random() % used.size());
      EXPECT_TRUE(heap.release(victim->first));
      used.erase(victim);
    }
    ASSERT_EQ(heap.blocks(), used.size());
  }
  EXPECT_GT(refused, 100U);
  for (const auto& [block, bytes] : used) EXPECT_TRUE(heap.release(block));
  EXPECT_NE(heap.allocate(kHeap - DeviceHeap::kHeaderBytes), 0U);
}

}  // namespace device_heap_test
}  // namespace warpfold::isa
