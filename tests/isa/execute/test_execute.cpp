// SPDX-License-Identifier: Apache-2.0
// Guards, rows, masks and write-back: which thread's register an instruction reads and writes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/isa/warp_fixture.h"
#include "warpfold/common/error.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {
namespace execute_test {

constexpr LaneMask kAll = 0xffffffff;
const Dim3 kTwoWarps{64, 1, 1};

TEST(Execute, WritesOnlyTheLanesOfTheMask) {
  WarpFixture warp(kTwoWarps);
  warp.compute("add.s32", {2}, {0, 1});
  warp.start();
  for (const LaneMask mask : {kAll, LaneMask{0x80000001}, LaneMask{0xff00}, LaneMask{0}}) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp.at(0, 0, lane) = lane;
      warp.at(0, 1, lane) = 100;
      warp.at(0, 2, lane) = 7;
    }
    warp.run(0, 0, mask);
    EXPECT_EQ(warp.outcome.executed, mask);
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(warp.at(0, 2, lane), mask >> lane & 1 ? 100 + lane : 7);
  }
}

TEST(Execute, GuardsSelectLanes) {
  WarpFixture warp(kTwoWarps);
  warp.compute("mov.u32", {2}, {WarpFixture::kTid}).guard = WarpFixture::kPredicate;
  MicroOp& negated = warp.compute("mov.u32", {2}, {WarpFixture::kTid});
  negated.guard = WarpFixture::kPredicate;
  negated.guard_negated = true;
  warp.start();
  const LaneMask pattern = 0x0f0f3355, mask = 0x00ffffff;
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(1, WarpFixture::kPredicate, lane) = pattern >> lane & 1;
  warp.run(0, 1, mask);
  EXPECT_EQ(warp.outcome.executed, pattern & mask);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(warp.at(1, 2, lane), (pattern & mask) >> lane & 1 ? 32 + lane : 0);
  warp.run(1, 1, mask);
  EXPECT_EQ(warp.outcome.executed, ~pattern & mask);
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(1, 2, lane) = 7;
  warp.run(0, 1, kAll);  // the whole row runs, not all of it executes
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(warp.at(1, 2, lane), pattern >> lane & 1 ? 32 + lane : 7);
}

TEST(Execute, BranchesGoWhereTheGuardHolds) {
  WarpFixture warp(kTwoWarps);
  warp.op(Kind::kBranch, "bra").guard = WarpFixture::kPredicate;
  warp.op(Kind::kBranch, "bra");
  warp.start();
  warp.at(0, WarpFixture::kPredicate, 3) = 1;
  warp.at(0, WarpFixture::kPredicate, 31) = 1;
  warp.run(0, 0, 0xf);
  EXPECT_EQ(warp.outcome.taken, 0x8U);
  warp.run(0, 0, kAll);
  EXPECT_EQ(warp.outcome.taken, 0x80000008U);
  warp.run(0, 0, 0x7);
  EXPECT_EQ(warp.outcome.taken, 0U);
  warp.run(1, 0, 0x7);
  EXPECT_EQ(warp.outcome.taken, 0x7U);
}

// A compacted warp: lane l's thread comes from a row of its own choice (TBC §3.2); entries outside the mask are
// unspecified.
TEST(Execute, CompactedWarpsGatherAndScatter) {
  WarpFixture warp({128, 1, 1}, 4);
  warp.compute("add.s64", {4}, {0, 2});
  warp.compute("setp.lt.u32", {WarpFixture::kPredicate}, {WarpFixture::kTid, kConstant});
  MicroOp& guarded = warp.compute("mov.u32", {6}, {WarpFixture::kTid});
  guarded.guard = WarpFixture::kPredicate;
  warp.kernel.constants = {40};
  warp.start();
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp.at(row, 0, lane) = 0xffffffff;
      warp.at(row, 2, lane) = row * 100 + lane + 1;
      warp.at(row, 4, lane) = warp.at(row, 5, lane) = 77;
    }
  }
  std::vector<std::uint16_t> rows(32);
  const LaneMask mask = 0xfffeffff;
  for (unsigned lane = 0; lane < 32; ++lane) rows[lane] = static_cast<std::uint16_t>(lane % 4);
  rows[16] = 0xffff;
  warp.run_compacted(0, rows, mask);
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const bool mine = lane != 16 && lane % 4 == row;
      EXPECT_EQ(warp.at(row, 4, lane), mine ? row * 100 + lane : 77) << row << " " << lane;
      EXPECT_EQ(warp.at(row, 5, lane), mine ? 1 : 77);
    }
  }
  warp.run_compacted(1, rows, mask);
  warp.run_compacted(2, rows, mask);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lane == 16) continue;
    const unsigned tid = 32 * (lane % 4) + lane;
    EXPECT_EQ(warp.outcome.executed >> lane & 1, tid < 40);
    EXPECT_EQ(warp.at(lane % 4, 6, lane), tid < 40 ? tid : 0);
  }
}

