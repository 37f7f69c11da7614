// SPDX-License-Identifier: Apache-2.0
// Cycles of cores with blocks, and of a machine that is less than half in use, counted by hand.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "warpfold/gpu/record/core_usage.h"

namespace warpfold {
namespace core_usage_test {

class CoreUsageTest : public testing::Test {
 protected:
  CoreUsageTest() {
    std::vector<StatGroup*> cores;
    for (StatGroup& core : cores_) cores.push_back(&core);
    usage_ = std::make_unique<CoreUsage>(machine_, cores);
  }
  std::uint64_t few() const { return machine_.entries()[0].counter.value(); }
  std::uint64_t busy(unsigned core) const { return cores_[core].entries()[0].counter.value(); }

  StatGroup machine_{"gpu"};
  std::array<StatGroup, 4> cores_{StatGroup("core0"), StatGroup("core1"), StatGroup("core2"), StatGroup("core3")};
  std::unique_ptr<CoreUsage> usage_;
};

// Cores     cycles with a block
//   0       2 .. 9 and 5 .. 19, overlapping: one stretch of 18
//   1       2 .. 9
//   2       12 .. 13
//   3       none
// Two of four are half: from 0 to 1, from 10 to 11 and from 14 to the end there are fewer.
TEST_F(CoreUsageTest, CountsStretches) {
  usage_->launch_started(0);
  usage_->block_started(0, 2);
  usage_->block_started(1, 2);
  usage_->block_started(0, 5);
  usage_->block_finished(0, 9);
  usage_->block_finished(1, 9);
  usage_->block_started(2, 12);
  usage_->block_finished(2, 13);
  usage_->block_finished(0, 19);
  usage_->launch_ended(30);
  EXPECT_EQ(busy(0), 18U);
  EXPECT_EQ(busy(1), 8U);
  EXPECT_EQ(busy(2), 2U);
  EXPECT_EQ(busy(3), 0U);
  EXPECT_EQ(few(), 2U + 2U + 16U);
}

// The next launch begins where it begins: the time between is nobody's.
TEST_F(CoreUsageTest, TimeBetweenLaunchesIsNotCounted) {
  for (const Cycle start : {Cycle{100}, Cycle{1000}}) {
    usage_->launch_started(start);
    for (unsigned core = 0; core < 4; ++core) usage_->block_started(core, start);
    for (unsigned core = 0; core < 4; ++core) usage_->block_finished(core, start + 9);
    usage_->launch_ended(start + 13);
  }
  EXPECT_EQ(few(), 2 * 3U);
  EXPECT_EQ(busy(3), 2 * 10U);
}

}  // namespace core_usage_test
}  // namespace warpfold
