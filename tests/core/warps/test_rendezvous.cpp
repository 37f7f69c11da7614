// SPDX-License-Identifier: Apache-2.0
// Threads of an architectural warp meet for collectives, whatever warps carry them.
#include <gtest/gtest.h>

#include "tests/isa/warp_fixture.h"
#include "warpfold/common/error.h"
#include "warpfold/core/warps/rendezvous.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {
namespace rendezvous_test {

using divergence::kNoWarp;
using divergence::Warp;
using isa::kConstant;
using isa::Kind;
using isa::LaneMask;
using isa::MicroOp;
using isa::Pc;

constexpr std::uint32_t kAll = 0xffff'ffff;
constexpr isa::Word kIn = 0, kOut = 1, kMask = 2;

// One block; register 0 of thread t holds t, register 2 the membermask. Instruction 0 is `vote.sync.ballot` of the odd
// ones, 1 the same elsewhere, 2 `shfl.sync.bfly` by 17, 3 `bar.warp.sync`.
class RendezvousTest : public testing::Test {
 protected:
  void start(unsigned threads, unsigned lanes, unsigned block_threads = 0) {
    fixture.emplace(isa::Dim3{block_threads != 0 ? block_threads : threads}, (threads + lanes - 1) / lanes, lanes);
    vote();
    vote().text = 0;
    MicroOp& shuffle = collective(Kind::kShuffle, "shfl.sync.bfly.b32", 'b');
    shuffle.d = {kOut, isa::kNoWord, isa::kNoWord, isa::kNoWord};
    shuffle.d_count = 1;
    shuffle.s = {kIn, kConstant, kConstant + 1, kMask};
    shuffle.s_count = 4;
    MicroOp& sync = collective(Kind::kFence, "bar.warp.sync", 0);
    sync.s = {kMask, isa::kNoWord, isa::kNoWord, isa::kNoWord};
    sync.s_count = 1;
    fixture->kernel.constants = {17, 31};
    fixture->start();
    CoreParams params;
    params.warp_size = lanes;
    params.max_threads = 128;
    table.emplace(params);
    table->kernel_started(fixture->kernel, *fixture->executor);
    divergence::Block block;
    block.threads = {fixture->exists.begin(), fixture->exists.end()};
    table->block_started(block);
    for (unsigned thread = 0; thread < threads; ++thread) {
      at(kIn, thread) = thread;
      at(kOdd, thread) = thread % 2;
      at(kMask, thread) = kAll;
    }
  }
  std::uint32_t& at(isa::Word word, unsigned thread) {
    const unsigned lanes = fixture->launch.warp_size;
    return fixture->at(thread / lanes, word, thread % lanes);
  }
  // The row's lanes, at `pc`.
  static Warp of_row(Pc pc, unsigned row, LaneMask lanes) {
    return Warp::of_row(pc, static_cast<std::uint16_t>(row), lanes);
  }
  // Lanes of row 0 and, beside them, lanes of row 1.
  static Warp mixed(Pc pc, LaneMask of_0, LaneMask of_1) {
    Warp warp = of_row(pc, 0, of_0);
    divergence::widen(warp, of_row(pc, 1, of_1));
    return warp;
  }
  static LaneMask none(const WaitingThreads&, unsigned) { return 0; }
  std::string error_of(divergence::WarpId id, const Warp& warp) {
    try {
      if (table->must_wait(warp)) table->arrive(id, warp);
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  }

  static constexpr isa::Word kOdd = isa::WarpFixture::kPredicate;
  std::optional<isa::WarpFixture> fixture;
  std::optional<Rendezvous> table;

 private:
  MicroOp& collective(Kind kind, const char* text, char mode) {
    MicroOp& op = fixture->op(kind, text);
    op.collective = true;
    op.element_type = static_cast<std::uint8_t>(mode);
    return op;
  }
  MicroOp& vote() {
    MicroOp& op = collective(Kind::kVote, "vote.sync.ballot.b32", 'b');
    op.d = {kOut, isa::kNoWord, isa::kNoWord, isa::kNoWord};
    op.d_count = 1;
    op.s = {kOdd, kMask, isa::kNoWord, isa::kNoWord};
    op.s_count = 2;
    return op;
  }
};

TEST_F(RendezvousTest, AWarpThatHasAllMembersWaitsForNobody) {
  start(64, 32);
  EXPECT_FALSE(table->must_wait(of_row(0, 0, kAll)));
  EXPECT_EQ(table->executing(), kAll);
  EXPECT_TRUE(table->must_wait(of_row(0, 1, 0xffff)));
  for (unsigned thread = 32; thread < 64; ++thread) at(kMask, thread) = thread < 48 ? 0xffff : 0xffff0000;
  EXPECT_FALSE(table->must_wait(of_row(0, 1, 0xffff))) << "one of two sets";
  EXPECT_FALSE(table->must_wait(of_row(0, 1, kAll))) << "several whole sets";
  EXPECT_TRUE(table->must_wait(of_row(0, 1, 0x1ffff)));
}

TEST_F(RendezvousTest, NobodyWaitsForThreadsThatAreNoMoreOrNeverWere) {
  start(40, 32);
  EXPECT_FALSE(table->must_wait(of_row(0, 1, 0xff)));
  EXPECT_TRUE(table->must_wait(of_row(0, 0, 0xffff)));
  table->exited(of_row(0, 0, kAll), 0xffff0000);
  EXPECT_FALSE(table->must_wait(of_row(0, 0, 0xffff)));
}

// Two warps of 32 lanes carry halves of two architectural warps each.
TEST_F(RendezvousTest, ThreadsMeetAcrossTheWarpsThatCarryThem) {
  start(64, 32);
  const Warp a = mixed(2, 0xffff, 0xffff0000), b = mixed(2, 0xffff0000, 0xffff);
  ASSERT_TRUE(table->must_wait(a));
  table->arrive(7, a);
  EXPECT_EQ(table->threads(), 32U);
  EXPECT_FALSE(table->take_complete(none));
  ASSERT_TRUE(table->must_wait(b));
  table->arrive(kNoWarp, b);
  for (unsigned index = 0; index < 2; ++index) {
    const auto met = table->take_complete(none);
    ASSERT_TRUE(met);
    EXPECT_EQ(met->index, index);
    EXPECT_EQ(met->left_out, 0U);
    ASSERT_EQ(met->waiting.size(), 2U);
    EXPECT_EQ(met->waiting[0].warp, 7U);
    EXPECT_EQ(met->waiting[0].threads.mask, index == 0 ? 0xffffU : 0xffff0000U);
    EXPECT_FALSE(met->waiting[1].in_warp());
  }
  EXPECT_TRUE(table->empty());
  EXPECT_EQ(table->threads(), 0U);
  for (unsigned thread = 0; thread < 64; ++thread) EXPECT_EQ(at(kOut, thread), thread ^ 17) << thread;
}

// Their results may lie where the others' sources are.
TEST_F(RendezvousTest, NobodyReadsWhatAnotherHasWritten) {
  start(32, 16);
  fixture->kernel.ops[2].d[0] = kIn;
  table->arrive(0, of_row(2, 0, 0xffff));
  table->arrive(1, of_row(2, 1, 0xffff));
  ASSERT_TRUE(table->take_complete(none));
  for (unsigned thread = 0; thread < 32; ++thread) EXPECT_EQ(at(kIn, thread), thread ^ 17) << thread;
}

TEST_F(RendezvousTest, RowsOfEightLanesAreQuartersOfAWarp) {
  start(44, 8);
  for (unsigned row = 0; row < 4; ++row) {
    ASSERT_TRUE(table->must_wait(of_row(0, row, 0xff)));
    EXPECT_FALSE(table->take_complete(none));
    table->arrive(row, of_row(0, row, 0xff));
  }
  ASSERT_TRUE(table->take_complete(none));
  EXPECT_EQ(at(kOut, 31), 0xaaaaaaaaU);
  table->arrive(4, of_row(0, 4, 0xff));
  table->arrive(5, of_row(0, 5, 0xf));
  ASSERT_TRUE(table->take_complete(none)) << "twelve threads are all there are of the second warp";
  EXPECT_EQ(at(kOut, 43), 0xaaaU);
}

TEST_F(RendezvousTest, ARowOf64LanesHoldsTwo) {
  start(64, 64);
  EXPECT_FALSE(table->must_wait(of_row(0, 0, kAll)));
  EXPECT_FALSE(table->must_wait(of_row(0, 0, LaneMask{kAll} << 32)));
  EXPECT_TRUE(table->must_wait(of_row(0, 0, ~LaneMask{0} << 8)));
  EXPECT_FALSE(table->must_wait(of_row(0, 0, ~LaneMask{0})));
}

// PTX asks for the same operation and membermask, not for the same place.
TEST_F(RendezvousTest, PlacesDoNotMatter) {
  start(32, 32);
  table->arrive(0, of_row(0, 0, 0xff));
  table->arrive(1, of_row(1, 0, 0xffffff00));
  const auto met = table->take_complete(none);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->waiting[0].threads.pc, 0U);
  EXPECT_EQ(met->waiting[1].threads.pc, 1U);
  EXPECT_EQ(at(kOut, 0), 0xaaaaaaaaU);
}

TEST_F(RendezvousTest, ThreadsThatWaitForEachOtherInDifferentPlacesAreAnError) {
  start(32, 32);
  table->arrive(0, of_row(0, 0, 0xff));
  EXPECT_EQ(
      error_of(1, of_row(3, 0, 0xffffff00)),
      "kernel 'k': lanes of warp 0 wait for each other at two collectives: 0-7 at vote.sync.ballot.b32 (membermask "
      "0xffffffff) at k.ptx:41, 8-31 at bar.warp.sync (membermask 0xffffffff) at k.ptx:44; threads of a membermask "
      "must execute the same collective with the same mask");
}

// Two may wait at another collective first, without those who wait for them.
TEST_F(RendezvousTest, ThreadsMayMeetOthersFirst) {
  start(32, 32);
  table->arrive(0, of_row(0, 0, 0xff));
  at(kMask, 8) = at(kMask, 9) = 0x300;
  EXPECT_EQ(error_of(1, of_row(3, 0, 0x100)), "none");
  EXPECT_EQ(error_of(2, of_row(3, 0, 0x200)), "none");
  const auto met = table->take_complete(none);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->members, 0x300U);
  EXPECT_FALSE(table->take_complete(none));
}