TEST(Execute, ResultsMayLieOnSources) {
  WarpFixture warp(kTwoWarps);
  warp.compute("add.s64", {0}, {0, 0});
  warp.compute("mov.b64", {1}, {0});  // {r1, r2} = {r0, r1}: the low half goes where the high one is read
  warp.compute("mov.b64", {0}, {1});
  warp.start();
  for (unsigned lane = 0; lane < 32; ++lane) {
    warp.at(0, 0, lane) = 0x80000000 + lane;
    warp.at(0, 1, lane) = 5;
  }
  warp.run(0, 0, kAll);
  warp.run(1, 0, kAll);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(warp.at(0, 1, lane), 2 * lane);
    EXPECT_EQ(warp.at(0, 2, lane), 11U);
  }
  warp.run(2, 0, 0xffff);
  EXPECT_EQ(warp.at(0, 0, 3), 6U);
  EXPECT_EQ(warp.at(0, 1, 3), 11U);
  EXPECT_EQ(warp.at(0, 1, 30), 60U);
}

TEST(Execute, BothPredicatesOfSetp) {
  WarpFixture warp(kTwoWarps);
  warp.compute("setp.lt.and.s32", {16, 17}, {WarpFixture::kTid, kConstant, 18});
  warp.compute("setp.ge.s32", {19}, {WarpFixture::kTid, kConstant});
  MicroOp& only_second = warp.compute("setp.lt.s32", {kNoWord, 19}, {WarpFixture::kTid, kConstant});
  only_second.d[0] = kNoWord;
  warp.kernel.constants = {10};
  warp.start();
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 18, lane) = lane % 2;
  for (const LaneMask mask : {LaneMask{0xfff0}, kAll}) {
    warp.run(0, 0, mask);
    warp.run(1, 0, mask);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const bool runs = mask >> lane & 1, odd = lane % 2 != 0;
      EXPECT_EQ(warp.at(0, 16, lane), runs && odd && lane < 10);
      EXPECT_EQ(warp.at(0, 17, lane), runs && odd && lane >= 10);
      EXPECT_EQ(warp.at(0, 19, lane), runs && lane >= 10);
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 19, lane) = 0;
  warp.run(2, 0, kAll);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(warp.at(0, 19, lane), lane >= 10);
}

TEST(Execute, RowsOfOtherWidths) {
  for (const unsigned lanes : {1U, 4U, 8U, 16U, 64U}) {
    WarpFixture warp({2 * lanes, 1, 1}, 2, lanes);
    warp.compute("add.s32", {0}, {WarpFixture::kTid, kConstant});
    warp.kernel.constants = {1000};
    warp.start();
    const LaneMask all = lanes == 64 ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
    EXPECT_EQ(warp.exists[0], all);
    warp.run(0, 1, all);
    warp.run_compacted(0, std::vector<std::uint16_t>(lanes, 0), all & ~LaneMask{2});
    for (unsigned lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(warp.at(1, 0, lane), 1000 + lanes + lane) << lanes;
      EXPECT_EQ(warp.at(0, 0, lane), lane == 1 ? 0 : 1000 + lane) << lanes;
    }
  }
}

