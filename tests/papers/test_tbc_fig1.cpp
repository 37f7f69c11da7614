// SPDX-License-Identifier: Apache-2.0
// TBC Fig. 1(a) and §2.3, §2.4: the starvation eddy of dynamic warp formation at a branch hammock, and the warp barrier
// that ends it. The masks of the figure's two warps are not in its text: these are the threads of Fig. 7.
#include <gtest/gtest.h>

#include "tests/papers/event_core.h"

namespace warpfold {
namespace tbc_fig1_test {

const std::vector<unsigned> kToC{1, 6, 7};

class Figure1 : public testing::Test {
 protected:
  // Both warps execute A: threads regroup into two warps at B and one at C.
  void run_a(EventCore& core) {
    core.start();
    core.issue(1, kToC);
    core.issue(5, kToC);
    EXPECT_EQ(core.warps().size(), 3U);
    core.take();
  }
  // What was issued only.
  static Events issues(EventCore& core) {
    Events issues;
    for (const std::string& event : core.take()) {
      if (event.starts_with("issue")) issues.push_back(event.substr(6));
    }
    return issues;
  }
};

TEST_F(Figure1, ThreadsRegroupAtBothSides) {
  EventCore core("dwf", 4, {0b1111, 0b1111});
  core.start();
  core.issue(1, kToC);
  EXPECT_EQ(core.take(), (Events{"insert A{1,2,3,4}", "insert A{5,6,7,8}", "issue A{1,2,3,4}", "insert C{1}"}));
  core.issue(5, kToC);
  EXPECT_EQ(core.take(), (Events{"issue A{5,6,7,8}"})) << "5 joins B{2,3,4}, whose lane 4 is taken; 6 and 7 join C{1}";
  for (const unsigned holder : {2U, 8U, 1U}) core.issue(holder);
  EXPECT_EQ(issues(core), (Events{"B{5,2,3,4}", "B{8}", "C{1,6,7}"}));
}

// C's threads fall behind: those of B are gone when they come to D, where two warps would do.
TEST_F(Figure1, TheStarvationEddy) {
  EventCore core("dwf", 4, {0b1111, 0b1111});
  run_a(core);
  for (const unsigned holder : {2U, 8U, 2U, 8U, 1U, 1U}) core.issue(holder);
  EXPECT_EQ(issues(core), (Events{"B{5,2,3,4}", "B{8}", "D{5,2,3,4}", "D{8}", "C{1,6,7}", "D{1,6,7}"}));
  EXPECT_TRUE(core.warps().empty());
}

TEST_F(Figure1, NoEddyWhereNobodyFallsBehind) {
  EventCore core("dwf", 4, {0b1111, 0b1111});
  run_a(core);
  for (const unsigned holder : {2U, 8U, 1U, 2U, 1U}) core.issue(holder);
  EXPECT_EQ(issues(core), (Events{"B{5,2,3,4}", "B{8}", "C{1,6,7}", "D{5,2,3,4}", "D{1,6,7,8}"}));
  EXPECT_TRUE(core.warps().empty());
}

// The same turns as in the eddy, as far as there is somebody to take them.
TEST_F(Figure1, WarpBarriersRestoreTheStaticWarps) {
  EventCore core("dwf-wb", 4, {0b1111, 0b1111});
  run_a(core);
  core.issue(2);
  core.issue(8);
  EXPECT_EQ(core.warps().size(), 1U) << "B's threads wait at D for those of C";
  core.take();
  core.issue(1);
  EXPECT_EQ(core.take(), (Events{"issue C{1,6,7}", "remove D", "insert D{1,2,3,4}", "insert D{5,6,7,8}"}))
      << "the warp that came last dissolves at D";
  core.issue(5);
  core.issue(1);
  EXPECT_EQ(issues(core), (Events{"D{5,6,7,8}", "D{1,2,3,4}"}));
}

}  // namespace tbc_fig1_test
}  // namespace warpfold
