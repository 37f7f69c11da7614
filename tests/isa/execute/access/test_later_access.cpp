// SPDX-License-Identifier: Apache-2.0
// Accesses whose values come later than their addresses.
#include "tests/isa/memory_fixture.h"
#include "warpfold/isa/address_space.h"

namespace warpfold::isa {
namespace later_access_test {

class LaterAccess : public MemoryTest {
 protected:
  // One word for each lane of a row at `at`.
  void begin() {
    warp.start();
    warp.executor->put_shared_memory_off(true);
    at = warp.memory.allocate(4096, "a");
    for (unsigned row = 0; row < 2; ++row) point(row, at, 4);
    for (unsigned lane = 0; lane < 32; ++lane) poke<std::uint32_t>(at + 4 * lane, 100 + lane);
  }
  void run_in(std::uint64_t cycle, Pc pc, unsigned row, LaneMask mask = kAll) {
    std::array<std::uint16_t, kMaxLanes> rows;
    rows.fill(static_cast<std::uint16_t>(row));
    warp.executor->execute(pc, {rows.data(), mask, 32, true}, cycle, warp.outcome);
  }
  Address at = 0;
};

TEST_F(LaterAccess, SaysWhereAtOnceAndLoadsLater) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  begin();
  warp.at(0, 0, 3) = 7;
  run_in(10, 0, 0, 0xff);
  EXPECT_EQ(warp.outcome.executed, LaneMask{0xff});
  EXPECT_EQ(warp.outcome.space, Space::kGlobal);
  EXPECT_EQ(warp.outcome.address[5], at + 20);
  EXPECT_EQ(warp.outcome.access_bytes, 4U);
  EXPECT_EQ(warp.at(0, 0, 3), 7U);
  EXPECT_EQ(warp.executor->oldest(), 10U);
  EXPECT_FALSE(warp.executor->settles_writes(11));
  warp.executor->settle(10);
  EXPECT_EQ(warp.at(0, 0, 3), 7U);
  warp.executor->settle(11);
  EXPECT_EQ(warp.at(0, 0, 3), 103U);
  EXPECT_EQ(warp.at(0, 0, 9), 0U) << "does not execute";
  EXPECT_EQ(warp.executor->oldest(), Executor::kNothing);
}

// What it stores, and where, is what its registers had then; a load into its own address register works.
TEST_F(LaterAccess, HasTheOperandsOfItsTime) {
  warp.store("st.global.u32", Space::kGlobal, 4, {2}, 8);
  MicroOp& over = warp.load("ld.global.u64", Space::kGlobal, 8, {8}, 8);
  over.d_wide = 1;
  begin();
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 2, lane) = 500 + lane;
  run_in(1, 0, 0);
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 2, lane) = 9;
  point(0, at + 1024, 4);
  EXPECT_TRUE(warp.executor->settles_writes(2));
  EXPECT_FALSE(warp.executor->settles_writes(1));
  EXPECT_EQ(peek<std::uint32_t>(at + 4), 101U);
  warp.executor->settle(2);
  EXPECT_EQ(peek<std::uint32_t>(at + 4), 501U);
  EXPECT_EQ(peek<std::uint32_t>(at + 1024), 0U);
  point(0, at, 8);
  run_in(3, 1, 0, 1);
  warp.executor->settle(4);
  EXPECT_EQ(warp.at(0, 8, 0), 500U);
  EXPECT_EQ(warp.at(0, 9, 0), 501U);
}

// Many, of two warps: loads see the stores and atomics before them, and none behind.
TEST_F(LaterAccess, ComesInTheOrderOfTheInstructions) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  warp.store("st.global.u32", Space::kGlobal, 4, {2}, 8);
  MicroOp& add = warp.op(Kind::kAtomic, "atom.global.add.u32");
  add.space = Space::kGlobal;
  add.element_bytes = 4;
  add.element_type = 'u';
  add.base = 8;
  add.d[0] = 1;
  add.s[0] = 3;
  add.d_count = add.s_count = 1;
  begin();
  for (unsigned round = 0; round < 100; ++round) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp.at(1, 2, lane) = 1000 * round + lane;
      warp.at(0, 3, lane) = 7;
    }
    run_in(3 * round, 1, 1);
    run_in(3 * round + 1, 2, 0);
    run_in(3 * round + 2, 0, 1);
    if (round % 40 != 0) continue;
    warp.executor->settle(3 * round + 3);
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(warp.at(0, 1, lane), 1000 * round + lane);
      EXPECT_EQ(warp.at(1, 0, lane), 1000 * round + lane + 7);
    }
  }
  EXPECT_EQ(warp.executor->oldest(), 3U * 81);
  warp.executor->settle(1000);
  EXPECT_EQ(warp.at(1, 0, 5), 99012U);
}