TEST(ThreadStore, LastRowOfABlockIsPartial) {
  WarpFixture warp({40, 1, 1}, 2);
  warp.compute("mov.u32", {0}, {kConstant});
  warp.kernel.constants = {9};
  warp.start();
  EXPECT_EQ(warp.exists[0], kAll);
  EXPECT_EQ(warp.exists[1], 0xffU);
  EXPECT_EQ(warp.threads->thread_of(1, 3), 35U);
  warp.run(0, 1, 0xff);
  for (unsigned lane = 0; lane < 8; ++lane) EXPECT_EQ(warp.at(1, 0, lane), 9U);
}

TEST(ThreadStore, SpecialRegisters) {
  WarpFixture warp({4, 6, 3}, 3);
  warp.kernel.specials = {Special::kTidX,      Special::kTidY,    Special::kTidZ,    Special::kNtidX,
                          Special::kNtidY,     Special::kNtidZ,   Special::kCtaidX,  Special::kCtaidY,
                          Special::kCtaidZ,    Special::kNctaidX, Special::kNctaidY, Special::kNctaidZ,
                          Special::kLaneid,    Special::kSmid,    Special::kNsmid,   Special::kLanemaskLt,
                          Special::kLanemaskGe};
  warp.launch.grid = {7, 8, 9};
  const std::uint32_t first = warp.kernel.specials_begin();
  ThreadStore threads(warp.launch, 3, 32, 5, 30);
  BlockState block{0, {1, 2, 3}, {}};
  EXPECT_EQ(threads.start_row(2, block, 64), 0xffU);
  const std::vector<std::uint32_t> expected{2, 4, 2, 4, 6, 3, 1, 2, 3, 7, 8, 9, 2, 5, 30, 3, 0xfffffffc};  // thread 66
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_EQ(threads.words(2, static_cast<Word>(first + k))[2], expected[k]) << k;
  EXPECT_EQ(&threads.block_of(2), &block);
}

TEST(ThreadStore, RestartedRowsReadZero) {
  WarpFixture warp(kTwoWarps);
  warp.kernel.local_bytes = 20;
  warp.store("st.local.u8", Space::kLocal, 1, {0}, 8);
  warp.start();
  warp.at(1, 3, 5) = 99;
  warp.at(1, 0, 31) = 1;
  warp.set_address(1, 8, 31, 19);
  warp.run(0, 1, LaneMask{1} << 31);
  EXPECT_EQ(warp.threads->local(1, 31)[19], std::byte{1});
  warp.threads->start_row(1, *warp.blocks[0], 32);
  EXPECT_EQ(warp.at(1, 3, 5), 0U);
  EXPECT_EQ(warp.threads->local(1, 31)[19], std::byte{0});
  EXPECT_EQ(warp.at(1, WarpFixture::kTid, 5), 37U);
}

MicroOp& vote(WarpFixture& warp, const std::string& text, char mode, Word d, Word s) {
  MicroOp& op = warp.op(Kind::kVote, text);
  op.element_type = static_cast<std::uint8_t>(mode);
  op.d[0] = d;
  op.d_count = 1;
  op.collective = s != kNoWord;
  op.s_count = op.collective ? 2 : 0;
  op.s = {s, kConstant, kNoWord, kNoWord};
  return op;
}

TEST(WarpOps, VotesCountTheLanesThatExecute) {
  WarpFixture warp(kTwoWarps);
  vote(warp, "vote.sync.ballot.b32", 'b', 0, 16);
  vote(warp, "vote.sync.all.pred", 'a', 17, 16);
  vote(warp, "vote.sync.any.pred", 'n', 18, 16);
  vote(warp, "vote.sync.uni.pred", 'u', 19, 16);
  vote(warp, "vote.sync.ballot.b32", 'b', 1, 16).offset = 1;
  vote(warp, "activemask.b32", 'm', 2, kNoWord);
  warp.kernel.constants = {0xffff};
  warp.start();
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 16, lane) = lane >= 4 && lane < 20;
  for (Pc pc = 0; pc < 6; ++pc) warp.run(pc, 0, 0xfff0);
  EXPECT_EQ(warp.at(0, 0, 4), 0xfff0U);
  EXPECT_EQ(warp.at(0, 0, 3), 0U);  // does not execute
  EXPECT_EQ(warp.at(0, 17, 15), 1U);
  EXPECT_EQ(warp.at(0, 1, 15), 0U);
  EXPECT_EQ(warp.at(0, 2, 15), 0xfff0U);
  EXPECT_EQ(warp.at(0, 19, 15), 1U);  // all true
  for (unsigned lane = 0; lane < 4; ++lane) warp.at(0, 19, lane) = 0;
  warp.run(3, 0, 0xf);
  EXPECT_EQ(warp.at(0, 19, 0), 1U);  // all false
  for (Pc pc = 0; pc < 6; ++pc) warp.run(pc, 0, kAll);
  EXPECT_EQ(warp.at(0, 0, 0), 0xfff0U);  // the membermask leaves lanes 16 to 19 out
  EXPECT_EQ(warp.at(0, 17, 0), 0U);
  EXPECT_EQ(warp.at(0, 18, 0), 1U);
  EXPECT_EQ(warp.at(0, 19, 0), 0U);
  EXPECT_EQ(warp.at(0, 1, 0), 0xfU);
  EXPECT_EQ(warp.at(0, 2, 0), kAll);
}

