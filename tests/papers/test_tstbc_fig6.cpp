// SPDX-License-Identifier: Apache-2.0
// TSTBC Fig. 6 (§3.4), event by event: four warps of four threads, n = T_WCT = 2. Stage 1: the first two warps come out
// as two, so they go on as they are. Stage 2: the other two come out as one and are compacted.
//
// The text gives these numbers; the masks are in the drawing only. Those used here are ours:
// C = {1, 2, 5, 7, 9, 10, 15, 16}.
#include <gtest/gtest.h>

#include <optional>

#include "tests/papers/event_core.h"

namespace warpfold {
namespace tstbc_fig6_test {

const std::vector<unsigned> kToC{1, 2, 5, 7, 9, 10, 15, 16};

class TstbcFigure6 : public testing::Test {
 protected:
  void both_stages(const std::vector<std::string>& parameters) {
    core.emplace("tstbc", 4, std::vector<isa::LaneMask>(4, 0b1111), parameters);
    core->start();
    core->take();
    core->issue(1, kToC);
    EXPECT_EQ(core->take(), (Events{"issue A{1,2,3,4}", "remove A"})) << "waits for the second";
    core->issue(5, kToC);
    EXPECT_EQ(core->take(), (Events{"issue A{5,6,7,8}", "insert C{1,2}"})) << "2 < 2 is not so: both go on";
    EXPECT_EQ(core->statistic("tstbc_first_released"), 1U);

    core->issue(9, kToC);
    EXPECT_EQ(core->take(), (Events{"issue A{9,10,11,12}", "remove A"}));
    core->issue(13, kToC);
    EXPECT_EQ(core->take(), (Events{"issue A{13,14,15,16}", "remove A", "compact C"})) << "1 < 2";
    core->compactor_cycle();
    EXPECT_EQ(core->take(), (Events{"insert C{9,10,15,16}"}));
    EXPECT_FALSE(core->compacting());
    EXPECT_EQ(core->statistic("tstbc_compacted_rest"), 1U);
  }
  std::optional<EventCore> core;
};

// All four have come by then: the other path is the whole block's, B = {3, 4, 6, 8, 11, 12, 13, 14}, three in lane 4.
TEST_F(TstbcFigure6, TwoStages) {
  both_stages({"n=2", "t_wct=2"});
  for (const unsigned holder : {5U, 1U, 9U}) core->issue(holder);
  EXPECT_EQ(core->take(), (Events{"issue C{5,7}", "remove C", "issue C{1,2}", "remove C", "issue C{9,10,15,16}",
                                  "remove C", "insert B{3,4}", "insert B{6,8}", "insert B{11,12}", "insert B{13,14}"}))
      << "one warp of four is saved, T_WCT wants two";
  for (const unsigned holder : {3U, 6U, 11U, 13U}) core->issue(holder);
  EXPECT_EQ(core->take(), (Events{"issue B{3,4}", "remove B", "issue B{6,8}", "remove B", "issue B{11,12}", "remove B",
                                  "issue B{13,14}", "remove B", "insert D{1,2,3,4}", "insert D{5,6,7,8}",
                                  "insert D{9,10,11,12}", "insert D{13,14,15,16}"}))
      << "in the warps in which they came";
  for (const unsigned holder : {1U, 5U, 9U, 13U}) core->issue(holder);
  EXPECT_TRUE(core->warps().empty());
  EXPECT_EQ(core->statistic("tstbc_compacted_other_path"), 0U);
}

TEST_F(TstbcFigure6, TheOtherPathThatSavesEnough) {
  for (const char* rule : {"wct_rule=saved", "wct_rule=literal"}) {
    both_stages({"n=2", rule == std::string("wct_rule=saved") ? "t_wct=1" : "t_wct=4", rule});
    for (const unsigned holder : {1U, 5U, 9U}) core->issue(holder);
    EXPECT_EQ(core->take().back(), "compact B") << rule;
    while (core->compacting()) core->compactor_cycle();
    EXPECT_EQ(core->take(), (Events{"insert B{13,6,3,4}", "insert B{14,11,8}", "insert B{12}"}));
    EXPECT_EQ(core->statistic("tstbc_compacted_other_path"), 1U);
  }
}

}  // namespace tstbc_fig6_test
}  // namespace warpfold
