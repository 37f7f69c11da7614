// SPDX-License-Identifier: Apache-2.0
// What a trace of masks takes, on the paper's examples.
#include <gtest/gtest.h>

#include "tests/divergence/packing/packings.h"
#include "warpfold/divergence/packing/mask_totals.h"

namespace warpfold::divergence {
namespace mask_totals_test {

using Cycles = std::array<std::uint64_t, kPackings.size()>;

MaskRecord simd16(isa::LaneMask mask, std::uint64_t count = 1) { return {{mask, 16, 4}, 32, count}; }

MaskTotals totals_of(const std::vector<MaskRecord>& records) {
  MaskTotals totals;
  for (const MaskRecord& record : records) EXPECT_TRUE(totals.add(record));
  return totals;
}

Cycles cycles_of(const MaskTotals& totals) {
  Cycles cycles{};
  for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] = totals.cycles(kEveryPacking[i]);
  return cycles;
}

// An instruction in the if and one in the else.
TEST(MaskTotals, Figure8) {
  EXPECT_EQ(cycles_of(totals_of({simd16(0xffff)})), (Cycles{4, 4, 4, 4}));
  EXPECT_EQ(cycles_of(totals_of({simd16(0x00ff), simd16(0xff00)})), (Cycles{8, 4, 4, 4}));
  EXPECT_EQ(cycles_of(totals_of({simd16(0xff0f), simd16(0x00f0)})), (Cycles{8, 6, 4, 4}));
  EXPECT_EQ(cycles_of(totals_of({simd16(0xf0f0), simd16(0x0f0f)})), (Cycles{8, 8, 4, 4}));
  EXPECT_EQ(cycles_of(totals_of({simd16(0xaaaa), simd16(0x5555)})), (Cycles{8, 8, 8, 4}));
}

// Table 2's L3 and L4: savings beyond Ivy Bridge are of the cycles that it takes.
TEST(MaskTotals, SavingsAreBeyondIvyBridges) {
  const MaskTotals third = totals_of({simd16(0x0101, 10), simd16(0x1010, 10)});
  EXPECT_EQ(cycles_of(third), (Cycles{80, 80, 40, 20}));
  EXPECT_DOUBLE_EQ(third.saving(Packing::kBcc), 0.5);
  EXPECT_DOUBLE_EQ(third.saving(Packing::kScc), 0.75);
  const MaskTotals fourth = totals_of({simd16(0x0001), simd16(0x8000)});
  EXPECT_EQ(cycles_of(fourth), (Cycles{8, 4, 2, 2}));
  EXPECT_DOUBLE_EQ(fourth.saving(Packing::kBcc), 0.5);
  EXPECT_DOUBLE_EQ(fourth.saving(Packing::kScc), 0.5);
}

// 8 + 4 + 12 lanes of 8 + 16 + 16.
TEST(MaskTotals, EfficiencyIsOfLanesNotOfInstructions) {
  const MaskTotals totals = totals_of({{{0xff, 8, 4}, 32, 1}, simd16(0x000f), simd16(0x0fff)});
  EXPECT_EQ(totals.active_lanes(), 24U);
  EXPECT_DOUBLE_EQ(totals.simd_efficiency(), 0.6);
  EXPECT_TRUE(totals.divergent());
  EXPECT_FALSE(totals_of({simd16(0xffff, 19), simd16(0xff7f)}).divergent());
}

TEST(MaskTotals, Figure9CountsByFilledGroups) {
  const MaskTotals totals = totals_of({simd16(0),
                                       simd16(1, 2),
                                       simd16(0x000f, 3),
                                       simd16(0x5555, 5),
                                       simd16(0xfff0, 7),
                                       simd16(0xffff, 11),
                                       {{0x01, 8, 4}, 32, 13},
                                       {{0xff, 16, 2}, 64, 17}});
  ASSERT_EQ(totals.utilisation().size(), 3U);
  EXPECT_EQ(totals.utilisation().at({16, 4}), (std::vector<std::uint64_t>{1, 5, 5, 7, 11}));
  EXPECT_EQ(totals.utilisation().at({8, 4}), (std::vector<std::uint64_t>{0, 13, 0}));
  EXPECT_EQ(totals.utilisation().at({16, 2}), (std::vector<std::uint64_t>{0, 0, 0, 0, 17, 0, 0, 0, 0}));
}

TEST(MaskTotals, SumsThatLeave64BitsAreNotTaken) {
  MaskTotals totals;
  EXPECT_TRUE(totals.add(simd16(0xffff, std::uint64_t{1} << 59)));
  EXPECT_FALSE(totals.add(simd16(0xffff, std::uint64_t{1} << 61)));
  EXPECT_FALSE(totals.add(simd16(0xffff, std::uint64_t{1} << 59))) << "no more fits, not even in the sum";
  EXPECT_TRUE(totals.add(simd16(0x1, (std::uint64_t{1} << 59) - 1)));
  EXPECT_FALSE(totals.add(simd16(0x1)));
  EXPECT_EQ(totals.instructions(), (std::uint64_t{1} << 60) - 1);
}

}  // namespace mask_totals_test
}  // namespace warpfold::divergence
