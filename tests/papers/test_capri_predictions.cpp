// SPDX-License-Identifier: Apache-2.0
// CAPRI as TSTBC §2 tells it: a branch seen first is predicted adequate, then the last outcome decides; the outcome is
// analysed whether or not the block was compacted; one prediction per branch and block. The masks are ours.
#include <gtest/gtest.h>

#include "tests/papers/event_core.h"

namespace warpfold {
namespace capri_predictions_test {

// Both warps take C with their first thread: nothing to gain. With different threads: one warp for C.
const std::vector<unsigned> kSame{1, 5}, kDifferent{1, 6};

class CapriPredictions : public testing::Test {
 protected:
  CapriPredictions() { core.start(); }

  // The block's warps execute A. Did the first one wait for the second?
  bool stalls(const std::vector<unsigned>& to_c) {
    core.take();
    core.issue(1, to_c);
    const bool stalled = core.take() == Events{"issue A{1,2,3,4}", "remove A"};
    core.issue(5, to_c);
    while (core.compacting()) core.compactor_cycle();
    at_c = 0;
    for (const std::string& event : core.take()) at_c += event.starts_with("insert C") ? 1 : 0;
    return stalled;
  }
  void next_block() {
    const divergence::Block block{0, 1, 1, 0, {0b1111, 0b1111}};
    while (!core.warps().empty()) {
      const divergence::Warp& warp = core.warp(core.warps().front());
      const auto lane = static_cast<unsigned>(std::countr_zero(warp.mask));
      core.issue(warp.row[lane] * 4U + lane + 1);
      while (core.compacting()) core.compactor_cycle();
    }
    core.mechanism->block_finished(block);
    core.mechanism->block_started(block);
  }
  std::uint64_t predictions() const { return core.statistic("capri_predictions"); }
  std::uint64_t correct() const { return core.statistic("capri_predictions_correct"); }

  EventCore core{"capri", 4, {0b1111, 0b1111}, {"adequacy=entered"}};
  unsigned at_c = 0;  // warps that the second arrival brought to C
};

TEST_F(CapriPredictions, TheFirstTimeStalls) {
  EXPECT_TRUE(stalls(kDifferent));
  EXPECT_EQ(at_c, 1U);
  EXPECT_EQ(predictions(), 1U);
  EXPECT_EQ(correct(), 1U);
}

TEST_F(CapriPredictions, TheFirstTimeStallsInVainWhereThereIsNothingToGain) {
  EXPECT_TRUE(stalls(kSame));
  EXPECT_EQ(at_c, 2U) << "compacted as TBC does, to as many warps";
  EXPECT_EQ(correct(), 0U);
  EXPECT_EQ(core.statistic("validity_stall_bypass"), 1U);
}

TEST_F(CapriPredictions, LearnsFromTheLastOutcome) {
  EXPECT_TRUE(stalls(kSame));
  next_block();
  EXPECT_FALSE(stalls(kSame)) << "learned: inadequate";
  EXPECT_EQ(correct(), 1U);
  EXPECT_EQ(core.statistic("validity_bypass_bypass"), 1U);
  next_block();
  EXPECT_FALSE(stalls(kDifferent)) << "predicted as the last time, now wrong";
  EXPECT_EQ(correct(), 1U);
  EXPECT_EQ(core.statistic("validity_bypass_stall"), 1U);
  next_block();
  EXPECT_TRUE(stalls(kDifferent)) << "what was bypassed has been analysed all the same";
  EXPECT_EQ(correct(), 2U);
  EXPECT_EQ(predictions(), 4U) << "one per block, not per warp";
}

TEST_F(CapriPredictions, AKernelStartsWithAnEmptyTable) {
  EXPECT_TRUE(stalls(kSame));
  next_block();
  EXPECT_FALSE(stalls(kSame));
  next_block();
  while (!core.warps().empty()) core.issue(core.warps().front() == 0 ? 1 : 5);
  core.mechanism->block_finished({0, 1, 1, 0, {0b1111, 0b1111}});
  core.mechanism->kernel_ended();
  core.start();
  EXPECT_TRUE(stalls(kSame));
}

TEST_F(CapriPredictions, WarpsThatDoNotDivergePass) {
  EXPECT_FALSE(stalls({5})) << "the first warp goes to B as a whole";
  EXPECT_EQ(predictions(), 1U) << "for the other one";
  next_block();
  EXPECT_FALSE(stalls({1, 2, 3, 4})) << "nor does any of them diverge";
  EXPECT_EQ(predictions(), 1U);
}

// Lanes 1 and 2 of both warps go to C, which gains nothing; B, threads 4 and 7, comes out as one warp.
TEST(CapriAdequacy, EitherSideOrTheOneEntered) {
  const std::vector<unsigned> to_c{1, 2, 3, 5, 6, 8};  // B = {4, 7}
  for (const bool either : {true, false}) {
    EventCore core("capri", 4, {0b1111, 0b1111}, {either ? "adequacy=either" : "adequacy=entered"});
    core.start();
    core.issue(1, to_c);
    core.issue(5, to_c);
    EXPECT_EQ(core.statistic("capri_predictions_correct"), either ? 1U : 0U);
    EXPECT_EQ(core.statistic("validity_stall_bypass"), 1U) << "the classes look at the path entered";
  }
}

}  // namespace capri_predictions_test
}  // namespace warpfold
