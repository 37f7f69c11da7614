// SPDX-License-Identifier: Apache-2.0
// Which of the ready warps issues: loose round-robin, greedy-then-oldest, and blocks in an order of theirs.
#include <initializer_list>

#include "tests/core/core_fixture.h"
#include "warpfold/common/error.h"
#include "warpfold/core/issue/warp_scheduler.h"

namespace warpfold {
namespace warp_scheduler_test {

using divergence::WarpId;
using divergence::WarpSet;

constexpr unsigned kSlots = 70;  // more than one word of a WarpSet

WarpSet set_of(std::initializer_list<WarpId> warps) {
  WarpSet set(kSlots);
  for (const WarpId warp : warps) set.insert(warp);
  return set;
}

class WarpSchedulerTest : public CoreTest {
 protected:
  // A scheduler behind its socket.
  struct Asked {
    Asked(const char* name, WarpPolicy policy, ClockDomain& clock)
        : scheduler(name, policy, kSlots, 3), source(fmt::format("{}_source", name).c_str(), clock) {
      source.socket.bind(scheduler.issue_socket);
    }
    void entered(WarpId warp, unsigned block = 0, std::uint64_t age = 0) {
      SchedulerCall call{SchedulerCall::Kind::kEntered, warp, block};
      call.age = age;
      source.send(call);
    }
    void finished(unsigned block) {
      SchedulerCall call{SchedulerCall::Kind::kBlockFinished, divergence::kNoWarp, block};
      source.send(call);
    }
    WarpId pick(const WarpSet& ready, Cycle now = 0) {
      SchedulerCall call{SchedulerCall::Kind::kPick, divergence::kNoWarp, 0, &ready, now};
      source.send(call);
      return call.warp;
    }
    WarpScheduler scheduler;
    Source<SchedulerProtocol> source;
  };
  WarpSchedulerTest() { run(1); }
  Asked lrr{"lrr", WarpPolicy::kLrr, clock}, gto{"gto", WarpPolicy::kGto, clock}, age{"age", WarpPolicy::kAge, clock},
      rrb{"rrb", WarpPolicy::kRrb, clock}, rrb_issue{"rrb_issue", WarpPolicy::kRrbIssue, clock},
      srr{"srr", WarpPolicy::kSrr, clock};
};

TEST_F(WarpSchedulerTest, RoundRobinBeginsWithTheLowestSlot) { EXPECT_EQ(lrr.pick(set_of({0, 1, 2})), 0u); }

TEST_F(WarpSchedulerTest, RoundRobinGoesOnBehindTheLastWarpAndWraps) {
  const WarpSet ready = set_of({3, 5, 69});
  std::vector<WarpId> order;
  for (int i = 0; i < 6; ++i) order.push_back(lrr.pick(ready));
  EXPECT_EQ(order, (std::vector<WarpId>{3, 5, 69, 3, 5, 69}));
}

TEST_F(WarpSchedulerTest, RoundRobinIsLooseAWarpThatIsNotReadyIsPassedOver) {
  EXPECT_EQ(lrr.pick(set_of({0, 1, 2, 3})), 0u);
  EXPECT_EQ(lrr.pick(set_of({0, 2, 3})), 2u);
  EXPECT_EQ(lrr.pick(set_of({0, 1})), 0u);
  EXPECT_EQ(lrr.pick(set_of({0})), 0u) << "alone, a warp issues again";
  EXPECT_EQ(lrr.pick(set_of({1, 64})), 1u);
  EXPECT_EQ(lrr.pick(set_of({0, 64})), 64u);
}

TEST_F(WarpSchedulerTest, GreedyStaysWithItsWarpUntilThatIsNotReadyThenTakesTheOldest) {
  for (const WarpId warp : {4, 2, 66}) gto.entered(warp);  // in order of age
  EXPECT_EQ(gto.pick(set_of({2, 66})), 2u) << "2 is older than 66";
  EXPECT_EQ(gto.pick(set_of({2, 4, 66})), 2u) << "greedy, though 4 is older";
  EXPECT_EQ(gto.pick(set_of({4, 66})), 4u);
  EXPECT_EQ(gto.pick(set_of({66})), 66u);
  EXPECT_EQ(gto.pick(set_of({2, 66})), 66u);
}

TEST_F(WarpSchedulerTest, GreedDoesNotPassToALaterWarpOfTheSameSlot) {
  gto.entered(0);
  gto.entered(1);
  EXPECT_EQ(gto.pick(set_of({0})), 0u);
  gto.entered(0);  // the old warp 0 has left, a young one has come
  EXPECT_EQ(gto.pick(set_of({0, 1})), 1u);
  gto.entered(1);
  EXPECT_EQ(gto.pick(set_of({0, 1})), 0u);
}

TEST_F(WarpSchedulerTest, NoReadyWarpIsAnInternalError) {
  EXPECT_THROW(lrr.pick(set_of({})), InternalError);
  EXPECT_THROW(gto.pick(set_of({})), InternalError);
}

// Blocks of two warps in the slots 0 to 2, in this order of age: 2, 0, 1. The warps of slot b are 2 b and 2 b + 66.
class BlocksTest : public WarpSchedulerTest {
 protected:
  void start(Asked& scheduler) {
    asked = &scheduler;
    for (const unsigned slot : {2U, 0U, 1U}) start_block(slot);
  }
  void start_block(unsigned slot) {
    ++age_of_next;
    for (const WarpId warp : {2 * slot, 2 * slot + 64}) asked->entered(warp, slot, age_of_next);
  }
  // The slot of the block whose warp issues when those of `slots` are ready.
  unsigned first(const std::vector<unsigned>& slots, Cycle now) {
    WarpSet ready(kSlots);
    for (const unsigned slot : slots) {
      ready.insert(2 * slot);
      ready.insert(2 * slot + 64);
    }
    return asked->pick(ready, now) % 64 / 2;
  }
  Asked* asked = nullptr;
  std::uint64_t age_of_next = 0;
};

TEST_F(BlocksTest, AgePrefersTheOldest) {
  start(age);
  EXPECT_EQ(first({0, 1, 2}, 1), 2U);
  EXPECT_EQ(first({0, 1}, 2), 0U);
  EXPECT_EQ(first({1}, 3), 1U);
  EXPECT_EQ(first({0, 1, 2}, 4), 2U);
  asked->finished(2);
  EXPECT_EQ(first({0, 1}, 5), 0U);
  start_block(2);
  EXPECT_EQ(first({0, 1, 2}, 6), 0U) << "in the same slot, but now the youngest";
}

// Its warps were at other schedulers first.
TEST_F(BlocksTest, ABlockThatComesLateHasThePlaceOfItsAge) {
  asked = &age;
  age.entered(2, 1, 7);
  age.entered(4, 2, 9);
  age.entered(0, 0, 8);
  EXPECT_EQ(asked->pick(set_of({0, 4})), 0U);
  EXPECT_EQ(asked->pick(set_of({0, 2, 4})), 2U);
}

TEST_F(BlocksTest, WarpsOfABlockAreInLooseRoundRobin) {
  start(age);
  EXPECT_EQ(asked->pick(set_of({0, 4, 64, 68})), 4U);
  EXPECT_EQ(asked->pick(set_of({0, 4, 64, 68})), 68U);
  EXPECT_EQ(asked->pick(set_of({0, 4, 64, 68})), 4U);
  EXPECT_EQ(asked->pick(set_of({0, 64})), 64U) << "behind the last warp, whosever that was";
}

TEST_F(BlocksTest, AWarpThatComesBackAsAnotherBlocksHasThatBlocksPlace) {
  start(age);
  asked->entered(4, 1, 3);
  EXPECT_EQ(asked->pick(set_of({0, 4})), 0U);
  EXPECT_EQ(asked->pick(set_of({0, 68})), 68U);
}

TEST_F(BlocksTest, RrbIsInTurnByTheCycle) {
  start(rrb);
  std::vector<unsigned> order;
  for (Cycle now = 0; now < 6; ++now) order.push_back(first({0, 1, 2}, now));
  EXPECT_EQ(order, (std::vector<unsigned>{2, 0, 1, 2, 0, 1}));
  for (Cycle now = 0; now < 9; now += 3) EXPECT_EQ(first({0, 1, 2}, now), 2U) << "all turns to one block";
  for (Cycle now = 0; now < 6; ++now) EXPECT_EQ(first({1}, now), 1U) << "others are not ready";
  asked->finished(0);
  EXPECT_EQ(first({1, 2}, 3), 1U) << "of two";
}

// Every block goes first equally often, however many cycles an instruction holds the issue port.
TEST_F(BlocksTest, RrbByIssueGivesEveryBlockItsTurns) {
  start(rrb_issue);
  Cycle now = 100;
  for (const Cycle hold : {1U, 2U, 3U, 4U, 6U}) {
    std::vector<unsigned> turns(3);
    for (unsigned i = 0; i < 12; ++i) ++turns[first({0, 1, 2}, now += hold)];
    EXPECT_EQ(turns, (std::vector<unsigned>{4, 4, 4})) << "hold of " << hold;
  }
  const unsigned block = first({0, 1, 2}, 500);
  EXPECT_EQ(first({0, 1, 2}, 500), block) << "a cycle is one turn";
  EXPECT_NE(first({0, 1, 2}, 501), block);
}

TEST_F(BlocksTest, SrrStaysUntilNoneIsReadyThenTakesTheNext) {
  start(srr);
  EXPECT_EQ(first({0, 1, 2}, 1), 2U);
  EXPECT_EQ(first({0, 1, 2}, 2), 2U);
  EXPECT_EQ(first({0, 1}, 3), 0U) << "block of slot 2 not ready";
  EXPECT_EQ(first({0, 1, 2}, 4), 0U) << "and its priority has passed on";
  EXPECT_EQ(first({1, 2}, 5), 1U);
  EXPECT_EQ(first({0, 2}, 6), 2U) << "round again";
}

TEST_F(BlocksTest, SrrPassesOnWhenTheBlockEnds) {
  start(srr);
  EXPECT_EQ(first({0}, 1), 0U);
  asked->finished(0);
  start_block(0);
  EXPECT_EQ(first({0, 1, 2}, 2), 1U) << "the next by age, not the newcomer of the slot nor the oldest";
  asked->finished(1);
  EXPECT_EQ(first({0, 2}, 3), 0U) << "the newcomer is next";
  asked->finished(0);
  EXPECT_EQ(first({2}, 4), 2U);
}

TEST_F(BlocksTest, SrrPassesFromTheYoungestToTheOldest) {
  start(srr);
  EXPECT_EQ(first({1}, 1), 1U);
  asked->finished(1);
  EXPECT_EQ(first({0, 2}, 2), 2U);
}

}  // namespace warp_scheduler_test
}  // namespace warpfold
