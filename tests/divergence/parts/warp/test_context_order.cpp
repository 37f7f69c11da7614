// SPDX-License-Identifier: Apache-2.0
// The order of the code: blocks before their successors, loops in one piece, and how deep an instruction is.
#include <gtest/gtest.h>

#include "tests/divergence/example_programs.h"
#include "tests/divergence/random_program.h"
#include "warpfold/divergence/parts/warp/context_order.h"

namespace warpfold::divergence {
namespace context_order_test {

const Outcome some = of_threads(0b0101);  // its value does not matter here

ContextOrder order_of(const Program& program, ContextPriority priority) {
  return ContextOrder(kernel_of(program), priority);
}

// "0 3 1 2": the instructions, the first in the order first.
std::string laid_out(const Program& program, ContextPriority priority = ContextPriority::kRpo) {
  const ContextOrder order = order_of(program, priority);
  std::string text;
  for (Pc place = 0; place < program.size(); ++place) {
    const Pc pc = order.pc({0, place, 1});
    EXPECT_EQ(order.at(pc, 1).place, place);
    text += fmt::format("{}{}", text.empty() ? "" : " ", pc);
  }
  return text;
}
std::string depths(const Program& program) {
  const ContextOrder order = order_of(program, ContextPriority::kDepthPc);
  std::string text;
  for (Pc pc = 0; pc < program.size(); ++pc) {
    EXPECT_EQ(order.at(pc, 1).place, pc);
    text += fmt::format("{}", order.at(pc, 1).depth);
  }
  return text;
}

TEST(ContextOrder, KeepsTheProgramsOrderWhereItMay) {
  EXPECT_EQ(laid_out(if_else_program()), "0 1 2 3 4 5 6 7");
  EXPECT_EQ(laid_out(short_circuit_program()), "0 1 2 3 4 5 6 7 8 9");
  EXPECT_EQ(laid_out(loop_program()), "0 1 2 3 4 5 6 7");
}

TEST(ContextOrder, ABlockComesBeforeWhereItLeads) {
  const Program backward{jump(3), step(), leave(), branch(5, some), step(), step(), jump(1)};
  EXPECT_EQ(laid_out(backward), "0 3 4 5 6 1 2");
  EXPECT_EQ(laid_out(backward, ContextPriority::kPc), "0 1 2 3 4 5 6");
}

TEST(ContextOrder, ALoopIsInOnePiece) {
  EXPECT_EQ(laid_out({step(), branch(3, some), jump(5), step(), jump(0), step(), leave()}), "0 1 3 4 2 5 6")
      << "its exit, at 2, is in its middle";
  EXPECT_EQ(
      laid_out({step(), branch(6, some), branch(4, some), jump(8), step(), jump(1), step(), jump(0), step(), leave()}),
      "0 1 2 4 5 6 7 3 8 9")
      << "the inner one, 1 to 5, before the rest of the outer one, 6 and 7";
}

TEST(ContextOrder, WhatCannotBeReachedComesLast) { EXPECT_EQ(laid_out({jump(2), step(), leave()}), "0 2 1"); }

TEST(ContextOrder, ALoopWithTwoEntriesHasAnOrder) {
  EXPECT_EQ(laid_out({branch(3, some), step(), step(), step(), branch(1, some), leave()}), "0 1 2 3 4 5");
}

TEST(ContextOrder, DepthCountsRegions) {
  EXPECT_EQ(depths(if_else_program()), "00111100");
  EXPECT_EQ(depths(short_circuit_program()), "0111111100") << "all meet at 8";
  EXPECT_EQ(depths(loop_program()), "11222100") << "the loop's, and in it the if's";
  EXPECT_EQ(depths({uniform(2, some), step(), step(), leave()}), "0000") << "proved uniform";
  EXPECT_EQ(depths({branch(2, some), leave(), step(), leave()}), "0000") << "they meet no more";
}

// The places of random programs are those of all their instructions, and only edges that close a loop lead back.
TEST(ContextOrder, OfStructuredPrograms) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    const ContextOrder order = order_of(program, ContextPriority::kRpo);
    const isa::Cfg cfg(isa::flow_of(kernel_of(program)));
    const auto place = [&](isa::BlockIndex block) { return order.at(cfg.blocks()[block].begin, 1).place; };
    std::vector<bool> taken(program.size(), false);
    for (Pc pc = 0; pc < program.size(); ++pc) {
      const Pc at = order.at(pc, 1).place;
      ASSERT_FALSE(taken.at(at));
      taken[at] = true;
      ASSERT_EQ(order.pc({0, at, 1}), pc);
    }
    for (const isa::BlockIndex block : cfg.reverse_postorder()) {
      for (const isa::BlockIndex next : cfg.blocks()[block].successors) {
        if (next == cfg.exit() || cfg.dominates(next, block)) continue;
        ASSERT_LT(place(block), place(next)) << "seed " << seed;
      }
    }
  }
}

}  // namespace context_order_test
}  // namespace warpfold::divergence
