// SPDX-License-Identifier: Apache-2.0
// A run leaves behind what its instructions do one by one.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/isa/warp_fixture.h"
#include "warpfold/common/error.h"

namespace warpfold::isa {
namespace straight_run_test {

constexpr LaneMask kAll = 0xffffffff;
constexpr unsigned kBytes = 4096;  // of the allocation and of shared memory

// Two machines that hold the same: one executes instruction by instruction, the other one in a run.
class StraightRun : public ::testing::Test {
 protected:
  // `write` adds instructions to both kernels. Registers 0 to 7 have small values, 8 and 9 an address in the allocation
  // with `stride` bytes from lane to lane, 10 the same in shared memory, the predicate holds in some lanes.
  template <class Write>
  void start(Write write, unsigned stride = 4, Dim3 block = {64, 1, 1}, unsigned lanes = 32) {
    for (auto& warp : warps) {
      warp = std::make_unique<WarpFixture>(block, 2, lanes);
      warp->kernel.constants = {5, 7, 0};
      warp->launch.shared_bytes = kBytes;
      warp->bank.assign(64, std::byte{3});
      begin = warp->memory.allocate(kBytes, "box");
      write(*warp);
      warp->start();
      std::minstd_rand random(1);
      for (unsigned row = 0; row < 2; ++row) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
          for (Word word = 0; word < 8; ++word) warp->at(row, word, lane) = static_cast<std::uint32_t>(random() % 1000);
          warp->set_address(row, 8, lane, begin + 64 + Address{stride} * lane);
          warp->at(row, 10, lane) = 64 + stride * lane;
          warp->at(row, WarpFixture::kPredicate, lane) = static_cast<std::uint32_t>(random() & 1);
        }
      }
      std::vector<std::uint32_t> words(kBytes / 4);
      for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
      ASSERT_TRUE(warp->memory.write(begin, words.data(), kBytes));
    }
  }
  // The rest of the kernel from `pc` on, in `mask` of row 1.
  void both_run(LaneMask mask = kAll, Pc pc = 0) {
    WarpFixture &one = *warps[0], &other = *warps[1];
    other.executor->prepare_runs();
    const Pc end = other.executor->run_end(pc);
    ASSERT_EQ(end, other.kernel.end());
    std::array<std::uint16_t, kMaxLanes> rows;
    rows.fill(1);
    other.executor->run(pc, end, {rows.data(), mask, other.launch.warp_size, true}, run);
    EXPECT_EQ(run.next, end);
    auto guarded = run.guarded.begin();
    for (; pc < end; ++pc) {
      one.run(pc, 1, mask);
      if (one.kernel.ops[pc].kind == Kind::kBranch) {
        EXPECT_EQ(run.taken, one.outcome.taken);
      } else if (one.kernel.ops[pc].guard != kNoWord) {
        ASSERT_NE(guarded, run.guarded.end());
        EXPECT_EQ(guarded->pc, pc);
        EXPECT_EQ(guarded++->executed, one.outcome.executed);
      }
    }
    EXPECT_EQ(guarded, run.guarded.end());
    expect_same();
  }
  void expect_same() {
    for (unsigned row = 0; row < 2; ++row) {
      for (Word word = 0; word < warps[0]->kernel.words(); ++word) {
        for (unsigned lane = 0; lane < warps[0]->launch.warp_size; ++lane)
          EXPECT_EQ(warps[0]->at(row, word, lane), warps[1]->at(row, word, lane)) << word << ' ' << lane;
      }
    }
    std::array<std::array<std::byte, kBytes>, 2> box;
    for (unsigned k = 0; k < 2; ++k) ASSERT_TRUE(warps[k]->memory.read(begin, box[k].data(), kBytes));
    EXPECT_EQ(box[0], box[1]);
    EXPECT_EQ(warps[0]->blocks[0]->shared, warps[1]->blocks[0]->shared);
    EXPECT_EQ(warps[0]->executor->memory_changes(), warps[1]->executor->memory_changes());
  }

