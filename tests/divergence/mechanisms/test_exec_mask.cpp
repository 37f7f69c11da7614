// SPDX-License-Identifier: Apache-2.0
// Exec-mask: PDOM's walk that runs the fall-through side first, and the cycles for which scalar instructions and sides
// without lanes hold a warp.
#include <gtest/gtest.h>

#include "tests/divergence/example_programs.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace exec_mask_test {

struct Ran {
  std::uint64_t slots, empty;
  bool operator==(const Ran&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Ran& ran) { return out << ran.slots << " + " << ran.empty; }

Ran run(Program program, std::vector<std::string> parameters = {}, unsigned threads = 4) {
  FlowMachine machine({"exec-mask", std::move(parameters)}, std::move(program));
  machine.start(0, 0, threads);
  machine.run();
  const FakeCore& core = machine.core;
  const Ran ran{core.statistic("exec_mask_slots"), core.statistic("exec_mask_empty_slots")};
  EXPECT_EQ(core.held, ran.slots + ran.empty);
  return ran;
}

Program if_program(LaneMask skip) { return {branch(3, of_threads(skip)), step(), step(), step(), leave()}; }
Program either_program(LaneMask other) {
  return {branch(4, of_threads(other)), step(), step(), jump(5), step(), step(), leave()};
}
constexpr LaneMask kAll = 0b1111;

TEST(ExecMask, WalksAsPdomThatFallsThroughFirst) {
  EXPECT_EQ(walk("exec-mask", {}, if_else_program()), "0:f 1:f 2:3 3:3 4:c 5:c 6:f 7:f");
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    const Program program = seed % 4 == 0 ? arbitrary_program(seed) : StructuredProgram(seed, true).make();
    FlowMachine mine({"exec-mask", {}}, program), pdom({"pdom", {"branch_order=not_taken_first"}}, program);
    for (FlowMachine* machine : {&mine, &pdom}) {
      machine->start(0, seed, 14);
      machine->run();
    }
    EXPECT_EQ(mine.issued(), pdom.issued()) << "seed " << seed;
  }
}

TEST(ExecMask, AnIfTakesItsScalarInstructions) {
  EXPECT_EQ(run(if_program(0b0011)), (Ran{2 + 1, 0}));
  EXPECT_EQ(run(either_program(0b0011)), (Ran{2 + 2 + 1, 0}));
  EXPECT_EQ(run(if_program(0b11110011), {}, 8), (Ran{2 * (2 + 1), 2}))
      << "each warp; the second skips the side as a whole";
  EXPECT_EQ(run({uniform(2, {}), step(), step(), leave()}), (Ran{0, 0})) << "a scalar branch";
  const std::vector<std::string> others{"if_slots=10", "else_slots=200", "end_slots=3000"};
  EXPECT_EQ(run(either_program(0b0011), others), (Ran{3210, 0}));
}

TEST(ExecMask, AShortSideIssuesWithoutLanes) {
  EXPECT_EQ(run(if_program(0)), (Ran{3, 0})) << "nobody skips it";
  EXPECT_EQ(run(if_program(kAll)), (Ran{3, 2}));
  EXPECT_EQ(run(either_program(kAll)), (Ran{5, 2})) << "1 and 2; the jump is layout";
  EXPECT_EQ(run(either_program(0)), (Ran{5, 1})) << "4";
  EXPECT_EQ(run(if_program(kAll), {"skip_threshold=3"}), (Ran{3, 2}));
  EXPECT_EQ(run(if_program(kAll), {"skip_threshold=2"}), (Ran{3, 0})) << "two are too many";
  EXPECT_EQ(run(if_program(kAll), {"skip_threshold=0"}), (Ran{3, 0}));
}

TEST(ExecMask, ASideWithABranchOrAnExitIsJumpedOver) {
  EXPECT_EQ(run({branch(4, of_threads(kAll)), branch(3, of_threads(0b0101)), step(), step(), step(), leave()}),
            (Ran{3, 0}));
  EXPECT_EQ(run({branch(3, of_threads(kAll)), leave_if(of_threads(0)), step(), step(), leave()}), (Ran{5, 0}))
      << "they never meet";
  EXPECT_EQ(run({branch(2, of_threads(kAll)), leave(), step(), leave()}), (Ran{5, 0}));
}

TEST(ExecMask, ARoundOfALoopTakesItsScalarInstructions) {
  const auto rounds = [](std::vector<unsigned> table) {
    return [table](Who who, unsigned visit) { return visit + 1 < table.at(who.thread); };
  };
  EXPECT_EQ(run({step(), branch(0, rounds({1, 3, 2, 1})), step(), leave()}), (Ran{3 * 2 + 1, 0}));
  EXPECT_EQ(run({step(), branch(0, rounds({2, 2, 2, 2})), step(), leave()}, {"loop_slots=5", "end_slots=7"}),
            (Ran{2 * 5 + 7, 0}));
}

// By what the instructions are: a program of this test has steps only.
class SlowSides : public testing::TestWithParam<std::pair<isa::Kind, isa::Space>> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SlowSides,
                         testing::Values(std::pair(isa::Kind::kLoad, isa::Space::kShared),
                                         std::pair(isa::Kind::kLoad, isa::Space::kGlobal),
                                         std::pair(isa::Kind::kStore, isa::Space::kLocal),
                                         std::pair(isa::Kind::kAtomic, isa::Space::kShared),
                                         std::pair(isa::Kind::kLoad, isa::Space::kConst),
                                         std::pair(isa::Kind::kCompute, isa::Space::kGlobal),
                                         std::pair(isa::Kind::kVote, isa::Space::kGlobal),
                                         std::pair(isa::Kind::kBarrier, isa::Space::kGlobal)));

TEST_P(SlowSides, AreJumpedOver) {
  const auto [kind, space] = GetParam();
  const FlowSetup setup{"exec-mask", {}};
  FakeCore core(8, 8);
  const auto mechanism = setup.configured().make(setup.geometry(), core);
  isa::Kernel kernel = kernel_of(if_program(kAll));
  kernel.ops[1].kind = kind;
  kernel.ops[1].space = space;
  mechanism->kernel_started(kernel);
  mechanism->block_started({0, 0, 0, 0, {kAll}});
  mechanism->branch_resolved(0, {0, kAll, 3, 3, isa::kNoPc, true});
  const bool fast = kind == isa::Kind::kCompute || space == isa::Space::kShared;
  EXPECT_EQ(core.held, fast ? 5U : 3U);
}

TEST(ExecMask, DeclaresItsHardware) {
  EXPECT_EQ((FlowSetup{"exec-mask", {}}.configured().hardware({}).text()),
            "exec masks (32 × 32 bits), saved masks (1024 × 32 bits), rtl/mask_unit");
}

}  // namespace exec_mask_test
}  // namespace warpfold::divergence
