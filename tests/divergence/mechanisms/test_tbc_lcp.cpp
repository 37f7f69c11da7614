// SPDX-License-Identifier: Apache-2.0
// TBC with likely-convergence points: the block meets there and is compacted (TBC §4; its walk through Fig. 10 is in
// tests/papers).
#include <gtest/gtest.h>

#include "tests/divergence/profile_file.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace tbc_lcp_test {

// A loop of two turns with two ways through its body, which thread 7 leaves by a break in the first turn. 0: fork, even
// threads to 3; 1, 2: break of thread 7; 4: latch; 5: end.
Program loop_with_break() {
  return {branch(3, [](Who who, unsigned) { return who.thread % 2 == 0; }),
          branch(5, [](Who who, unsigned) { return who.thread == 7; }),
          jump(4),
          step(),
          branch(0, [](Who, unsigned visit) { return visit < 1; }),
          leave()};
}

FlowMachine ran(const std::string& mechanism, const Program& program, std::vector<std::string> parameters = {}) {
  FlowMachine machine({mechanism, std::move(parameters)}, program);
  machine.start(0, 0, 8);
  machine.run();
  return machine;
}

TEST(TbcLcp, TheBlockMeetsAndIsCompactedAtTheLikelyPoint) {
  EXPECT_EQ(ran("tbc-lcp", loop_with_break()).issued(),
            "0{0,1,2,3} 0{4,5,6,7} 3{0,2} 3{4,6} 1{1,3} 1{5,7} 2{1,3} 2{5} 4{0,1,2,3} 4{4,5,6} "
            "0{0,1,2,3} 0{4,5,6} 3{0,2} 3{4,6} 1{1,3} 1{5} 2{1,3} 2{5} 4{0,1,2,3} 4{4,5,6} "
            "5{0,1,2,3} 5{4,5,6,7}");
  EXPECT_EQ(ran("tbc", loop_with_break()).issues_at(4), 8U) << "each way by itself";
  EXPECT_EQ(ran("tbc-lcp", loop_with_break()).issues_at(4), 4U);
}

TEST(TbcLcp, AnEntryThatNobodyComesToTakesItsPlaceAllTheSame) {
  Program program = loop_with_break();
  program[0].outcome = [](Who, unsigned) { return true; };
  program[4].outcome = [](Who, unsigned) { return false; };
  EXPECT_EQ(ran("tbc-lcp", program).core.deepest, 4U) << "TBC §4: unused entries increase the stack's use";
  EXPECT_EQ(ran("tbc", program).core.deepest, 3U);
}

TEST(TbcLcp, RandomProgramsNeedFewerInstructions) {
  unsigned fewer = 0;
  std::size_t with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    const std::size_t lcp = ran("tbc-lcp", program).trace.size(), tbc = ran("tbc", program).trace.size();
    with += lcp;
    without += tbc;
    fewer += lcp < tbc ? 1 : 0;
  }
  EXPECT_GT(fewer, 50U);
  EXPECT_LT(with, without);
}

TEST(TbcLcp, AProfileReplacesTheAnalysis) {
  const ProfileFile nothing("k: {}\n"), same("k: {1: 5, 2: 5}\n");
  EXPECT_EQ(ran("tbc-lcp", loop_with_break(), {"profile=" + nothing.path}).issued(),
            ran("tbc", loop_with_break()).issued());
  EXPECT_EQ(ran("tbc-lcp", loop_with_break(), {"profile=" + same.path}).issued(),
            ran("tbc-lcp", loop_with_break()).issued());
}

}  // namespace tbc_lcp_test
}  // namespace warpfold::divergence
