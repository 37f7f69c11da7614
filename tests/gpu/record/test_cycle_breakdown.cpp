// SPDX-License-Identifier: Apache-2.0
// Cycles of cores that take part in launches and of those that do not, by hand: two schedulers on each of three cores.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "warpfold/gpu/record/cycle_breakdown.h"

namespace warpfold {
namespace cycle_breakdown_test {

class CycleBreakdownTest : public testing::Test {
 protected:
  CycleBreakdownTest() {
    for (const char* name : {"core0", "core1", "core2"}) {
      StatGroup& core = stats_.group(name);
      cores_.push_back(&core);
      core.counter("stores", "stores", "no part of the cycles");
      issue_.push_back(&core.counter("issue_w1_4", "cycles", ""));
      idle_.push_back(&core.counter("w0_idle", "cycles", ""));
      memory_.push_back(&core.counter("slot_memory", "cycles", ""));
      core.counter("slot_no_block", "cycles", "");
    }
    breakdown_ = std::make_unique<CycleBreakdown>(stats_, cores_, 2);
    stats_.seen();
  }
  // Of `cycles` cycles, in which each of these cores issues once.
  void launch(Cycle cycles, const std::vector<unsigned>& cores) {
    breakdown_->launch_started();
    for (const unsigned core : cores) {
      EXPECT_TRUE(breakdown_->takes_part(core));
      EXPECT_FALSE(breakdown_->takes_part(core)) << "a second block";
      ++*issue_[core];
      *idle_[core] += 2 * cycles - 1;
      *memory_[core] += 2 * cycles - 1;
    }
    EXPECT_EQ(breakdown_->taking_part(), cores);
    breakdown_->launch_ended(cycles);
  }
  std::uint64_t sum(const std::string& name) const {
    std::uint64_t all = 0;
    for (const StatGroup& group : stats_.groups()) {
      for (const StatGroup::Entry& entry : group.entries()) all += entry.info.name == name ? entry.counter.value() : 0;
    }
    return all;
  }
  std::vector<std::uint64_t> idle() const { return {idle_[0]->value(), idle_[1]->value(), idle_[2]->value()}; }
  using Values = std::vector<std::uint64_t>;

  StatRegistry stats_;
  std::vector<StatGroup*> cores_;
  std::vector<Counter*> issue_, idle_, memory_;
  std::unique_ptr<CycleBreakdown> breakdown_;
};

TEST_F(CycleBreakdownTest, CoresWithoutABlockAreIdleInTheSum) {
  launch(100, {0});
  EXPECT_EQ(sum("w0_idle"), 199U + 2 * 200U);
  EXPECT_EQ(sum("slot_memory"), 199U);
  EXPECT_EQ(sum("slot_no_block"), 2 * 200U);
  EXPECT_EQ(idle(), (Values{199, 0, 0})) << "until it is settled";
  stats_.settle();
  EXPECT_EQ(idle(), (Values{199, 200, 200}));
  EXPECT_EQ(sum("w0_idle"), 199U + 2 * 200U);
}

TEST_F(CycleBreakdownTest, EachLaunchIsSettledOnce) {
  launch(100, {0});
  stats_.settle();
  stats_.settle();
  launch(10, {0, 1});
  launch(1, {});
  EXPECT_EQ(idle(), (Values{199 + 19, 200 + 19, 200}));
  stats_.settle();
  EXPECT_EQ(idle(), (Values{199 + 19 + 2, 200 + 19 + 2, 200 + 20 + 2}));
  EXPECT_EQ(sum("w0_idle") + sum("issue_w1_4"), 111 * 6U);
}

// As a run that has failed writes its results.
TEST_F(CycleBreakdownTest, SettlesInTheMidstOfALaunchWhatCameBefore) {
  launch(100, {0});
  breakdown_->launch_started();
  breakdown_->takes_part(1);
  stats_.settle();
  EXPECT_EQ(idle(), (Values{199, 200, 200}));
  *idle_[1] += 20, *memory_[1] += 20;
  breakdown_->launch_ended(10);
  stats_.settle();
  EXPECT_EQ(idle(), (Values{199 + 20, 200 + 20, 200 + 20}));
}

TEST_F(CycleBreakdownTest, OnlyCoresThatCountAreLookedAt) {
  const StatGroup* const all = &stats_.groups().back();
  EXPECT_EQ(stats_.changed(), (std::vector<StatGroup*>{const_cast<StatGroup*>(all)})) << "of the cores together";
  launch(100, {2});
  EXPECT_EQ(stats_.changed().size(), 2U);
  EXPECT_EQ(stats_.changed().back(), cores_[2]);
  stats_.settle();
  EXPECT_EQ(stats_.changed().size(), 4U) << "two cores have got their idle cycles";
  stats_.seen();
  EXPECT_EQ(stats_.changed().size(), 1U);
}

TEST_F(CycleBreakdownTest, ACoreChargesEveryCycle) {
  breakdown_->launch_started();
  breakdown_->takes_part(1);
  *idle_[1] += 19;
  EXPECT_THROW(breakdown_->launch_ended(10), InternalError);
}

TEST_F(CycleBreakdownTest, EachCycleWithoutAnIssueHasACause) {
  breakdown_->launch_started();
  breakdown_->takes_part(1);
  *idle_[1] += 20;
  *memory_[1] += 19;
  EXPECT_THROW(breakdown_->launch_ended(10), InternalError);
}

TEST_F(CycleBreakdownTest, NothingIsLostWithTheMachine) {
  launch(100, {0});
  breakdown_.reset();
  EXPECT_EQ(idle(), (Values{199, 200, 200}));
  stats_.settle();
  EXPECT_EQ(idle(), (Values{199, 200, 200}));
}

}  // namespace cycle_breakdown_test
}  // namespace warpfold
