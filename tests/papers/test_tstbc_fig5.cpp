// SPDX-License-Identifier: Apache-2.0
// TSTBC Fig. 5 (§3.4): a block of four warps of four threads comes out as three warps. For CAPRI that is adequate;
// TSTBC compares it with T_WCT as well. The masks are in the drawing only; those used here are ours, with three threads
// in lane 1 of the path that is entered: C = {1, 2, 5, 7, 9, 12, 14, 15}.
#include <gtest/gtest.h>

#include "tests/papers/event_core.h"
#include "warpfold/divergence/parts/branch_meeting.h"

namespace warpfold {
namespace tstbc_fig5_test {

const std::vector<unsigned> kToC{1, 2, 5, 7, 9, 12, 14, 15};

// The four warps execute A; what happens when the last of them does.
Events last_arrival(const std::string& mechanism, const std::vector<std::string>& parameters) {
  EventCore core(mechanism, 4, {0b1111, 0b1111, 0b1111, 0b1111}, parameters);
  core.start();
  for (const unsigned holder : {1U, 5U, 9U}) core.issue(holder, kToC);
  core.take();
  core.issue(13, kToC);
  while (core.compacting()) core.compactor_cycle();
  return core.take();
}

const Events kCompacted{"issue A{13,14,15,16}", "remove A",          "compact C",
                        "insert C{1,2,7,12}",   "insert C{5,14,15}", "insert C{9}"};
const Events kAsTheyAre{"issue A{13,14,15,16}", "remove A",       "insert C{1,2}",
                        "insert C{5,7}",        "insert C{9,12}", "insert C{14,15}"};

TEST(TstbcFigure5, ThreeWarps) {
  const std::vector<isa::LaneMask> c{0b0011, 0b0101, 0b1001, 0b0110};
  EXPECT_EQ(divergence::warps_after({4, {c, c}}, 1), 3U) << "adders per lane, then their maximum";
}

TEST(TstbcFigure5, AdequateForCapri) { EXPECT_EQ(last_arrival("capri", {}), kCompacted); }

// n = 4, so that stage 1 sees all four: 3 < 4.
TEST(TstbcFigure5, TstbcComparesWithTwct) {
  EXPECT_EQ(last_arrival("tstbc", {"n=4", "t_wct=2"}), kAsTheyAre) << "one warp saved, two wanted";
  EXPECT_EQ(last_arrival("tstbc", {"n=4", "t_wct=1"}), kCompacted);
  EXPECT_EQ(last_arrival("tstbc", {"n=4", "t_wct=3", "wct_rule=literal"}), kAsTheyAre) << "3 < 3 is not so";
  EXPECT_EQ(last_arrival("tstbc", {"n=4", "t_wct=4", "wct_rule=literal"}), kCompacted);
}

}  // namespace tstbc_fig5_test
}  // namespace warpfold
