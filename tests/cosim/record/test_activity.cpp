// SPDX-License-Identifier: Apache-2.0
// How often signals switch, from a waveform file.
#include <fstream>

#include "tb/cosim/record/activity.h"
#include "tests/cosim/rtl_fixture.h"
#include "warpfold/common/error.h"

namespace warpfold::cosim {
namespace activity_test {

class ActivityTest : public RtlTest {
 protected:
  const std::string file = directory / "run.fst";
};

// A counter by 1 in one core, by 2 in another, which rests every other cycle.
TEST_F(ActivityTest, TransitionsPerClockOfEachBlock) {
  {
    Waves waves(file, 1000);
    RtlModel first(counter(), "core0.count", 1, &waves), second(counter(), "core0.other", 2, &waves);
    for (std::uint64_t cycle = 1; cycle <= 64; ++cycle) {
      first.clock(1000 * cycle);
      first.pin("step_i").set(1);
      first.eval();
      if (cycle % 2 != 0) continue;
      second.clock(1000 * cycle);
      second.pin("step_i").set(2);
      second.eval();
    }
  }
  const auto blocks = activity_in(file);
  ASSERT_EQ(blocks.size(), 2U);
  const BlockActivity &first = blocks.at("core0.count"), &second = blocks.at("core0.other");
  EXPECT_EQ(first.clocks, 64U);
  EXPECT_EQ(second.clocks, 32U);
  EXPECT_NEAR(first.bits.at("count_o[0]").transitions, 63. / 64, 1e-9);
  EXPECT_NEAR(first.bits.at("count_o[1]").transitions, 31. / 64, 1e-9);
  EXPECT_NEAR(first.bits.at("count_o[0]").ones, 0.5, 0.05);
  EXPECT_EQ(second.bits.at("count_o[0]").transitions, 0);
  EXPECT_NEAR(second.bits.at("count_o[1]").transitions, 31. / 32, 1e-9);
  EXPECT_NEAR(first.bits.at("step_i[0]").transitions, 1. / 64, 1e-9);
}

TEST_F(ActivityTest, MeanOfInstancesCountsByTheirClocks) {
  const BlockActivity mean = mean_of({{"a", {30, {{"x", {1, 0.5}}}}}, {"b", {10, {{"x", {0, 0.1}}, {"y", {0.4, 1}}}}}});
  EXPECT_EQ(mean.clocks, 40U);
  EXPECT_EQ(text_of(mean), "x 0.75 0.4\ny 0.1 0.25\n");
}

TEST_F(ActivityTest, RefusesWhatIsNoWaveform) {
  EXPECT_THROW(activity_in(directory / "none.fst"), UserError);
  std::ofstream(file) << "no waveform\n";
  EXPECT_THROW(activity_in(file), UserError);
  std::ofstream(file, std::ios::trunc).close();
  EXPECT_THROW(activity_in(file), UserError);
}

}  // namespace activity_test
}  // namespace warpfold::cosim
