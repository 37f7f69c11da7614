// SPDX-License-Identifier: Apache-2.0
// PDOM with likely-convergence points: what they change, and where they come from (TBC §4; its walk through Fig. 10 is
// in tests/papers).
#include <gtest/gtest.h>

#include "tests/divergence/profile_file.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace pdom_lcp_test {

// Thread t goes through a loop for t + 1 turns, every other time by way of 3 and 4, where thread 3 breaks out in its
// third turn. 1: head, 2: fork, 5: where the ways meet, 6: latch, 7: end.
Program loop_with_break() {
  return {step(),
          step(),
          branch(5, [](Who who, unsigned visit) { return (who.thread + visit) % 2 == 0; }),
          step(),
          branch(7, [](Who who, unsigned visit) { return who.thread == 3 && visit == 1; }),
          step(),
          branch(1, [](Who who, unsigned visit) { return visit < who.thread; }),
          leave()};
}

FlowMachine ran(const std::string& mechanism, Program program, std::vector<std::string> parameters = {}) {
  FlowMachine machine({mechanism, std::move(parameters)}, std::move(program));
  machine.start(0, 0, 4);
  machine.run();
  return machine;
}

TEST(PdomLcp, ThreadsOfALoopMeetInEveryTurn) {
  const FlowMachine with = ran("pdom-lcp", loop_with_break()), without = ran("pdom", loop_with_break());
  EXPECT_EQ(with.issued(),
            "0{0,1,2,3} 1{0,1,2,3} 2{0,1,2,3} 3{1,3} 4{1,3} 5{0,1,2,3} 6{0,1,2,3} "
            "1{1,2,3} 2{1,2,3} 3{2} 4{2} 5{1,2,3} 6{1,2,3} 1{2,3} 2{2,3} 3{3} 4{3} 5{2} 6{2} 7{0,1,2,3}");
  EXPECT_EQ(with.issues_at(6), 3U) << "turns";
  EXPECT_EQ(without.issues_at(6), 5U) << "each way by itself";
}

TEST(PdomLcp, WithoutSuchPointsItIsPdom) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Program program = StructuredProgram(seed, false).make();
    const isa::Kernel kernel = kernel_of(program);
    const bool none = std::all_of(kernel.ops.begin(), kernel.ops.end(),
                                  [](const isa::MicroOp& op) { return op.likely == isa::kNoPc; });
    if (!none) continue;
    EXPECT_EQ(ran("pdom-lcp", program).issued(), ran("pdom", program).issued()) << seed;
  }
}

// The random programs of the other tests do have such points, and threads meet there.
TEST(PdomLcp, RandomProgramsNeedFewerInstructions) {
  unsigned with_points = 0, fewer = 0;
  std::size_t with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    const isa::Kernel kernel = kernel_of(program);
    if (std::none_of(kernel.ops.begin(), kernel.ops.end(),
                     [](const isa::MicroOp& op) { return op.likely != isa::kNoPc; }))
      continue;
    ++with_points;
    const std::size_t lcp = ran("pdom-lcp", program).trace.size(), pdom = ran("pdom", program).trace.size();
    with += lcp;
    without += pdom;
    fewer += lcp < pdom ? 1 : 0;
  }
  EXPECT_GT(with_points, 100U);
  EXPECT_GT(fewer, 50U);
  EXPECT_LT(with, without);
}

// The lines of a flow program are pc + 1.
TEST(PdomLcp, AProfileReplacesTheAnalysis) {
  const ProfileFile nothing("k: {}\n"), same("k:\n  3: 6\n  5: 6\n");
  EXPECT_EQ(ran("pdom-lcp", loop_with_break(), {"profile=" + nothing.path}).issued(),
            ran("pdom", loop_with_break()).issued());
  const FlowMachine with = ran("pdom-lcp", loop_with_break(), {"profile=" + same.path});
  EXPECT_EQ(with.issued(), ran("pdom-lcp", loop_with_break()).issued()) << "the same points by hand";
}

TEST(PdomLcp, AProfileThatCannotBeReadIsRefusedAtOnce) {
  ConfigNode node;
  node.set("profile=/nonexistent/profile.yaml");
  EXPECT_THROW(find_mechanism("pdom-lcp").configure(node), UserError);
}

}  // namespace pdom_lcp_test
}  // namespace warpfold::divergence
