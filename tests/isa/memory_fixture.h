// SPDX-License-Identifier: Apache-2.0
// What tests of loads and stores share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/isa/warp_fixture.h"
#include "warpfold/common/error.h"

namespace warpfold::isa {

inline constexpr LaneMask kAll = 0xffffffff;

// Two warps of one block; registers 8 and 9 of lane l hold the address base + stride × l.
class MemoryTest : public ::testing::Test {
 protected:
  void point(unsigned row, Address base, std::int64_t stride) {
    for (unsigned lane = 0; lane < 32; ++lane)
      warp.set_address(row, 8, lane, base + static_cast<Address>(stride * lane));
  }
  template <class T>
  T peek(Address at) {
    T value{};
    EXPECT_TRUE(warp.memory.read(at, &value, sizeof(T)));
    return value;
  }
  template <class T>
  void poke(Address at, T value) {
    ASSERT_TRUE(warp.memory.write(at, &value, sizeof(T)));
  }
  std::string fault(Pc pc, unsigned row, LaneMask mask = kAll) {
    try {
      warp.run(pc, row, mask);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no fault";
  }
  WarpFixture warp{Dim3{64, 1, 1}};
};

}  // namespace warpfold::isa
