// SPDX-License-Identifier: Apache-2.0
// Instructions under a checker: what is told, and what becomes of the lanes.
#include "tests/isa/memory_fixture.h"
#include "warpfold/isa/address_space.h"
#include "warpfold/isa/check/memory_checker.h"

namespace warpfold::isa {
namespace checked_access_test {

class CheckedAccess : public MemoryTest {
 protected:
  // Before anything is allocated; then start_kernel().
  void check(const CheckParams& params) {
    checker = std::make_unique<MemoryChecker>(params, warp.memory);
    warp.launch.checker = checker.get();
  }
  void start_kernel() {
    warp.start();
    checker->launch_started();
  }
  Address allocate(std::uint64_t bytes) {
    return warp.memory.allocate(bytes, "cudaMalloc #1", CallSite::of(__builtin_return_address(0)));
  }
  // "2 out of bounds: thread (1,0,0) of block (0,0,0) reads …", one line each.
  std::string findings() const {
    std::string text;
    for (const Finding& finding : checker->findings().all()) {
      text += fmt::format("{} {}: {} {}; {}\n", finding.count, name_of(finding.kind), finding.thread, finding.act,
                          finding.memory.substr(0, finding.memory.find(", allocated in ")));
    }
    return text;
  }
  std::unique_ptr<MemoryChecker> checker;
};

constexpr CheckParams kMemory{.memory = true};

TEST_F(CheckedAccess, ReadsOutsideReturnZeroAndTheOthersGoOn) {
  warp.load("ld.global.f32", Space::kGlobal, 4, {0}, 8);
  check(kMemory);
  start_kernel();
  const Address a = allocate(100);  // 25 words
  for (unsigned k = 0; k < 25; ++k) poke<std::uint32_t>(a + 4 * k, k + 1);
  point(0, a, 4);
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 0, lane) = 99;
  EXPECT_EQ(fault(0, 0, 0xfffffffe), "no fault");
  EXPECT_EQ(warp.at(0, 0, 0), 99U) << "a lane that does not execute";
  EXPECT_EQ(warp.at(0, 0, 1), 2U);
  EXPECT_EQ(warp.at(0, 0, 24), 25U);
  EXPECT_EQ(warp.at(0, 0, 25), 0U);
  EXPECT_EQ(warp.outcome.executed, 0x1fffffeU) << "those that accessed something";
  EXPECT_EQ(warp.outcome.space, Space::kGlobal);
  EXPECT_EQ(findings(),
            "7 out of bounds: thread (25,0,0) of block (0,0,0) reads 4 bytes at 0x700000064; outside every allocation; "
            "nearest is cudaMalloc #1 [0x700000000, 0x700000064) 0 bytes below\n");
  EXPECT_NE(checker->findings().all()[0].memory.find(", allocated in "), std::string::npos);
  EXPECT_EQ(checker->launch_ended(), KernelFault::Kind::kIllegalAddress);
  EXPECT_EQ(fault(0, 0, 0x80000000), "no fault");
  EXPECT_EQ(warp.outcome.executed, 0U);
}

TEST_F(CheckedAccess, WritesAndAtomicsOutsideAreDropped) {
  warp.store("st.global.v2.u32", Space::kGlobal, 4, {0, 1}, 8);
  MicroOp& add = warp.op(Kind::kAtomic, "atom.global.add.u32");
  add.space = Space::kGlobal;
  add.element_bytes = 4;
  add.base = 8;
  add.d[0] = 2;
  add.s[0] = 0;
  add.s_count = 1;
  check(kMemory);
  start_kernel();
  const Address a = allocate(24), b = allocate(256);
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 0, lane) = warp.at(0, 1, lane) = lane + 1;
  point(0, a, 8);
  EXPECT_EQ(fault(0, 0, 0xf), "no fault");
  EXPECT_EQ(peek<std::uint32_t>(a + 20), 3U);
  EXPECT_EQ(peek<std::uint32_t>(b), 0U);
  point(0, a + 24, 0);
  EXPECT_EQ(fault(1, 0, 0x3), "no fault");
  EXPECT_EQ(warp.at(0, 2, 1), 0U) << "each finds zero, whatever others would have left";
  EXPECT_EQ(checker->findings().errors(), 3U);
}

