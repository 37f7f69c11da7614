// SPDX-License-Identifier: Apache-2.0
// Which of the ready warps issues: loose round-robin and greedy-then-oldest.
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
        : scheduler(name, policy, kSlots), source(fmt::format("{}_source", name).c_str(), clock) {
      source.socket.bind(scheduler.issue_socket);
    }
    void entered(WarpId warp) {
      SchedulerCall call{warp};
      source.send(call);
    }
    WarpId pick(const WarpSet& ready) {
      SchedulerCall call{divergence::kNoWarp, &ready};
      source.send(call);
      return call.warp;
    }
    WarpScheduler scheduler;
    Source<SchedulerProtocol> source;
  };
  WarpSchedulerTest() { run(1); }
  Asked lrr{"lrr", WarpPolicy::kLrr, clock}, gto{"gto", WarpPolicy::kGto, clock};
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

}  // namespace warp_scheduler_test
}  // namespace warpfold
