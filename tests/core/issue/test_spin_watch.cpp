// SPDX-License-Identifier: Apache-2.0
// Which threads come back to the state that they had.
#include <gtest/gtest.h>

#include "warpfold/core/issue/spin_watch.h"

namespace warpfold {
namespace spin_watch_test {

class SpinWatchTest : public testing::Test {
 protected:
  SpinWatchTest() {
    kernel.registers = 2;
    kernel.predicates = 1;
    launch.kernel = &kernel;
    threads = std::make_unique<isa::ThreadStore>(launch, 4, 32, 0, 1);
    watch.start(*threads, kernel);
  }
  std::uint32_t& word(unsigned row, isa::Word index, unsigned lane) { return threads->words(row, index)[lane]; }

  isa::Kernel kernel;
  isa::Launch launch;
  std::unique_ptr<isa::ThreadStore> threads;
  SpinWatch watch;
  divergence::Warp warp = divergence::Warp::of_row(7, 1, 0xff);
};

TEST_F(SpinWatchTest, IsOnBetweenStartAndStop) {
  EXPECT_TRUE(watch.on());
  watch.stop();
  EXPECT_FALSE(watch.on());
}

TEST_F(SpinWatchTest, TheSameStateAgainIsARepetition) {
  watch.looped(9, warp);
  EXPECT_FALSE(watch.repeats(warp)) << "once is no repetition";
  watch.looped(9, warp);
  EXPECT_TRUE(watch.repeats(warp));
  EXPECT_FALSE(watch.repeats(divergence::Warp::of_row(7, 2, 0xff)));
  EXPECT_FALSE(watch.repeats(divergence::Warp::of_row(7, 1, 0x1ff))) << "lane 8 has not been seen";
  watch.start(*threads, kernel);
  EXPECT_FALSE(watch.repeats(warp)) << "forgotten";
}

TEST_F(SpinWatchTest, ACounterInARegisterIsProgress) {
  for (unsigned i = 0; i < 1000; ++i) {
    word(1, 1, 7) = i;
    watch.looped(9, warp);
    ASSERT_FALSE(watch.repeats(warp)) << i;
  }
  EXPECT_TRUE(watch.repeats(divergence::Warp::of_row(7, 1, 0x7f))) << "of lane 7 only";
}

TEST_F(SpinWatchTest, ProgressOfAnyThreadIsTheWarps) {
  for (unsigned i = 0; i < 10; ++i) {
    word(1, 1, 0) = i;
    watch.looped(9, warp);
    ASSERT_FALSE(watch.repeats(warp)) << i << ": the first lane counts, the last one does not";
  }
}

TEST_F(SpinWatchTest, APredicateOrAPlaceMakesADifference) {
  warp.mask = 1;
  watch.looped(9, warp);
  word(1, 2, 0) = 1;
  watch.looped(9, warp);
  watch.looped(12, warp);
  EXPECT_FALSE(watch.repeats(warp));
}

// Thread 0 of row 1 goes round with ever other threads.
TEST_F(SpinWatchTest, CompanyDoesNotMatter) {
  divergence::Warp other = warp;
  other.row[1] = 2;
  other.one_row = false;
  other.mask = 0b11;
  watch.looped(9, warp);
  watch.looped(9, other);
  EXPECT_TRUE(watch.repeats(divergence::Warp::of_row(7, 1, 1)));
  EXPECT_FALSE(watch.repeats(warp)) << "the others have come once";
}

// A thread that reads other lanes' registers may go on although its own are what they were.
TEST_F(SpinWatchTest, CompanyMattersWhereLanesExchangeValues) {
  kernel.ops.resize(1);
  kernel.ops[0].kind = isa::Kind::kShuffle;
  watch.start(*threads, kernel);
  const divergence::Warp first = divergence::Warp::of_row(7, 1, 1);
  watch.looped(9, warp);
  word(1, 1, 7) = 1;
  watch.looped(9, warp);
  EXPECT_FALSE(watch.repeats(first));
  warp.mask = 0x7f;
  watch.looped(9, warp);
  EXPECT_FALSE(watch.repeats(first)) << "of other lanes";
  watch.looped(9, warp);
  watch.looped(9, warp);
  EXPECT_TRUE(watch.repeats(first));
}

TEST_F(SpinWatchTest, LanesThatAreNotActiveDoNotMatter) {
  watch.looped(9, warp);
  word(1, 0, 31) = 5;
  word(2, 0, 3) = 5;
  watch.looped(9, warp);
  EXPECT_TRUE(watch.repeats(warp));
}

// Brent: a cycle of any length shows, at the latest after three rounds of the next power of two.
TEST_F(SpinWatchTest, LongCyclesAreFoundToo) {
  unsigned visits = 0;
  warp.mask = 1u << 2;
  while (!watch.repeats(warp) && visits < 1000) {
    word(1, 0, 2) = visits++ % 37;
    watch.looped(9, warp);
  }
  EXPECT_GT(visits, 37u);
  EXPECT_LE(visits, 3 * 64u);
}

}  // namespace spin_watch_test
}  // namespace warpfold
