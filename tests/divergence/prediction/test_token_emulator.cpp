// SPDX-License-Identifier: Apache-2.0
// The emulator of the divergence-cost paper, step by step (§III, Fig. 3; §IV).
#include <gtest/gtest.h>

#include "warpfold/divergence/prediction/token_emulator.h"

namespace warpfold::divergence {
namespace token_emulator_test {

using Counts = std::vector<TokenCounts>;

// Fig. 3: the walk through the single loop of Listing 3 with n = 2, its lines as addresses.
TEST(TokenEmulator, WalkThroughTheSingleLoop) {
  constexpr isa::LaneMask kAll = 0xffff'ffff;
  Counts counts(1);
  TokenEmulator warp(kAll, 16, 4, counts);
  warp.go_to(3);
  warp.ssy(12);
  warp.go_to(4);
  warp.branch(0, 11);
  EXPECT_EQ(warp.pc(), 5U) << "nobody takes it";
  ASSERT_EQ(warp.stack().size(), 1U);
  EXPECT_TRUE(warp.stack()[0].sync);
  EXPECT_EQ(warp.stack()[0].mask, kAll);
  EXPECT_EQ(warp.stack()[0].pc, 12U);
  warp.go_to(10);
  warp.branch(kAll, 7);
  EXPECT_EQ(warp.pc(), 7U) << "i = 1 ... 30: everybody";
  EXPECT_EQ(warp.stack().size(), 1U);
  warp.go_to(10);
  warp.branch(0x7fff'ffff, 7);
  warp.go_to(10);
  warp.branch(0x3fff'ffff, 7);
  ASSERT_EQ(warp.stack().size(), 3U);
  EXPECT_FALSE(warp.stack()[1].sync);
  EXPECT_EQ(warp.stack()[1].mask, 0x8000'0000U);
  EXPECT_EQ(warp.stack()[2].mask, 0x4000'0000U);
  EXPECT_EQ(warp.stack()[2].pc, 11U);
  EXPECT_EQ(warp.active(), 0x3fff'ffffU);
  warp.go_to(10);
  warp.branch(0xc000'0000, 7);
  EXPECT_EQ(warp.pc(), 11U) << "predicates of inactive threads are no matter";
  for (const isa::LaneMask mask : {0x4000'0000U, 0x8000'0000U}) {
    warp.pop();
    EXPECT_EQ(warp.active(), mask);
    EXPECT_EQ(warp.pc(), 11U);
  }
  warp.pop();
  EXPECT_EQ(warp.active(), kAll);
  EXPECT_EQ(warp.pc(), 12U);
  EXPECT_EQ(counts[0], (TokenCounts{1, 2, 3, 0, 0, 3}));
}

// Three tokens of room, two at a time: the fourth and the sixth push spill, the pops below them reload.
TEST(TokenEmulator, SpillsAndReloads) {
  Counts counts(1);
  TokenEmulator warp(0xff, 3, 2, counts);
  std::vector<std::uint64_t> spills, reloads;
  for (unsigned n = 0; n < 6; ++n) {
    warp.ssy(n);
    spills.push_back(counts[0].spills);
  }
  EXPECT_EQ(spills, (std::vector<std::uint64_t>{0, 0, 0, 1, 1, 2}));
  for (unsigned n = 0; n < 6; ++n) {
    warp.pop();
    reloads.push_back(counts[0].reloads);
  }
  EXPECT_EQ(reloads, (std::vector<std::uint64_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(counts[0].deepest, 6U);
}

TEST(TokenEmulator, CountsAreTheirOwners) {
  Counts counts(3);
  TokenEmulator warp(0xff, 1, 1, counts);
  warp.ssy(9, 1, 7);
  warp.branch(0xf0, 5, 2);
  EXPECT_EQ(warp.innermost_sync()->region, 7U);
  EXPECT_TRUE(warp.has_sync(9));
  EXPECT_FALSE(warp.has_sync(1)) << "that is a DIV token's";
  warp.pop();
  warp.pop();
  EXPECT_EQ(warp.innermost_sync(), nullptr);
  EXPECT_EQ(counts[0], TokenCounts{});
  EXPECT_EQ(counts[1], (TokenCounts{1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(counts[2], (TokenCounts{0, 1, 1, 1, 0, 2}));
  TokenCounts sum = counts[1];
  sum.add(counts[2]);
  EXPECT_EQ(sum, (TokenCounts{1, 1, 2, 1, 1, 2}));
  EXPECT_EQ(sum.pushes(), 2U);
}

TEST(TokenEmulator, ThreadsThatEndLeaveTheTokens) {
  Counts counts(1);
  TokenEmulator warp(0xf, 16, 4, counts);
  warp.ssy(8);
  warp.branch(0x3, 4);
  warp.exit(0x1);
  EXPECT_EQ(warp.active(), 0x2U);
  EXPECT_EQ(warp.pc(), 5U);
  warp.exit(0x2);
  EXPECT_EQ(warp.active(), 0xcU) << "the other side's turn";
  EXPECT_EQ(warp.pc(), 1U);
  warp.pop();
  EXPECT_EQ(warp.active(), 0xcU) << "of the SYNC token only those who live";
  warp.exit(0xc);
  EXPECT_TRUE(warp.done());
}

// §IV: 32 cycles a diverging branch and 84 a spill with its reload on Kepler, 26 and 176 on Maxwell.
TEST(TokenEmulator, Cycles) {
  const TokenStackParams params;
  const TokenCounts one{1, 1, 2, 0, 0, 2}, spilled{1, 16, 17, 1, 1, 17};
  EXPECT_EQ(cycles_of(one, params.kepler, 1), 2 * 32U + 1);
  EXPECT_EQ(cycles_of(spilled, params.kepler, 0), 17 * 32U + 84);
  EXPECT_EQ(cycles_of(spilled, params.maxwell, 0), 17 * 26U + 176);
}

}  // namespace token_emulator_test
}  // namespace warpfold::divergence