// A carrier of two rows: the lanes of one are no part of the other's warp, with or without a membermask.
TEST(WarpOps, CarriersOfSeveralWarpsAreSeveralGroups) {
  WarpFixture warp(kTwoWarps);
  vote(warp, "vote.sync.ballot.b32", 'b', 0, 16);
  MicroOp& old = vote(warp, "vote.ballot.b32", 'b', 1, 16);
  old.collective = false;
  old.s_count = 1;
  vote(warp, "activemask.b32", 'm', 2, kNoWord);
  warp.kernel.constants = {0x0f0f0f0f};
  warp.start();
  std::vector<std::uint16_t> rows(32, 0);
  for (unsigned lane = 0; lane < 32; ++lane) {
    rows[lane] = lane / 4 % 2;
    warp.at(0, 16, lane) = warp.at(1, 16, lane) = lane % 2;
  }
  for (Pc pc = 1; pc < 3; ++pc) warp.run_compacted(pc, rows, 0xffffff0f);
  EXPECT_EQ(warp.at(0, 1, 1), 0x0a0a0a0aU);
  EXPECT_EQ(warp.at(1, 1, 31), 0xa0a0a000U);
  EXPECT_EQ(warp.at(0, 2, 1), 0x0f0f0f0fU);
  EXPECT_EQ(warp.at(1, 2, 31), 0xf0f0f000U);
  warp.run_compacted(0, rows, 0x0f0f0f0f);
  EXPECT_EQ(warp.at(0, 0, 1), 0x0a0a0a0aU);
}

