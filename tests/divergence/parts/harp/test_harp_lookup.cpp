// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/harp/harp_lookup.h"

namespace warpfold::divergence {
namespace harp_lookup_test {

constexpr Pc kB = 1, kC = 5;
constexpr unsigned kWidth = 4;

Warp at(Pc pc, unsigned row, LaneMask lanes) { return Warp::of_row(pc, static_cast<std::uint16_t>(row), lanes); }
std::string text(const Warp& warp) { return fmt::format("{}{}", warp.pc, threads_text(warp, kWidth)); }

class HarpReadyLookup : public testing::Test {
 protected:
  ReadyLookup::Result take(const Warp& a, const Warp& b) {
    sides = {a, b};
    return table.take(sides);
  }
  ReadyLookup::Result diverge(unsigned row, LaneMask at_b, LaneMask at_c) {
    return take(at(kB, row, at_b), at(kC, row, at_c));
  }
  std::string contents() const {
    std::string all;
    for (const Warp& warp : table.warps()) all += fmt::format("{}{}", all.empty() ? "" : " ", text(warp));
    return all;
  }
  ReadyLookup table{3};
  std::array<Warp, 2> sides;
};

TEST_F(HarpReadyLookup, BothSidesEnterInOrder) {
  const ReadyLookup::Result result = diverge(0, 0b1010, 0b0101);
  EXPECT_EQ(result.entered, 2U);
  EXPECT_EQ(result.merged, 0U);
  EXPECT_EQ(contents(), "1{1,3} 5{0,2}");
  EXPECT_EQ(table.threads(), 4U);
  EXPECT_EQ(text(table.pop()), "1{1,3}");
  EXPECT_EQ(table.threads(), 2U);
}

TEST_F(HarpReadyLookup, ThreadsJoinByThemselves) {
  diverge(0, 0b0011, 0);
  const ReadyLookup::Result result = diverge(1, 0b0110, 0);
  EXPECT_EQ(result.merged, 1U) << "lane 2 is free, lane 1 is not";
  EXPECT_EQ(result.entered, 1U);
  EXPECT_EQ(contents(), "1{5} 1{0,1,6}") << "the warp that got a thread goes to the end";
  EXPECT_FALSE(table.warps().back().one_row);
}

TEST_F(HarpReadyLookup, ASideMaySpreadOverSeveralWarps) {
  diverge(0, 0b0001, 0);
  take(at(kB, 1, 0b0001), at(kC, 1, 0));
  EXPECT_EQ(contents(), "1{0} 1{4}");
  const ReadyLookup::Result result = take(at(kB, 2, 0b0010), at(kC, 2, 0));
  EXPECT_EQ(result.merged, 1U);
  EXPECT_EQ(contents(), "1{4} 1{0,9}") << "the older one has it";
}

TEST_F(HarpReadyLookup, AnotherPcIsNoMatch) {
  diverge(0, 0b0001, 0);
  EXPECT_EQ(diverge(1, 0, 0b0010).merged, 0U);
  EXPECT_EQ(contents(), "1{0} 5{5}");
}

TEST_F(HarpReadyLookup, FullItStillMerges) {
  diverge(0, 0b0001, 0b0010);
  diverge(1, 0b0001, 0);
  ASSERT_EQ(table.used(), 3U);
  const ReadyLookup::Result result = diverge(2, 0b0011, 0b0100);
  EXPECT_EQ(result.merged, 2U) << "lane 1 at B, lane 2 at C";
  EXPECT_EQ(result.entered, 0U);
  EXPECT_EQ(result.bypassed, 1U);
  EXPECT_EQ(text(sides[0]), "1{8}") << "left over";
  EXPECT_EQ(sides[1].mask, 0U);
  EXPECT_EQ(contents(), "1{4} 1{0,9} 5{1,10}");
  EXPECT_EQ(table.threads(), 5U);
}

TEST_F(HarpReadyLookup, WithoutEntriesEverythingBypasses) {
  table = ReadyLookup(0);
  EXPECT_EQ(diverge(0, 0b0001, 0b0010).bypassed, 2U);
  EXPECT_TRUE(table.empty());
}

class HarpWaitingLookup : public testing::Test {
 protected:
  using Outcome = WaitingLookup::Outcome;
  WaitingLookup table{2, 8};
};

TEST_F(HarpWaitingLookup, AWarpAloneGoesOnAsItIs) {
  Warp warp = at(kB, 0, 0b0101);
  EXPECT_EQ(table.issued(3, warp), Outcome::kEntered);
  EXPECT_TRUE(table.holds(3));
  EXPECT_EQ(table.used(), 1U);
  EXPECT_TRUE(table.completed(3, warp));
  EXPECT_EQ(text(warp), "1{0,2}");
  EXPECT_FALSE(table.holds(3));
  EXPECT_EQ(table.used(), 0U);
}

TEST_F(HarpWaitingLookup, WarpsAtTheSameInstructionGoOnAsOneWhenAllHaveCompleted) {
  Warp a = at(kB, 0, 0b0001), b = at(kB, 1, 0b0010), c = at(kB, 2, 0b0100);
  EXPECT_EQ(table.issued(0, a), Outcome::kEntered);
  EXPECT_EQ(table.issued(1, b), Outcome::kMerged);
  EXPECT_EQ(table.issued(2, c), Outcome::kMerged);
  EXPECT_EQ(table.used(), 1U);
  EXPECT_FALSE(table.completed(1, b));
  EXPECT_FALSE(table.completed(0, a));
  EXPECT_EQ(table.threads(), 2U);
  unsigned seen = 0;
  table.for_each_waiting([&](const Warp& warp) { seen += static_cast<unsigned>(std::popcount(warp.mask)); });
  EXPECT_EQ(seen, 2U);
  EXPECT_TRUE(table.completed(2, c));
  EXPECT_EQ(text(c), "1{0,5,10}");
  EXPECT_FALSE(c.one_row);
  EXPECT_EQ(table.threads(), 0U);
  EXPECT_EQ(table.used(), 0U);
}

TEST_F(HarpWaitingLookup, ALaneConflictOrAnotherPcTakesAnEntryOfItsOwn) {
  EXPECT_EQ(table.issued(0, at(kB, 0, 0b0001)), Outcome::kEntered);
  EXPECT_EQ(table.issued(1, at(kB, 1, 0b0011)), Outcome::kEntered) << "lane 0";
  EXPECT_EQ(table.issued(2, at(kC, 2, 0b0100)), Outcome::kFull);
  EXPECT_FALSE(table.holds(2));
}

TEST_F(HarpWaitingLookup, TheLanesOfThoseThatHaveCompletedStayTaken) {
  Warp a = at(kB, 0, 0b0001), b = at(kB, 1, 0b0010);
  table.issued(0, a);
  table.issued(1, b);
  EXPECT_FALSE(table.completed(0, a));
  EXPECT_EQ(table.issued(2, at(kB, 2, 0b0001)), Outcome::kEntered);
}

TEST_F(HarpWaitingLookup, FullItStillMerges) {
  table.issued(0, at(kB, 0, 0b0001));
  table.issued(1, at(kC, 1, 0b0001));
  EXPECT_EQ(table.issued(2, at(kC, 2, 0b0010)), Outcome::kMerged);
}

TEST_F(HarpWaitingLookup, WhatIsNotThereDoesNotComplete) {
  Warp warp = at(kB, 0, 1);
  EXPECT_THROW(table.completed(0, warp), InternalError);
}

}  // namespace harp_lookup_test
}  // namespace warpfold::divergence
