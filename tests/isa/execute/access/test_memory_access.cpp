// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics: values and resolved addresses.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/isa/memory_fixture.h"
#include "warpfold/isa/address_space.h"

namespace warpfold::isa {
namespace memory_access_test {

// An access that begins within an allocation, or within shared memory, and ends behind it.
TEST_F(MemoryTest, TheLastBytesOfARegionAreItsEnd) {
  warp.launch.shared_bytes = 132;
  warp.load("ld.global.u64", Space::kGlobal, 8, {0}, 8);
  warp.load("ld.shared.u64", Space::kShared, 8, {2}, 8);
  warp.start();
  const Address at = warp.memory.allocate(260, "a");
  point(0, at + 248, 0);
  EXPECT_EQ(fault(0, 0), "no fault");
  point(0, at + 256, 0);
  EXPECT_NE(fault(0, 0).find("reads 8 bytes"), std::string::npos);
  point(0, 120, 0);
  EXPECT_EQ(fault(1, 0), "no fault");
  point(0, 128, 0);
  EXPECT_NE(fault(1, 0).find("reads 8 bytes"), std::string::npos);
}

TEST_F(MemoryTest, LoadsExtendBySignAndWidth) {
  warp.load("ld.global.u8", Space::kGlobal, 1, {0}, 8);
  warp.load("ld.global.s8", Space::kGlobal, 1, {1}, 8).sign_extend = true;
  warp.load("ld.global.u16", Space::kGlobal, 2, {2}, 8);
  warp.load("ld.global.s16", Space::kGlobal, 2, {3}, 8).sign_extend = true;
  warp.load("ld.global.u64", Space::kGlobal, 8, {4}, 8);
  MicroOp& wide = warp.load("ld.global.s32", Space::kGlobal, 4, {6}, 8);
  wide.sign_extend = true;
  wide.d_wide = 1;
  warp.start();
  const Address at = warp.memory.allocate(256, "a");
  for (unsigned lane = 0; lane < 32; ++lane) poke<std::uint64_t>(at + 8 * lane, 0x0123456780008080ULL + lane);
  point(0, at, 8);
  for (const LaneMask mask : {LaneMask{0x55555555}, kAll}) {
    for (Pc pc = 0; pc < 6; ++pc) warp.run(pc, 0, mask);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint32_t on = mask >> lane & 1 ? ~0U : 0;
      EXPECT_EQ(warp.at(0, 0, lane), (0x80 + lane) & on);
      EXPECT_EQ(warp.at(0, 1, lane), (0xffffff80 + lane) & on);
      EXPECT_EQ(warp.at(0, 2, lane), (0x8080 + lane) & on);
      EXPECT_EQ(warp.at(0, 3, lane), (0xffff8080 + lane) & on);
      EXPECT_EQ(warp.at(0, 4, lane), (0x80008080 + lane) & on);
      EXPECT_EQ(warp.at(0, 5, lane), 0x01234567 & on);
      EXPECT_EQ(warp.at(0, 6, lane), (0x80008080 + lane) & on);
      EXPECT_EQ(warp.at(0, 7, lane), 0xffffffff & on);
    }
  }
}

// Coalesced, gathered, uniform, reversed; whole and partial masks; one row and compacted.
TEST_F(MemoryTest, PatternsOfAddresses) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8).offset = 4;
  warp.start();
  const Address at = warp.memory.allocate(16384, "a");
  for (unsigned word = 0; word < 4096; ++word) poke<std::uint32_t>(at + 4 * word, 1000 + word);
  for (const std::int64_t stride : {4, 0, -4, 8, 12, 128}) {
    for (unsigned row = 0; row < 2; ++row) point(row, at + 4096, stride);
    for (const LaneMask mask : {kAll, LaneMask{0x7fffffff}, LaneMask{0xfffffffe}, LaneMask{0x100}}) {
      for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 0, lane) = warp.at(1, 0, lane) = 1;
      warp.run(0, 0, mask);
      EXPECT_EQ(warp.outcome.access_bytes, 4U);
      EXPECT_EQ(warp.outcome.space, Space::kGlobal);
      std::vector<std::uint16_t> rows(32);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const auto expected = static_cast<std::uint32_t>(1000 + 1024 + 1 + stride / 4 * lane);
        EXPECT_EQ(warp.at(0, 0, lane), mask >> lane & 1 ? expected : 1) << stride;
        if (mask >> lane & 1) {
          EXPECT_EQ(warp.outcome.address[lane], at + 4100 + static_cast<Address>(stride * lane));
        }
        rows[lane] = static_cast<std::uint16_t>(1 - lane % 2);
      }
      warp.run_compacted(0, rows, mask);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const auto expected = static_cast<std::uint32_t>(1000 + 1024 + 1 + stride / 4 * lane);
        if (lane % 2 == 0) {
          EXPECT_EQ(warp.at(1, 0, lane), mask >> lane & 1 ? expected : 1) << stride;
        }
      }
    }
  }
}

