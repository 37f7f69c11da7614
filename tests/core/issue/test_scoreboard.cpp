// SPDX-License-Identifier: Apache-2.0
// What keeps a warp's next instruction back: anything in flight (simple), or a register that is being written.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/core/issue/scoreboard.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {
namespace scoreboard_test {

isa::MicroOp op(std::vector<isa::Word> reads, std::vector<isa::Word> writes) {
  isa::MicroOp made;
  made.reads = std::move(reads);
  made.writes = std::move(writes);
  return made;
}

// Warps 0, 1, 2 … hold all lanes of rows 0, 1, 2 …
struct Board : Scoreboard {
  Board(ScoreboardKind kind, unsigned slots) : Scoreboard(kind, slots, slots) {}
  static divergence::Warp of(divergence::WarpId id) {
    return divergence::Warp::of_row(0, static_cast<std::uint16_t>(id), ~isa::LaneMask{0});
  }
  bool allows(divergence::WarpId id, const isa::MicroOp& op) const { return Scoreboard::allows(id, of(id), op); }
  bool busy(divergence::WarpId id) const { return Scoreboard::busy(id, of(id)); }
  void issued(divergence::WarpId id, const isa::MicroOp& op) { Scoreboard::issued(id, of(id), op); }
  void released(divergence::WarpId id, const isa::MicroOp& op) { Scoreboard::released(id, 0, op); }
};

const isa::MicroOp kWrites1 = op({}, {1});
const isa::MicroOp kReads1 = op({1}, {2});
const isa::MicroOp kNothing = op({}, {});

TEST(Scoreboard, SimpleAllowsOneInstructionOfAWarpInFlight) {
  Board board(ScoreboardKind::kSimple, 4);
  board.kernel_started(8);
  EXPECT_TRUE(board.allows(1, kWrites1));
  board.issued(1, kWrites1);
  EXPECT_FALSE(board.allows(1, kNothing)) << "whatever the registers (TBC §2.2)";
  EXPECT_TRUE(board.allows(2, kReads1)) << "another warp";
  EXPECT_TRUE(board.busy(1));
  board.released(1, kWrites1);
  EXPECT_TRUE(board.allows(1, kReads1));
  EXPECT_FALSE(board.busy(1));
}

// Under the address sanitizer a look past an empty table shows.
TEST(Scoreboard, AKernelMayHaveNoRegister) {
  for (const ScoreboardKind kind : {ScoreboardKind::kSimple, ScoreboardKind::kPerRegister, ScoreboardKind::kPerThread}) {
    Board board(kind, 4);
    board.kernel_started(0);
    EXPECT_TRUE(board.allows(1, kNothing));
    EXPECT_FALSE(board.busy(1));
  }
}

class PerRegister : public testing::Test {
 protected:
  PerRegister() { board.kernel_started(8); }
  Board board{ScoreboardKind::kPerRegister, 4};
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
  board.released(0, op({}, {4}));
  EXPECT_FALSE(board.allows(0, op({4}, {})));
  board.released(0, pair);
  EXPECT_TRUE(board.allows(0, op({3, 4}, {})));
  EXPECT_FALSE(board.busy(0));
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

// Two rows of four lanes, registers of the threads.
class PerThread : public testing::Test {
 protected:
  PerThread() { board.kernel_started(8); }
  static divergence::Warp row(unsigned of, isa::LaneMask lanes) {
    return divergence::Warp::of_row(0, static_cast<std::uint16_t>(of), lanes);
  }
  Scoreboard board{ScoreboardKind::kPerThread, 4, 2};
};

TEST_F(PerThread, WhatAThreadWaitsForGoesWithIt) {
  const std::uint32_t load = board.issued(0, row(0, 0b1111), kWrites1);
  EXPECT_FALSE(board.allows(0, row(0, 0b0011), kReads1)) << "a part of it, in its slot";
  EXPECT_FALSE(board.allows(3, row(0, 0b1100), kReads1)) << "the other, in another";
  EXPECT_TRUE(board.allows(0, row(1, 0b1111), kReads1)) << "others, in the slot that it had";
  EXPECT_TRUE(board.allows(3, row(0, 0b1100), op({2}, {3})));
  EXPECT_TRUE(board.busy(3, row(0, 0b0100)));
  EXPECT_FALSE(board.busy(0, row(1, 0b1111)));
  board.released(0, load, kWrites1);
  EXPECT_TRUE(board.allows(3, row(0, 0b1100), kReads1));
  EXPECT_FALSE(board.busy(3, row(0, 0b0100)));
}

TEST_F(PerThread, AWarpOfMixedRowsWaitsForEachOfItsThreads) {
  divergence::Warp mixed = row(0, 0b0011);
  divergence::widen(mixed, row(1, 0b1100));
  for (const unsigned slow : {0U, 1U}) {
    const std::uint32_t load = board.issued(slow, row(slow, 0b1111), kWrites1);
    EXPECT_FALSE(board.allows(2, mixed, kReads1)) << slow;
    EXPECT_FALSE(board.allows(2, mixed, kWrites1)) << slow;
    EXPECT_TRUE(board.busy(2, mixed)) << slow;
    board.released(slow, load, kWrites1);
    EXPECT_TRUE(board.allows(2, mixed, kReads1)) << slow;
  }
  const std::uint32_t load = board.issued(0, row(0, 0b1100), kWrites1);
  EXPECT_TRUE(board.allows(2, mixed, kReads1)) << "lanes of the row that it does not hold";
  EXPECT_FALSE(board.busy(2, mixed));
  board.released(0, load, kWrites1);
}

// Writes of two parts of a row are on their way at once; each frees its own lanes.
TEST_F(PerThread, EachWriteFreesItsOwnLanes) {
  const std::uint32_t low = board.issued(0, row(0, 0b0011), kWrites1);
  const std::uint32_t high = board.issued(1, row(0, 0b1100), kWrites1);
  board.released(0, low, kWrites1);
  EXPECT_TRUE(board.allows(0, row(0, 0b0011), kReads1));
  EXPECT_FALSE(board.allows(0, row(0, 0b0111), kReads1)) << "since a thread of the other part has joined";
  board.released(1, high, kWrites1);
  EXPECT_TRUE(board.allows(0, row(0, 0b1111), kReads1));
}

// Threads of the upper lanes have left for another slot.
TEST_F(PerThread, SomeLanesOfALoadAreFreedBeforeTheOthers) {
  const std::uint32_t load = board.issued(0, row(0, 0b1111), kWrites1);
  EXPECT_EQ(board.free_lanes(0, row(0, 0b1111), 1, 0b0011), 0U) << "whatever its caller thinks";
  board.partly_released(load, kWrites1, 0b0101);
  EXPECT_EQ(board.free_lanes(0, row(0, 0b1111), 1, 0), 0b0101U);
  EXPECT_EQ(board.free_lanes(1, row(0, 0b1100), 1, 0), 0b0100U);
  EXPECT_TRUE(board.allows(0, row(0, 0b0101), kReads1));
  EXPECT_FALSE(board.allows(0, row(0, 0b0111), kReads1));
  EXPECT_FALSE(board.busy(0, row(0, 0b0101)));
  board.released(0, load, kWrites1);
  EXPECT_TRUE(board.allows(0, row(0, 0b1111), kReads1));
}

TEST(Scoreboard, LanesLeaveAWarpThatHasNothingButLoadsInFlight) {
  for (const ScoreboardKind kind : {ScoreboardKind::kSimple, ScoreboardKind::kPerRegister}) {
    Board board(kind, 2);
    board.kernel_started(8);
    board.issued(1, kWrites1);
    board.partly_released(0, kWrites1, 0b0011);
    EXPECT_FALSE(board.allows(1, kReads1)) << "registers are the whole warp's";
    EXPECT_EQ(board.free_lanes(1, Board::of(1), 1, 0b0011), 0b0011U);
    board.issued(1, kNothing);
    EXPECT_EQ(board.free_lanes(1, Board::of(1), 1, 0b0011), 0U) << "of which nobody knows which lane's it is";
  }
}

TEST(Scoreboard, ChecksItsCallers) {
  for (const ScoreboardKind kind :
       {ScoreboardKind::kSimple, ScoreboardKind::kPerRegister, ScoreboardKind::kPerThread}) {
    Board board(kind, 2);
    board.kernel_started(8);
    EXPECT_THROW(board.released(0, kNothing), InternalError);
    board.issued(0, kNothing);
    EXPECT_THROW(board.kernel_started(8), InternalError) << "with something in flight";
  }
}

}  // namespace scoreboard_test
}  // namespace warpfold