// 32 consecutive threads, whatever a row has.
TEST(WarpOps, AnArchitecturalWarpHas32Threads) {
  WarpFixture wide({64, 1, 1}, 1, 64);
  vote(wide, "activemask.b32", 'm', 0, kNoWord);
  wide.start();
  wide.run(0, 0, 0xffff'0000'ff00'00ff);
  EXPECT_EQ(wide.at(0, 0, 0), 0xff00'00ffU);
  EXPECT_EQ(wide.at(0, 0, 63), 0xffff'0000U);
  EXPECT_EQ(wide.at(0, WarpFixture::kLane, 63), 31U);
  WarpFixture narrow({32, 1, 1}, 4, 8);
  vote(narrow, "activemask.b32", 'm', 0, kNoWord);
  narrow.start();
  narrow.run(0, 2, 0xf0);
  EXPECT_EQ(narrow.at(2, 0, 7), 0x00f0'0000U);
  EXPECT_EQ(narrow.at(2, WarpFixture::kLane, 7), 23U);
}

TEST(WarpOps, Reductions) {
  struct Case {
    Atomic operation;
    bool is_signed;
    std::uint32_t expected;  // of 3, -5, 6
  };
  const std::array<Case, 8> cases{{{Atomic::kAdd, false, 4},
                                   {Atomic::kMin, true, static_cast<std::uint32_t>(-5)},
                                   {Atomic::kMin, false, 3},
                                   {Atomic::kMax, true, 6},
                                   {Atomic::kMax, false, static_cast<std::uint32_t>(-5)},
                                   {Atomic::kAnd, false, 2},
                                   {Atomic::kOr, false, static_cast<std::uint32_t>(-1)},
                                   {Atomic::kXor, false, static_cast<std::uint32_t>(3 ^ -5 ^ 6)}}};
  for (const Case& one : cases) {
    WarpFixture warp(kTwoWarps);
    MicroOp& op = vote(warp, "redux.sync", 'r', 1, 0);
    op.atomic = one.operation;
    op.sign_extend = one.is_signed;
    warp.kernel.constants = {0x111};
    warp.start();
    warp.at(0, 0, 0) = 3;
    warp.at(0, 0, 4) = static_cast<std::uint32_t>(-5);
    warp.at(0, 0, 8) = 6;
    warp.run(0, 0, 0x111);
    for (const unsigned lane : {0U, 4U, 8U}) EXPECT_EQ(warp.at(0, 1, lane), one.expected);
  }
}

TEST(WarpOps, ReductionsOfFloats) {
  struct Case {
    Atomic operation;
    bool magnitudes, nan_stays;
    std::vector<float> values;
    float expected;  // NaN: no number
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<Case> cases = {{Atomic::kMax, false, false, {3, -5, 1}, 3},
                                   {Atomic::kMin, false, false, {3, -5, 1}, -5},
                                   {Atomic::kMax, true, false, {3, -5, 1}, 5},
                                   {Atomic::kMin, true, false, {3, -5, -1}, 1},
                                   {Atomic::kMax, false, false, {-3, -5, -1}, -1},
                                   {Atomic::kMin, false, false, {-0.0F, 0.0F, 0.0F}, -0.0F},
                                   {Atomic::kMax, false, false, {-0.0F, 0.0F, -0.0F}, 0.0F},
                                   {Atomic::kMax, false, false, {nan, -5, -infinity}, -5},
                                   {Atomic::kMin, false, false, {nan, infinity, infinity}, infinity},
                                   {Atomic::kMax, false, true, {nan, infinity, 1}, nan},
                                   {Atomic::kMin, false, true, {-infinity, nan, 1}, nan},
                                   {Atomic::kMin, false, false, {nan, nan, -nan}, nan},
                                   {Atomic::kMax, true, false, {nan, nan, -nan}, nan}};
  for (const Case& one : cases) {
    WarpFixture warp(kTwoWarps);
    MicroOp& op = vote(warp, "redux.sync", 'f', 1, 0);
    op.atomic = one.operation;
    op.offset = (one.magnitudes ? 1 : 0) | (one.nan_stays ? 2 : 0);
    warp.kernel.constants = {0x111};
    warp.start();
    for (unsigned n = 0; n < 3; ++n) warp.at(0, 0, 4 * n) = std::bit_cast<std::uint32_t>(one.values[n]);
    warp.run(0, 0, 0x111);
    const std::uint32_t expected = std::isnan(one.expected) ? 0x7fffffff : std::bit_cast<std::uint32_t>(one.expected);
    for (const unsigned lane : {0U, 4U, 8U}) EXPECT_EQ(warp.at(0, 1, lane), expected);
  }
}

TEST(WarpOps, MatchFindsEqualValues) {
  WarpFixture warp(kTwoWarps);
  vote(warp, "match.any.sync.b32", 'e', 0, 4);
  MicroOp& all = vote(warp, "match.all.sync.b64", 'q', 1, 4);
  all.s_wide = 1;
  all.d_count = 2;
  all.d[1] = 16;
  warp.kernel.constants = {kAll};
  warp.start();
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 4, lane) = lane % 3;
  warp.run(0, 0, 0xff);
  EXPECT_EQ(warp.at(0, 0, 0), 0x49U);
  EXPECT_EQ(warp.at(0, 0, 5), 0x24U);
  warp.run(1, 0, 0xff);
  EXPECT_EQ(warp.at(0, 1, 0), 0U);
  EXPECT_EQ(warp.at(0, 16, 0), 0U);
  warp.run(1, 0, 0x49);
  EXPECT_EQ(warp.at(0, 1, 3), 0x49U);
  EXPECT_EQ(warp.at(0, 16, 3), 1U);
  warp.at(0, 5, 3) = 1;  // the upper half counts
  warp.run(1, 0, 0x49);
  EXPECT_EQ(warp.at(0, 1, 3), 0U);
}

// PTX ISA §9.7.8, shfl: c = clamp | segment mask << 8.
TEST(WarpOps, Shuffles) {
  struct Case {
    char mode;
    std::uint32_t b, c;
    std::array<unsigned, 4> from;  // of lanes 0, 7, 17, 31
    std::array<unsigned, 4> inside;
  };
  const std::array<Case, 8> cases{{{'u', 1, 0, {0, 6, 16, 30}, {0, 1, 1, 1}},
                                   {'d', 16, 31, {16, 23, 17, 31}, {1, 1, 0, 0}},
                                   {'b', 5, 31, {5, 2, 20, 26}, {1, 1, 1, 1}},
                                   {'i', 9, 31, {9, 9, 9, 9}, {1, 1, 1, 1}},
                                   {'i', 9, 0x181f, {1, 1, 17, 25}, {1, 1, 1, 1}},  // segments of 8 lanes
                                   {'d', 2, 0x181f, {2, 7, 19, 31}, {1, 0, 1, 0}},
                                   {'u', 7, 0, {0, 0, 10, 24}, {0, 1, 1, 1}},         // lane 7 reads the first lane
                                   {'u', 1, 0x1800, {0, 6, 16, 30}, {0, 1, 1, 1}}}};  // lane 17 its segment's
  WarpFixture warp(kTwoWarps);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    MicroOp& op = warp.op(Kind::kShuffle, "shfl.sync");
    op.element_type = static_cast<std::uint8_t>(cases[k].mode);
    op.d = {0, 16, kNoWord, kNoWord};
    op.d_count = 2;
    op.s_count = 3;
    op.s = {WarpFixture::kLane, static_cast<Word>(kConstant + 2 * k), static_cast<Word>(kConstant + 2 * k + 1),
            kNoWord};
    warp.kernel.constants.insert(warp.kernel.constants.end(), {cases[k].b, cases[k].c});
  }
  warp.start();
  for (std::size_t k = 0; k < cases.size(); ++k) {
    warp.run(static_cast<Pc>(k), 0, kAll);
    const std::array<unsigned, 4> lanes{0, 7, 17, 31};
    for (std::size_t n = 0; n < lanes.size(); ++n) {
      EXPECT_EQ(warp.at(0, 0, lanes[n]), cases[k].from[n]) << "case " << k << " lane " << lanes[n];
      EXPECT_EQ(warp.at(0, 16, lanes[n]), cases[k].inside[n]) << "case " << k << " lane " << lanes[n];
    }
  }
  warp.run(3, 0, 0xff);  // lane 9 does not execute: everyone keeps its own
  EXPECT_EQ(warp.at(0, 0, 7), 7U);
}

TEST(WarpOps, ClockReadsTheCycle) {
  WarpFixture warp(kTwoWarps);
  MicroOp& narrow = warp.op(Kind::kClock, "mov.u32");
  narrow.d[0] = 0;
  narrow.d_count = 1;
  MicroOp& wide = warp.op(Kind::kClock, "mov.u64");
  wide.d[0] = 2;
  wide.d_count = 1;
  wide.d_wide = 1;
  warp.start();
  const std::array<std::uint16_t, 32> rows{};
  for (Pc pc = 0; pc < 2; ++pc) warp.executor->execute(pc, {rows.data(), 0x3, 32, true}, 0x500000007, warp.outcome);
  EXPECT_EQ(warp.at(0, 0, 1), 7U);
  EXPECT_EQ(warp.at(0, 0, 2), 0U);
  EXPECT_EQ(warp.at(0, 2, 0), 7U);
  EXPECT_EQ(warp.at(0, 3, 0), 5U);
}

TEST(WarpOps, TrapNamesTheThread) {
  WarpFixture warp(kTwoWarps);
  warp.op(Kind::kTrap, "trap");
  warp.start();
  try {
    warp.run(0, 1, 0xf0);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "kernel 'k': k.ptx:41: trap: thread (36,0,0) of block (0,0,0) gave up; a check in the program failed");
  }
}

}  // namespace execute_test
}  // namespace warpfold::isa
