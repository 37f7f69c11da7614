// SPDX-License-Identifier: Apache-2.0
// What keeps a warp's next instruction back: anything in flight (simple), or a register that is being written.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/core/scoreboard.h"

namespace warpfold {
namespace {

isa::MicroOp op(std::vector<isa::Word> reads, std::vector<isa::Word> writes) {
  isa::MicroOp made;
  made.reads = std::move(reads);
  made.writes = std::move(writes);
  return made;
}

const isa::MicroOp kWrites1 = op({}, {1});
const isa::MicroOp kReads1 = op({1}, {2});
const isa::MicroOp kNothing = op({}, {});

TEST(Scoreboard, SimpleAllowsOneInstructionOfAWarpInFlight) {
  Scoreboard board(ScoreboardKind::kSimple, 4);
  board.kernel_started(8);
  EXPECT_TRUE(board.allows(1, kWrites1));
  board.issued(1, kWrites1);
  EXPECT_FALSE(board.allows(1, kNothing)) << "whatever the registers (TBC §2.2)";
  EXPECT_TRUE(board.allows(2, kReads1)) << "another warp";
  EXPECT_EQ(board.in_flight(1), 1u);
  board.released(1, kWrites1);
  EXPECT_TRUE(board.allows(1, kReads1));
  EXPECT_EQ(board.in_flight(1), 0u);
}

class PerRegister : public testing::Test {
 protected:
  PerRegister() { board.kernel_started(8); }
  Scoreboard board{ScoreboardKind::kPerRegister, 4};
};

TEST_F(PerRegister, ReadAfterWriteWaits) {
  board.issued(0, kWrites1);
  EXPECT_FALSE(board.allows(0, op({1}, {5})));
  EXPECT_FALSE(board.allows(0, op({0, 1, 7}, {})));
  EXPECT_TRUE(board.allows(0, op({0, 2}, {5})));
  EXPECT_TRUE(board.allows(1, op({1}, {5}))) << "registers are a warp's own";
  board.released(0, kWrites1);
  EXPECT_TRUE(board.allows(0, op({1}, {5})));
}

TEST_F(PerRegister, WriteAfterWriteWaits) {
  board.issued(0, kWrites1);
  EXPECT_FALSE(board.allows(0, kWrites1));
  EXPECT_FALSE(board.allows(0, op({}, {0, 1})));
  EXPECT_TRUE(board.allows(0, op({}, {2})));
}

// Operands are read at issue, in order: a later write cannot overtake them.
TEST_F(PerRegister, WriteAfterReadDoesNotWait) {
  board.issued(0, kReads1);  // reads 1, writes 2
  EXPECT_TRUE(board.allows(0, kWrites1));
  EXPECT_FALSE(board.allows(0, op({2}, {})));
}

TEST_F(PerRegister, AWordStaysPendingUntilItsLastWriteIsDone) {
  const isa::MicroOp pair = op({}, {3, 4});
  board.issued(0, pair);
  board.issued(0, op({}, {4}));  // a mechanism that knows better may let a second write pass: both are counted
  EXPECT_EQ(board.in_flight(0), 2u);
  board.released(0, op({}, {4}));
  EXPECT_FALSE(board.allows(0, op({4}, {})));
  board.released(0, pair);
  EXPECT_TRUE(board.allows(0, op({3, 4}, {})));
  EXPECT_EQ(board.in_flight(0), 0u);
}

TEST_F(PerRegister, ANewKernelMayHaveMoreRegisters) {
  board.issued(0, kWrites1);
  board.released(0, kWrites1);
  board.kernel_started(64);
  const isa::MicroOp high = op({}, {63});
  board.issued(0, high);
  EXPECT_FALSE(board.allows(0, op({63}, {})));
  EXPECT_TRUE(board.allows(0, op({62}, {})));
}

TEST(Scoreboard, ChecksItsCallers) {
  for (const ScoreboardKind kind : {ScoreboardKind::kSimple, ScoreboardKind::kPerRegister}) {
    Scoreboard board(kind, 2);
    board.kernel_started(8);
    EXPECT_THROW(board.released(0, kNothing), InternalError);
    board.issued(0, kNothing);
    EXPECT_THROW(board.kernel_started(8), InternalError) << "with something in flight";
  }
}

}  // namespace
}  // namespace warpfold
