// SPDX-License-Identifier: Apache-2.0
// What the proof of block-uniform branches accepts, and what it must not.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/isa/flow_builder.h"
#include "warpfold/isa/analysis/uniformity.h"

namespace warpfold::isa {
namespace uniformity_test {

std::vector<bool> uniform(const std::vector<FlowOp>& ops, std::size_t registers = 8) {
  return find_uniform_branches(Cfg(ops), ops, registers);
}

TEST(Uniformity, BranchOnWhatAllThreadsShare) {
  const std::vector<FlowOp> ops{op({0}), op({1}, {0}), jump_if(1, 4), op(), leave()};
  EXPECT_TRUE(uniform(ops)[2]);
}

TEST(Uniformity, BranchOnTheThreadIndex) {
  const std::vector<FlowOp> ops{source(0), op({1}, {0}), jump_if(1, 4), op(), leave()};
  EXPECT_FALSE(uniform(ops)[2]);
}

TEST(Uniformity, OnlyConditionalBranchesCount) {
  const std::vector<FlowOp> ops{op({0}), jump(2), leave()};
  const auto proved = uniform(ops);
  EXPECT_FALSE(proved[0] || proved[1] || proved[2]);
}

TEST(Uniformity, RegisterReadBeforeItIsWritten) {
  const std::vector<FlowOp> ops{jump_if(0, 2), op(), leave()};
  EXPECT_FALSE(uniform(ops)[0]);
}

TEST(Uniformity, ValueMergedAfterDivergentPathsVaries) {
  // if (tid) r = 1 else r = 2; if (r) …
  const std::vector<FlowOp> ops{source(0), jump_if(0, 4), op({1}), jump(5), op({1}), jump_if(1, 7), op(), leave()};
  EXPECT_FALSE(uniform(ops)[5]);
}

TEST(Uniformity, ValueMergedAfterUniformPathsDoesNot) {
  const std::vector<FlowOp> ops{op({0}), jump_if(0, 4), op({1}), jump(5), op({1}), jump_if(1, 7), op(), leave()};
  EXPECT_TRUE(uniform(ops)[1]);
  EXPECT_TRUE(uniform(ops)[5]);
}

TEST(Uniformity, UntouchedValueSurvivesADivergentRegion) {
  const std::vector<FlowOp> ops{source(0), op({1}), jump_if(0, 4), op({2}), jump_if(1, 6), op(), leave()};
  EXPECT_FALSE(uniform(ops)[2]);
  EXPECT_TRUE(uniform(ops)[4]);
}

TEST(Uniformity, UniformBranchInsideADivergentRegion) {
  // if (tid) { for (k = 0; k < n; ++k) … }: all threads that enter count alike.
  const std::vector<FlowOp> ops{source(0),    op({1}),         jump_if(0, 7), op({2}),
                                op({2}, {2}), op({3}, {1, 2}), jump_if(3, 4), leave()};
  EXPECT_FALSE(uniform(ops)[2]);
  EXPECT_TRUE(uniform(ops)[6]);
}

TEST(Uniformity, LoopCounterWithATripCountPerThread) {
  // do { k = k + 1 } while (tid…); if (k) …
  const std::vector<FlowOp> ops{source(0),     op({1}),       op({1}, {1}), op({2}, {0, 1}),
                                jump_if(2, 2), jump_if(1, 7), op(),         leave()};
  EXPECT_FALSE(uniform(ops)[4]);
  EXPECT_FALSE(uniform(ops)[5]);
}

TEST(Uniformity, LoopCounterTestedInsideTheLoopThatThreadsLeaveOneByOne) {
  const std::vector<FlowOp> ops{source(0), op({1}),         op({1}, {1}),  jump_if(1, 5),
                                op(),      op({2}, {0, 1}), jump_if(2, 2), leave()};
  EXPECT_FALSE(uniform(ops)[3]);
}

TEST(Uniformity, LoopCounterWithACommonTripCount) {
  const std::vector<FlowOp> ops{op({0}),       op({1}),       op({1}, {1}), op({2}, {0, 1}),
                                jump_if(2, 2), jump_if(1, 7), op(),         leave()};
  EXPECT_TRUE(uniform(ops)[4]);
  EXPECT_TRUE(uniform(ops)[5]);
}

TEST(Uniformity, BreakThatDependsOnTheThreadSpoilsTheCounter) {
  // for (k…; k < n) { if (tid…) break; }
  const std::vector<FlowOp> ops{source(0),     op({1}),       op({1}, {1}), jump_if(0, 6), op({2}, {1}),
                                jump_if(2, 2), jump_if(1, 8), op(),         leave()};
  const auto proved = uniform(ops);
  EXPECT_FALSE(proved[3]);
  EXPECT_FALSE(proved[6]);
}

TEST(Uniformity, ALoopOfSeveralEntriesCountsItsTurnsWhereItMerges) {
  // if (n) goto inside; for (;;) { if (k) break; inside: if (tid…) break; k = 2; }: k is 1 in the first turn only.
  const auto loop = [](Word leaves) {
    return std::vector<FlowOp>{source(0),          op({1}), op({2}), jump_if(1, 5), jump_if(2, 8),
                               jump_if(leaves, 8), op({2}), jump(4), leave()};
  };
  EXPECT_FALSE(uniform(loop(0))[4]) << "some are in the first turn when others are not";
  EXPECT_TRUE(uniform(loop(1))[4]);
}

TEST(Uniformity, LeavingThreadsDoNotSpoilTheCounterOfALaterLoop) {
  // if (tid >= n) return; for (k…): the commonest shape of all.
  const std::vector<FlowOp> ops{source(0),    op({1}),         guarded(leave(), 0), op({2}),
                                op({2}, {2}), op({3}, {1, 2}), jump_if(3, 4),       leave()};
  EXPECT_TRUE(uniform(ops)[6]);
}

TEST(Uniformity, GuardedWriteUnderAVaryingGuardVaries) {
  const std::vector<FlowOp> ops{source(0), op({1}), guarded(op({1}), 0), jump_if(1, 5), op(), leave()};
  EXPECT_FALSE(uniform(ops)[3]);
}

TEST(Uniformity, GuardedWriteUnderAUniformGuardDoesNot) {
  const std::vector<FlowOp> ops{op({0}), op({1}), guarded(op({1}), 0), jump_if(1, 5), op(), leave()};
  EXPECT_TRUE(uniform(ops)[3]);
}

TEST(Uniformity, UnstructuredJoinOfTwoDivergentTests) {
  // if (a && b) r = 1 else r = 2, both tests on their own way to the else side at 6.
  const std::vector<FlowOp> ops{source(0), op({1}), jump_if(0, 6), jump_if(1, 6), op({2}),
                                jump(7),   op({2}), jump_if(2, 9), op(),          leave()};
  const auto proved = uniform(ops);
  EXPECT_TRUE(proved[3]);
  EXPECT_FALSE(proved[7]);
}

// A block of threads in lockstep on a reconvergence stack. Values are hashes of where and from what they were computed,
// so that two of them are equal only if they must be.
class Lockstep {
 public:
  static constexpr unsigned kThreads = 8;

