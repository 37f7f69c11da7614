// SPDX-License-Identifier: Apache-2.0
// Gatherings of warps at a branch: whose threads go where, which side they enter, and how many warps they compact to.
#include <gtest/gtest.h>

#include "warpfold/divergence/parts/branch_meeting.h"

namespace warpfold::divergence {
namespace branch_meeting_test {

using Rows = std::vector<LaneMask>;
const Block kBlock{0, 0, 0, 10, {0b1111, 0b1111, 0b1111}};

Warp of_row(unsigned row) { return Warp::of_row(0, static_cast<std::uint16_t>(10 + row), 0b1111); }

TEST(BranchMeeting, GathersThreadsByRowAndSide) {
  Gathering gathering;
  gathering.add(kBlock, of_row(1), 0b0111, 0b0001);
  EXPECT_EQ(gathering.warps, 1U);
  EXPECT_EQ(gathering.threads[1], (Rows{0, 0b0001, 0}));
  EXPECT_EQ(gathering.threads[0], (Rows{0, 0b0110, 0}));

  Warp compacted = of_row(0);
  compacted.row[3] = 12;
  compacted.one_row = false;
  gathering.add(kBlock, compacted, 0b1001, 0b1000);
  EXPECT_EQ(gathering.warps, 2U);
  EXPECT_EQ(gathering.threads[1], (Rows{0, 0b0001, 0b1000}));
  EXPECT_EQ(gathering.threads[0], (Rows{0b0001, 0b0110, 0}));
  EXPECT_EQ(warps_after(gathering, 0), 1U);

  gathering.warps = 0;
  gathering.add(kBlock, of_row(2), 0b0011, 0b0011);
  EXPECT_EQ(gathering.threads[1], (Rows{0, 0, 0b0011})) << "starts afresh";
  EXPECT_EQ(warps_after(gathering, 0), 0U);
}

TEST(BranchMeeting, TheSideEntered) {
  Gathering gathering;
  gathering.add(kBlock, of_row(0), 0b1111, 0b0111);
  Meeting meeting;
  meeting.target = {5, 8};
  meeting.rpc = 20;
  EXPECT_EQ(meeting.entered(gathering), 1U);
  meeting.order = BranchOrder::kNotTakenFirst;
  EXPECT_EQ(meeting.entered(gathering), 0U);
  meeting.order = BranchOrder::kFewestFirst;
  EXPECT_EQ(meeting.entered(gathering), 0U);
  gathering.add(kBlock, of_row(1), 0b1111, 0b0000);
  EXPECT_EQ(meeting.entered(gathering), 1U) << "three against five";
  meeting.running = 0;
  EXPECT_EQ(meeting.entered(gathering), 0U) << "where others already run";
}

TEST(BranchMeeting, ASideAtTheReconvergencePointIsNotEntered) {
  Gathering gathering;
  gathering.add(kBlock, of_row(0), 0b1111, 0b0111);
  Meeting meeting;
  meeting.target = {5, 20};
  meeting.rpc = 20;
  EXPECT_FALSE(meeting.runs(1));
  EXPECT_TRUE(meeting.runs(0));
  EXPECT_EQ(meeting.entered(gathering), 0U);
}

TEST(BranchMeeting, CompactionHelpsWhereItMakesWarpsFewer) {
  Meeting meeting;
  meeting.open({4, 0, 8, 20, isa::kNoPc, true}, BranchOrder::kTakenFirst);
  EXPECT_EQ(meeting.target[0], 5U);
  EXPECT_EQ(meeting.target[1], 8U);
  EXPECT_FALSE(compaction_helps(meeting)) << "no warp diverges";
  meeting.all.add(kBlock, of_row(0), 0b1111, 0b0011);
  EXPECT_FALSE(compaction_helps(meeting));
  meeting.all.add(kBlock, of_row(1), 0b1111, 0b0110);
  EXPECT_FALSE(compaction_helps(meeting)) << "two threads in lane 1";
  meeting.all.add(kBlock, of_row(2), 0b1111, 0b1000);
  EXPECT_TRUE(compaction_helps(meeting)) << "two warps instead of three";
  meeting.open({4, 0, 8, 20, isa::kNoPc, true}, BranchOrder::kTakenFirst);
  EXPECT_FALSE(compaction_helps(meeting)) << "another time, nobody yet";
}

}  // namespace branch_meeting_test
}  // namespace warpfold::divergence
