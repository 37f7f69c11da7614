// SPDX-License-Identifier: Apache-2.0
// The double loop of the divergence-cost paper (Listing 2): tokens as in Figures 5 and 6, and its cycles from the
// parameters of the single loop, as in Figure 7.
#include <map>

#include "tests/papers/divergence_cost.h"

namespace warpfold {
namespace divergence_cost_listing2_test {

// As Listing 4.
constexpr const char* kDoubleLoop = R"(
mov.u32 %r4, 0;
setp.lt.s32 %p1, %r2, 1;
@%p1 bra DONE;
OUTER:
mov.u32 %r5, 0;
setp.lt.s32 %p1, %r2, 1;
@%p1 bra INNER_DONE;
INNER:
add.s32 %r5, %r5, 1;
add.f32 %f1, %f1, 0f3FAAA993;
setp.lt.s32 %p1, %r5, %r2;
@%p1 bra INNER;
INNER_DONE:
add.s32 %r4, %r4, 1;
add.f32 %f1, %f1, 0f401554CA;
setp.lt.s32 %p1, %r4, %r2;
@%p1 bra OUTER;
DONE:
)";

class DoubleLoop : public DivergenceCost {};
INSTANTIATE_TEST_SUITE_P(On, DoubleLoop, testing::ValuesIn(architectures()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(DoubleLoop, PushesPopsAndSpills) {
  // Recomputed from the algorithms: the paper has them in Figure 6 only.
  const std::map<unsigned, unsigned> spills{{14, 0}, {15, 20}, {18, 17}, {19, 36}, {23, 48}, {27, 56}, {31, 60}};
  const std::vector<Measurement> runs = measure(kDoubleLoop);
  for (unsigned n = 0; n <= kLast; ++n) {
    SCOPED_TRACE(n);
    const unsigned pushes = n * (65 - n) / 2 + 33;
    EXPECT_EQ(runs[n].counts.pushes, pushes);
    EXPECT_EQ(runs[n].counts.pops, pushes);
    EXPECT_EQ(runs[n].counts.deepest, n + 2);
    if (spills.contains(n)) {
      EXPECT_EQ(runs[n].counts.spills, spills.at(n));
    }
    EXPECT_EQ(runs[n].counts, token_emulator::double_loop(n));
  }
}

TEST_P(DoubleLoop, CyclesFollowFromThoseOfTheSingleLoop) {
  const std::vector<Measurement> runs = measure(kDoubleLoop);
  for (unsigned n = 1; n <= kLast; ++n) {
    EXPECT_EQ(runs[n].cycles - runs[0].cycles, GetParam().per_branch * (runs[n].counts.pushes - runs[0].counts.pushes) +
                                                   GetParam().per_spill * runs[n].counts.spills)
        << n;
  }
}

TEST_P(DoubleLoop, SumsAreThoseOfThreadsAlone) {
  const std::vector<Measurement> runs = measure(kDoubleLoop);
  for (unsigned n = 0; n <= kLast; ++n) {
    std::vector<float> expected;
    for (const std::uint32_t limit : token_emulator::limits(n)) {
      float& sum = expected.emplace_back(0.0f);
      for (std::uint32_t i = 0; i < limit; ++i) {
        for (std::uint32_t j = 0; j < limit; ++j) sum += 1.3333f;
        sum += 2.3333f;
      }
    }
    EXPECT_EQ(runs[n].sums, expected) << n;
  }
}

}  // namespace divergence_cost_listing2_test
}  // namespace warpfold