  Lockstep(const std::vector<FlowOp>& ops, unsigned registers, std::uint64_t seed) : ops_(ops), cfg_(ops) {
    values_.assign(kThreads, std::vector<std::uint64_t>(registers));
    for (unsigned t = 0; t < kThreads; ++t) {
      for (unsigned r = 0; r < registers; ++r) values_[t][r] = mix(seed + t, r);
    }
    stack_.push_back({0, end(), (1U << kThreads) - 1});
  }

  // Runs until all threads have left or `fuel` instructions are spent; counts visits of proved branches, and those
  // where the threads at hand disagree.
  void run(const std::vector<bool>& proved, unsigned fuel, unsigned& visits, unsigned& disagreements) {
    while (!stack_.empty() && fuel-- > 0) {
      Entry& top = stack_.back();
      top.mask &= ~gone_;
      if (top.mask == 0 || top.pc == top.rpc || top.pc == end()) {
        stack_.pop_back();
        continue;
      }
      const Pc pc = top.pc;
      const unsigned holds = step(pc, top.mask);
      if (proved[pc]) {
        ++visits;
        disagreements += holds != 0 && holds != top.mask;
      }
      advance(pc, holds);
    }
  }

 private:
  struct Entry {
    Pc pc, rpc;
    unsigned mask;
  };
  Pc end() const { return static_cast<Pc>(ops_.size()); }

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = (a + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U ^ (b + 0x94d049bb133111ebU);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    return x ^ x >> 31;
  }

  unsigned step(Pc pc, unsigned mask) {
    const FlowOp& op = ops_[pc];
    unsigned holds = 0;
    for (unsigned t = 0; t < kThreads; ++t) {
      if ((mask >> t & 1) == 0) continue;
      if (op.guard != kNoRegister && (values_[t][op.guard] & 4) == 0) continue;
      holds |= 1U << t;
      std::uint64_t value = mix(pc, op.varying ? ++counter_ : 0);
      for (Register r : op.reads) value = mix(value, values_[t][r]);
      for (Register r : op.writes) values_[t][r] = value = mix(value, r);
    }
    return holds;
  }

  void advance(Pc pc, unsigned holds) {
    Entry& top = stack_.back();
    const FlowOp& op = ops_[pc];
    if (op.flow == Flow::kExit) gone_ |= holds;
    if (op.flow != Flow::kBranch) {
      ++top.pc;
      return;
    }
    const unsigned others = top.mask & ~holds;
    if (others == 0 || holds == 0) {
      top.pc = others == 0 ? op.target : pc + 1;
      return;
    }
    const Pc meet = cfg_.reconvergence(pc);
    top.pc = meet;
    stack_.push_back({pc + 1, meet, others});
    stack_.push_back({op.target, meet, holds});
  }

  const std::vector<FlowOp>& ops_;
  Cfg cfg_;
  std::vector<std::vector<std::uint64_t>> values_;
  std::vector<Entry> stack_;
  unsigned gone_ = 0;
  std::uint64_t counter_ = 0;
};

TEST(Uniformity, NoProofIsEverWrongOnRandomPrograms) {
  constexpr unsigned kRegisters = 6;
  unsigned visits = 0, disagreements = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    std::vector<FlowOp> ops;
    for (Register r = 0; r < kRegisters; ++r) ops.push_back(op({r}));  // all alike at first
    for (FlowOp& next : RandomFlow(seed, 6 + seed % 35, kRegisters).make()) {
      if (next.flow == Flow::kBranch) next.target += kRegisters;
      ops.push_back(next);
    }
    const auto proved = uniform(ops, kRegisters);
    for (std::uint64_t run = 0; run < 3; ++run) {
      Lockstep(ops, kRegisters, seed + (run << 32)).run(proved, 400, visits, disagreements);
    }
    ASSERT_EQ(disagreements, 0U) << "seed " << seed;
  }
  EXPECT_GT(visits, 10000U);
}

}  // namespace uniformity_test
}  // namespace warpfold::isa