// Lane 9 waits for lane 0, which meets lane 1 without it.
TEST_F(RendezvousTest, SetsThatOverlapDoNotMix) {
  start(32, 32);
  at(kMask, 0) = at(kMask, 1) = 0x3;
  at(kMask, 9) = 0x201;
  table->arrive(0, of_row(0, 0, 0x1));
  table->arrive(1, of_row(0, 0, 0x200));
  table->arrive(2, of_row(0, 0, 0x2));
  const auto met = table->take_complete(none);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->members, 0x3U);
  EXPECT_EQ(at(kOut, 0), 0x2U);
  EXPECT_FALSE(table->take_complete(none));
}

TEST_F(RendezvousTest, AMaskMustHoldWhoeverBringsIt) {
  start(32, 32);
  at(kMask, 3) = at(kMask, 5) = 0xff0;
  EXPECT_EQ(
      error_of(0, of_row(0, 0, 0x28)),
      "kernel 'k', k.ptx:41: lane 3 of warp 0 executes vote.sync.ballot.b32 with membermask 0xff0, which leaves it "
      "out");
}

TEST_F(RendezvousTest, WhoIsKeptBackIsLeftOut) {
  start(32, 16);
  // Row 0's stack holds lanes 8 to 15 back; row 1 is still on its way.
  const auto kept_back = [](const WaitingThreads& waiting, unsigned row) {
    return waiting.warp == 0 && row == 0 ? LaneMask{0xff00} : 0;
  };
  table->arrive(0, of_row(0, 0, 0xff));
  EXPECT_FALSE(table->take_complete(kept_back)) << "row 1 can come";
  table->arrive(1, of_row(0, 1, 0xffff));
  const auto met = table->take_complete(kept_back);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->left_out, 0xff00U);
  EXPECT_EQ(at(kOut, 0), 0xaaaa00aaU);
  EXPECT_EQ(at(kOut, 8), 0U);
}

TEST_F(RendezvousTest, ALaneWhoseGuardDoesNotHoldTakesNoPart) {
  start(32, 32);
  fixture->kernel.ops[0].guard = kOdd;
  for (unsigned thread = 0; thread < 32; ++thread) at(kMask, thread) = 0xaaaaaaaa;
  EXPECT_FALSE(table->must_wait(of_row(0, 0, kAll)));
  EXPECT_EQ(table->executing(), 0xaaaaaaaaU);
  table->arrive(0, of_row(0, 0, 0xffff));
  EXPECT_EQ(table->threads(), 8U);
}

TEST_F(RendezvousTest, TheReportNamesBothPlaces) {
  start(64, 32);
  table->arrive(0, of_row(2, 1, 0xf0f));
  const auto where = [](unsigned row, unsigned lane) { return fmt::format("is at {}.{}", row, lane); };
  EXPECT_EQ(table->report(where),
            std::vector<std::string>{"lanes 0-3, 8-11 of warp 1 wait at shfl.sync.bfly.b32 (membermask 0xffffffff) at "
                                     "k.ptx:43 for lanes 4-7, 12-31, the first of which is at 1.4"});
}

}  // namespace rendezvous_test
}  // namespace warpfold
