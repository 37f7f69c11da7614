// SPDX-License-Identifier: Apache-2.0
// The sorter: deeper first, then lower places; contexts of one place become one.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "warpfold/divergence/parts/warp/context_sorter.h"

namespace warpfold::divergence {
namespace context_sorter_test {

constexpr Context kNone{};

TEST(ContextSorter, DeeperGoesFirstThenTheLowerPlace) {
  const Context a{0, 5, 0b001}, b{0, 7, 0b010}, deep{1, 9, 0b100};
  EXPECT_EQ(sort_contexts({b, a, kNone}), (ContextTriple{a, b, kNone}));
  EXPECT_EQ(sort_contexts({b, a, deep}), (ContextTriple{deep, a, b}));
  EXPECT_TRUE(goes_before(deep, a) && goes_before(a, b));
  EXPECT_FALSE(goes_before(a, deep)) << "although its place is lower";
  EXPECT_FALSE(goes_before(a, a));
}

TEST(ContextSorter, LeavesOutWhatIsNoContext) {
  const Context a{0, 5, 0b001};
  EXPECT_EQ(sort_contexts({kNone, kNone, kNone}), ContextTriple{});
  EXPECT_EQ(sort_contexts({kNone, {3, 2, 0}, a}), (ContextTriple{a, kNone, kNone})) << "a place without threads";
}

TEST(ContextSorter, ContextsOfOnePlaceBecomeOne) {
  EXPECT_EQ(sort_contexts({{{0, 5, 0b001}, {0, 5, 0b010}, {0, 4, 0b100}}}),
            (ContextTriple{{{0, 4, 0b100}, {0, 5, 0b011}, kNone}}));
  EXPECT_EQ(sort_contexts({{{0, 5, 0b001}, {0, 5, 0b010}, {0, 5, 0b100}}}),
            (ContextTriple{{{0, 5, 0b111}, kNone, kNone}}));
  EXPECT_EQ(sort_contexts({{{2, 5, 0b001}, {1, 4, 0b010}, {0, 5, 0b100}}}),
            (ContextTriple{{{2, 5, 0b101}, {1, 4, 0b010}, kNone}}))
      << "as deep as the deepest, with another between them";
}

// Every triple of small contexts, against a sort of a map of places.
TEST(ContextSorter, EveryTriple) {
  std::vector<Context> all[kSortedContexts];
  for (unsigned i = 0; i < kSortedContexts; ++i) {
    for (unsigned depth = 0; depth < 3; ++depth) {
      for (Pc place = 0; place < 4; ++place) all[i].push_back({depth, place, LaneMask{1} << i});
    }
    all[i].push_back(kNone);
  }
  for (const Context& a : all[0]) {
    for (const Context& b : all[1]) {
      for (const Context& c : all[2]) {
        std::map<Pc, Context> by_place;
        for (const Context& one : {a, b, c}) {
          if (one.mask == 0) continue;
          Context& at = by_place[one.place];
          at = {std::max(at.depth, one.depth), one.place, at.mask | one.mask};
        }
        std::vector<Context> wanted;
        for (const auto& [place, one] : by_place) wanted.push_back(one);
        std::stable_sort(wanted.begin(), wanted.end(),
                         [](const Context& x, const Context& y) { return x.depth > y.depth; });
        wanted.resize(kSortedContexts);
        const ContextTriple got = sort_contexts({a, b, c});
        ASSERT_TRUE(std::equal(got.begin(), got.end(), wanted.begin()));
      }
    }
  }
}

}  // namespace context_sorter_test
}  // namespace warpfold::divergence
