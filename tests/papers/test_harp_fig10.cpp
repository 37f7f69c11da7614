// SPDX-License-Identifier: Apache-2.0
// HARP Fig. 10, cycle by cycle: two warps of four threads diverge one after the other, and a thread of the second takes
// an empty lane of the first in Ready-Lookup.
//
// As in the figure a warp that is selected commits two cycles later (selected, fetched, committed). The figure has
// neither First-Level nor memory latency: here a warp passes through First-Level, one cycle more before each selection,
// and blocks B and C are a step each.
#include <gtest/gtest.h>

#include <deque>

#include "tests/papers/event_core.h"

namespace warpfold {
namespace harp_fig10_test {

using divergence::Warp;
using divergence::WarpId;
using divergence::WarpSet;

constexpr unsigned kWidth = 4;
constexpr unsigned kSlots = 8;
constexpr Cycle kCommitAfter = 2;

// A pipeline around the mechanism; warps are shown by block and threads, T0 … T7 as in the figure.
class Figure10 : public testing::Test {
 protected:
  Figure10() : core(kSlots, 2) {
    divergence::Geometry geometry;
    geometry.warp_size = geometry.simd_width = kWidth;
    geometry.max_threads = geometry.max_warps = kSlots;
    mechanism = divergence::find_mechanism("harp").configure({}).make(geometry, core);
    kernel.ops.resize(kEnd);
    mechanism->kernel_started(kernel);
    mechanism->block_started({0, 0, 0, 0, {0b1111, 0b1111}});
  }

  // One cycle: commits, moves between tables, selection. Returns what it did.
  Events cycle() {
    Events events;
    const std::vector<std::string> before = warps();
    if (!pipeline.empty() && pipeline.front().commits == now) {
      events.push_back("commit " + text(core.warp(pipeline.front().warp)));
      commit(pipeline.front().warp);
      pipeline.pop_front();
    }
    const std::vector<std::string> committed = warps();
    mechanism->tick(now);
    for (const std::string& warp : warps()) {
      if (std::find(committed.begin(), committed.end(), warp) == committed.end()) events.push_back("enter " + warp);
    }
    select(events);
    ++now;
    return events;
  }

  void select(Events& events) {
    WarpSet ready(kSlots);
    for (const WarpId id : core.warps()) {
      const auto runs = [id](const InFlight& entry) { return entry.warp == id; };
      if (std::none_of(pipeline.begin(), pipeline.end(), runs)) ready.insert(id);
    }
    if (ready.empty()) return;
    mechanism->prefer(ready, now);
    const WarpId id = ready.next(0);
    if (id == divergence::kNoWarp) return;
    events.push_back("select " + text(core.warp(id)));
    mechanism->issued(id, now);
    pipeline.push_back({id, now + kCommitAfter});
  }

  // A's branch is taken to C by T0, T2 and T7; B jumps over C.
  void commit(WarpId id) {
    const Warp warp = core.warp(id);
    if (warp.pc == kA) {
      divergence::Branch branch = kBranchOfA;
      branch.taken = warp.row[0] == 0 ? 0b0101 : 0b1000;
      mechanism->branch_resolved(id, branch);
    } else if (warp.pc == kB) {
      mechanism->branch_resolved(id, {kB, warp.mask, kD, kD, isa::kNoPc, false});
    } else if (warp.pc == kC) {
      mechanism->committed(id, kD);
    } else {
      mechanism->exited(id, warp.mask, kEnd);
    }
  }

  static std::string text(const Warp& warp) {
    return fmt::format("{}{}", static_cast<char>('A' + warp.pc), divergence::threads_text(warp, kWidth));
  }
  std::vector<std::string> warps() const {
    std::vector<std::string> texts;
    for (const WarpId id : core.warps()) texts.push_back(text(const_cast<divergence::FakeCore&>(core).warp(id)));
    return texts;
  }

  struct InFlight {
    WarpId warp;
    Cycle commits;
  };
  divergence::FakeCore core;
  std::unique_ptr<divergence::Mechanism> mechanism;
  isa::Kernel kernel;
  std::deque<InFlight> pipeline;
  Cycle now = 0;
};

TEST_F(Figure10, CycleByCycle) {
  EXPECT_EQ(warps(), (Events{"A{0,1,2,3}", "A{4,5,6,7}"})) << "W0 and W1";
  EXPECT_EQ(cycle(), Events{}) << "to First-Level";
  EXPECT_EQ(cycle(), (Events{"select A{0,1,2,3}"}));
  EXPECT_EQ(cycle(), (Events{"select A{4,5,6,7}"}));

  // W0 diverges: terminated, a barrier at D reserved, two warps in Ready-Lookup, of which the first departs as W2.
  EXPECT_EQ(cycle(), (Events{"commit A{0,1,2,3}", "enter B{1,3}"}));
  EXPECT_EQ(core.statistic("harp_barriers_reserved"), 1U);
  EXPECT_EQ(mechanism->parked().inactive, 2U) << "T0 and T2";
  EXPECT_EQ(mechanism->parked().reconverging, 0U) << "nobody has reached D";

  // W1 diverges: T4, T5 and T6 make a warp, since W2 has gone; T7 merges. The new one leaves before the older.
  EXPECT_EQ(cycle(), (Events{"commit A{4,5,6,7}", "enter B{4,5,6}"})) << "W3";
  EXPECT_EQ(core.statistic("harp_barriers_reserved"), 2U);
  EXPECT_EQ(core.statistic("harp_ready_lookup_merges"), 1U);
  EXPECT_EQ(mechanism->parked().inactive, 3U) << "T0, T2 and T7";

  EXPECT_EQ(cycle(), (Events{"enter C{0,2,7}", "select B{1,3}"})) << "W4";
  EXPECT_EQ(cycle(), (Events{"select B{4,5,6}"}));
  EXPECT_EQ(cycle(), (Events{"commit B{1,3}", "select C{0,2,7}"}));
  EXPECT_EQ(mechanism->parked().reconverging, 2U) << "T1 and T3 wait for T0 and T2";
  EXPECT_EQ(cycle(), (Events{"commit B{4,5,6}"}));
  EXPECT_EQ(mechanism->parked().reconverging, 5U) << "T4, T5 and T6 wait for T7";

  // W4 completes both barriers, which make the warps of before, one in a cycle.
  EXPECT_EQ(cycle(), (Events{"commit C{0,2,7}", "enter D{0,1,2,3}"}));
  EXPECT_EQ(cycle(), (Events{"enter D{4,5,6,7}"}));
  EXPECT_EQ(mechanism->parked().reconverging, 0U);
  EXPECT_EQ(cycle(), (Events{"select D{0,1,2,3}"}));
  EXPECT_EQ(cycle(), (Events{"select D{4,5,6,7}"}));
  EXPECT_EQ(cycle(), (Events{"commit D{0,1,2,3}"}));
  EXPECT_EQ(cycle(), (Events{"commit D{4,5,6,7}"}));
  EXPECT_NO_THROW(mechanism->kernel_ended());
}

}  // namespace harp_fig10_test
}  // namespace warpfold
