// SPDX-License-Identifier: Apache-2.0
// The single loop of the divergence-cost paper (Listing 1) where tokens go to the L2 and DRAM as requests: the same
// tokens as with the paper's cycles, and cold and warm memory told apart as its N_PREHEAT does (§II).
#include "tests/papers/divergence_cost.h"

namespace warpfold {
namespace divergence_cost_traffic_test {

std::string single_loop(const std::string& label) {
  return "mov.u32 %r4, 0;\nsetp.lt.s32 %p1, %r2, 1;\n@%p1 bra DONE" + label + ";\nLOOP" + label +
         ":\nadd.s32 %r4, %r4, 1;\nadd.f32 %f1, %f1, 0f3FAAA993;\nsetp.lt.s32 %p1, %r4, %r2;\n@%p1 bra LOOP" + label +
         ";\nDONE" + label + ":\n";
}

class Traffic : public DivergenceCost {};
INSTANTIATE_TEST_SUITE_P(On, Traffic, testing::ValuesIn(architectures()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(Traffic, TokensAreThoseOfTheConstantModel) {
  const std::vector<Measurement> constant = measure(single_loop("")),
                                 traffic = measure(single_loop(""), {"mechanism.spill=traffic"});
  for (unsigned n = 0; n <= kLast; ++n) {
    SCOPED_TRACE(n);
    EXPECT_EQ(traffic[n].counts, constant[n].counts);
    EXPECT_EQ(traffic[n].sums, constant[n].sums);
    if (n < 16) {
      EXPECT_EQ(traffic[n].cycles, constant[n].cycles) << "nothing spills";
    }
  }
}

// A reload waits for the L2 at least, for each spill anew.
TEST_P(Traffic, EveryReloadTakesItsWay) {
  const Cycle none = launches(single_loop(""), 15)[2];
  const Cycle one = launches(single_loop(""), 16)[2], two = launches(single_loop(""), 20)[2];
  const Cycle branches = GetParam().per_branch;
  const Cycle reload = one - none - branches;
  EXPECT_GT(reload, 120u) << "the L2's latency";
  EXPECT_NEAR(static_cast<double>(two - one), static_cast<double>(4 * branches + reload), 8);
}

// The first launch finds the tokens' lines not in the L2; later ones do, and take the same time each.
TEST_P(Traffic, TheFirstSpillIsColdAndLaterOnesAreWarm) {
  const std::vector<Cycle> cycles = launches(single_loop(""), 16);
  EXPECT_GT(cycles[0], cycles[1] + 50);
  EXPECT_EQ(cycles[1], cycles[2]);
}

// §II: with N_PREHEAT = 1 there were "essentially zero errors", without it the results were more erratic.
TEST_P(Traffic, PreheatingMakesTheFirstLaunchWarmToo) {
  const std::vector<Cycle> cycles = launches(single_loop(""), 16, single_loop("_PREHEAT"));
  EXPECT_NEAR(static_cast<double>(cycles[0]), static_cast<double>(cycles[1]), 2);
  EXPECT_EQ(cycles[1], cycles[2]);
}

TEST_P(Traffic, WithoutSpillsThereIsNothingToPreheat) {
  const std::vector<Cycle> cycles = launches(single_loop(""), 15);
  EXPECT_EQ(cycles[0], cycles[1]);
}

}  // namespace divergence_cost_traffic_test
}  // namespace warpfold
