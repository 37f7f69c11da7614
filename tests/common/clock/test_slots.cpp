// SPDX-License-Identifier: Apache-2.0
// Numbers of things under way: each is one thing's at a time, and all are used again.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "warpfold/common/clock/slots.h"

namespace warpfold {
namespace slots_test {

TEST(Slots, NumbersAreUsedAgainAndNeverTwiceAtOnce) {
  Slots<int> slots;
  std::set<Slots<int>::Number> taken;
  for (int i = 0; i < 5; ++i) taken.insert(slots.take());
  EXPECT_EQ(taken.size(), 5u);
  EXPECT_EQ(slots.in_use(), 5u);
  slots.give_back(3);
  slots.give_back(1);
  EXPECT_EQ(slots.in_use(), 3u);
  EXPECT_EQ((std::set{slots.take(), slots.take()}), (std::set<Slots<int>::Number>{1, 3}));
  EXPECT_EQ(slots.all().size(), 5u) << "none was made for them";
}

TEST(Slots, ASlotKeepsWhatItHad) {
  Slots<std::string> slots;
  const auto first = slots.take();
  slots[first] = "of the last one";
  slots.give_back(first);
  EXPECT_EQ(slots[slots.take()], "of the last one");
}

}  // namespace slots_test
}  // namespace warpfold
