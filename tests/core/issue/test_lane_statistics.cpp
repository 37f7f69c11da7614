// SPDX-License-Identifier: Apache-2.0
// Warp and thread instructions, SIMD cycles with an active lane, and what every lane packing makes of a mask.
#include <gtest/gtest.h>

#include "tests/divergence/packing/packings.h"
#include "warpfold/core/issue/lane_statistics.h"

namespace warpfold {
namespace lane_statistics_test {

using divergence::Packing;
using Values = std::vector<std::uint64_t>;

struct Counted {
  CoreParams params;
  unsigned width = 16;
  isa::MicroOp op;

  Counted() {
    params.warp_size = 16;
    params.simd_width = 4;
    op.register_reads = 2;
    op.register_writes = 1;
  }
  // The figures `names` after one instruction of all `active` lanes, whose guard held in `executed`.
  Values after(isa::LaneMask active, isa::LaneMask executed, const std::vector<const char*>& names) const {
    StatGroup stats("core");
    LaneStatistics lanes(stats, params);
    Instruction instruction;
    instruction.op = &op;
    instruction.width = width;
    instruction.active = active;
    instruction.executed = executed;
    lanes.count(instruction);
    lanes.settle();
    Values values;
    for (const char* name : names) {
      for (const StatGroup::Entry& entry : stats.entries()) {
        if (entry.info.name == name) values.push_back(entry.counter.value());
      }
    }
    return values;
  }
  Values packed(isa::LaneMask executed, isa::LaneMask active = 0xffff) const {
    return after(active, executed, {"simd_cycles_none", "simd_cycles_ivb", "simd_cycles_bcc", "simd_cycles_scc"});
  }
  Values accesses(isa::LaneMask executed) const {
    return after(0xffff, executed,
                 {"operand_quads_fetched", "operand_quads_suppressed", "result_quads_written",
                  "result_quads_suppressed", "swizzled_lanes"});
  }
};

Values groups(unsigned simd_width, unsigned width, isa::LaneMask active) {
  Counted counted;
  counted.params.simd_width = simd_width;
  counted.width = width;
  return counted.after(active, active, {"warp_instructions", "thread_instructions", "simd_active_cycles"});
}

TEST(LaneStatistics, CountsGroupsWithAnActiveLane) {
  EXPECT_EQ(groups(8, 32, 0xffff'ffff), (Values{1, 32, 4}));
  EXPECT_EQ(groups(8, 32, 0x0000'ffff), (Values{1, 16, 2}));
  EXPECT_EQ(groups(8, 32, 0x0101'0101), (Values{1, 4, 4}));
  EXPECT_EQ(groups(8, 32, 0x8000'0000), (Values{1, 1, 1}));
  EXPECT_EQ(groups(16, 32, 0x0101'0101), (Values{1, 4, 2}));
}

TEST(LaneStatistics, WideWarpsAndWidePipelines) {
  EXPECT_EQ(groups(32, 64, ~isa::LaneMask{0}), (Values{1, 64, 2}));
  EXPECT_EQ(groups(64, 64, ~isa::LaneMask{0}), (Values{1, 64, 1}));
  EXPECT_EQ(groups(64, 64, 1), (Values{1, 1, 1}));
  EXPECT_EQ(groups(1, 32, 0xf0f0), (Values{1, 8, 8}));
}

// Whatever the core's packing, a run says what each would have cost.
TEST(LaneStatistics, EveryPackingIsCounted) {
  Counted counted;
  for (const Packing packing : divergence::kEveryPacking) {
    counted.params.lane_packing = packing;
    EXPECT_EQ(counted.packed(0x0003), (Values{4, 2, 1, 1}));
    EXPECT_EQ(counted.packed(0x1111), (Values{4, 4, 4, 1}));
  }
}

// Predication turns lanes off too (Intra-warp §3.1), but a branch reads the predicate of every active lane.
TEST(LaneStatistics, GuardsCountBranchesDoNot) {
  Counted counted;
  EXPECT_EQ(counted.packed(0x000f, 0xffff), (Values{4, 2, 1, 1}));
  counted.op.kind = isa::Kind::kBranch;
  EXPECT_EQ(counted.packed(0x000f, 0xffff), (Values{4, 4, 4, 4}));
}

// Wider types take more cycles, narrower ones fewer: lanes are regrouped, cycles are not scaled (Intra-warp §4.1).
TEST(LaneStatistics, TypesRegroupLanes) {
  Counted counted;
  counted.op.bits = 64;
  EXPECT_EQ(counted.packed(0x0011), (Values{4, 2, 2, 1})) << "types make no difference to this core";
  counted.params.lanes_by_type = true;
  EXPECT_EQ(counted.packed(0x0011), (Values{8, 4, 2, 1})) << "two lanes a cycle";
  counted.op.bits = 16;
  EXPECT_EQ(counted.packed(0x0111), (Values{2, 2, 2, 1})) << "eight lanes a cycle";
  EXPECT_EQ(counted.packed(0x0011), (Values{2, 1, 1, 1}));
  counted.op.bits = 8;
  EXPECT_EQ(counted.packed(0x1111), (Values{1, 1, 1, 1})) << "all lanes in a cycle";
}

TEST(LaneStatistics, NarrowUnitsHaveTheirOwnQuads) {
  Counted counted;
  counted.params.sfu_width = 2;
  counted.op.unit = isa::Unit::kSfu;
  EXPECT_EQ(counted.packed(0x0015), (Values{8, 4, 3, 2}));
  counted.params.fp64_width = 1;
  counted.op.unit = isa::Unit::kFp64;
  EXPECT_EQ(counted.packed(0x0015), (Values{16, 8, 3, 3}));
}

// Runs add up to their instructions, whatever the units, masks and orders in which they come.
TEST(LaneStatistics, RunsCountAsTheirInstructions) {
  CoreParams params;
  params.sfu_width = 2;
  params.lanes_by_type = true;
  isa::Kernel kernel;
  for (unsigned pc = 0; pc < 60; ++pc) {
    isa::MicroOp& op = kernel.ops.emplace_back();
    op.unit = pc % 5 == 0 ? isa::Unit::kSfu : isa::Unit::kAlu;
    op.bits = pc % 3 == 0 ? 64 : 32;
    op.register_reads = static_cast<std::uint8_t>(pc % 4);
    op.register_writes = static_cast<std::uint8_t>(pc % 3);
    op.spill = pc % 7 == 0;
    op.kind = pc % 7 == 0 ? isa::Kind::kLoad : pc % 10 == 9 ? isa::Kind::kBranch : isa::Kind::kCompute;
    if (pc % 4 == 1) op.guard = 16;
  }
  StatGroup by_one("a"), in_runs("b");
  LaneStatistics one(by_one, params), runs(in_runs, params);
  {
    const LaneStatistics::Runs running(runs, kernel);
    for (unsigned n = 0; n < 2000; ++n) {
      const isa::LaneMask active = 0xffffffff & ~(isa::LaneMask{n % 90} << n % 30), executing = active & 0x0ff0f0f1;
      const isa::Pc begin = n * 7 % 50, end = begin + 1 + n % 10;
      runs.count_run(begin, end, active);
      for (isa::Pc pc = begin; pc < end; ++pc) {
        const isa::MicroOp& op = kernel.ops[pc];
        const bool guarded = op.guard != isa::kNoWord && op.kind != isa::Kind::kBranch;
        if (guarded) runs.count(op, active, executing, params.warp_size);
        one.count(op, active, guarded ? executing : active, params.warp_size);
      }
    }
  }
  one.settle();
  auto expected = by_one.entries().begin();
  for (const StatGroup::Entry& entry : in_runs.entries()) {
    EXPECT_EQ(entry.counter.value(), expected->counter.value()) << entry.info.name;
    ++expected;
  }
}

// Fig. 9: by eighths of the warp, of lanes whose guard held; who executes in no lane is in none.
TEST(LaneStatistics, InstructionsByExecutingLanes) {
  const std::vector<const char*> names{"executed_w1_4",   "executed_w5_8",   "executed_w9_12",  "executed_w13_16",
                                       "executed_w17_20", "executed_w21_24", "executed_w25_28", "executed_w29_32"};
  Counted counted;
  EXPECT_EQ(counted.after(0xffff, 0x0008, names), (Values{1, 0, 0, 0, 0, 0, 0, 0})) << "1 of 16";
  EXPECT_EQ(counted.after(0xffff, 0xf000, names), (Values{0, 1, 0, 0, 0, 0, 0, 0})) << "4 of 16";
  EXPECT_EQ(counted.after(0xffff, 0x801f, names), (Values{0, 0, 1, 0, 0, 0, 0, 0})) << "6 of 16";
  EXPECT_EQ(counted.after(0xffff, 0xffff, names), (Values{0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(counted.after(0xffff, 0, names), (Values(8, 0)));
  counted.width = 32;
  EXPECT_EQ(counted.after(0xffff, 0x000f, names), (Values{1, 0, 0, 0, 0, 0, 0, 0})) << "4 of 32";
}

// Two operands and a result, of four quads each.
TEST(LaneStatistics, RegisterAccesses) {
  Counted counted;
  EXPECT_EQ(counted.accesses(0x0111), (Values{8, 0, 4, 0, 0})) << "none: nothing is suppressed";
  counted.params.lane_packing = Packing::kIvb;
  EXPECT_EQ(counted.accesses(0x0001), (Values{4, 4, 2, 2, 0}));
  counted.params.lane_packing = Packing::kBcc;
  EXPECT_EQ(counted.accesses(0x0111), (Values{6, 2, 3, 1, 0}));
  counted.params.lane_packing = Packing::kScc;
  EXPECT_EQ(counted.accesses(0x0111), (Values{8, 0, 3, 1, 2})) << "full width, three results in one cycle";
}

TEST(LaneStatistics, AnAccessBringsAllWordsOfAWideOperand) {
  Counted counted;
  counted.op.bits = 64;
  counted.op.register_reads = 4;
  counted.op.register_writes = 2;
  EXPECT_EQ(counted.accesses(0xffff), (Values{16, 0, 8, 0, 0})) << "four quads of words of 32 bits";
  counted.params.lanes_by_type = true;
  EXPECT_EQ(counted.accesses(0xffff), (Values{16, 0, 8, 0, 0})) << "eight pairs of 64 bits";
  counted.op.bits = 32;
  EXPECT_EQ(counted.accesses(0xffff), (Values{16, 0, 8, 0, 0})) << "four operands of a word each";
}

}  // namespace lane_statistics_test
}  // namespace warpfold
