// SPDX-License-Identifier: Apache-2.0
// The device's allocator: where allocations lie, what they read, what is found near an address.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "warpfold/common/memory/device_memory.h"

namespace warpfold {
namespace device_memory_test {

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

// One address for both sides, of which the simulated store has the same bytes.
TEST(DeviceMemory, SharedAllocationsAreTheHostsToo) {
  DeviceMemory memory(1 << 20);
  const Address a = memory.allocate_shared(5000, "a"), b = memory.allocate_shared(1, "b");
  ASSERT_NE(a, 0U);
  ASSERT_NE(b, 0U);
  auto* const on_host = reinterpret_cast<unsigned char*>(a);
  EXPECT_EQ(on_host[4999], 0);
  on_host[4999] = 7;
  EXPECT_EQ(memory.host(a)[4999], std::byte{7});
  ASSERT_TRUE(memory.fill(a, 9, 5000));
  EXPECT_EQ(on_host[0], 9);
  EXPECT_FALSE(memory.fill(a, 9, 5001));
  EXPECT_EQ(memory.free_bytes(), 1U << 20) << "no memory of the device's own";
  EXPECT_EQ(memory.allocate(1 << 20, "all"), kBase);
  EXPECT_TRUE(memory.release(a));
  EXPECT_EQ(memory.find(a), nullptr);
  EXPECT_EQ(memory.allocate_shared(std::uint64_t{1} << 60, "more than any host has"), 0U);
}

TEST(DeviceMemory, SeveralMemoriesShareWithTheHost) {
  DeviceMemory first(1 << 20), second(1 << 20, DeviceMemory::kBase32);
  for (DeviceMemory* memory : {&first, &second}) {
    const Address at = memory->allocate_shared(8, "x");
    ASSERT_NE(at, 0U);
    ASSERT_TRUE(memory->fill(at, memory == &first ? 1 : 2, 8));
    EXPECT_EQ(*reinterpret_cast<unsigned char*>(at), memory == &first ? 1 : 2);
  }
}

TEST(DeviceMemory, TheMachineHasSharedMemoryBehindItsOwn) {
  DeviceMemory memory(1 << 20);
  alignas(8) std::array<unsigned char, 8> bytes{};
  const Address own = memory.allocate(8, "own");
  EXPECT_FALSE(memory.shares());
  const Address a = memory.allocate_shared(10, "a"), b = memory.lend(bytes.data(), bytes.size(), "b");
  ASSERT_TRUE(memory.shares());
  const Address first = memory.on_machine(a);
  EXPECT_EQ(first, kBase + (1 << 20)) << "the same in every run";
  EXPECT_EQ(memory.on_machine(a + 9), first + 9);
  EXPECT_EQ(memory.on_machine(b), first + 4096 + b % 4096);
  EXPECT_EQ(memory.on_machine(own + 3), own + 3);
  memory.release(a);
  EXPECT_EQ(memory.on_machine(memory.allocate_shared(1, "c")), first) << "the gap is filled";
  memory.release(b);
  EXPECT_EQ(memory.on_machine(a), a);
}

TEST(DeviceMemory, LentMemoryIsTheHostsOwn) {
  DeviceMemory memory(1 << 20);
  std::array<unsigned char, 64> bytes{};
  const Address at = memory.lend(bytes.data() + 4, bytes.size() - 4, "lent");
  ASSERT_NE(at, 0U);
  EXPECT_EQ(memory.host(at), reinterpret_cast<std::byte*>(bytes.data() + 4));
  ASSERT_TRUE(memory.fill(at + 56, 3, 4));
  EXPECT_EQ(bytes[59], 0);
  EXPECT_EQ(bytes[60], 3);
  EXPECT_EQ(memory.lend(bytes.data() + 63, 1, "its end"), 0U);
  EXPECT_EQ(memory.lend(bytes.data(), 5, "its begin"), 0U);
  EXPECT_TRUE(memory.release(at));
  EXPECT_EQ(bytes[60], 3) << "the lender's, with what was written";
  EXPECT_EQ(memory.lend(memory.host(kBase), 16, "the store"), 0U);
}

// What a message can say of an address that somebody freed.
TEST(DeviceMemory, RemembersWhatWasFreed) {
  DeviceMemory memory(1 << 20);
  const Address a = memory.allocate(100, "a");
  EXPECT_EQ(memory.freed(a), nullptr);
  ASSERT_TRUE(memory.release(a));
  ASSERT_NE(memory.freed(a + 99), nullptr);
  EXPECT_EQ(memory.freed(a + 99)->allocation.name, "a");
  EXPECT_EQ(memory.freed(a + 100), nullptr);
  EXPECT_EQ(memory.allocate(50, "b"), a);
  ASSERT_TRUE(memory.release(a));
  EXPECT_EQ(memory.freed(a)->allocation.name, "b") << "the last of several";
  EXPECT_EQ(memory.freed(a + 60)->allocation.name, "a");
  for (unsigned k = 0; k < 1000; ++k) memory.release(memory.allocate(10, "c"));
  EXPECT_EQ(memory.freed(a + 60), nullptr) << "bounded";
}

TEST(DeviceMemory, KeptApartNothingBeginsWhereAnotherEnds) {
  DeviceMemory memory(16 * 256);
  memory.keep_apart();
  const Address a = memory.allocate(256, "a"), b = memory.allocate(1, "b");
  EXPECT_EQ(b, a + 512);
  EXPECT_EQ(memory.find(a + 256), nullptr);
  ASSERT_TRUE(memory.release(a));
  const Address c = memory.allocate(256, "c");
  EXPECT_EQ(c, b + 512) << "what was freed is not given away at once";
  EXPECT_EQ(memory.free_bytes(), 12U * 256);
  EXPECT_NE(memory.allocate(9 * 256, "d"), 0U);
  EXPECT_EQ(memory.allocate(256, "e"), a) << "but before there is no room";
  EXPECT_EQ(memory.allocate(1, "f"), 0U);
}

TEST(DeviceMemory, CopiesAndTellsItsWatch) {
  struct Watch : MemoryWatch {
    std::string seen;
    void allocated(const Allocation& allocation) override { seen += "allocated " + allocation.name + "\n"; }
    void written(Address at, std::uint64_t bytes) override {
      seen += fmt::format("written {} {}\n", at - kBase, bytes);
    }
    void copied(Address to, Address from, std::uint64_t bytes) override {
      seen += fmt::format("copied {} {} {}\n", to - kBase, from - kBase, bytes);
    }
  } watch;
  DeviceMemory memory(1 << 20);
  memory.watch(&watch);
  const Address a = memory.allocate(8, "a"), b = memory.allocate(8, "b");
  const std::uint32_t seven = 7;
  EXPECT_TRUE(memory.write(a, &seven, 4));
  EXPECT_FALSE(memory.write(a + 6, &seven, 4));
  EXPECT_TRUE(memory.fill(a + 4, 1, 2));
  EXPECT_TRUE(memory.copy(b + 4, a, 4));
  EXPECT_FALSE(memory.copy(b + 5, a, 4));
  EXPECT_FALSE(memory.copy(b, a + 5, 4));
  std::uint32_t copy = 0;
  EXPECT_TRUE(memory.read(b + 4, &copy, 4));
  EXPECT_EQ(copy, 7U);
  EXPECT_EQ(watch.seen, "allocated a\nallocated b\nwritten 0 4\nwritten 4 2\ncopied 260 0 4\n");
}

}  // namespace device_memory_test
}  // namespace warpfold