TEST_F(CheckedAccess, FreedMemoryAndAddressesThatAreNotAligned) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  check(kMemory);
  start_kernel();
  const Address a = allocate(100);
  const std::string made = warp.memory.find(a)->made_at.text();
  warp.memory.release(a);
  const Address b = allocate(100);
  EXPECT_NE(a, b);
  point(0, a, 0);
  EXPECT_EQ(fault(0, 0, 1), "no fault");
  point(0, b + 2, 0);
  EXPECT_EQ(fault(0, 0, 1), "no fault");
  EXPECT_EQ(warp.at(0, 0, 0), 0U);
  EXPECT_EQ(findings(),
            "1 use after free: thread (0,0,0) of block (0,0,0) reads 4 bytes at 0x700000000; in cudaMalloc #1 "
            "[0x700000000, 0x700000064), which has been freed; allocated in " +
                made +
                "\n1 misaligned: thread (0,0,0) of block (0,0,0) reads 4 bytes at 0x700000202; the address is not a "
                "multiple of 4\n");
  checker->launch_started();
  EXPECT_EQ(checker->launch_ended(), std::nullopt);
  point(0, b + 2, 0);
  EXPECT_EQ(fault(0, 0, 1), "no fault");
  EXPECT_EQ(checker->launch_ended(), KernelFault::Kind::kMisalignedAddress);
}

TEST_F(CheckedAccess, TheOtherSpacesToo) {
  warp.store("st.u32", Space::kGeneric, 4, {0}, 8);
  warp.launch.shared_bytes = 64;
  warp.kernel.local_bytes = 8;
  warp.bank.resize(16);
  check(kMemory);
  start_kernel();
  point(0, 0, 0);
  warp.set_address(0, 8, 0, kSharedWindow + 64);
  warp.set_address(0, 8, 1, kLocalWindow + 8);
  warp.set_address(0, 8, 2, kConstWindow);
  warp.set_address(0, 8, 3, kSharedWindow + 60);
  warp.at(0, 0, 3) = 5;
  EXPECT_EQ(fault(0, 0, 0xf), "no fault");
  EXPECT_EQ(warp.outcome.executed, 8U);
  EXPECT_EQ(warp.outcome.space, Space::kShared);
  EXPECT_EQ(warp.blocks[0]->shared[60], std::byte{5});
  EXPECT_EQ(checker->findings().errors(), 3U);
  EXPECT_EQ(findings(),
            "3 out of bounds: thread (0,0,0) of block (0,0,0) writes 4 bytes at 0x40 of its block's shared memory; "
            "outside the 64 bytes of its block's shared memory\n");
}

TEST_F(CheckedAccess, StrayReadsAreZeroAndNothingElseIs) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  warp.store("st.global.u32", Space::kGlobal, 4, {0}, 8);
  check({.stray_reads = StrayReads::kZero});
  start_kernel();
  point(0, 0, 4);
  warp.at(0, 0, 0) = 9;
  EXPECT_EQ(fault(0, 0), "no fault");
  EXPECT_EQ(warp.at(0, 0, 0), 0U);
  EXPECT_EQ(checker->findings().stray_reads(), 32U);
  EXPECT_EQ(checker->findings().errors(), 0U);
  EXPECT_EQ(checker->launch_ended(), std::nullopt);
  EXPECT_NE(fault(1, 0).find("writes 4 bytes at 0x0, outside every allocation"), std::string::npos);
  point(0, 2, 0);
  EXPECT_NE(fault(0, 0).find("address is not a multiple of 4"), std::string::npos);
}

TEST_F(CheckedAccess, UninitializedReads) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  warp.store("st.global.u32", Space::kGlobal, 4, {0}, 8);
  warp.load("ld.shared.u32", Space::kShared, 4, {0}, 8);
  warp.launch.shared_bytes = 64;
  check({.initialized = true});
  start_kernel();
  const Address a = allocate(128);
  poke<std::uint32_t>(a + 4, 1);
  point(0, a, 4);
  EXPECT_EQ(fault(1, 0, 1), "no fault");
  EXPECT_EQ(fault(0, 0, 0xf), "no fault");
  EXPECT_EQ(findings(),
            "2 uninitialized read: thread (2,0,0) of block (0,0,0) reads 4 bytes at 0x700000008; byte 8 of cudaMalloc "
            "#1 [0x700000000, 0x700000080)\n");
  EXPECT_EQ(checker->launch_ended(), std::nullopt) << "no error of CUDA's";
  point(0, 0, 4);
  EXPECT_EQ(fault(2, 0, 1), "no fault");
  EXPECT_EQ(checker->findings().all().back().act, "reads 4 bytes at 0x0 of its block's shared memory");
}