TEST_F(MemoryTest, LanesMayUseDifferentAllocations) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  warp.start();
  const Address a = warp.memory.allocate(256, "a"), b = warp.memory.allocate(256, "b");
  poke<std::uint32_t>(a, 5);
  poke<std::uint32_t>(b, 6);
  for (unsigned lane = 0; lane < 32; ++lane) warp.set_address(0, 8, lane, lane % 2 ? b : a);
  warp.run(0, 0, kAll);
  EXPECT_EQ(warp.at(0, 0, 30), 5U);
  EXPECT_EQ(warp.at(0, 0, 31), 6U);
}

TEST_F(MemoryTest, StoresOfEveryWidth) {
  warp.store("st.global.u8", Space::kGlobal, 1, {0}, 8);
  warp.store("st.global.u16", Space::kGlobal, 2, {0}, 8);
  warp.store("st.global.u32", Space::kGlobal, 4, {0}, 8);
  warp.store("st.global.u64", Space::kGlobal, 8, {0}, 8);
  warp.start();
  const Address at = warp.memory.allocate(512, "a");
  for (unsigned bytes = 1, pc = 0; bytes <= 8; bytes *= 2, ++pc) {
    for (const LaneMask mask : {kAll, LaneMask{0x0ff00001}}) {
      for (const unsigned stride : {bytes, 16U}) {
        warp.memory.fill(at, 0xee, 512);
        point(0, at, stride);
        for (unsigned lane = 0; lane < 32; ++lane)
          warp.at(0, 0, lane) = 0x11223300 + lane, warp.at(0, 1, lane) = 0x55667788;
        warp.run(pc, 0, mask);
        for (unsigned lane = 0; lane < 32; ++lane) {
          std::uint64_t got = 0;
          ASSERT_TRUE(warp.memory.read(at + lane * stride, &got, bytes));
          const std::uint64_t field = bytes == 8 ? ~0ULL : (1ULL << 8 * bytes) - 1;
          const std::uint64_t value = 0x5566778811223300ULL + lane;
          EXPECT_EQ(got, (mask >> lane & 1 ? value : 0xeeeeeeeeeeeeeeeeULL) & field);
        }
      }
    }
  }
}

TEST_F(MemoryTest, TheHighestLaneWinsAStore) {
  warp.store("st.global.u32", Space::kGlobal, 4, {WarpFixture::kTid}, 8);
  warp.start();
  const Address at = warp.memory.allocate(4, "a");
  point(0, at, 0);
  warp.run(0, 0, 0x00ffff00);
  EXPECT_EQ(peek<std::uint32_t>(at), 23U);
}

