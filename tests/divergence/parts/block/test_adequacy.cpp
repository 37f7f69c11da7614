// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/divergence/parts/block/adequacy.h"

namespace warpfold::divergence {
namespace adequacy_test {

using Kind = AdequacyQuery::Kind;
using Stage = AdequacyStage;

// Four rows of four lanes; the fullest lane, lane 1, has three threads.
const std::vector<LaneMask> kThreads{0b0010, 0b1010, 0b0111, 0b0000};

AdequacyVerdict ask(Kind kind, Stage stage, unsigned warps, unsigned n, unsigned t_wct, bool literal = false) {
  return judge({kind, stage, &kThreads, warps, n, t_wct, literal});
}

TEST(Adequacy, CountsTheFullestLane) {
  EXPECT_EQ(ask(Kind::kAllCame, Stage::kFirst, 4, 0, 0).count, 3U);
  const std::vector<LaneMask> none(4, 0);
  EXPECT_EQ(judge({Kind::kAllCame, Stage::kFirst, &none, 4, 0, 0, false}).count, 0U);
}

TEST(Adequacy, TheFirstWarpsDecideWhomTheBranchWaitsFor) {
  EXPECT_EQ(ask(Kind::kFirstCame, Stage::kFirst, 4, 4, 0), (AdequacyVerdict{3, true, Stage::kWhole}));
  EXPECT_EQ(ask(Kind::kFirstCame, Stage::kFirst, 3, 3, 0), (AdequacyVerdict{3, false, Stage::kRest}));
}

TEST(Adequacy, AllHaveCome) {
  EXPECT_TRUE(ask(Kind::kAllCame, Stage::kFirst, 4, 0, 9).adequate) << "fewer than four";
  EXPECT_FALSE(ask(Kind::kAllCame, Stage::kRest, 3, 0, 0).adequate) << "not fewer than three";
  EXPECT_TRUE(ask(Kind::kAllCame, Stage::kWhole, 5, 0, 2).adequate) << "saves two";
  EXPECT_FALSE(ask(Kind::kAllCame, Stage::kWhole, 4, 0, 2).adequate) << "saves one";
  EXPECT_FALSE(ask(Kind::kAllCame, Stage::kWhole, 0, 0, 0).adequate) << "nobody waits";
}

TEST(Adequacy, TheOtherPath) {
  EXPECT_TRUE(ask(Kind::kOtherPath, Stage::kFirst, 4, 0, 9).adequate);
  EXPECT_FALSE(ask(Kind::kOtherPath, Stage::kRest, 4, 0, 2).adequate);
  EXPECT_TRUE(ask(Kind::kOtherPath, Stage::kWhole, 5, 0, 2).adequate);
}

TEST(Adequacy, TheLiteralThresholdIsOnWhatIsLeft) {
  EXPECT_TRUE(ask(Kind::kOtherPath, Stage::kWhole, 3, 0, 4, true).adequate);
  EXPECT_FALSE(ask(Kind::kOtherPath, Stage::kWhole, 9, 0, 3, true).adequate);
}

}  // namespace adequacy_test
}  // namespace warpfold::divergence
