// SPDX-License-Identifier: Apache-2.0
// Blocks, dominators, reconvergence and likely-convergence points.
#include <gtest/gtest.h>

#include <vector>

#include "tests/isa/flow_builder.h"
#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::isa {
namespace cfg_test {

TEST(Cfg, StraightLineIsOneBlock) {
  const std::vector<FlowOp> ops{op(), op(), leave()};
  const Cfg cfg(ops);
  ASSERT_EQ(cfg.blocks().size(), 1U);
  EXPECT_EQ(cfg.blocks()[0].end, 3U);
  EXPECT_EQ(cfg.blocks()[0].successors, std::vector<BlockIndex>{cfg.exit()});
}

TEST(Cfg, IfReconvergesBehindItsBody) {
  const std::vector<FlowOp> ops{jump_if(0, 2), op(), op(), leave()};
  EXPECT_EQ(Cfg(ops).reconvergence(0), 2U);
}

TEST(Cfg, BranchToTheNextInstructionReconvergesThere) {
  const std::vector<FlowOp> ops{jump_if(0, 1), op(), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.blocks()[0].successors.size(), 1U);
  EXPECT_EQ(cfg.reconvergence(0), 1U);
}

TEST(Cfg, IfElseReconvergesBehindBothSides) {
  const std::vector<FlowOp> ops{jump_if(0, 3), op(), jump(4), op(), op(), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.reconvergence(0), 4U);
  EXPECT_EQ(cfg.immediate_dominator(cfg.block_of(4)), cfg.block_of(0));
}

TEST(Cfg, NestedBranchesReconvergeInside) {
  // 0: outer, else at 5; 1: inner, else at 3; inner meets at 4, outer at 6.
  const std::vector<FlowOp> ops{jump_if(0, 5), jump_if(1, 3), jump(4), op(), jump(6), op(), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.reconvergence(1), 4U);
  EXPECT_EQ(cfg.reconvergence(0), 6U);
}

// 2 leads back to itself, 3 to 1, and 4 and 5 to 0: a loop with a continue.
TEST(Cfg, LoopsAreTheirHeaders) {
  const std::vector<FlowOp> ops{jump_if(0, 5), op(),          jump_if(1, 2), jump_if(2, 1),
                                jump_if(3, 0), jump_if(4, 0), op(),          leave()};
  const Cfg cfg(ops);
  const std::vector<Cfg::LoopBlocks> loops = cfg.loops();
  ASSERT_EQ(loops.size(), 3U);
  const auto pcs = [&](const Cfg::LoopBlocks& loop) {
    std::vector<Pc> all;
    for (Pc pc = 0; pc < ops.size(); ++pc) {
      if (loop.body[cfg.block_of(pc)]) all.push_back(pc);
    }
    return all;
  };
  EXPECT_EQ(pcs(loops[0]), (std::vector<Pc>{2}));
  EXPECT_EQ(pcs(loops[1]), (std::vector<Pc>{1, 2, 3}));
  EXPECT_EQ(pcs(loops[2]), (std::vector<Pc>{0, 1, 2, 3, 4, 5})) << "two backward branches, one loop";
  for (const Cfg::LoopBlocks& loop : loops) EXPECT_TRUE(loop.body[loop.header]);
}

TEST(Cfg, LoopReconvergesBehindItself) {
  const std::vector<FlowOp> ops{op(), op(), jump_if(0, 1), op(), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.reconvergence(2), 3U);
  EXPECT_EQ(cfg.likely_convergence(2), kNoPc);
}

TEST(Cfg, EarlyReturnMeetsOnlyAtTheEnd) {
  const std::vector<FlowOp> ops{jump_if(0, 3), op(), leave(), op(), leave()};
  EXPECT_EQ(Cfg(ops).reconvergence(0), 5U);
}

TEST(Cfg, GuardedReturnPartsTheBlock) {
  const std::vector<FlowOp> ops{jump_if(0, 3), guarded(leave(), 1), op(), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.blocks().size(), 4U);
  EXPECT_EQ(cfg.reconvergence(0), 4U);  // some threads end at 1
}

TEST(Cfg, BranchToTheEndIsAnExit) {
  const std::vector<FlowOp> ops{jump_if(0, 3), op(), leave()};
  EXPECT_EQ(Cfg(ops).reconvergence(0), 3U);
}

TEST(Cfg, TrapsDoNotHinderReconvergence) {
  FlowOp trap;
  trap.flow = Flow::kTrap;
  const std::vector<FlowOp> ops{jump_if(0, 2), trap, op(), leave()};
  EXPECT_EQ(Cfg(ops).reconvergence(0), 2U);
}

TEST(Cfg, IrreducibleLoop) {
  // Two entries, 2 and 4, into the cycle 2-3-4-5.
  const std::vector<FlowOp> ops{jump_if(0, 4), op(), op(), jump(4), op(), jump_if(1, 2), op(), leave()};
  const Cfg cfg(ops);
  EXPECT_TRUE(cfg.irreducible());
  EXPECT_EQ(cfg.reconvergence(0), 4U);
  EXPECT_EQ(cfg.reconvergence(5), 6U);
}

TEST(Cfg, EndlessLoopHasNoReconvergenceButTheEnd) {
  const std::vector<FlowOp> ops{jump_if(0, 4), op(), jump_if(1, 1), jump(1), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.reconvergence(2), 5U);
  EXPECT_EQ(cfg.reconvergence(0), 4U);  // the threads that can still meet
}

TEST(Cfg, EndlessKernel) {
  const std::vector<FlowOp> ops{op(), jump_if(0, 0), jump(0)};
  EXPECT_EQ(Cfg(ops).reconvergence(1), 3U);
}

// TBC Fig. 10 and Example 2: A 1, B 3, C 4, D 5, E 7, F 9.
TEST(Cfg, LikelyConvergenceOfALoopWithABreak) {
  const std::vector<FlowOp> ops{op(),    op(), jump_if(0, 4), jump(7), jump_if(1, 7), op(),
                                jump(9), op(), jump_if(2, 1), op(),    leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.reconvergence(2), 9U);
  EXPECT_EQ(cfg.likely_convergence(2), 7U);  // A: E instead of F
  EXPECT_EQ(cfg.reconvergence(4), 9U);
  EXPECT_EQ(cfg.likely_convergence(4), 7U);     // C: the same pair, footnote 7
  EXPECT_EQ(cfg.likely_convergence(8), kNoPc);  // E itself lies behind the point
}

// The same loop as clang writes it: the exit test in E, the backward branch in a block of its own.
TEST(Cfg, LikelyConvergenceLiesBeforeTheExitTest) {
  const std::vector<FlowOp> ops{op(),     op(), jump_if(0, 4),  jump(7), jump_if(1, 7), op(),
                                jump(10), op(), jump_if(2, 10), jump(1), op(),          leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.likely_convergence(2), 7U);
  EXPECT_EQ(cfg.likely_convergence(8), kNoPc);
}

TEST(Cfg, ReturnInTheInnerLoopMakesTheOuterLatchLikely) {
  // 1: outer head; 2-5: inner loop, 2 returns, 4 breaks; 7: outer latch, reached from 4 and 6.
  const std::vector<FlowOp> ops{op(), op(), jump_if(0, 10), op(),    jump_if(1, 7), jump_if(2, 2),
                                op(), op(), jump_if(3, 1),  leave(), leave()};
  const Cfg cfg(ops);
  for (const Pc branch : {2U, 4U, 5U}) {
    EXPECT_EQ(cfg.reconvergence(branch), 11U) << branch;
    EXPECT_EQ(cfg.likely_convergence(branch), 7U) << branch;
  }
  EXPECT_EQ(cfg.likely_convergence(8), kNoPc);
}

TEST(Cfg, ThreadsLeaveAnInnerLoopOneAfterTheOtherAndMeetBehindIt) {
  // 1: outer head; 2-4: inner loop, 2 returns; 5: outer latch, reached from 4 only, but not by all at once.
  const std::vector<FlowOp> ops{op(), op(), jump_if(0, 8), op(), jump_if(1, 2), op(), jump_if(2, 1), leave(), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.reconvergence(4), 9U);
  EXPECT_EQ(cfg.likely_convergence(4), 5U);
  EXPECT_EQ(cfg.likely_convergence(2), 5U);
}

TEST(Cfg, LoopThatIsOnlyLeftHasNoLikelyConvergence) {
  // Two exits in a row, one way on from each.
  const std::vector<FlowOp> ops{op(), jump_if(0, 5), jump_if(1, 6), op(), jump(1), op(), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.likely_convergence(1), kNoPc);
  EXPECT_EQ(cfg.likely_convergence(2), kNoPc);
}

TEST(Cfg, PlainLoopWithAnIfHasNoLikelyConvergence) {
  // while (test at 1) { if (2) 3; 4 }
  const std::vector<FlowOp> ops{op(), jump_if(0, 6), jump_if(1, 4), op(), op(), jump(1), leave()};
  const Cfg cfg(ops);
  EXPECT_EQ(cfg.reconvergence(2), 4U);
  EXPECT_EQ(cfg.likely_convergence(1), kNoPc);
  EXPECT_EQ(cfg.likely_convergence(2), kNoPc);
}

TEST(Cfg, KnowsWhichLoopsABlockIsInAlone) {
  // 1: outer head; 2-3: inner loop; 4: outer latch; 5: end.
  const std::vector<FlowOp> ops{op(), op(), op(), jump_if(0, 2), jump_if(1, 1), leave()};
  const Cfg cfg(ops);
  const auto apart = [&](Pc inside, Pc outside) {
    return cfg.in_other_loop(cfg.block_of(inside), cfg.block_of(outside));
  };
  EXPECT_TRUE(apart(3, 4)) << "the inner loop";
  EXPECT_FALSE(apart(4, 3));
  EXPECT_TRUE(apart(1, 5)) << "the outer loop";
  EXPECT_FALSE(apart(5, 1));
  EXPECT_FALSE(apart(2, 3));
}

TEST(Cfg, FlowOfADecodedKernel) {
  Kernel kernel;
  kernel.ops.resize(5);
  kernel.ops[1].kind = Kind::kBranch;
  kernel.ops[1].target = 4;
  kernel.ops[1].guard = 3;
  kernel.ops[2].kind = Kind::kTrap;
  kernel.ops[3].kind = kernel.ops[4].kind = Kind::kExit;
  const std::vector<FlowOp> flow = flow_of(kernel);
  ASSERT_EQ(flow.size(), 5U);
  EXPECT_EQ(flow[0].flow, Flow::kNext);
  EXPECT_EQ(flow[1].flow, Flow::kBranch);
  EXPECT_EQ(flow[1].target, 4U);
  EXPECT_NE(flow[1].guard, kNoRegister);
  EXPECT_EQ(flow[2].flow, Flow::kTrap);
  EXPECT_EQ(flow[3].flow, Flow::kExit);
  EXPECT_EQ(flow[3].guard, kNoRegister);
}

// Dominance by its definition: `below` cannot be reached from `from` once `removed` is taken out.
class Reach {
 public:
  explicit Reach(const Cfg& cfg) : cfg_(cfg) {}