TEST_F(MemoryTest, VectorsMoveSeveralRegisters) {
  warp.load("ld.global.v4.u32", Space::kGlobal, 4, {0, kNoWord, 2, 3}, 8);
  warp.store("st.global.v2.u64", Space::kGlobal, 8, {0, 2}, 8);
  warp.load("ld.global.v4.u8", Space::kGlobal, 1, {4, 5, 6, 7}, 8);
  warp.start();
  const Address at = warp.memory.allocate(512, "a");
  for (unsigned word = 0; word < 128; ++word) poke<std::uint32_t>(at + 4 * word, 0x01020300 + word);
  point(0, at, 16);
  warp.run(0, 0, kAll);
  EXPECT_EQ(warp.outcome.access_bytes, 16U);
  EXPECT_EQ(warp.at(0, 0, 5), 0x01020300U + 20);
  EXPECT_EQ(warp.at(0, 1, 5), 0U);
  EXPECT_EQ(warp.at(0, 2, 5), 0x01020300U + 22);
  EXPECT_EQ(warp.at(0, 3, 31), 0x01020300U + 127);
  warp.run(2, 0, kAll);
  EXPECT_EQ(warp.at(0, 4, 5), 20U);
  EXPECT_EQ(warp.at(0, 5, 5), 3U);
  EXPECT_EQ(warp.at(0, 7, 5), 1U);
  warp.run(1, 0, 0x20);
  EXPECT_EQ(peek<std::uint32_t>(at + 84), 0U);  // register 1
  EXPECT_EQ(peek<std::uint32_t>(at + 100), 0x01020300U + 25);
}

TEST_F(MemoryTest, ParametersAndConstants) {
  warp.load("ld.param.u64", Space::kParam, 8, {0}, kNoWord).offset = 8;
  MicroOp& indexed = warp.load("ld.const.f32", Space::kConst, 4, {2}, WarpFixture::kTid);
  indexed.base_wide = false;
  indexed.offset = 1;
  warp.launch.parameters.resize(16, std::byte{0x12});
  warp.bank.resize(64);
  warp.start();
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, WarpFixture::kTid, lane) = 4 * (lane % 4) + 3;
  warp.bank[4] = std::byte{7};
  warp.run(0, 0, kAll);
  EXPECT_EQ(warp.at(0, 1, 31), 0x12121212U);
  EXPECT_EQ(warp.outcome.space, Space::kParam);
  EXPECT_EQ(warp.outcome.address[31], 8U);
  warp.run(1, 0, kAll);
  EXPECT_EQ(warp.at(0, 2, 4), 7U);
  EXPECT_EQ(warp.at(0, 2, 5), 0U);
  EXPECT_EQ(warp.outcome.address[5], 8U);
}

TEST_F(MemoryTest, SharedMemoryBelongsToTheBlockOfTheRow) {
  warp.store("st.shared.u32", Space::kShared, 4, {1}, 0).base_wide = false;
  warp.load("ld.shared.u32", Space::kShared, 4, {2}, 0).base_wide = false;
  warp.launch.block = {32, 1, 1};
  warp.launch.shared_bytes = 128;
  warp.start(true);
  for (unsigned row = 0; row < 2; ++row) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp.at(row, 0, lane) = 4 * (31 - lane);
      warp.at(row, 1, lane) = 100 * (row + 1) + lane;
    }
    warp.run(0, row, kAll);
  }
  std::vector<std::uint16_t> rows(32);
  for (unsigned lane = 0; lane < 32; ++lane) rows[lane] = lane < 16;
  warp.run_compacted(1, rows, kAll);
  EXPECT_EQ(warp.outcome.space, Space::kShared);
  EXPECT_EQ(warp.outcome.address[1], 120U);
  EXPECT_EQ(warp.at(1, 2, 3), 203U);
  EXPECT_EQ(warp.at(0, 2, 20), 120U);
}

// Word w of neighbouring lanes is neighbouring memory (address_space.h); each thread has its own values.
TEST_F(MemoryTest, LocalMemoryInterleaves) {
  warp.store("st.local.u32", Space::kLocal, 4, {WarpFixture::kTid}, kNoWord).offset = 4;
  warp.load("ld.local.u32", Space::kLocal, 4, {0}, kNoWord).offset = 4;
  warp.kernel.local_bytes = 16;
  warp.start();
  warp.run(0, 0, kAll);
  const auto first = warp.outcome.address;
  warp.run(0, 1, kAll);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(first[lane], kLocalBacking + 4 * (32 + lane));
    EXPECT_EQ(warp.outcome.address[lane], kLocalBacking + 4 * (32 * 4 + 32 + lane));
  }
  warp.run_compacted(1, std::vector<std::uint16_t>(32, 1), kAll);
  EXPECT_EQ(warp.at(1, 0, 3), 35U);
}

