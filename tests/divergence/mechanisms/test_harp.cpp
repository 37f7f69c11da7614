// SPDX-License-Identifier: Apache-2.0
// HARP move by move on a core without time; its tables have tests of their own, and tests/papers the paper's example.
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {
namespace harp_test {

constexpr unsigned kWidth = 4;
constexpr Pc kD = 5;  // reconvergence point of the branches here

Geometry geometry_of(unsigned rows, unsigned schedulers = 1) {
  Geometry geometry;
  geometry.warp_size = 2 * kWidth;  // of the machine's other mechanisms
  geometry.simd_width = kWidth;
  geometry.max_threads = rows * kWidth;
  geometry.schedulers = schedulers;
  return geometry;
}

Configured configured(const std::vector<std::string>& parameters) {
  ConfigNode node;
  for (const std::string& parameter : parameters) node.set(parameter);
  return find_mechanism("harp").configure(node);
}

// Two blocks of two rows each; a kernel of steps, with a load at 2 and the end at 9.
class Harp : public testing::Test {
 protected:
  void SetUp() override { make({}); }

  void make(const std::vector<std::string>& parameters, unsigned schedulers = 1) {
    Geometry geometry = geometry_of(4, schedulers);
    geometry.max_warps = configured(parameters).shape(geometry).warp_slots;
    core = std::make_unique<FakeCore>(geometry.max_warps, 4, 2, schedulers);
    mechanism = configured(parameters).make(geometry, *core);
    kernel.ops.assign(9, {});
    kernel.ops[2].kind = isa::Kind::kLoad;
    kernel.ops[2].space = isa::Space::kGlobal;
    mechanism->kernel_started(kernel);
  }
  void start(unsigned slot, std::vector<LaneMask> rows) {
    mechanism->block_started({slot, slot, slot, slot * 2, std::move(rows)});
  }
  void tick(unsigned cycles = 1) {
    for (; cycles > 0; --cycles) next = mechanism->tick(++now);
  }
  WarpId warp_of(unsigned thread) const {
    for (const WarpId id : core->warps()) {
      const Warp& warp = core->warp(id);
      if ((warp.mask >> thread % kWidth & 1) != 0 && warp.row[thread % kWidth] == thread / kWidth) return id;
    }
    return kNoWarp;
  }
  WarpId issue(unsigned thread) {
    const WarpId id = warp_of(thread);
    check(id != kNoWarp, "a thread that issues is in a warp");
    mechanism->issued(id, now);
    return id;
  }
  // The warp of a thread executes one instruction that goes on at `to`.
  void run(unsigned thread, Pc to) { mechanism->committed(issue(thread), to); }
  void branch(unsigned thread, LaneMask taken, Pc rpc = kD) {
    const WarpId id = issue(thread);
    const Pc pc = core->warp(id).pc;
    mechanism->branch_resolved(id, {pc, taken, pc + 4, rpc, isa::kNoPc, true});
  }
  void exit(unsigned thread, LaneMask lanes) {
    const WarpId id = issue(thread);
    mechanism->exited(id, lanes, core->warp(id).pc + 1);
  }
  // Its threads wait, to go on at the next pc.
  Warp arrive(unsigned thread) {
    const WarpId id = issue(thread);
    Warp threads = core->warp(id);
    ++threads.pc;
    EXPECT_TRUE(mechanism->gives_up(id));
    return threads;
  }
  // "0{0,1} 4{2,3}": the warps of the buffer.
  std::string warps() const {
    std::string text;
    for (const WarpId id : core->warps())
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", core->warp(id).pc, threads_text(core->warp(id), kWidth));
    return text;
  }
  // Those of them that may issue.
  std::string issuable() {
    WarpSet ready(core_slots());
    for (const WarpId id : core->warps()) ready.insert(id);
    if (ready.empty()) return "";
    mechanism->prefer(ready, now);
    std::string text;
    for (WarpId id = ready.next(0); id != kNoWarp; id = ready.next(id + 1))
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", core->warp(id).pc, threads_text(core->warp(id), kWidth));
    return text;
  }
  static unsigned core_slots() { return 16; }
  std::uint64_t stat(const std::string& name) const { return core->statistic("harp_" + name); }

  std::unique_ptr<FakeCore> core;
  std::unique_ptr<Mechanism> mechanism;
  isa::Kernel kernel;
  Cycle now = 0, next = 0;
};

TEST(HarpShape, WarpsAreAsWideAsTheSimdUnitsAndEachThreadMayBeOne) {
  const Configured harp = configured({});
  EXPECT_EQ(harp.shape(geometry_of(6)).warp_width, 4U);
  EXPECT_EQ(harp.shape(geometry_of(6)).warp_slots, 24U);
  EXPECT_EQ(harp.shape(geometry_of(3, 2)).warp_slots, 16U) << "two rows fall to the first of two schedulers";
  EXPECT_EQ(harp.why_not(geometry_of(6)), "");
}

TEST(HarpShape, WaysDivideEntries) {
  EXPECT_EQ(configured({"barrier_ways=12"}).why_not(geometry_of(6)),
            "barrier_ways = 12 must divide barrier_entries = 128");
}

TEST_F(Harp, OnlyFirstLevelIssuesAndAMoveTakesACycle) {
  start(0, {0b1111, 0b0011});
  EXPECT_EQ(issuable(), "");
  tick();
  EXPECT_EQ(issuable(), "");
  tick();
  EXPECT_EQ(issuable(), "0{0,1,2,3}");
  tick();
  EXPECT_EQ(issuable(), "0{0,1,2,3} 0{4,5}");
  EXPECT_EQ(next, kNever);
  run(0, 1);
  EXPECT_EQ(issuable(), "0{4,5}");
  tick(2);
  EXPECT_EQ(issuable(), "1{0,1,2,3} 0{4,5}");
}

TEST_F(Harp, ASlowBarrierTableDelaysEveryCommit) {
  make({"barrier_latency_cycles=4"});
  start(0, {0b1111});
  tick(10);
  run(0, 1);
  tick(4);
  EXPECT_EQ(issuable(), "");
  tick();
  EXPECT_EQ(issuable(), "1{0,1,2,3}") << "three cycles later than with a table of one cycle";
}

TEST_F(Harp, BothSidesRunAndMeetAgain) {
  start(0, {0b1111});
  tick(2);
  branch(0, 0b0110, 8);
  EXPECT_EQ(warps(), "");
  EXPECT_EQ(mechanism->parked().inactive, 4U);
  tick();
  EXPECT_EQ(warps(), "1{0,3}") << "the side that falls through leaves first";
  EXPECT_EQ(mechanism->parked().inactive, 2U);
  tick();
  EXPECT_EQ(warps(), "1{0,3} 4{1,2}");
  EXPECT_EQ(mechanism->parked().inactive, 0U);
  run(0, 8);
  EXPECT_EQ(warps(), "4{1,2}");
  EXPECT_EQ(mechanism->parked().reconverging, 2U);
  EXPECT_EQ(mechanism->waiting(0), "0 in Ready-Lookup, 0 in Waiting-Lookup, 2 at reconvergence barriers");
  run(1, 8);
  EXPECT_EQ(mechanism->parked().reconverging, 4U);
  tick();
  EXPECT_EQ(warps(), "8{0,1,2,3}");
  EXPECT_EQ(mechanism->parked().reconverging, 0U);
  EXPECT_EQ(stat("barriers_reserved"), 1U);
  EXPECT_EQ(stat("reborn_warps"), 1U);
  exit(0, 0b1111);
  EXPECT_NO_THROW(mechanism->kernel_ended());
}

TEST_F(Harp, ASideThatGoesToTheReconvergencePointIsThereAtOnce) {
  start(0, {0b1111});
  tick(2);
  branch(0, 0b0110, 4);
  EXPECT_EQ(mechanism->parked().reconverging, 2U);
  tick();
  EXPECT_EQ(warps(), "1{0,3}");
  run(0, 4);
  tick();
  EXPECT_EQ(warps(), "4{0,1,2,3}");
}

TEST_F(Harp, ABranchBothWaysOfWhichLeadToTheSamePcDividesNobody) {
  start(0, {0b1111});
  tick(2);
  mechanism->branch_resolved(issue(0), {0, 0b0110, 1, 1, isa::kNoPc, true});
  EXPECT_EQ(warps(), "1{0,1,2,3}");
  EXPECT_EQ(stat("barriers_reserved"), 0U);
}

// Nobody waits at a kernel's end.
TEST_F(Harp, ABranchThatReconvergesNowhereReservesNoBarrier) {
  start(0, {0b1111});
  tick(2);
  branch(0, 0b0110, kernel.end());
  EXPECT_EQ(stat("barriers_reserved"), 0U);
  tick(2);
  exit(0, 0b1001);
  exit(1, 0b0110);
  EXPECT_NO_THROW(mechanism->kernel_ended());
}

TEST_F(Harp, ABarrierGoesBeforeReadyLookup) {
  start(0, {0b1111, 0b1111});
  tick(4);
  branch(0, 0b0110, 4);  // threads 1 and 2 are there
  tick();                // threads 0 and 3 leave the table
  run(0, 4);             // complete, as the other warp diverges
  branch(4, 0b1100, 8);
  tick();
  EXPECT_EQ(warps(), "4{0,1,2,3}");
  tick();
  EXPECT_EQ(warps(), "4{0,1,2,3} 1{4,5}");
}

TEST_F(Harp, ReadyLookupKeepsItsWarpsWhileSecondLevelHasReadyOnes) {
  make({"first_level_entries=1"});
  start(0, {0b1111, 0b1111});
  start(1, {0b1111, 0b1111});
  tick();  // one on its way to First-Level, three ready
  branch(0, 0b1100, 8);
  EXPECT_EQ(mechanism->parked().inactive, 4U);
  tick();  // three were ready, and one moves on
  EXPECT_EQ(mechanism->parked().inactive, 4U) << "two are left";
  tick();
  EXPECT_EQ(mechanism->parked().inactive, 4U);
  EXPECT_EQ(next, kNever) << "First-Level is full, and nobody has issued";
  run(4, 1);
  exit(4, 0b1111);
  tick();
  EXPECT_EQ(mechanism->parked().inactive, 4U) << "the count is that of the cycle before";
  tick();
  EXPECT_EQ(mechanism->parked().inactive, 2U);
}

TEST_F(Harp, DivergedThreadsMergeAcrossBlocks) {
  start(0, {0b1111});
  start(1, {0b1111});
  tick(4);
  branch(0, 0b0011, 8);
  branch(8, 0b1100, 8);  // row 2
  EXPECT_EQ(stat("ready_lookup_merges"), 4U);
  tick(2);
  EXPECT_EQ(warps(), "1{8,9,2,3} 4{0,1,10,11}");
  run(2, 8);
  run(0, 8);
  tick(2);
  EXPECT_EQ(warps(), "8{0,1,2,3} 8{8,9,10,11}") << "each warp is as before it diverged";
}

TEST_F(Harp, AFullReadyLookupIsBypassed) {
  make({"ready_lookup_entries=1"});
  start(0, {0b1111});
  tick(2);
  branch(0, 0b0011, 8);
  EXPECT_EQ(warps(), "4{0,1}") << "straight to Second-Level";
  EXPECT_EQ(stat("ready_lookup_entered"), 1U);
  EXPECT_EQ(stat("ready_lookup_full"), 1U);
}

TEST_F(Harp, WhoMissesABarrierGoesOnAlone) {
  make({"barrier_entries=1", "barrier_ways=1"});
  start(0, {0b1111, 0b1111});
  tick(4);
  branch(0, 0b0011, 8);
  tick(2);
  branch(4, 0b0011, 8);
  tick(2);
  EXPECT_EQ(stat("barrier_misses"), 4U);
  run(4, 8);
  EXPECT_EQ(core->warp(warp_of(4)).pc, 8U) << "not held up";
  EXPECT_EQ(mechanism->parked().reconverging, 0U);
}

TEST_F(Harp, WhoExitsIsWaitedForNoLonger) {
  start(0, {0b1111});
  tick(2);
  branch(0, 0b0011, 8);
  tick(2);
  run(0, 8);
  exit(2, 0b1000);  // a guarded exit
  EXPECT_EQ(warps(), "2{2}");
  exit(2, 0b0100);
  tick();
  EXPECT_EQ(warps(), "8{0,1}");
}

TEST_F(Harp, SchedulersShareNothing) {
  make({}, 2);
  start(0, {0b1111, 0b1111});
  start(1, {0b1111, 0b1111});
  for (unsigned row = 0; row < 4; ++row) EXPECT_EQ(warp_of(row * kWidth) % 2, row % 2);
  tick(3);
  branch(0, 0b0011, 8);
  branch(4, 0b1100, 8);
  EXPECT_EQ(stat("ready_lookup_merges"), 0U);
  tick();
  EXPECT_EQ(warp_of(2) % 2, 0U);
  EXPECT_EQ(warp_of(4) % 2, 1U) << "each table lets one go in a cycle";
}

// Two halves of different rows come to the load at 2.
class HarpMemory : public Harp {
 protected:
  void come_to_load() {
    start(0, {0b0011, 0b1100});
    tick(3);
    for (const unsigned thread : {0U, 6U}) {
      run(thread, 2);
      tick(2);
    }
  }
};

TEST_F(HarpMemory, WarpsAtTheSameAccessGoOnAsOne) {
  come_to_load();
  const WarpId a = issue(0), b = issue(6);
  EXPECT_EQ(stat("waiting_lookup_merges"), 1U);
  EXPECT_TRUE(mechanism->leaves_at(a, 3)) << "the core is to wait for the access";
  EXPECT_EQ(issuable(), "");
  mechanism->committed(a, 3);
  EXPECT_EQ(warps(), "2{6,7}") << "the slot is free, the threads wait";
  EXPECT_EQ(mechanism->parked().inactive, 2U);
  EXPECT_EQ(mechanism->waiting(0), "0 in Ready-Lookup, 2 in Waiting-Lookup, 0 at reconvergence barriers");
  mechanism->committed(b, 3);
  EXPECT_EQ(warps(), "3{0,1,6,7}");
  EXPECT_EQ(mechanism->parked().inactive, 0U);
  EXPECT_FALSE(mechanism->leaves_at(b, 4));
  tick(2);
  EXPECT_EQ(issuable(), "3{0,1,6,7}");
}

TEST_F(HarpMemory, AWarpThatFindsTheTableFullWaitsInSecondLevel) {
  make({"waiting_lookup_entries=0"});
  come_to_load();
  const WarpId a = issue(0);
  EXPECT_EQ(stat("waiting_lookup_full"), 1U);
  EXPECT_TRUE(mechanism->leaves_at(a, 3));
  tick(3);
  EXPECT_EQ(issuable(), "2{6,7}");
  mechanism->committed(a, 3);
  tick(2);
  EXPECT_EQ(issuable(), "3{0,1} 2{6,7}");
}

TEST_F(HarpMemory, OtherSpacesAreNoGlobalMemory) {
  for (const isa::Space space : {isa::Space::kShared, isa::Space::kLocal, isa::Space::kConst, isa::Space::kParam}) {
    make({});
    kernel.ops[2].space = space;
    come_to_load();
    const WarpId a = issue(0);
    EXPECT_FALSE(mechanism->leaves_at(a, 3));
    mechanism->committed(a, 3);
  }
}

TEST_F(HarpMemory, MergedThreadsLeaveForTheirBarriers) {
  start(0, {0b1111, 0b1111});
  tick(3);
  run(0, 1);
  run(4, 1);
  tick(3);
  branch(0, 0b0011, 3);  // 0 and 1 to 5; 2 and 3 to the load at 2, after which they reconverge at 3
  branch(4, 0b1100, 3);
  tick(4);
  EXPECT_EQ(core->warp(warp_of(2)).pc, 2U);
  EXPECT_EQ(warp_of(2), warp_of(5)) << "merged in Ready-Lookup";
  mechanism->committed(issue(2), 3);
  EXPECT_EQ(mechanism->parked().reconverging, 4U);
}

TEST_F(Harp, ThreadsWaitAtABarrierOfTheirBlockInNoWarp) {
  start(0, {0b1111});
  start(1, {0b1111});
  tick(4);
  branch(0, 0b0011, 8);
  branch(8, 0b1100, 8);
  tick(2);
  EXPECT_EQ(warps(), "1{8,9,2,3} 4{0,1,10,11}");
  Warp threads = arrive(2);
  EXPECT_EQ(warps(), "4{0,1,10,11}");
  EXPECT_EQ(mechanism->waiting(1), "0 in Ready-Lookup, 0 in Waiting-Lookup, 0 at reconvergence barriers");
  const Warp of_block_1 = split(threads, 0b0011);
  mechanism->together(of_block_1);
  EXPECT_EQ(warps(), "2{8,9} 4{0,1,10,11}");
  mechanism->together(threads);
  EXPECT_EQ(warps(), "2{8,9} 4{0,1,10,11} 2{2,3}");
}

// A branch that is uniform in each block may divide a warp of two. The threads of one block, at the reconvergence
// point, wait for those of the other, which wait for their block: which must not wait for the first again.
TEST_F(Harp, NobodyWaitsForThreadsAtABarrierOfTheirBlock) {
  start(0, {0b1111});
  tick(2);
  branch(0, 0b0011, 4);
  EXPECT_EQ(mechanism->parked().reconverging, 2U);
  tick();
  const Warp threads = arrive(2);
  EXPECT_EQ(stat("barriers_given_up"), 2U);
  tick();
  EXPECT_EQ(warps(), "4{0,1}");
  mechanism->together(threads);
  tick(2);
  run(2, 4);
  EXPECT_EQ(mechanism->parked().reconverging, 0U);
}

TEST_F(Harp, BranchesThatAreUniformInABlockMayDivideAWarp) {
  start(0, {0b1111});
  EXPECT_TRUE(mechanism->traits.mixes_paths);
  const Branch uniform{0, 0b0011, 4, 8, isa::kNoPc, false};
  EXPECT_TRUE(mechanism->leaves_by(warp_of(0), uniform, true));
  EXPECT_FALSE(mechanism->leaves_by(warp_of(0), uniform, false));
  EXPECT_FALSE(mechanism->leaves_at(warp_of(0), 1));
}

TEST_F(Harp, LeavesAtItsThreadsReconvergencePoint) {
  start(0, {0b1111});
  tick(2);
  branch(0, 0b0011, 8);
  tick(2);
  EXPECT_TRUE(mechanism->leaves_at(warp_of(2), 8));
  EXPECT_FALSE(mechanism->leaves_at(warp_of(2), 3));
}

// Of 32 bits of pc and four lanes with a row among four.
constexpr unsigned kWarpBytes = (32 + 4 * 2 + 7) / 8;

TEST_F(Harp, WarpsBeyondSecondLevelAreInMemory) {
  make({"second_level_entries=1"});
  start(0, {0b1111, 0b1111});
  EXPECT_EQ(stat("second_level_spills"), 1U);
  ASSERT_EQ(core->spills.size(), 1U);
  EXPECT_EQ(core->spills[0].way, Spill::Way::kOut);
  EXPECT_EQ(core->spills[0].bytes, kWarpBytes);
  tick();  // the first is on its way to First-Level, which makes room
  ASSERT_EQ(core->spills.size(), 2U);
  EXPECT_EQ(core->spills[1].way, Spill::Way::kIn);
  EXPECT_EQ(core->spills[1].owner, core->spills[0].owner);
  tick(2);
  EXPECT_EQ(issuable(), "0{0,1,2,3} 0{4,5,6,7}");
  EXPECT_EQ(core->bytes_out, core->bytes_in);
}

TEST_F(Harp, AWarpIsReadyWhenItHasComeBack) {
  make({"second_level_entries=1"});
  core->spills_take_time = true;
  start(0, {0b1111, 0b1111});
  const WarpId away = core->spills[0].owner;
  core->answer_spill(*mechanism);
  EXPECT_EQ(core->spills.size(), 1U) << "it is written; there is no room yet";
  tick(9);
  EXPECT_EQ(issuable(), "0{0,1,2,3}");
  EXPECT_EQ(core->spilling, std::vector<unsigned>{away});
  core->answer_spill(*mechanism);
  tick(2);
  EXPECT_EQ(issuable(), "0{0,1,2,3} 0{4,5,6,7}");
}

TEST_F(Harp, OccupancyIsSummedOverCycles) {
  start(0, {0b1111, 0b1111});
  tick();  // one on its way to First-Level
  EXPECT_EQ(stat("second_level_max"), 1U);
  EXPECT_EQ(stat("first_level_cycles"), 0U);
  tick();
  EXPECT_EQ(stat("first_level_cycles"), 1U);
  EXPECT_EQ(stat("second_level_cycles"), 1U);
  now += 99;  // asleep
  tick();
  EXPECT_EQ(stat("first_level_cycles"), 201U);
  EXPECT_EQ(stat("first_level_max"), 2U);
}

TEST_F(Harp, AKernelLeavesNothing) {
  start(0, {0b1111});
  EXPECT_THROW(mechanism->kernel_ended(), InternalError);
  tick(2);
  branch(0, 0b0011, 8);
  EXPECT_THROW(mechanism->kernel_ended(), InternalError) << "in Ready-Lookup";
  tick(2);
  arrive(0);
  run(2, 8);
  EXPECT_THROW(mechanism->kernel_ended(), InternalError);
}

}  // namespace harp_test
}  // namespace warpfold::divergence