  bool reaches(BlockIndex from, BlockIndex to, BlockIndex removed = kNoBlock) const {
    std::vector<bool> seen(cfg_.exit() + 1, false);
    std::vector<BlockIndex> work;
    if (from != removed) work.push_back(from);
    while (!work.empty()) {
      const BlockIndex block = work.back();
      work.pop_back();
      if (seen[block]) continue;
      seen[block] = true;
      if (block == cfg_.exit()) continue;
      for (BlockIndex next : cfg_.blocks()[block].successors) {
        if (next != removed) work.push_back(next);
      }
    }
    return seen[to];
  }

  bool post_dominates(BlockIndex above, BlockIndex block) const {
    return above == cfg_.exit() || !reaches(block, cfg_.exit(), above);
  }

  BlockIndex immediate_post_dominator(BlockIndex block) const {
    if (!reaches(block, cfg_.exit())) return cfg_.exit();
    for (BlockIndex candidate = 0; candidate <= cfg_.exit(); ++candidate) {
      if (candidate == block || !post_dominates(candidate, block)) continue;
      bool closest = true;
      for (BlockIndex other = 0; other <= cfg_.exit() && closest; ++other) {
        if (other == block || other == candidate || !post_dominates(other, block)) continue;
        closest = candidate != cfg_.exit() && post_dominates(other, candidate);
      }
      if (closest) return candidate;
    }
    return kNoBlock;
  }

