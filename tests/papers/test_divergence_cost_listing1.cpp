// SPDX-License-Identifier: Apache-2.0
// The single loop of the divergence-cost paper (Listing 1): tokens as in Figures 3 and 4, cycles as in Figure 1.
#include "tests/papers/divergence_cost.h"

namespace warpfold {
namespace divergence_cost_listing1_test {

// As Listing 3, without the NOPs that align its loop.
constexpr const char* kSingleLoop = R"(
mov.u32 %r4, 0;
setp.lt.s32 %p1, %r2, 1;
@%p1 bra DONE;
LOOP:
add.s32 %r4, %r4, 1;
add.f32 %f1, %f1, 0f3FAAA993;
setp.lt.s32 %p1, %r4, %r2;
@%p1 bra LOOP;
DONE:
)";

class SingleLoop : public DivergenceCost {};
INSTANTIATE_TEST_SUITE_P(On, SingleLoop, testing::ValuesIn(architectures()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(SingleLoop, PushesPopsAndSpills) {
  const std::vector<Measurement> runs = measure(kSingleLoop);
  for (unsigned n = 0; n <= kLast; ++n) {
    SCOPED_TRACE(n);
    const unsigned spills = n < 16 ? 0 : (n - 12) / 4;  // from n = 16, 20, 24 and 28
    EXPECT_EQ(runs[n].counts, (token_emulator::Counts{n + 1, n + 1, n + 1, spills, spills}));
    EXPECT_EQ(runs[n].counts, token_emulator::single_loop(n));
  }
}

TEST_P(SingleLoop, CyclesAreALineWithAStepAtEverySpill) {
  const std::vector<Measurement> runs = measure(kSingleLoop);
  for (unsigned n = 1; n <= kLast; ++n) {
    SCOPED_TRACE(n);
    const bool spills_anew = n >= 16 && n % 4 == 0;
    EXPECT_EQ(runs[n].cycles - runs[n - 1].cycles, GetParam().per_branch + (spills_anew ? GetParam().per_spill : 0));
  }
}

// §IV-A, Listing 5: what a push costs is hidden; a spill costs the branch, its reload the unwinding.
TEST_P(SingleLoop, CostsFallWhereTheyBelong) {
  const std::vector<Measurement> free_pops =
      measure(kSingleLoop, {"mechanism.kepler.pop_cycles=0", "mechanism.kepler.reload_cycles=0",
                            "mechanism.maxwell.pop_cycles=0", "mechanism.maxwell.reload_cycles=0"});
  EXPECT_EQ(free_pops[15].cycles, free_pops[0].cycles);
  EXPECT_GT(free_pops[16].cycles, free_pops[15].cycles);
  EXPECT_LT(free_pops[16].cycles, free_pops[15].cycles + GetParam().per_spill);
}

TEST_P(SingleLoop, SumsAreThoseOfThreadsAlone) {
  const std::vector<Measurement> runs = measure(kSingleLoop);
  for (unsigned n = 0; n <= kLast; ++n) {
    std::vector<float> expected;
    for (const std::uint32_t limit : token_emulator::limits(n)) {
      float& sum = expected.emplace_back(0.0f);
      for (std::uint32_t i = 0; i < limit; ++i) sum += 1.3333f;
    }
    EXPECT_EQ(runs[n].sums, expected) << n;
  }
}

}  // namespace divergence_cost_listing1_test
}  // namespace warpfold
