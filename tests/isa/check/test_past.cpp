// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "warpfold/isa/check/past.h"

namespace warpfold::isa {
namespace past_test {

TEST(Past, JoinsWhatIsKnown) {
  const Past::Ref a = Past::of({Past::actor(1, 0), Past::actor(1, 5)}, 10), b = Past::of({Past::actor(1, 5)}, 20);
  const Past::Ref both = Past::join(a, b);
  EXPECT_TRUE(both->has(1, 0, 10));
  EXPECT_FALSE(both->has(1, 0, 11));
  EXPECT_TRUE(both->has(1, 5, 20));
  EXPECT_FALSE(both->has(0, 5, 1)) << "another block";
  EXPECT_EQ(Past::join(nullptr, a), a);
  EXPECT_EQ(Past::join(a, nullptr), a);
  EXPECT_EQ(Past::join(a, a), a);
  const Past::Ref block = Past::join(both, Past::of({Past::whole(1)}, 15));
  EXPECT_TRUE(block->has(1, 7, 15));
  EXPECT_TRUE(block->has(1, 5, 20));
  EXPECT_TRUE(Past::join(block, Past::of_everybody(17))->has(3, 3, 17));
}

// More is claimed to be known, never less.
TEST(Past, OfManyIsRoundedUp) {
  Past::Ref past;
  for (std::uint32_t block = 0; block < 2 * Past::kMost; ++block) {
    past = Past::join(past, Past::of({Past::actor(block, 0)}, 100 + block));
  }
  for (std::uint32_t block = 0; block < 2 * Past::kMost; ++block) EXPECT_TRUE(past->has(block, 0, 100 + block));
  EXPECT_FALSE(past->has(2 * Past::kMost - 1, 0, 100 + 2 * Past::kMost)) << "of the last ones as it was";
  EXPECT_FALSE(past->has(3000, 0, 100 + 2 * Past::kMost));
  Past::Ref actors;
  for (unsigned actor = 0; actor <= Past::kMost; ++actor) {
    actors = Past::join(actors, Past::of({Past::actor(7, actor)}, 1 + actor));
  }
  EXPECT_TRUE(actors->has(7, 0, Past::kMost)) << "as one block";
  EXPECT_FALSE(actors->has(8, 0, 1));
}

}  // namespace past_test
}  // namespace warpfold::isa
