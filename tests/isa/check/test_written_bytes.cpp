// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/isa/check/written_bytes.h"

namespace warpfold::isa {
namespace written_bytes_test {

class WrittenBytesTest : public ::testing::Test, private MemoryWatch {
 protected:
  WrittenBytesTest() { memory.watch(this); }
  // As a program asks for it.
  Address allocate(std::uint64_t bytes) {
    return memory.allocate(bytes, "a", CallSite::of(__builtin_return_address(0)));
  }
  static Touch access(Space space, Address address, unsigned bytes, unsigned element_bytes, char how) {
    Touch touch;
    touch.space = space;
    touch.address = address;
    touch.bytes = bytes;
    touch.element_bytes = element_bytes;
    touch.reads = how == 'r';
    touch.writes = how == 'w';
    return touch;
  }
  bool may_read(Space space, Address address, unsigned bytes = 4, unsigned element_bytes = 4) {
    return written_bytes.allows(access(space, address, bytes, element_bytes, 'r'));
  }
  void write(Space space, Address address, unsigned bytes = 4) {
    written_bytes.note(access(space, address, bytes, bytes, 'w'));
  }
  DeviceMemory memory{1 << 20};
  WrittenBytes written_bytes{memory};

 private:
  void allocated(const Allocation& allocation) override { written_bytes.allocated(allocation); }
  void written(Address at, std::uint64_t bytes) override { written_bytes.written(at, bytes); }
  void copied(Address to, Address from, std::uint64_t bytes) override { written_bytes.copied(to, from, bytes); }
};

TEST_F(WrittenBytesTest, OfWhatAProgramAskedFor) {
  const Address a = allocate(10000), variable = memory.allocate(100, "variable");
  EXPECT_TRUE(may_read(Space::kGlobal, variable)) << "variables begin with zeros";
  EXPECT_FALSE(may_read(Space::kGlobal, a + 4000));
  EXPECT_TRUE(memory.fill(a + 4000, 0, 5000));
  EXPECT_TRUE(may_read(Space::kGlobal, a + 4000));
  EXPECT_TRUE(may_read(Space::kGlobal, a + 8996));
  EXPECT_FALSE(may_read(Space::kGlobal, a + 9000));
  EXPECT_FALSE(may_read(Space::kGlobal, a + 3996));
  EXPECT_FALSE(may_read(Space::kGlobal, a + 3996, 8, 4)) << "an element of several";
  EXPECT_TRUE(may_read(Space::kGlobal, a + 3996, 8, 8)) << "a part of one may be padding";
  write(Space::kGlobal, a);
  EXPECT_TRUE(may_read(Space::kGlobal, a));
  memory.release(a);
  EXPECT_EQ(allocate(10000), a);
  EXPECT_FALSE(may_read(Space::kGlobal, a + 4000)) << "a new one has nothing of the old";
}

TEST_F(WrittenBytesTest, CopiesTakeItAlong) {
  const Address a = allocate(100), b = allocate(100);
  write(Space::kGlobal, a + 8);
  EXPECT_TRUE(memory.fill(b, 0, 100));
  EXPECT_TRUE(memory.copy(b, a, 16));
  EXPECT_FALSE(may_read(Space::kGlobal, b + 4));
  EXPECT_TRUE(may_read(Space::kGlobal, b + 8));
  EXPECT_TRUE(may_read(Space::kGlobal, b + 16));
}

TEST_F(WrittenBytesTest, SharedAndLocalMemoryAreABlocksOwn) {
  for (const Space space : {Space::kShared, Space::kLocal}) {
    EXPECT_FALSE(may_read(space, 8));
    write(space, 8);
    EXPECT_TRUE(may_read(space, 8));
    EXPECT_EQ(may_read(space, 8, 16, 4), space == Space::kLocal) << "where structures are copied whole";
    written_bytes.block_finished(0);
    EXPECT_FALSE(may_read(space, 8));
    write(space, 8);
    written_bytes.launch_started();
    EXPECT_FALSE(may_read(space, 8));
  }
}

}  // namespace written_bytes_test
}  // namespace warpfold::isa
