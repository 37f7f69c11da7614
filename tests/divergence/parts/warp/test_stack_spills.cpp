// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/divergence/parts/warp/stack_spills.h"

namespace warpfold::divergence {
namespace stack_spills_test {

// "out 0+32, in 32+32": what went where, from the owner's first byte on.
std::string moved(const FakeCore& core) {
  std::string text;
  for (const Spill& part : core.spills) {
    text += fmt::format("{}{} {}+{}", text.empty() ? "" : ", ", part.way == Spill::Way::kOut ? "out" : "in",
                        part.offset, part.bytes);
  }
  return text;
}

class Spills : public testing::Test {
 protected:
  FakeCore core{4, 4};
  Counter &out{core.stats().counter("out", "", "")}, &in{core.stats().counter("in", "", "")};
};

// Divergence cost §IV: sixteen tokens of eight bytes on the core, four at a time.
TEST_F(Spills, TokensGoAndComeFourAtATime) {
  StackSpills stack(16, 4, 4, &core, {out, in});
  stack.start(1, 8);
  for (unsigned depth = 1; depth <= 16; ++depth) EXPECT_EQ(stack.grow(1, depth), 0u);
  EXPECT_EQ(stack.grow(1, 17), 1u);
  for (unsigned depth = 18; depth <= 20; ++depth) EXPECT_EQ(stack.grow(1, depth), 0u);
  EXPECT_EQ(stack.grow(1, 21), 1u);
  EXPECT_EQ(stack.in_memory(1), 8u);
  EXPECT_EQ(moved(core), "out 0+32, out 32+32");
  for (unsigned depth = 21; depth > 8; --depth) EXPECT_EQ(stack.use(1, depth), 0u);
  EXPECT_EQ(stack.use(1, 8), 1u);
  for (unsigned depth = 7; depth > 4; --depth) EXPECT_EQ(stack.use(1, depth), 0u);
  EXPECT_EQ(stack.use(1, 4), 1u);
  EXPECT_EQ(stack.in_memory(1), 0u);
  EXPECT_EQ(moved(core), "out 0+32, out 32+32, in 32+32, in 0+32");
  EXPECT_EQ(core.bytes_out, core.bytes_in);
  EXPECT_EQ(out.value(), 2u);
  EXPECT_EQ(in.value(), 2u);
  EXPECT_EQ(core.spills[0].owner, 1u);
}

TEST_F(Spills, SeveralEntriesMayGoOrComeAtOnce) {
  StackSpills stack(4, 1, 4, &core, {out, in});
  stack.start(0, 10);
  EXPECT_EQ(stack.grow(0, 7), 3u);
  EXPECT_EQ(stack.use(0, 1), 3u) << "what lies above is read on the way down";
  EXPECT_EQ(moved(core), "out 0+10, out 10+10, out 20+10, in 20+10, in 10+10, in 0+10");
}

TEST_F(Spills, AnEntryInMemoryIsChangedThere) {
  StackSpills stack(4, 1, 4, &core, {out, in});
  stack.start(0, 10);
  stack.grow(0, 6);
  stack.change(0, 1);
  stack.change(0, 2);  // is on the core
  EXPECT_EQ(moved(core), "out 0+10, out 10+10, in 10+10, out 10+10");
  EXPECT_EQ(stack.in_memory(0), 2u);
}

TEST_F(Spills, AnOwnerWaitsUntilItIsTold) {
  core.spills_take_time = true;
  StackSpills stack(4, 1, 4, &core, {out, in});
  stack.start(0, 10);
  stack.start(1, 10);
  stack.grow(0, 5);
  EXPECT_TRUE(stack.waits(0));
  EXPECT_FALSE(stack.waits(1));
  stack.start(0, 10);
  EXPECT_TRUE(stack.waits(0)) << "what the last stack wrote is still under way";
  stack.spilled(0);
  EXPECT_FALSE(stack.waits(0));
}

TEST_F(Spills, WithoutACoreTheyAreOnlyCounted) {
  StackSpills stack(2, 1, 1, nullptr, {out, in});
  stack.start(0, 8);
  EXPECT_EQ(stack.grow(0, 3), 1u);
  EXPECT_EQ(stack.use(0, 1), 1u);
  EXPECT_FALSE(stack.waits(0));
  EXPECT_EQ(out.value(), 1u);
  EXPECT_TRUE(core.spills.empty());
}

// A mask of 2 rows of 32 threads, two pcs and a count.
TEST_F(Spills, AnEntryOfABlockHasTheMaskOfItsThreads) {
  Geometry geometry;
  BlockStackSpills stack(4, BlockStackSpills::kFieldBytes, geometry, core);
  stack.start({3, 0, 0, 0, {1, 1}});
  stack.grow(3, 5);
  EXPECT_EQ(moved(core), "out 0+18");
  EXPECT_EQ(core.spills[0].owner, 3u);
  EXPECT_EQ(core.statistic("block_stack_spills"), 1u);
}

}  // namespace stack_spills_test
}  // namespace warpfold::divergence
