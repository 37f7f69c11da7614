// SPDX-License-Identifier: Apache-2.0
// TBC Fig. 9, event by event as §3.3 tells it: three warps arrive at a branch in the order W2, W3, W1 and fill the two
// target entries bit by bit.
//
// The text gives the arrivals, that thread 5 (lane 1 of W2) goes to C, thread 6 to B, and that C is the first entry to
// run. The other ten outcomes are in the drawing only; those used here are ours, chosen so that C and B compact to two
// warps each: C = {1, 5, 8, 10, 11}, B = {2, 3, 4, 6, 7, 9, 12}.
#include <gtest/gtest.h>

#include "tests/papers/event_core.h"
#include "warpfold/divergence/parts/block/block_stack.h"

namespace warpfold {
namespace tbc_fig9_test {

using divergence::BlockStack;
using divergence::BranchOrder;
using divergence::Warp;
using Rows = std::vector<isa::LaneMask>;

const std::vector<unsigned> kToC{1, 5, 8, 10, 11};
constexpr unsigned kOldTop = 0, kEntryB = 1, kEntryC = 2;

class Figure9Stack : public testing::Test {
 protected:
  Figure9Stack() { stack.start({0, 0, 0, 0, {0b1111, 0b1111, 0b1111}}, kEnd); }
  void arrives(unsigned warp, isa::LaneMask to_c) {
    divergence::Branch branch = kBranchOfA;
    branch.taken = to_c;
    stack.arrive_at_branch(Warp::of_row(kA, static_cast<std::uint16_t>(warp - 1), 0b1111), branch);
  }
  BlockStack stack;
};

TEST_F(Figure9Stack, MasksFillAndWCntFalls) {
  EXPECT_EQ(stack.entry(kOldTop).warps, 3U);

  arrives(2, 0b1001);  // the first to arrive makes two entries; thread 5 updates C's, thread 6 B's
  ASSERT_EQ(stack.size(), 3U);
  EXPECT_EQ(stack.entry(kEntryC).pc, kC);
  EXPECT_EQ(stack.entry(kEntryB).pc, kB);
  EXPECT_EQ(stack.entry(kEntryC).rpc, kD);
  EXPECT_EQ(stack.entry(kEntryB).rpc, kD);
  EXPECT_EQ(stack.entry(kEntryC).threads, (Rows{0b0000, 0b1001, 0b0000}));
  EXPECT_EQ(stack.entry(kEntryB).threads, (Rows{0b0000, 0b0110, 0b0000}));
  EXPECT_EQ(stack.entry(kOldTop).warps, 2U);
  EXPECT_EQ(&stack.top(), &stack.entry(kOldTop)) << "the TOS pointer stays";

  arrives(3, 0b0110);
  ASSERT_EQ(stack.size(), 3U);
  EXPECT_EQ(stack.entry(kEntryC).threads, (Rows{0b0000, 0b1001, 0b0110}));
  EXPECT_EQ(stack.entry(kEntryB).threads, (Rows{0b0000, 0b0110, 0b1001}));
  EXPECT_EQ(stack.entry(kOldTop).warps, 1U);

  arrives(1, 0b0001);
  EXPECT_EQ(stack.entry(kEntryC).threads, (Rows{0b0001, 0b1001, 0b0110}));
  EXPECT_EQ(stack.entry(kEntryB).threads, (Rows{0b1110, 0b0110, 0b1001}));
  EXPECT_EQ(stack.entry(kOldTop).warps, 0U) << "WCnt reaches zero";
  EXPECT_TRUE(stack.settled());

  const BlockStack::Entry* top = stack.advance(BranchOrder::kTakenFirst, true);
  EXPECT_EQ(top->pc, kC) << "the TOS pointer increments";
  EXPECT_EQ(top->warps, 2U) << "most bits of a lane: the first has threads 1 and 5";
  EXPECT_EQ(stack.entry(kOldTop).pc, kD);

  stack.arrive_at_reconvergence();
  EXPECT_EQ(stack.top().warps, 1U);
  EXPECT_FALSE(stack.settled());
  stack.arrive_at_reconvergence();
  top = stack.advance(BranchOrder::kTakenFirst, true);
  EXPECT_EQ(stack.size(), 2U) << "C's entry is popped";
  EXPECT_EQ(top->pc, kB);
  EXPECT_EQ(top->warps, 2U);

  stack.arrive_at_reconvergence();
  stack.arrive_at_reconvergence();
  top = stack.advance(BranchOrder::kTakenFirst, true);
  EXPECT_EQ(stack.size(), 1U);
  EXPECT_EQ(top->pc, kD);
  EXPECT_EQ(top->warps, 3U) << "in preparation for the next divergent branch";
  EXPECT_EQ(top->threads, (Rows{0b1111, 0b1111, 0b1111}));
}

TEST(Figure9, TheMechanismAndTheCompactor) {
  EventCore core("tbc", 4, {0b1111, 0b1111, 0b1111});
  core.start();
  EXPECT_EQ(core.take(), (Events{"insert A{1,2,3,4}", "insert A{5,6,7,8}", "insert A{9,10,11,12}"}));

  core.issue(5, kToC);
  EXPECT_EQ(core.take(), (Events{"issue A{5,6,7,8}", "remove A"}));
  core.issue(9, kToC);
  EXPECT_EQ(core.take(), (Events{"issue A{9,10,11,12}", "remove A"}));
  EXPECT_NE(core.mechanism->waiting(0).find("waits for 1 warps"), std::string::npos);
  core.issue(1, kToC);
  EXPECT_EQ(core.take(), (Events{"issue A{1,2,3,4}", "remove A", "compact C"}));

  // Each cycle every lane's encoder selects its first thread; thread 5 has to wait for thread 1.
  core.compactor_cycle();
  EXPECT_EQ(core.take(), (Events{"insert C{1,10,11,8}"}));
  core.compactor_cycle();
  EXPECT_EQ(core.take(), (Events{"insert C{5}"}));
  EXPECT_FALSE(core.compacting());

  core.issue(1);
  EXPECT_EQ(core.take(), (Events{"issue C{1,10,11,8}", "remove C"}));
  core.issue(5);
  EXPECT_EQ(core.take(), (Events{"issue C{5}", "remove C", "compact B"}));
  core.compactor_cycle();
  core.compactor_cycle();
  EXPECT_FALSE(core.compacting());
  EXPECT_EQ(core.take(), (Events{"insert B{9,2,3,4}", "insert B{6,7,12}"}));

  core.issue(12);
  core.issue(9);
  EXPECT_EQ(core.take(), (Events{"issue B{6,7,12}", "remove B", "issue B{9,2,3,4}", "remove B", "compact D"}));
  for (int warp = 0; warp < 3; ++warp) core.compactor_cycle();
  EXPECT_FALSE(core.compacting());
  EXPECT_EQ(core.take(), (Events{"insert D{1,2,3,4}", "insert D{5,6,7,8}", "insert D{9,10,11,12}"}));
}

// Whatever the order of arrival, the entries hold the same in the end.
TEST_F(Figure9Stack, TheOrderOfArrivalDoesNotMatter) {
  const isa::LaneMask to_c[] = {0b0001, 0b1001, 0b0110};
  for (const auto& order : {std::vector<unsigned>{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {3, 1, 2}}) {
    stack.start({0, 0, 0, 0, {0b1111, 0b1111, 0b1111}}, kEnd);
    for (const unsigned warp : order) arrives(warp, to_c[warp - 1]);
    EXPECT_TRUE(stack.settled());
    EXPECT_EQ(stack.entry(kEntryC).threads, (Rows{0b0001, 0b1001, 0b0110}));
    EXPECT_EQ(stack.entry(kEntryB).threads, (Rows{0b1110, 0b0110, 0b1001}));
  }
}

}  // namespace tbc_fig9_test
}  // namespace warpfold