TEST_F(CheckedAccess, RacesNameBothSides) {
  warp.store("st.shared.u32", Space::kShared, 4, {0}, 8);
  warp.load("ld.volatile.shared.u32", Space::kShared, 4, {0}, 8);
  warp.op(Kind::kFence, "membar.cta");
  warp.launch.shared_bytes = 128;
  check({.races = true});
  start_kernel();
  point(0, 0, 4);
  point(1, 0, 4);
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 0, lane) = lane + 1;
  EXPECT_EQ(fault(0, 0), "no fault");
  EXPECT_EQ(fault(1, 0), "no fault");
  EXPECT_EQ(findings(), "") << "a warp's own";
  EXPECT_EQ(fault(1, 1, 0x30), "no fault");
  EXPECT_EQ(findings(),
            "2 race in shared memory: thread (36,0,0) of block (0,0,0) reads 4 bytes at 0x10 of its block's shared "
            "memory; thread (4,0,0) of block (0,0,0) wrote there at k.ptx:41: st.shared.u32, and nothing orders the "
            "two\n");
  EXPECT_EQ(fault(2, 0), "no fault");
  EXPECT_EQ(fault(1, 1, 0x40), "no fault") << "a fence orders nothing by itself";
  EXPECT_EQ(checker->findings().errors(), 3U);
  warp.executor->barrier_opened(1);
  EXPECT_EQ(fault(1, 1), "no fault");
  EXPECT_EQ(checker->findings().errors(), 3U);
}

// What an instruction is by its words: a flag handed over by atomics of a scope, with fences of one.
TEST_F(CheckedAccess, RacesGoByScopesAndFences) {
  warp.store("st.global.u32", Space::kGlobal, 4, {0}, 8);              // 0
  warp.op(Kind::kFence, "membar.cta");                                 // 1
  warp.op(Kind::kFence, "fence.acq_rel.gpu");                          // 2
  warp.op(Kind::kFence, "nanosleep.u32");                              // 3
  warp.store("st.relaxed.gpu.global.u32", Space::kGlobal, 4, {0}, 4);  // 4
  warp.load("ld.acquire.gpu.global.u32", Space::kGlobal, 4, {1}, 4);   // 5
  warp.load("ld.global.u32", Space::kGlobal, 4, {1}, 8);               // 6
  check({.races = true});
  warp.start(true);  // two blocks
  const Address a = allocate(128), flag = allocate(4);
  for (const unsigned row : {0U, 1U}) {
    point(row, a, 4);
    for (unsigned lane = 0; lane < 32; ++lane) warp.set_address(row, 4, lane, flag);
  }
  const auto hand_over = [&](unsigned fence) {
    const std::uint64_t before = checker->findings().errors();
    checker->launch_started();
    for (unsigned lane = 0; lane < 32; ++lane) ++warp.at(0, 0, lane);
    for (const unsigned pc : {0U, fence, 4U}) EXPECT_EQ(fault(pc, 0), "no fault");
    for (const unsigned pc : {5U, 6U}) EXPECT_EQ(fault(pc, 1), "no fault");
    return checker->findings().errors() - before;
  };
  EXPECT_EQ(hand_over(1), 32U) << "it is of a block";
  EXPECT_EQ(hand_over(2), 0U);
  EXPECT_EQ(hand_over(3), 32U) << "no fence at all";
}

TEST_F(CheckedAccess, OfACompactedWarp) {
  warp.load("ld.global.u32", Space::kGlobal, 4, {0}, 8);
  check(kMemory);
  start_kernel();
  const Address a = allocate(100);
  poke<std::uint32_t>(a, 7);
  point(0, a, 0);
  point(1, a + 100, 0);
  std::vector<std::uint16_t> rows(32, 0);
  rows[1] = 1;
  warp.run_compacted(0, rows, 0x3);
  EXPECT_EQ(warp.at(0, 0, 0), 7U);
  EXPECT_EQ(warp.at(1, 0, 1), 0U);
  EXPECT_EQ(checker->findings().all().at(0).thread, "thread (33,0,0) of block (0,0,0)");
}

}  // namespace checked_access_test
}  // namespace warpfold::isa