  std::array<std::unique_ptr<WarpFixture>, 2> warps;
  Executor::Run run;
  Address begin = 0;
};

void arithmetic(WarpFixture& warp) {
  warp.compute("add.s32", {0}, {1, 2});
  warp.compute("mul.wide.u32", {4}, {0, 3});
  warp.compute("add.s64", {6}, {4, 6}).guard = WarpFixture::kPredicate;
  warp.compute("setp.lt.s32", {WarpFixture::kPredicate}, {0, static_cast<Word>(kConstant + 1)});
  MicroOp& negated = warp.compute("mad.lo.s32", {1}, {1, kConstant, WarpFixture::kTid});
  negated.guard = WarpFixture::kPredicate;
  negated.guard_negated = true;
  warp.compute("add.s64", {2}, {4, kConstant + 1});  // a constant of two words
  warp.op(Kind::kFence, "membar.gl");
}

TEST_F(StraightRun, ComputesInAllLanesAndInSome) {
  for (const LaneMask mask : {kAll, LaneMask{0x0ff01234}, LaneMask{1} << 31}) {
    start(arithmetic);
    both_run(mask);
  }
}

TEST_F(StraightRun, WarpsOfOtherWidthsAndRowsThatAreNotFull) {
  for (const unsigned lanes : {4U, 8U, 16U, 64U}) {
    start(arithmetic, 4, {2 * lanes, 1, 1}, lanes);
    both_run(low_lanes(lanes));
  }
  start(arithmetic, 4, {40, 1, 1});
  both_run(0xff);
}

TEST_F(StraightRun, EndsWithABranch) {
  start([](WarpFixture& warp) {
    warp.compute("add.s32", {0}, {1, 2});
    warp.op(Kind::kBranch, "bra").guard = WarpFixture::kPredicate;
  });
  both_run();
  EXPECT_NE(run.taken, 0U);
  EXPECT_NE(run.taken, kAll);
  warps[1]->at(1, WarpFixture::kPredicate, 3) = 0;
  std::array<std::uint16_t, kMaxLanes> rows;
  rows.fill(1);
  warps[1]->executor->run(1, 2, {rows.data(), 0x8, 32, true}, run);
  EXPECT_EQ(run.taken, 0U) << "of the run before";
}

TEST_F(StraightRun, WhatOthersWaitForIsInNone) {
  start([](WarpFixture& warp) {
    warp.compute("add.s32", {0}, {1, 2});
    warp.op(Kind::kBranch, "bra");
    warp.compute("add.s32", {0}, {1, 2});
    for (const Kind kind :
         {Kind::kBarrier, Kind::kExit, Kind::kVote, Kind::kShuffle, Kind::kClock, Kind::kTrap, Kind::kSystemCall})
      warp.op(kind, "other");
  });
  Executor& executor = *warps[0]->executor;
  executor.prepare_runs();
  EXPECT_EQ(executor.run_end(0), 2U);
  EXPECT_EQ(executor.run_end(1), 2U);
  EXPECT_EQ(executor.run_end(2), 3U);
  for (Pc pc = 3; pc < warps[0]->kernel.end(); ++pc) EXPECT_EQ(executor.run_end(pc), pc);
}

TEST_F(StraightRun, AFaultSaysHowFarItCame) {
  start([](WarpFixture& warp) {
    warp.compute("add.s32", {0}, {1, 2});
    warp.load("ld.global.u32", Space::kGlobal, 4, {3}, 8);
  });
  warps[1]->set_address(1, 8, 5, begin + kBytes);
  warps[1]->executor->prepare_runs();
  std::array<std::uint16_t, kMaxLanes> rows;
  rows.fill(1);
  EXPECT_THROW(warps[1]->executor->run(0, 2, {rows.data(), kAll, 32, true}, run), UserError);
  EXPECT_EQ(run.next, 1U);
}

}  // namespace straight_run_test
}  // namespace warpfold::isa