TEST_F(MemoryTest, BytesOfAWordOfLocalMemoryAreNeighbours) {
  warp.store("st.local.u8", Space::kLocal, 1, {WarpFixture::kTid}, kNoWord).offset = 6;
  warp.kernel.local_bytes = 16;
  warp.start();
  warp.run(0, 0, kAll);
  EXPECT_EQ(warp.outcome.address[5], kLocalBacking + 4 * (32 + 5) + 2);
}

TEST_F(MemoryTest, GenericAddressesFallIntoWindows) {
  warp.store("st.u32", Space::kGeneric, 4, {WarpFixture::kTid}, 8);
  warp.load("ld.u32", Space::kGeneric, 4, {0}, 8);
  warp.launch.shared_bytes = 256;
  warp.kernel.local_bytes = 8;
  warp.bank.assign(8, std::byte{3});
  warp.start();
  const Address at = warp.memory.allocate(256, "a");
  point(0, kSharedWindow + 16, 4);
  warp.run(0, 0, kAll);
  EXPECT_EQ(warp.outcome.space, Space::kShared);
  EXPECT_EQ(warp.outcome.address[2], 24U);
  std::uint32_t got = 0;
  std::memcpy(&got, warp.blocks[0]->shared.data() + 24, 4);
  EXPECT_EQ(got, 2U);
  point(0, at, 4);
  warp.run(0, 0, kAll);
  EXPECT_EQ(warp.outcome.space, Space::kGlobal);
  EXPECT_EQ(peek<std::uint32_t>(at + 8), 2U);
  const std::array<Address, 4> mixed{kSharedWindow + 20, at + 12, kLocalWindow + 4, kConstWindow + 4};
  for (unsigned lane = 0; lane < 32; ++lane) warp.set_address(0, 8, lane, mixed[lane % 4]);
  warp.run(1, 0, 0xfe);
  EXPECT_EQ(warp.outcome.space, Space::kGlobal);  // that of the lowest lane
  EXPECT_EQ(warp.outcome.address[4], 20U);
  EXPECT_EQ(warp.outcome.address[5], at + 12);
  EXPECT_EQ(warp.at(0, 0, 4), 1U);
  EXPECT_EQ(warp.at(0, 0, 5), 3U);
  EXPECT_EQ(warp.at(0, 0, 6), 0U);
  EXPECT_EQ(warp.at(0, 0, 7), 0x03030303U);
}

// Base and offset are added in the width of the base: 32-bit sums wrap at 2^32, in every space.
TEST_F(MemoryTest, SumsOf32BitBasesWrap) {
  warp.load("ld.shared.u32", Space::kShared, 4, {0}, 8).offset = 8;
  warp.load("ld.const.u32", Space::kConst, 4, {1}, 8).offset = 8;
  warp.load("ld.param.u32", Space::kParam, 4, {2}, 8).offset = 8;
  warp.store("st.local.u32", Space::kLocal, 4, {8}, 8).offset = 8;
  warp.load("ld.local.u32", Space::kLocal, 4, {3}, 8).offset = 8;
  warp.load("ld.shared.u32", Space::kShared, 4, {4}, 8).offset = -8;
  warp.load("ld.global.u32", Space::kGlobal, 4, {5}, 8).offset = 8;
  for (MicroOp& op : warp.kernel.ops) op.base_wide = false;
  constexpr unsigned kBytes = 4 + 4 * 32;  // lane 31 ends there
  warp.launch.shared_bytes = kBytes;
  warp.kernel.local_bytes = kBytes + 4;
  warp.bank.resize(kBytes);
  warp.launch.parameters.resize(kBytes);
  warp.start();
  for (unsigned word = 0; word < kBytes / 4; ++word) {
    std::memcpy(warp.blocks[0]->shared.data() + 4 * word, &word, sizeof word);
    std::memcpy(warp.bank.data() + 4 * word, &word, sizeof word);
    std::memcpy(warp.launch.parameters.data() + 4 * word, &word, sizeof word);
  }
  point(0, static_cast<std::uint32_t>(-4), 4);  // lane l: 4 l - 4; what the high word holds is nobody's business
  for (Pc pc = 0; pc < 5; ++pc) warp.run(pc, 0, kAll);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (Word d = 0; d < 3; ++d) EXPECT_EQ(warp.at(0, d, lane), lane + 1) << d;
    EXPECT_EQ(warp.at(0, 3, lane), 4 * lane - 4);
  }
  EXPECT_NE(fault(5, 0).find("reads 4 bytes at 0xfffffff4, outside the 132 bytes of its block's shared memory"),
            std::string::npos);
  EXPECT_NE(fault(6, 0).find("reads 4 bytes at 0x4"), std::string::npos);  // not at 0x100000004
  point(0, 0, 4);                                                          // lane 31 at 132
  EXPECT_NE(fault(0, 0).find("thread (31,0,0) of block (0,0,0) reads 4 bytes at 0x84, outside"), std::string::npos);
}

