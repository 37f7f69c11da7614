// SPDX-License-Identifier: Apache-2.0
// Stacks that have too little room on the core: what is issued is what it is with room for all, in the same order, and
// what has gone to memory comes back.
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace spills_test {

struct Small {
  std::string mechanism;
  std::vector<std::string> parameters;
  bool one_at_a_time = true;  // whoever waits for memory is all that could run
};

std::ostream& operator<<(std::ostream& out, const Small& small) { return out << small.mechanism; }

std::string name_of(const testing::TestParamInfo<Small>& info) {
  std::string name = info.param.mechanism;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class SmallStacks : public testing::TestWithParam<Small> {
 protected:
  struct Ran {
    std::string issued;
    std::uint64_t out = 0, in = 0;
    std::size_t moves = 0;
  };
  static Ran run(const FlowSetup& setup, const Program& program, unsigned threads) {
    FlowMachine machine(setup, program);
    machine.start(0, 0, threads);
    machine.run();
    EXPECT_TRUE(machine.core.spilling.empty());
    return {machine.issued(), machine.core.bytes_out, machine.core.bytes_in, machine.core.spills.size()};
  }
};

INSTANTIATE_TEST_SUITE_P(Of, SmallStacks,
                         testing::Values(Small{"tbc", {"stack_entries=4"}}, Small{"tbc-lcp", {"stack_entries=4"}},
                                         Small{"capri", {"stack_entries=4"}, false},
                                         Small{"tstbc", {"stack_entries=4"}, false},
                                         Small{"token-stack", {"spill=traffic", "on_chip_tokens=2", "spill_tokens=1"}}),
                         name_of);

TEST_P(SmallStacks, IssueWhatLargeOnesDo) {
  std::size_t moves = 0;
  for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Program program = StructuredProgram(seed, seed % 2 == 0).make();
    const bool tokens = GetParam().mechanism == "token-stack";
    const std::vector<std::string> much{tokens ? "on_chip_tokens=1024" : "stack_entries=4096"};
    const unsigned threads = tokens ? 4 : 22;
    const Ran large = run({GetParam().mechanism, much}, program, threads);
    FlowSetup setup{GetParam().mechanism, GetParam().parameters};
    const Ran small = run(setup, program, threads);
    EXPECT_EQ(large.moves, 0u);
    EXPECT_EQ(small.issued, large.issued);
    EXPECT_GE(small.out, small.in) << "nothing comes back that has not gone";
    // A block's last threads may exit with entries in memory, which are of no use any more.
    if (seed % 2 != 0) {
      EXPECT_EQ(small.out, small.in);
    }
    moves += small.moves;
    if (!GetParam().one_at_a_time) continue;
    setup.spills_take_time = true;
    const Ran slow = run(setup, program, threads);
    EXPECT_EQ(slow.issued, large.issued);
    EXPECT_EQ(slow.moves, small.moves);
  }
  EXPECT_GT(moves, 0u) << "the programs are deep enough";
}

}  // namespace spills_test
}  // namespace warpfold::divergence
