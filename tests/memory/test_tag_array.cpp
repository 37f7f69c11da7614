// SPDX-License-Identifier: Apache-2.0
// Tags against a list-based LRU that knows nothing of slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>

#include "warpfold/memory/tag_array.h"

namespace warpfold {
namespace tag_array_test {

TEST(TagArray, EvictsTheLeastRecentlyUsedLineOfTheSet) {
  TagArray tags("test", 4 * 2 * 64, 64, 2);  // 4 sets of 2 ways
  ASSERT_EQ(tags.sets(), 4u);
  tags.fill(tags.victim(0), 0);
  tags.fill(tags.victim(4), 4);
  tags.touch(tags.find(0));
  EXPECT_EQ(tags.line_of(tags.victim(8)), 4u);
  tags.touch(tags.find(4));
  EXPECT_EQ(tags.line_of(tags.victim(8)), 0u);
  EXPECT_FALSE(tags.holds_line(tags.victim(1)));  // another set is empty
}

TEST(TagArray, NeverEvictsPinnedSlots) {
  TagArray tags("test", 2 * 64, 64, 2);
  const TagArray::Slot first = tags.victim(0);
  tags.fill(first, 0);
  tags.pin(first);
  const TagArray::Slot second = tags.victim(1);
  EXPECT_NE(first, second);
  tags.fill(second, 1);
  tags.touch(first);
  EXPECT_EQ(tags.victim(2), second);
  tags.pin(second);
  EXPECT_EQ(tags.victim(2), TagArray::kNone);
  tags.unpin(first);
  EXPECT_EQ(tags.victim(2), first);
}

TEST(TagArray, InvalidatedLinesAreGone) {
  TagArray tags("test", 8 * 64, 64, 8);
  for (std::uint64_t line = 0; line < 8; ++line) tags.fill(tags.victim(line), line);
  const TagArray::Slot third = tags.find(3);
  tags.invalidate(third);
  EXPECT_EQ(tags.find(3), TagArray::kNone);
  EXPECT_EQ(tags.victim(100), third);
  tags.invalidate_all();
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_EQ(tags.find(line), TagArray::kNone);
}

// Of few lines among many slots those are reset that were filled, also one that is gone by itself and filled again.
TEST(TagArray, AllSlotsThatHadLinesAreReset) {
  for (const std::uint64_t lines : {1, 3, 200}) {
    TagArray tags("test", 512 * 64, 64, 8);
    std::vector<unsigned> filled(tags.slots()), reset(tags.slots());
    for (unsigned round = 0; round < 3; ++round) {
      for (std::uint64_t line = 7; line < 7 + lines; ++line) {
        const TagArray::Slot slot = tags.victim(line);
        filled[slot] = 1;
        tags.fill(slot, line);
        if (line % 2 == 0) tags.invalidate(slot), tags.fill(slot, line);
      }
      tags.invalidate_all([&](TagArray::Slot slot) { reset[slot] = 1; });
      for (TagArray::Slot slot = 0; slot < tags.slots(); ++slot) {
        EXPECT_FALSE(tags.holds_line(slot)) << slot;
        EXPECT_LE(filled[slot], reset[slot]) << slot;
      }
      filled.assign(filled.size(), 0);
      reset.assign(reset.size(), 0);
    }
  }
}

// Times run out after eight uses.
TEST(TagArray, ALineOnItsWayStaysPinnedWhenTimesRunOut) {
  TagArray tags("test", 64, 32, 2, IndexHash::kLinear, 8);
  tags.fill(0, 5);
  tags.pin(0);
  tags.fill(1, 6);
  for (int n = 0; n < 30; ++n) {
    tags.touch(1);
    ASSERT_EQ(tags.victim(7), 1u) << "use " << n;
    ASSERT_TRUE(tags.pinned(0)) << "use " << n;
  }
}

TEST(TagArray, RefusesGeometryWithoutWholeSets) {
  EXPECT_THROW(TagArray("l1d", 1000, 64, 8), UserError);
  EXPECT_THROW(TagArray("l1d", 0, 64, 8), UserError);
}

// (sets, ways): powers of two and not, direct-mapped, fully associative, the L2's 64 ways.
class TagArrayGeometry : public testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {};

TEST_P(TagArrayGeometry, HitsAndEvictionsEqualAListModel) {
  const auto [sets, ways] = GetParam();
  TagArray tags("test", std::uint64_t{sets} * ways * 32, 32, ways, IndexHash::kLinear,
                4 * ways);                                  // times run out again and again
  std::map<std::uint64_t, std::list<std::uint64_t>> model;  // per set, most recent first
  std::mt19937 random(sets * 1000 + ways);
  for (int n = 0; n < 20000; ++n) {
    const std::uint64_t line = random() % (sets * ways * 2);
    std::list<std::uint64_t>& set = model[line % sets];
    const auto place = std::find(set.begin(), set.end(), line);
    const TagArray::Slot slot = tags.find(line);
    ASSERT_EQ(slot != TagArray::kNone, place != set.end()) << "access " << n;
    if (place != set.end()) {
      set.splice(set.begin(), set, place);
      tags.touch(slot);
      continue;
    }
    const TagArray::Slot victim = tags.victim(line);
    ASSERT_EQ(tags.holds_line(victim), set.size() == ways);
    if (set.size() == ways) {
      ASSERT_EQ(tags.line_of(victim), set.back()) << "access " << n;
      set.pop_back();
    }
    set.push_front(line);
    tags.fill(victim, line);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, TagArrayGeometry,
                         testing::Values(std::pair{64u, 8u}, std::pair{256u, 64u}, std::pair{1u, 16u},
                                         std::pair{32u, 1u}, std::pair{12u, 24u}));

// The first to go before all others, the last behind all; and a use may change nothing.
TEST(TagArray, PrioritiesComeBeforeTheTimesOfUses) {
  for (const std::uint32_t uses : {8U, 1U << 30}) {  // of which few: times are made small again
    TagArray tags("test", 4 * 32, 32, 4, IndexHash::kLinear, uses);
    tags.fill(0, 10, Eviction::kLast);
    tags.fill(1, 11);
    tags.fill(2, 12);
    tags.fill(3, 13);
    for (int n = 0; n < 20; ++n) {
      tags.touch(1);
      tags.touch(2, Eviction::kUnchanged);
      tags.touch(3);
    }
    EXPECT_EQ(tags.victim(99), 2u);
    tags.touch(3, Eviction::kFirst);
    EXPECT_EQ(tags.victim(99), 3u);
    tags.touch(3);
    tags.touch(2);
    EXPECT_EQ(tags.victim(99), 1u);
    tags.pin(1), tags.pin(2), tags.pin(3);
    EXPECT_EQ(tags.victim(99), 0u);
    tags.unpin(2, Eviction::kLast);
    EXPECT_EQ(tags.victim(99), 0u) << "of those that go last the older";
    tags.unpin(1);
    EXPECT_EQ(tags.victim(99), 1u);
  }
}

}  // namespace tag_array_test
}  // namespace warpfold
