// SPDX-License-Identifier: Apache-2.0
// Where SSY goes: once per region, before its first branch and outside its loop (Divergence cost §III, Listings 3, 4).
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"
#include "warpfold/divergence/parts/warp/sync_placement.h"

namespace warpfold::divergence {
namespace sync_placement_test {

bool some(Who /*who*/, unsigned /*visit*/) { return true; }  // a condition: its value does not matter here

// "0: SSY 4, SSY 2; 3: SSY 5": the regions that may be entered, outermost first.
std::string placed(const Program& program) {
  const SyncPlacement placement(kernel_of(program));
  std::string text;
  for (Pc pc = 0; pc < program.size(); ++pc) {
    std::string here;
    for (const SyncPlacement::Begin& begin : placement.begins_at(pc)) {
      here += fmt::format("{}SSY {}", here.empty() ? "" : ", ", begin.point);
      EXPECT_TRUE(placement.marked(pc) && placement.marked(begin.point));
    }
    if (!here.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", pc, here);
  }
  return text;
}

TEST(SyncPlacement, ABranchHasItsRegion) {
  EXPECT_EQ(placed({step(), branch(3, some), step(), step(), leave()}), "0: SSY 3") << "the block of the branch";
  EXPECT_EQ(placed({step(), uniform(3, some), step(), step(), leave()}), "") << "proved uniform";
  EXPECT_EQ(placed({step(), jump(2), step(), leave()}), "");
}

TEST(SyncPlacement, BranchesOneAfterTheOtherHaveRegionsOneAfterTheOther) {
  EXPECT_EQ(placed({branch(2, some), step(), branch(4, some), step(), leave()}), "0: SSY 2; 2: SSY 4");
}

TEST(SyncPlacement, BranchesToOnePointShareARegion) {
  EXPECT_EQ(placed({branch(4, some), step(), branch(4, some), step(), leave()}), "0: SSY 4")
      << "if (a && b): one SSY for both";
  EXPECT_EQ(placed({uniform(3, some), branch(4, some), jump(4), branch(4, some), step(), leave()}),
            "1: SSY 4; 3: SSY 4")
      << "neither comes before the other";
}

// Listing 3: the loop and the test before it.
TEST(SyncPlacement, ALoopBeginsOutside) {
  EXPECT_EQ(placed({step(), branch(4, some), step(), branch(2, some), step(), leave()}), "0: SSY 4");
  EXPECT_EQ(placed({step(), step(), branch(1, some), leave()}), "1: SSY 3") << "without the test: at the loop's head";
}

// Listing 4: SSY of the inner loop within the outer one.
TEST(SyncPlacement, ALoopInALoop) {
  EXPECT_EQ(placed({branch(7, some), step(), branch(5, some), step(), branch(3, some), step(), branch(1, some), step(),
                    leave()}),
            "0: SSY 7; 1: SSY 5; 5: SSY 7")
      << "not due at 5 unless the warp comes there from outside the outer loop's region";
}

TEST(SyncPlacement, NestedRegionsBeginOutermostFirst) {
  // Two loops with one head: the inner one ends before 2, the outer one before 4.
  EXPECT_EQ(placed({step(), branch(0, some), step(), branch(0, some), step(), leave()}), "0: SSY 4, SSY 2; 2: SSY 4");
}

TEST(SyncPlacement, ABreakBelongsToItsLoop) {
  EXPECT_EQ(placed({step(), branch(5, some), step(), step(), branch(0, some), step(), leave()}), "0: SSY 5");
}

TEST(SyncPlacement, BranchesThatMeetAtTheEndHaveNone) {
  EXPECT_EQ(placed({branch(2, some), leave(), step(), leave()}), "");
  EXPECT_EQ(placed({branch(3, some), step(), leave_if(some), step(), leave()}), "");
}

// Where the sides of the branch at 3 meet, at 1, lies in the loop of the branch at 2. One side passes that loop's head
// on its way: there SSY 5 is not due, for 1 comes before 5.
TEST(SyncPlacement, APointInsideAnotherLoop) {
  EXPECT_EQ(placed({step(), step(), branch(5, some), branch(1, some), jump(0), step(), leave()}),
            "0: SSY 5; 1: SSY 5; 3: SSY 1");
}

// Compilers put jumps at the ends of PTX's blocks that an assembler's layout does without.
TEST(SyncPlacement, APointIsNotAJump) {
  EXPECT_EQ(placed({branch(5, some), step(), branch(1, some), jump(5), step(), step(), leave()}), "0: SSY 5")
      << "the loop ends at 3, the test before it goes to 5: one region";
  EXPECT_EQ(placed({step(), branch(6, some), branch(4, some), step(), jump(0), step(), step(), leave()}),
            "0: SSY 6; 2: SSY 0")
      << "back to a loop's head";
}

TEST(SyncPlacement, BranchesThatJumpToAnExitHaveNone) {
  const Program program{branch(2, some), step(), jump(4), step(), leave()};
  EXPECT_EQ(placed(program), "");
  EXPECT_EQ(SyncPlacement(kernel_of(program)).point(0), 5U);
}

TEST(SyncPlacement, MarksNothingElse) {
  const SyncPlacement placement(kernel_of({step(), step(), branch(4, some), step(), step(), leave()}));
  const std::vector<bool> expected{true, false, false, false, true, false};
  for (Pc pc = 0; pc < expected.size(); ++pc) EXPECT_EQ(placement.marked(pc), expected[pc]) << pc;
}

// Of any flow: each region that may be entered at an instruction has a point that every way from there passes, and the
// points come nearer one by one.
TEST(SyncPlacement, PointsPostDominateTheirRegions) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Program program = arbitrary_program(seed);
    const isa::Kernel kernel = kernel_of(program);
    const SyncPlacement placement(kernel);
    const std::vector<Pc> nearest = reconvergence_points(program);  // of branches and of all other instructions
    for (Pc pc = 0; pc < program.size(); ++pc) {
      const auto begins = placement.begins_at(pc);
      Pc ahead = pc;  // from one nearest post-dominator to the next
      for (std::size_t i = begins.size(); i-- > 0;) {
        do {
          ahead = nearest[ahead];
        } while (ahead != begins[i].point && ahead < program.size());
        ASSERT_EQ(ahead, begins[i].point) << "seed " << seed << ", pc " << pc;
      }
    }
  }
}

}  // namespace sync_placement_test
}  // namespace warpfold::divergence
