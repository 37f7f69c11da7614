// SPDX-License-Identifier: Apache-2.0
// Which jumps go, and where blocks end up.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace block_placement_test {

// "add @bra>0 ret": the opcodes in order, branches with their guards and targets.
std::string order(const std::string& body, bool placed = true) {
  PtxFixture fixture(kernel_text(body), {.block_placement = placed});
  const Kernel& kernel = fixture.kernel();
  std::string text;
  for (const MicroOp& op : kernel.ops) {
    const std::string& opcode = kernel.opcodes[op.text];
    if (!text.empty()) text += " ";
    if (op.guard != kNoWord) text += op.guard_negated ? "!" : "@";
    text += opcode.substr(0, opcode.find('.'));
    if (op.kind == Kind::kBranch) text += fmt::format(">{}", op.target);
  }
  return text;
}

TEST(BlockPlacement, AJumpToTheNextLineGoes) {
  const std::string body = "@!%p1 bra ELSE;\nbra.uni THEN;\nTHEN:\nadd.u32 %r1, %r1, 1;\nELSE:\nret;";
  EXPECT_EQ(order(body), "!bra>2 add ret");
  EXPECT_EQ(order(body, false), "!bra>3 bra>2 add ret");
}

TEST(BlockPlacement, WhatALoopLeadsToFollowsIt) {
  // The code behind the loop stands before another block.
  const std::string body = R"(
LOOP:
add.u32 %r1, %r1, 1;
@%p1 bra LOOP;
bra.uni EXIT;
OTHER:
sub.u32 %r1, %r1, 1;
ret;
EXIT:
@%p2 bra OTHER;
mul.lo.u32 %r1, %r1, 3;
ret;)";
  EXPECT_EQ(order(body), "add @bra>0 @bra>5 mul ret sub ret");
}

TEST(BlockPlacement, ABranchOverAJumpBackTurnsAround) {
  const std::string body = R"(
LOOP:
add.u32 %r1, %r1, 1;
@%p1 bra EXIT;
bra.uni LOOP;
OTHER:
sub.u32 %r1, %r1, 1;
ret;
EXIT:
@%p2 bra OTHER;
ret;)";
  EXPECT_EQ(order(body), "add !bra>0 @bra>4 ret sub ret");
}

TEST(BlockPlacement, JumpsToJumpsGoWhereThoseLead) {
  const std::string body =
      "@%p1 bra A;\nadd.u32 %r1, %r1, 1;\nbra B;\nA:\nbra B;\nC:\nret;\nB:\nmul.lo.u32 %r1, %r1, 3;\nbra C;";
  EXPECT_EQ(order(body), "@bra>2 add mul ret") << "A is gone, B follows, and C follows B";
}

TEST(BlockPlacement, NothingIsAddedForABlockThatTwoFallInto) {
  const std::string body = "@%p1 bra C;\nmov.u32 %r1, 1;\nbra D;\nC:\nmov.u32 %r1, 2;\nD:\nret;";
  EXPECT_EQ(order(body), order(body, false));
  EXPECT_EQ(order("L:\nbra L;"), "bra>0") << "an endless loop";
  EXPECT_EQ(order("@%p1 bra END;\nbra.uni X;\nX:\nadd.u32 %r1, %r1, 1;\nEND:\n"), "@bra>2 add ret")
      << "its end is a ret of its own";
}

}  // namespace block_placement_test
}  // namespace warpfold::isa
