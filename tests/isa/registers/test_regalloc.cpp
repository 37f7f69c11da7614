// SPDX-License-Identifier: Apache-2.0
// Register allocation: no value is lost, and no more words are taken than needed where that is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/isa/flow_builder.h"
#include "warpfold/isa/registers/regalloc.h"

namespace warpfold::isa {
namespace regalloc_test {

using Shapes = std::vector<RegisterShape>;

RegisterMap allocate(const std::vector<FlowOp>& ops, const Shapes& shapes) {
  return allocate_registers(Cfg(ops), ops, shapes);
}

TEST(RegisterAllocation, ChainOfValuesNeedsOneWord) {
  const std::vector<FlowOp> ops{op({0}), op({1}, {0}), op({2}, {1}), op({}, {2}), leave()};
  EXPECT_EQ(allocate(ops, Shapes(3)).words, 1U);
}

TEST(RegisterAllocation, ValuesThatAreNeededTogetherAreApart) {
  const std::vector<FlowOp> ops{op({0}), op({1}), op({2}), op({}, {0, 1, 2}), leave()};
  const RegisterMap map = allocate(ops, Shapes(3));
  EXPECT_EQ(map.words, 3U);
  EXPECT_NE(map.word[0], map.word[1]);
  EXPECT_NE(map.word[1], map.word[2]);
}

TEST(RegisterAllocation, ResultNobodyReadsStillNeedsAWordOfItsOwn) {
  const std::vector<FlowOp> ops{op({0}), op({1}), op({}, {0}), leave()};
  EXPECT_EQ(allocate(ops, Shapes(2)).words, 2U);
}

TEST(RegisterAllocation, TwoResultsOfOneInstructionAreApart) {
  const std::vector<FlowOp> ops{op({0, 1}), op({}, {0}), leave()};
  const RegisterMap map = allocate(ops, Shapes(2));
  EXPECT_NE(map.word[0], map.word[1]);
}

TEST(RegisterAllocation, PairsAreAlignedAndPredicatesCountedApart) {
  const Shapes shapes{{1, false}, {2, false}, {1, true}, {1, true}};
  const std::vector<FlowOp> ops{op({0}), op({1}), op({2}), op({3}), op({}, {0, 1, 2, 3}), leave()};
  const RegisterMap map = allocate(ops, shapes);
  EXPECT_EQ(map.word[1] % 2, 0U);
  EXPECT_EQ(map.words, 4U);
  EXPECT_EQ(map.predicates, 2U);
}

TEST(RegisterAllocation, LoopKeepsWhatTheNextTurnReads) {
  // 0 is written before the loop and read at its head; 1 lives at its end only.
  const std::vector<FlowOp> ops{op({0}), op({}, {0}), op({1}), op({}, {1}), jump_if(2, 1), leave()};
  const RegisterMap map = allocate(ops, Shapes(3));
  EXPECT_NE(map.word[0], map.word[1]);
}

TEST(RegisterAllocation, GuardedWriteKeepsTheOldValue) {
  const std::vector<FlowOp> ops{op({0}), op({1}), guarded(op({0}), 1), op({2}), op({}, {0, 2}), leave()};
  const RegisterMap map = allocate(ops, {{1, false}, {1, true}, {1, false}});
  EXPECT_NE(map.word[0], map.word[2]);
}

TEST(RegisterAllocation, HolesAreUsed) {
  // 0 is needed on the taken side only; on the other side its word is free for 1.
  const std::vector<FlowOp> ops{op({2}), op({0}), jump_if(2, 6), op({1}), op({}, {1}), leave(), op({}, {0}), leave()};
  EXPECT_EQ(allocate(ops, {{1, false}, {1, false}, {1, true}}).words, 1U);
}

// Independent of live ranges: follows, over all paths, which registers have lost their value to a later write into one
// of their words, and fails when such a register is read.
class Verifier {
 public:
  Verifier(const std::vector<FlowOp>& ops, const Shapes& shapes, const RegisterMap& map)
      : ops_(ops), shapes_(shapes), map_(map), states_(ops.size()) {
    states_[0].resize(shapes.size());
    visited_.assign(ops.size(), false);
  }

  ::testing::AssertionResult run() {
    std::vector<Pc> work{0};
    visited_[0] = true;
    while (!work.empty()) {
      const Pc pc = work.back();
      work.pop_back();
      const FlowOp& op = ops_[pc];
      std::vector<Value> after = states_[pc];
      for (Register r : op.reads) {
        if (after[r].lost) return ::testing::AssertionFailure() << "register " << r << " is lost at " << pc;
      }
      for (Register r : op.writes) write(after, r, op.guard != kNoRegister);
      for (Register r : op.writes) {
        if (op.guard == kNoRegister && after[r].lost)
          return ::testing::AssertionFailure() << "results overlap at " << pc;
      }
      const bool goes_on = op.flow == Flow::kNext || op.guard != kNoRegister;
      if (goes_on) flow_to(pc + 1, after, work);
      if (op.flow == Flow::kBranch) flow_to(op.target, after, work);
    }
    return ::testing::AssertionSuccess();
  }

 private:
  struct Value {
    bool written = false, lost = false;
    bool operator==(const Value&) const = default;
  };

  bool overlap(Register a, Register b) const {
    if (shapes_[a].predicate != shapes_[b].predicate) return false;
    return map_.word[a] < map_.word[b] + shapes_[b].words && map_.word[b] < map_.word[a] + shapes_[a].words;
  }

  void write(std::vector<Value>& values, Register r, bool guarded) const {
    for (Register other = 0; other < values.size(); ++other) {
      if (other != r && values[other].written && overlap(r, other)) values[other].lost = true;
    }
    values[r].written = true;
    if (!guarded) values[r].lost = false;
  }

  void flow_to(Pc pc, const std::vector<Value>& values, std::vector<Pc>& work) {
    if (pc >= ops_.size()) return;
    std::vector<Value>& into = states_[pc];
    const std::vector<Value> before = into;
    into.resize(values.size());
    for (std::size_t r = 0; r < values.size(); ++r) {
      into[r].written |= values[r].written;
      into[r].lost |= values[r].lost;
    }
    if (visited_[pc] && into == before) return;
    visited_[pc] = true;
    work.push_back(pc);
  }

  const std::vector<FlowOp>& ops_;
  const Shapes& shapes_;
  const RegisterMap& map_;
  std::vector<std::vector<Value>> states_;
  std::vector<bool> visited_;
};

TEST(RegisterAllocation, NoValueIsLostInRandomPrograms) {
  unsigned shared = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const unsigned registers = 3 + seed % 17;
    const std::vector<FlowOp> ops = RandomFlow(seed, 5 + seed % 60, registers).make();
    Shapes shapes(registers);
    for (unsigned r = 0; r < registers; ++r) {
      shapes[r].words = static_cast<std::uint8_t>(1 + (seed + r) % 3 / 2);
      shapes[r].predicate = (seed / 3 + r) % 5 == 0;
      if (shapes[r].predicate) shapes[r].words = 1;
    }
    const RegisterMap map = allocate(ops, shapes);
    ASSERT_TRUE(Verifier(ops, shapes, map).run()) << "seed " << seed;
    shared += map.words + map.predicates < registers;
  }
  EXPECT_GT(shared, 500U);
}

}  // namespace regalloc_test
}  // namespace warpfold::isa
