// SPDX-License-Identifier: Apache-2.0
// The device's allocator: where allocations lie, what they read, what is found near an address.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "warpfold/common/device_memory.h"

namespace warpfold {
namespace {

constexpr Address kBase = DeviceMemory::kBase;

TEST(DeviceMemory, AllocationsAreAlignedAndFirstFit) {
  DeviceMemory memory(4096);
  EXPECT_EQ(memory.allocate(1, "a"), kBase);
  EXPECT_EQ(memory.allocate(256, "b"), kBase + 256);
  EXPECT_EQ(memory.allocate(257, "c"), kBase + 512);
  EXPECT_EQ(memory.allocate(10, "d"), kBase + 1024);
  EXPECT_EQ(memory.free_bytes(), 4096U - 1280U);
  EXPECT_TRUE(memory.release(kBase + 256));
  EXPECT_TRUE(memory.release(kBase + 512));
  EXPECT_EQ(memory.allocate(769, "too long for the gap"), kBase + 1280);
  EXPECT_EQ(memory.allocate(768, "fills the gap"), kBase + 256);
  EXPECT_FALSE(memory.release(kBase + 512));
  EXPECT_FALSE(memory.release(0));
}

TEST(DeviceMemory, RefusesWhatDoesNotFit) {
  DeviceMemory memory(1024);
  EXPECT_EQ(memory.allocate(1025, "a"), 0U);
  EXPECT_EQ(memory.allocate(~std::uint64_t{0}, "b"), 0U);
  EXPECT_EQ(memory.allocate(1024, "c"), kBase);
  EXPECT_EQ(memory.allocate(1, "d"), 0U);
  EXPECT_TRUE(memory.release(kBase));
  EXPECT_EQ(memory.free_bytes(), 1024U);
  EXPECT_EQ(memory.allocate(1, "e"), kBase);
}

// Fragmented: enough bytes in all, no gap long enough.
TEST(DeviceMemory, NeedsOneGap) {
  DeviceMemory memory(1024);
  for (unsigned k = 0; k < 4; ++k) memory.allocate(256, "x");
  memory.release(kBase);
  memory.release(kBase + 512);
  EXPECT_EQ(memory.free_bytes(), 512U);
  EXPECT_EQ(memory.allocate(512, "y"), 0U);
}

TEST(DeviceMemory, EmptyAllocationsHaveAnAddressOfTheirOwn) {
  DeviceMemory memory(1024);
  const Address a = memory.allocate(0, "a"), b = memory.allocate(0, "b");
  EXPECT_NE(a, b);
  EXPECT_EQ(memory.find(a), nullptr);
  EXPECT_EQ(memory.nearest(b + 1)->name, "b");
}

// Short ones and ones of several pages; neighbours keep their contents.
TEST(DeviceMemory, ReusedMemoryReadsZero) {
  DeviceMemory memory(1 << 20);
  const std::vector<std::uint8_t> ones(40000, 0xff), zeros(40000, 0);
  std::vector<std::uint8_t> got(40000);
  for (const std::uint64_t bytes : {100, 5000, 40000}) {
    const Address before = memory.allocate(300, "before");
    const Address at = memory.allocate(bytes, "at");
    const Address after = memory.allocate(300, "after");
    ASSERT_TRUE(memory.write(before, ones.data(), 300) && memory.write(at, ones.data(), bytes) &&
                memory.write(after, ones.data(), 300));
    memory.release(at);
    ASSERT_EQ(memory.allocate(bytes, "again"), at);
    ASSERT_TRUE(memory.read(at, got.data(), bytes));
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(bytes), zeros.begin()));
    for (const Address neighbour : {before, after}) {
      ASSERT_TRUE(memory.read(neighbour, got.data(), 300));
      EXPECT_TRUE(std::equal(got.begin(), got.begin() + 300, ones.begin()));
      memory.release(neighbour);
    }
    memory.release(at);
  }
}

TEST(DeviceMemory, CopiesStayInsideOneAllocation) {
  DeviceMemory memory(4096);
  const Address a = memory.allocate(256, "a");
  memory.allocate(256, "b");
  std::array<std::uint8_t, 512> bytes{};
  EXPECT_TRUE(memory.write(a + 255, bytes.data(), 1));
  EXPECT_FALSE(memory.write(a + 255, bytes.data(), 2));
  EXPECT_FALSE(memory.read(a, bytes.data(), 512));
  EXPECT_FALSE(memory.read(a - 1, bytes.data(), 1));
  EXPECT_FALSE(memory.read(0, bytes.data(), 1));
  EXPECT_TRUE(memory.read(0, bytes.data(), 0));
  EXPECT_TRUE(memory.fill(a + 1, 7, 255));
  EXPECT_FALSE(memory.fill(a + 1, 7, 256));
  EXPECT_TRUE(memory.read(a, bytes.data(), 256));
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[1], 7);
  EXPECT_EQ(bytes[255], 7);
}

TEST(DeviceMemory, FindsTheNearest) {
  DeviceMemory memory(1 << 16);
  EXPECT_EQ(memory.nearest(kBase), nullptr);
  const Address a = memory.allocate(100, "a");
  const Address gap = memory.allocate(1000, "gap");
  const Address c = memory.allocate(8, "c");
  memory.release(gap);
  EXPECT_EQ(memory.find(a + 99)->name, "a");
  EXPECT_EQ(memory.find(a + 100), nullptr);
  EXPECT_EQ(memory.find(a - 1), nullptr);
  EXPECT_EQ(memory.nearest(0)->name, "a");
  EXPECT_EQ(memory.nearest(a + 150)->name, "a");
  EXPECT_EQ(memory.nearest(c - 10)->name, "c");
  EXPECT_EQ(memory.nearest(c + 3)->name, "c");
  EXPECT_EQ(memory.nearest(~Address{0})->name, "c");
  const Address middle = (a + 99 + c) / 2;  // the same distance or one byte less to the lower one
  EXPECT_EQ(memory.nearest(middle)->name, "a");
  EXPECT_EQ(memory.nearest(middle + 1)->name, "c");
}

// Reserved, not committed.
TEST(DeviceMemory, CostsOnlyWhatIsTouched) {
  DeviceMemory memory(std::uint64_t{64} << 30);
  const Address at = memory.allocate(std::uint64_t{60} << 30, "most of it");
  const Address last = at + (std::uint64_t{60} << 30) - 1;
  const std::uint8_t one = 1;
  std::uint8_t got = 0;
  EXPECT_TRUE(memory.write(last, &one, 1));
  EXPECT_TRUE(memory.read(last, &got, 1));
  EXPECT_EQ(got, 1);
}

}  // namespace
}  // namespace warpfold