MicroOp& atomic(WarpFixture& warp, Atomic which, char type, unsigned bytes, Space space, std::vector<Word> s,
                Word d = 0) {
  MicroOp& op = warp.op(Kind::kAtomic, "atom");
  op.atomic = which;
  op.element_type = static_cast<std::uint8_t>(type);
  op.element_bytes = static_cast<std::uint8_t>(bytes);
  op.space = space;
  op.base = 8;
  op.d[0] = d;
  op.d_count = d != kNoWord;
  op.s_count = static_cast<std::uint8_t>(s.size());
  std::copy(s.begin(), s.end(), op.s.begin());
  return op;
}

TEST_F(MemoryTest, AtomicsRunInLaneOrder) {
  atomic(warp, Atomic::kAdd, 'u', 4, Space::kGlobal, {2});
  atomic(warp, Atomic::kExch, 'b', 4, Space::kGlobal, {2}, kNoWord);
  warp.start();
  const Address at = warp.memory.allocate(4, "a");
  poke<std::uint32_t>(at, 1000);
  point(0, at, 0);
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 2, lane) = lane;
  warp.run(0, 0, 0xf0f0);
  std::uint32_t sum = 1000;
  for (const unsigned lane : {4, 5, 6, 7, 12, 13, 14, 15}) {
    EXPECT_EQ(warp.at(0, 0, lane), sum);
    sum += lane;
  }
  EXPECT_EQ(warp.at(0, 0, 8), 0U);
  EXPECT_EQ(peek<std::uint32_t>(at), sum);
  warp.run(1, 0, 0xf0f0);
  EXPECT_EQ(peek<std::uint32_t>(at), 15U);
}

