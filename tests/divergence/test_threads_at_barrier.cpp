// SPDX-License-Identifier: Apache-2.0
// Threads that wait at __syncthreads leave it block by block, whatever company they came in.
#include <gtest/gtest.h>

#include "models/divergence/threads_at_barrier.h"
#include "tests/divergence/fake_core.h"

namespace warpfold::divergence {
namespace {

class ThreadsAtBarrierTest : public testing::Test {
 protected:
  std::string released(unsigned slot) {
    std::string text;
    kept.release(slot, [&](const Warp& warp) {
      text += fmt::format("{}{}{}", warp.pc, threads_text(warp, 4), warp.one_row ? " " : " mixed ");
    });
    return text;
  }
  FakeCore core{32, 8, 2};  // blocks of two rows
  ThreadsAtBarrier kept{core, 4};
};

TEST_F(ThreadsAtBarrierTest, AWarpOfSeveralBlocksIsDivided) {
  Warp warp = Warp::of_row(5, 0, 0b1111);
  warp.row = {0, 3, 1, 2};
  warp.one_row = false;
  kept.keep(warp);
  EXPECT_EQ(kept.count(0), 2U);
  EXPECT_EQ(kept.count(1), 2U);
  EXPECT_EQ(released(1), "5{13,11} mixed ");
  EXPECT_FALSE(kept.empty());
  EXPECT_EQ(released(0), "5{0,6} mixed ");
  EXPECT_TRUE(kept.empty());
}

TEST_F(ThreadsAtBarrierTest, ThreadsLeaveInTheOrderInWhichTheyCame) {
  kept.keep(Warp::of_row(5, 1, 0b0011));
  kept.keep(Warp::of_row(7, 0, 0b1000));
  EXPECT_EQ(kept.count(0), 3U);
  EXPECT_EQ(released(0), "5{4,5} 7{3} ");
  EXPECT_EQ(released(0), "") << "once";
}

TEST_F(ThreadsAtBarrierTest, APartOfOneRowIsOneRow) {
  Warp warp = Warp::of_row(5, 0, 0b0111);
  warp.row[2] = 6;
  warp.one_row = false;
  kept.keep(warp);
  EXPECT_EQ(released(0), "5{0,1} ");
  EXPECT_EQ(released(3), "5{26} ");
}

}  // namespace
}  // namespace warpfold::divergence