 private:
  const Cfg& cfg_;
};

TEST(Cfg, AgreesWithTheDefinitionsOnRandomGraphs) {
  unsigned meetings = 0, endless = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    const std::vector<FlowOp> ops = RandomFlow(seed, 4 + seed % 29, 4).make();
    const Cfg cfg(ops);
    const Reach reach(cfg);
    for (BlockIndex block = 0; block < cfg.exit(); ++block) {
      ASSERT_EQ(cfg.reachable(block), reach.reaches(0, block)) << "seed " << seed << " block " << block;
      const BlockIndex meet = reach.immediate_post_dominator(block);
      ASSERT_EQ(cfg.immediate_post_dominator(block), meet) << "seed " << seed << " block " << block;
      meetings += meet != cfg.exit();
      endless += !reach.reaches(block, cfg.exit());
      for (BlockIndex above = 0; above < cfg.exit() && cfg.reachable(block); ++above) {
        const bool dominates = above == block || (cfg.reachable(above) && !reach.reaches(0, block, above));
        ASSERT_EQ(cfg.dominates(above, block), dominates) << "seed " << seed << " " << above << " over " << block;
      }
    }
  }
  EXPECT_GT(meetings, 1000U);
  EXPECT_GT(endless, 100U);
}

}  // namespace cfg_test
}  // namespace warpfold::isa
