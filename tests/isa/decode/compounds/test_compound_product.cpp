// SPDX-License-Identifier: Apache-2.0
// Multiplications of several steps: moves are there only where a result would overwrite an operand that is needed.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace compound_product_test {

struct Counts {
  std::ptrdiff_t steps = 0, moves = 0;
};

Counts counts_of(const std::string& product) {
  PtxFixture fixture(kernel_text(product + " ret;"));
  const auto& ops = fixture.kernel().ops;
  const auto count = [&](auto which) { return std::count_if(ops.begin(), ops.end(), which); };
  return {count([](const MicroOp& op) { return op.operation == Operation::kMatrix; }),
          count([](const MicroOp& op) { return op.kind == Kind::kCompute; })};
}

TEST(CompoundProduct, MovesNothingWhereResultsAreInNobodysWay) {
  const std::string halves = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 ";
  for (const char* const operands : {"{%r9, %r10}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8};",
                                     "{%r7, %r8}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8};"}) {
    const Counts counts = counts_of(halves + operands);
    EXPECT_EQ(counts.steps, 2) << operands;
    EXPECT_EQ(counts.moves, 0) << operands;
  }
}

TEST(CompoundProduct, MovesResultsThatWouldOverwriteOperands) {
  const std::string halves = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 ";
  for (const char* const operands : {"{%r9, %r1}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8};",
                                     "{%r6, %r9}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8};",
                                     "{%r8, %r7}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8};"}) {
    const Counts counts = counts_of(halves + operands);
    EXPECT_EQ(counts.steps, 2) << operands;
    EXPECT_EQ(counts.moves, 2) << operands;
  }
}

}  // namespace compound_product_test
}  // namespace warpfold::isa
