// SPDX-License-Identifier: Apache-2.0
// Which warps come back to the state that they had.
#include <gtest/gtest.h>

#include "models/core/spin_watch.h"

namespace warpfold {
namespace {

class SpinWatchTest : public testing::Test {
 protected:
  SpinWatchTest() {
    kernel.registers = 2;
    kernel.predicates = 1;
    launch.kernel = &kernel;
    threads = std::make_unique<isa::ThreadStore>(launch, 4, 32, 0, 1);
    watch.start(*threads, 3);
  }
  std::uint32_t& word(unsigned row, isa::Word index, unsigned lane) { return threads->words(row, index)[lane]; }

  isa::Kernel kernel;
  isa::Launch launch;
  std::unique_ptr<isa::ThreadStore> threads;
  SpinWatch watch{4};
  divergence::Warp warp = divergence::Warp::of_row(7, 1, 0xff);
};

TEST_F(SpinWatchTest, IsOnBetweenStartAndStop) {
  EXPECT_TRUE(watch.on());
  watch.stop();
  EXPECT_FALSE(watch.on());
}

TEST_F(SpinWatchTest, TheSameStateAgainIsARepetition) {
  watch.looped(0, 9, warp);
  EXPECT_FALSE(watch.repeats(0)) << "once is no repetition";
  watch.looped(0, 9, warp);
  EXPECT_TRUE(watch.repeats(0));
  EXPECT_FALSE(watch.repeats(1));
  watch.start(*threads, 3);
  EXPECT_FALSE(watch.repeats(0)) << "forgotten";
}

TEST_F(SpinWatchTest, ACounterInARegisterIsProgress) {
  for (unsigned i = 0; i < 1000; ++i) {
    word(1, 1, 7) = i;
    watch.looped(0, 9, warp);
    ASSERT_FALSE(watch.repeats(0)) << i;
  }
}

TEST_F(SpinWatchTest, APredicateALaneOrAPlaceMakesADifference) {
  watch.looped(0, 9, warp);
  word(1, 2, 0) = 1;
  watch.looped(0, 9, warp);
  warp.mask = 0xfe;
  watch.looped(0, 9, warp);
  watch.looped(0, 12, warp);
  EXPECT_FALSE(watch.repeats(0));
}

TEST_F(SpinWatchTest, LanesThatAreNotActiveDoNotMatter) {
  watch.looped(0, 9, warp);
  word(1, 0, 31) = 5;
  word(2, 0, 3) = 5;
  watch.looped(0, 9, warp);
  EXPECT_TRUE(watch.repeats(0));
}

// Brent: a cycle of any length shows, at the latest after three rounds of the next power of two.
TEST_F(SpinWatchTest, LongCyclesAreFoundToo) {
  unsigned visits = 0;
  while (!watch.repeats(3) && visits < 1000) {
    word(1, 0, 2) = visits++ % 37;
    watch.looped(3, 9, warp);
  }
  EXPECT_GT(visits, 37u);
  EXPECT_LE(visits, 3 * 64u);
}

}  // namespace
}  // namespace warpfold