// One update: old value, operands, new value (PTX ISA §9.7.12, atom).
TEST_F(MemoryTest, EveryAtomicOperation) {
  struct Case {
    Atomic which;
    char type;
    unsigned bytes;
    std::uint64_t old, b, c, expected;
  };
  const std::uint64_t minus_one = ~0ULL, one_and_half = 0x3ff8000000000000;
  const std::vector<Case> cases{{Atomic::kAdd, 'u', 4, 0xffffffff, 2, 0, 1},
                                {Atomic::kAdd, 'u', 8, 0xffffffff, 2, 0, 0x100000001},
                                {Atomic::kMin, 's', 4, 0xfffffff0, 5, 0, 0xfffffff0},
                                {Atomic::kMin, 'u', 4, 0xfffffff0, 5, 0, 5},
                                {Atomic::kMax, 's', 4, 0xfffffff0, 5, 0, 5},
                                {Atomic::kMax, 'u', 4, 0xfffffff0, 5, 0, 0xfffffff0},
                                {Atomic::kMin, 's', 8, 5, minus_one, 0, minus_one},
                                {Atomic::kMax, 'u', 8, 5, minus_one, 0, minus_one},
                                {Atomic::kInc, 'u', 4, 6, 7, 0, 7},
                                {Atomic::kInc, 'u', 4, 7, 7, 0, 0},
                                {Atomic::kDec, 'u', 4, 3, 7, 0, 2},
                                {Atomic::kDec, 'u', 4, 0, 7, 0, 7},
                                {Atomic::kDec, 'u', 4, 9, 7, 0, 7},
                                {Atomic::kAnd, 'b', 4, 12, 10, 0, 8},
                                {Atomic::kOr, 'b', 4, 12, 10, 0, 14},
                                {Atomic::kXor, 'b', 8, 12, 10ULL << 40 | 10, 0, 10ULL << 40 | 6},
                                {Atomic::kExch, 'b', 8, 1, minus_one - 1, 0, minus_one - 1},
                                {Atomic::kCas, 'b', 4, 5, 5, 9, 9},
                                {Atomic::kCas, 'b', 4, 5, 6, 9, 5},
                                {Atomic::kCas, 'b', 8, 5ULL << 32, 5ULL << 32, 9, 9},
                                {Atomic::kCas, 'b', 8, 5ULL << 32, 5, 9, 5ULL << 32},
                                {Atomic::kCas, 'b', 2, 5, 0xabc00005, 0xdef00009, 9},
                                {Atomic::kAdd, 'f', 4, 0x3fc00000, 0x3fc00000, 0, 0x40400000},
                                {Atomic::kAdd, 'f', 8, one_and_half, one_and_half, 0, 0x4008000000000000},
                                {Atomic::kAdd, 'f', 4, 1, 1, 0, 0},  // global memory flushes subnormals,
                                {Atomic::kAdd, 'f', 4, 0x00600000, 0x00600000, 0, 0}};  // before they add up to more
  for (const Case& test : cases)
    atomic(warp, test.which, test.type, test.bytes, Space::kGlobal, {2, 4}).d_wide = test.bytes == 8;
  warp.start();
  const Address at = warp.memory.allocate(8, "a");
  point(0, at, 0);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& test = cases[k];
    poke<std::uint64_t>(at, test.old);
    warp.set_address(0, 2, 9, test.b);
    warp.set_address(0, 4, 9, test.c);
    warp.run(static_cast<Pc>(k), 0, 0x200);
    EXPECT_EQ(peek<std::uint64_t>(at), test.expected) << "case " << k;
    EXPECT_EQ(warp.at(0, 0, 9), static_cast<std::uint32_t>(test.old)) << "case " << k;
    if (test.bytes == 8) {
      EXPECT_EQ(warp.at(0, 1, 9), test.old >> 32) << "case " << k;
    }
  }
}

TEST_F(MemoryTest, AtomicsInSharedMemoryAndTheirFaults) {
  atomic(warp, Atomic::kAdd, 'f', 4, Space::kShared, {2});
  atomic(warp, Atomic::kAdd, 'u', 8, Space::kGeneric, {2});
  warp.launch.shared_bytes = 16;
  warp.start();
  point(0, 4, 0);
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 2, lane) = 1;
  warp.run(0, 0, kAll);
  std::uint32_t sum = 0;
  std::memcpy(&sum, warp.blocks[0]->shared.data() + 4, 4);
  EXPECT_EQ(sum, 32U);  // subnormals count in shared memory
  point(0, kSharedWindow + 16, 0);
  EXPECT_EQ(fault(1, 0, 2),
            "kernel 'k': k.ptx:42: atom: thread (1,0,0) of block (0,0,0) updates 8 bytes at 0x10, outside the 16 bytes "
            "of its block's shared memory");
}

// Where the program has no memory, nothing is fetched, and that is no mistake.
TEST_F(MemoryTest, PrefetchesOfWhatIsNotThereAreNone) {
  warp.load("prefetch.global.L1", Space::kGlobal, 1, {}, 8).cache.prefetch = true;
  warp.start();
  const Address at = warp.memory.allocate(16 * 128, "a");
  point(0, at, 128);
  warp.run(0, 0, kAll);
  EXPECT_EQ(warp.outcome.executed, 0xffffU);
  EXPECT_EQ(warp.outcome.space, Space::kGlobal);
  EXPECT_EQ(warp.outcome.access_bytes, 1U);
  EXPECT_EQ(warp.outcome.address[3], at + 3 * 128);
}

}  // namespace memory_access_test
}  // namespace warpfold::isa
