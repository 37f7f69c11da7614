// SPDX-License-Identifier: Apache-2.0
// DWF-WB: threads regroup between a static warp's top-level divergence and the point where that branch reconverges, and
// wait there for their static warp (TBC §2.4).
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"

namespace warpfold::divergence {
namespace dwf_wb_test {

Outcome among(std::vector<unsigned> threads) {
  return
      [threads](Who who, unsigned) { return std::find(threads.begin(), threads.end(), who.thread) != threads.end(); };
}

TEST(DwfWb, StaticWarpsTakeNobodyIn) {
  FlowMachine machine({"dwf-wb", {}}, {step(), uniform(3, {}), step(), leave()});
  machine.start(0, 0, 6);
  machine.run();
  EXPECT_EQ(machine.issued(), "0{0,1,2,3} 1{0,1,2,3} 3{0,1,2,3} 0{4,5} 1{4,5} 3{4,5}");
  EXPECT_EQ(machine.core.statistic("dwf_lut_lookups"), 0U);
}

TEST(DwfWb, StaticWarpsMeetAgain) {
  FlowMachine machine({"dwf-wb", {}}, {branch(3, among({1, 3, 5})), step(), jump(4), step(), leave()});
  machine.start(0, 0, 8);
  machine.run();
  EXPECT_EQ(machine.issued(),
            "0{0,1,2,3} 1{0,2} 2{0,2} 0{4,5,6,7} 3{5} 1{4,6,7} 2{4,6,7} 4{4,5,6,7} 3{1,3} 4{0,1,2,3}");
  EXPECT_EQ(machine.core.statistic("dwf_warp_barriers"), 2U);
  EXPECT_EQ(machine.core.statistic("dwf_max_warp_barriers"), 2U);
}

class DwfWbMoves : public testing::Test {
 protected:
  DwfWbMoves() {
    setup.max_rows = 2;
    core = std::make_unique<FakeCore>(setup.geometry().max_warps, 2);
    wb = setup.configured().make(setup.geometry(), *core);
    kernel.ops.resize(kEnd);
    wb->kernel_started(kernel);
    wb->block_started({0, 0, 0, 0, {0b1111, 0b1111}});
  }
  void branch(WarpId id, Pc pc, LaneMask taken, Pc target, Pc reconvergence) {
    wb->issued(id, 0);
    wb->branch_resolved(id, {pc, taken, target, reconvergence, isa::kNoPc, true});
  }
  void commit(WarpId id, Pc next) {
    wb->issued(id, 0);
    wb->committed(id, next);
  }
  void exit(WarpId id, LaneMask lanes, Pc next) {
    wb->issued(id, 0);
    wb->exited(id, lanes, next);
  }
  std::string warps() const { return core->warps_text(4); }
  static constexpr Pc kEnd = 20;
  FlowSetup setup{"dwf-wb", {}};
  std::unique_ptr<FakeCore> core;
  std::unique_ptr<Mechanism> wb;
  isa::Kernel kernel;
};

// "A dynamic warp may contain threads with different warp barriers" (§2.4).
TEST_F(DwfWbMoves, AtABarrierOnlyItsOwnThreadsStop) {
  branch(0, 0, 0b0011, 5, 8);
  branch(1, 0, 0b1100, 5, 9);
  EXPECT_EQ(warps(), "1{4,5,2,3} 5{0,1,6,7}");
  EXPECT_TRUE(wb->leaves_at(0, 2)) << "any may meet others";
  commit(0, 8);
  EXPECT_EQ(warps(), "8{4,5} 5{0,1,6,7}") << "2 and 3 wait, 4 and 5 have no barrier here";
  EXPECT_EQ(wb->parked().reconverging, 2U);
  EXPECT_EQ(wb->parked().inactive, 0U);
  EXPECT_EQ(wb->waiting(0), "2 at the barriers of their static warps");
  commit(2, 8);
  EXPECT_EQ(warps(), "8{4,5,6,7} 8{0,1,2,3}") << "whole again, and apart from the others";
  EXPECT_EQ(wb->parked().reconverging, 0U);
  EXPECT_FALSE(wb->leaves_at(1, 9));
  commit(0, 9);
  EXPECT_EQ(warps(), "9{4,5,6,7} 8{0,1,2,3}");
  EXPECT_FALSE(wb->leaves_at(0, 10));
}

TEST_F(DwfWbMoves, ASideThatGoesToTheBarrierWaitsAtOnce) {
  branch(0, 0, 0b0011, 8, 8);
  EXPECT_EQ(warps(), "1{2,3} 0{4,5,6,7}");
  EXPECT_EQ(wb->parked().reconverging, 2U);
  commit(0, 8);
  EXPECT_EQ(warps(), "8{0,1,2,3} 0{4,5,6,7}");
}

TEST_F(DwfWbMoves, DivergencesInsideMakeNoBarrier) {
  branch(0, 0, 0b0011, 5, 8);
  branch(0, 1, 0b0100, 3, 4);
  EXPECT_EQ(warps(), "2{3} 0{4,5,6,7} 5{0,1} 3{2}");
  EXPECT_EQ(core->statistic("dwf_warp_barriers"), 1U);
  commit(0, 4);
  EXPECT_EQ(wb->parked().reconverging, 0U) << "nobody waits at 4";
  commit(3, 4);
  EXPECT_EQ(warps(), "4{2,3} 0{4,5,6,7} 5{0,1}") << "they may meet there, though";
}

TEST_F(DwfWbMoves, TheNextDivergenceIsTopLevelAgain) {
  for (const Pc from : {0u, 8u}) {
    branch(0, from, 0b0011, from + 5, from + 8);
    commit(2, from + 8);
    commit(0, from + 8);
  }
  EXPECT_EQ(warps(), "16{0,1,2,3} 0{4,5,6,7}");
  EXPECT_EQ(core->statistic("dwf_warp_barriers"), 2U);
  EXPECT_EQ(core->statistic("dwf_max_warp_barriers"), 1U);
}

TEST_F(DwfWbMoves, NobodyWaitsForThreadsThatHaveExited) {
  branch(0, 0, 0b0011, 5, 8);
  commit(0, 8);
  exit(2, 0b0001, 6);
  EXPECT_EQ(warps(), "0{4,5,6,7} 6{1}");
  exit(2, 0b0010, 7);
  EXPECT_EQ(warps(), "8{2,3} 0{4,5,6,7}");
  exit(0, 0b0100, 9);
  EXPECT_EQ(warps(), "9{3} 0{4,5,6,7}") << "a static warp of those that are left";
  exit(0, 0b1000, 10);
  exit(1, 0b1111, 1);
  EXPECT_NO_THROW(wb->kernel_ended());
}

TEST_F(DwfWbMoves, AllMayExitBeforeTheBarrier) {
  branch(0, 0, 0b0011, 5, 8);
  exit(0, 0b1100, 2);
  EXPECT_THROW(wb->kernel_ended(), InternalError) << "a barrier is left";
  exit(2, 0b0011, 6);
  exit(1, 0b1111, 1);
  EXPECT_NO_THROW(wb->kernel_ended());
}

TEST_F(DwfWbMoves, TheKernelsEndIsNoBarrier) {
  branch(0, 0, 0b0011, 5, kEnd);
  branch(1, 0, 0b1100, 5, kEnd);
  EXPECT_EQ(warps(), "1{4,5,2,3} 5{0,1,6,7}");
  EXPECT_EQ(core->statistic("dwf_warp_barriers"), 0U);
  EXPECT_EQ(core->statistic("dwf_divergences_to_the_end"), 2U);
  exit(0, 0b1111, 2);
  branch(2, 5, 0b0001, 9, 12);
  EXPECT_EQ(core->statistic("dwf_warp_barriers"), 0U) << "control dependent on the divergence before";
  exit(2, 0b1110, 7);
  exit(0, 0b0001, 7);
  EXPECT_NO_THROW(wb->kernel_ended());
}

TEST_F(DwfWbMoves, SyncthreadsHoldsStaticWarpsAndTakesOthers) {
  EXPECT_FALSE(wb->gives_up(1));
  branch(0, 0, 0b0011, 5, 8);
  wb->issued(0, 0);
  Warp threads = core->warp(0);
  threads.pc = 8;
  ASSERT_TRUE(wb->gives_up(0));
  EXPECT_FALSE(core->live(0));
  EXPECT_EQ(wb->parked().reconverging, 0U) << "at another kind of barrier";
  EXPECT_EQ(wb->waiting(0), "0 at the barriers of their static warps");
  wb->together(threads);
  EXPECT_EQ(wb->parked().reconverging, 2U) << "behind it is their warp barrier";
  commit(2, 8);
  EXPECT_EQ(warps(), "8{0,1,2,3} 0{4,5,6,7}");
}

}  // namespace dwf_wb_test
}  // namespace warpfold::divergence