// Both halves of each operand are those of its time.
TEST_F(LaterAccess, ExchangesOfSixteenBytes) {
  MicroOp& exchange = warp.op(Kind::kAtomic, "atom.global.cas.b128");
  exchange.space = Space::kGlobal;
  exchange.atomic = Atomic::kCas;
  exchange.element_bytes = 16;
  exchange.d_count = 2;
  exchange.d[0] = 10;
  exchange.d[1] = 12;
  exchange.s_count = 4;
  for (unsigned k = 0; k < 4; ++k) exchange.s[k] = static_cast<Word>(2 * k);  // 4 words of b, 4 of c
  exchange.d_wide = 3;
  exchange.s_wide = 15;
  exchange.base = 14;
  begin();
  for (unsigned word = 0; word < 4; ++word) {
    warp.at(0, static_cast<Word>(word), 0) = 100 + word;
    warp.at(0, static_cast<Word>(4 + word), 0) = 900 + word;
  }
  warp.at(0, 14, 0) = static_cast<std::uint32_t>(at);
  warp.at(0, 15, 0) = static_cast<std::uint32_t>(at >> 32);
  run_in(1, 0, 0, 1);
  for (unsigned word = 0; word < 8; ++word) warp.at(0, static_cast<Word>(word), 0) = 5;
  EXPECT_EQ(peek<std::uint32_t>(at), 100U);
  EXPECT_EQ(warp.outcome.access_bytes, 16U);
  warp.executor->settle(2);
  for (unsigned word = 0; word < 4; ++word) {
    EXPECT_EQ(peek<std::uint32_t>(at + 4 * word), 900 + word);
    EXPECT_EQ(warp.at(0, static_cast<Word>(10 + word), 0), 100 + word);
  }
}

TEST_F(LaterAccess, FaultsAtOnce) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  begin();
  point(0, at + 4096 - 16, 4);
  EXPECT_NE(fault(0, 0).find("outside"), std::string::npos);
}

// Nobody else has shared memory, unless an access before it may have been for it, too.
TEST_F(LaterAccess, SharedMemoryIsAtOnceButBehindMixedAccesses) {
  warp.launch.shared_bytes = 256;
  warp.store("st.shared.u32", Space::kShared, 4, {2}, 8);
  warp.store("st.u32", Space::kGeneric, 4, {3}, 10);
  warp.load("ld.shared.u32", Space::kShared, 4, {0}, 8);
  begin();
  point(0, 0, 4);
  for (unsigned lane = 0; lane < 32; ++lane) {
    warp.at(0, 2, lane) = 40 + lane;
    warp.at(0, 3, lane) = 60 + lane;
    warp.set_address(0, 10, lane, lane < 16 ? at + 4 * lane : kSharedWindow + 4 * lane);
  }
  run_in(1, 0, 0);
  run_in(2, 2, 0);
  EXPECT_EQ(warp.at(0, 0, 20), 60U);
  EXPECT_EQ(warp.executor->oldest(), Executor::kNothing);
  run_in(3, 1, 0);
  run_in(4, 2, 0);
  EXPECT_EQ(warp.executor->oldest(), 3U);
  warp.executor->settle(5);
  EXPECT_EQ(warp.at(0, 0, 10), 50U);
  EXPECT_EQ(warp.at(0, 0, 20), 80U);
  EXPECT_EQ(peek<std::uint32_t>(at + 40), 70U);
}

// Local memory, too, whether its instruction says so or an address does; of a warp without such an access, at once.
TEST_F(LaterAccess, LocalMemoryIsAtOnceButBehindMixedAccesses) {
  warp.kernel.local_bytes = 64;
  warp.store("st.u32", Space::kGeneric, 4, {2}, 10);
  warp.load("ld.local.u32", Space::kLocal, 4, {0}, 8);
  begin();
  point(0, 16, 0);
  const auto store = [&](std::uint64_t cycle, unsigned of_global, std::uint32_t first) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp.at(0, 2, lane) = first + lane;
      warp.set_address(0, 10, lane, lane < of_global ? at + 4 * lane : kLocalWindow + 16);
    }
    run_in(cycle, 0, 0);
  };
  store(1, 0, 40);
  run_in(2, 1, 0);
  EXPECT_EQ(warp.at(0, 0, 20), 60U);
  EXPECT_EQ(warp.executor->oldest(), Executor::kNothing);
  store(3, 16, 60);
  store(4, 0, 80);
  run_in(5, 1, 0);
  EXPECT_EQ(warp.at(0, 0, 20), 60U);
  warp.executor->settle(6);
  EXPECT_EQ(warp.at(0, 0, 20), 100U);
  EXPECT_EQ(warp.at(0, 0, 10), 90U);
  EXPECT_EQ(peek<std::uint32_t>(at + 40), 70U);
  store(7, 0, 120);
  EXPECT_EQ(warp.executor->oldest(), Executor::kNothing);
}

// Lanes in two allocations are looked up one by one, and all of them are memory that cores share.
TEST_F(LaterAccess, LanesInSeveralAllocationsAreNotMixed) {
  warp.launch.shared_bytes = 256;
  warp.store("st.u32", Space::kGeneric, 4, {2}, 10);
  warp.load("ld.shared.u32", Space::kShared, 4, {0}, 8);
  begin();
  const Address other = warp.memory.allocate(4096, "b");
  point(0, 0, 4);
  for (unsigned lane = 0; lane < 32; ++lane) warp.set_address(0, 10, lane, (lane < 16 ? at : other) + 4 * lane);
  run_in(1, 0, 0);
  EXPECT_EQ(warp.executor->oldest(), 1U);
  warp.at(0, 0, 3) = 5;
  run_in(2, 1, 0);
  EXPECT_EQ(warp.at(0, 0, 3), 0U) << "read at once";
}

}  // namespace later_access_test
}  // namespace warpfold::isa
