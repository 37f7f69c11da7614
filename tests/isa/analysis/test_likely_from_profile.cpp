// SPDX-License-Identifier: Apache-2.0
// Likely-convergence points by what threads did: the paper's loop, returns from the middle, and what is none.
#include <gtest/gtest.h>

#include "tests/isa/flow_builder.h"
#include "warpfold/isa/analysis/cfg.h"
#include "warpfold/isa/analysis/likely_from_profile.h"

namespace warpfold::isa {
namespace likely_from_profile_test {

// How many threads came to each instruction, and how many of them went its way.
struct Counts {
  Pc pc;
  std::uint64_t threads, went;
};

std::vector<ProfiledOp> profiled(const std::vector<FlowOp>& flow, const std::vector<Counts>& counts) {
  const Cfg cfg(flow);
  std::vector<ProfiledOp> ops;
  for (Pc pc = 0; pc < flow.size(); ++pc) {
    ProfiledOp& op = ops.emplace_back();
    op.flow = flow[pc];
    op.threads = op.went = 100;
    op.may_diverge = flow[pc].flow == Flow::kBranch && flow[pc].guard != kNoRegister;
    if (flow[pc].flow == Flow::kBranch) op.reconvergence = cfg.reconvergence(pc);
  }
  for (const Counts& of : counts) {
    ops[of.pc].threads = of.threads;
    ops[of.pc].went = of.went;
  }
  return ops;
}

using Points = std::vector<LikelyPoint>;
Points points(const std::vector<FlowOp>& flow, const std::vector<Counts>& counts) {
  return likely_points_of(profiled(flow, counts));
}

// TBC Fig. 10: 1 is A, which goes to B (2) or C (4); C breaks out through D (5) to F (8), or goes on to E (6), which
// ends the turn.
const std::vector<FlowOp> kFigure10{op(),    jump_if(0, 4), op(),          jump(6), jump_if(1, 6),
                                    jump(8), op(),          jump_if(2, 0), leave()};

TEST(LikelyFromProfile, Figure10) {
  const Points found = points(kFigure10, {{1, 1000, 500}, {4, 500, 490}, {5, 10, 10}, {7, 990, 900}, {3, 500, 500}});
  EXPECT_EQ(found, (Points{{1, 6}, {4, 6}}));
  EXPECT_EQ(Cfg(kFigure10).likely_convergence(1), 6U) << "as the analysis has it";
}

TEST(LikelyFromProfile, WhereMostBreakNobodyIsLikelyToMeetInTheLoop) {
  EXPECT_EQ(points(kFigure10, {{1, 1000, 500}, {4, 500, 10}, {5, 490, 490}, {7, 510, 450}, {3, 500, 500}}), Points{});
}

// In a turn, few leave it, and fewer by its end than from the middle.
TEST(LikelyFromProfile, LoopsOfManyTurns) {
  const Points found = points(kFigure10, {{1, 1000, 500}, {4, 500, 480}, {5, 20, 20}, {7, 980, 970}, {3, 500, 500}});
  EXPECT_EQ(found, (Points{{1, 6}, {4, 6}}));
}

// while (0 < n) { 1: if (x) { 2: continue; } 3: if (y) break; 4 }: threads meet where the next turn begins.
TEST(LikelyFromProfile, TurnsThatEndInSeveralPlaces) {
  const std::vector<FlowOp> flow{jump_if(0, 6), jump_if(1, 3), jump(0), jump_if(2, 6), op(), jump(0), leave()};
  EXPECT_EQ(points(flow, {{0, 1000, 100}, {1, 900, 450}, {2, 450, 450}, {3, 450, 5}, {5, 445, 445}}), (Points{{1, 0}}))
      << "3 is in one of two loops that begin at 0";
  EXPECT_EQ(points(flow, {{0, 1000, 100}, {1, 900, 450}, {2, 450, 450}, {3, 450, 300}, {5, 150, 150}}), Points{});
}

// if (0) { if (1) return (7); 2 3 } 4 …: most of those that part at 0 meet at 4, not at the end.
TEST(LikelyFromProfile, AReturnFromTheMiddleThatFewTake) {
  const std::vector<FlowOp> flow{jump_if(0, 4), jump_if(1, 7), op(), op(), op(), op(), leave(), leave()};
  EXPECT_EQ(points(flow, {{0, 1000, 400}, {1, 600, 6}}), (Points{{0, 4}, {1, 4}}));
  EXPECT_EQ(points(flow, {{0, 1000, 400}, {1, 600, 594}}), Points{});
  EXPECT_EQ(points(flow, {{0, 1000, 0}, {1, 1000, 6}}), Points{}) << "nobody jumps to 4";
}

TEST(LikelyFromProfile, BranchesThatMeetAnywayHaveNone) {
  const std::vector<FlowOp> sides{jump_if(0, 3), op(), jump(4), op(), op(), leave()};
  EXPECT_EQ(points(sides, {{0, 1000, 10}}), Points{});
  EXPECT_EQ(points(sides, {{0, 1000, 500}}), Points{});
  const std::vector<FlowOp> loop{op(), jump_if(0, 3), op(), op(), jump_if(1, 0), leave()};
  EXPECT_EQ(points(loop, {{1, 1000, 500}, {4, 1000, 900}}), Points{});
}

TEST(LikelyFromProfile, WhatNobodyExecutesHasNone) {
  EXPECT_EQ(points(kFigure10, {{1, 0, 0}, {4, 0, 0}, {5, 0, 0}, {7, 0, 0}, {3, 0, 0}}), Points{});
}

TEST(LikelyFromProfile, LoopsOfSeveralEntriesHaveNone) {
  const std::vector<FlowOp> flow{jump_if(0, 2), op(), op(), jump_if(1, 1), jump_if(2, 6), op(), leave()};
  EXPECT_EQ(points(flow, {{0, 1000, 500}, {3, 1000, 100}, {4, 1000, 10}}), Points{});
}

// A point lies before the branch's reconvergence point, in no loop that the branch is not in, and is reached from both
// sides: mechanisms take whatever profile they are given at its word.
TEST(LikelyFromProfile, PointsOfRandomFlowsAreSuchThatMechanismsTakeThem) {
  unsigned found = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const std::vector<FlowOp> flow = RandomFlow(seed, 30, 4).make();
    const Cfg cfg(flow);
    std::vector<Counts> counts;
    for (Pc pc = 0; pc < flow.size(); ++pc) counts.push_back({pc, 1000, (pc * 7919 + seed * 104729) % 1000});
    for (const LikelyPoint& at : points(flow, counts)) {
      ++found;
      EXPECT_FALSE(cfg.irreducible());
      EXPECT_FALSE(cfg.in_other_loop(cfg.block_of(at.point), cfg.block_of(at.branch))) << seed;
      EXPECT_NE(at.point, cfg.reconvergence(at.branch)) << seed;
      EXPECT_EQ(cfg.blocks()[cfg.block_of(at.point)].begin, at.point) << seed;
    }
  }
  EXPECT_GT(found, 20U);
}

}  // namespace likely_from_profile_test
}  // namespace warpfold::isa
