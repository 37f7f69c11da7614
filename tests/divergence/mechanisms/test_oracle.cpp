// SPDX-License-Identifier: Apache-2.0
// The oracle's count against one made by hand, and its refusals.
#include <gtest/gtest.h>

#include <map>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"
#include "warpfold/common/error.h"

namespace warpfold::divergence {
namespace oracle_test {

std::uint64_t bound(const Program& program, const std::vector<unsigned>& blocks, const std::string& scope) {
  FlowMachine machine({"oracle", {"scope=" + scope}, 4, 4, 2}, program);
  for (unsigned slot = 0; slot < blocks.size(); ++slot) machine.start(slot, slot, blocks[slot]);
  machine.run();
  return machine.core.statistic("oracle_warp_instructions");
}

// TBC's Fig. 7: threads 0, 5, 6 of eight run C, the others B, in warps of four.
TEST(Oracle, OfTheExampleOfTbc) {
  const auto to_c = [](Who who, unsigned) { return who.thread == 0 || who.thread == 5 || who.thread == 6; };
  const Program program{branch(3, to_c), step(), jump(4), step(), leave()};
  EXPECT_EQ(bound(program, {8}, "block"), 2U + 2U + 2U + 1U + 2U) << "A, both of B, C, D";
  EXPECT_EQ(bound(program, {8, 8}, "block"), 18U);
  EXPECT_EQ(bound(program, {8, 8}, "core"), 4U + 4U + 4U + 2U + 4U)
      << "lanes 1 to 3 of B hold two threads of each block";
  EXPECT_EQ(bound(program, {1, 8}, "block"), 9U + 3U);
  EXPECT_EQ(bound(program, {1, 8}, "core"), 3U + 2U + 2U + 2U + 3U) << "two threads in lane 0 of C";
}

// What each thread executes alone, counted by another road.
TEST(Oracle, OfRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    std::map<std::pair<Pc, unsigned>, std::uint64_t> lanes;
    for (unsigned thread = 0; thread < 14; ++thread) {
      for (const Pc pc : reference(program, {0, thread})) ++lanes[{pc, thread % 4}];
    }
    std::map<Pc, std::uint64_t> most;
    for (const auto& [where, count] : lanes) most[where.first] = std::max(most[where.first], count);
    std::uint64_t expected = 0;
    for (const auto& [pc, count] : most) expected += count;
    ASSERT_EQ(bound(program, {14}, "block"), expected) << "seed " << seed;
  }
}

TEST(Oracle, RefusesWidthsThatNoWarpHas) {
  const auto why_not = [](const char* parameter) {
    return find_mechanism("oracle").configure(ConfigNode::from_text(parameter, "t.yaml")).why_not(Geometry{});
  };
  EXPECT_EQ(why_not("width: 0"), "");
  EXPECT_EQ(why_not("width: 16"), "");
  EXPECT_EQ(why_not("width: 4"), "width = 4 lanes: must be a power of two of at least the SIMD width, 8");
  EXPECT_EQ(why_not("width: 24"), "width = 24 lanes: must be a power of two of at least the SIMD width, 8");
}

}  // namespace oracle_test
}  // namespace warpfold::divergence
