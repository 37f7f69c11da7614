// SPDX-License-Identifier: Apache-2.0
// Parts of a machine that do not fit each other are refused with the place, the key, and what it conflicts with.
#include <gtest/gtest.h>

#include <functional>

#include "warpfold/common/error.h"
#include "warpfold/gpu/machine/machine_config.h"

namespace warpfold {
namespace machine_config_test {

std::string refusal(const std::function<void(MachineConfig&)>& change) {
  MachineConfig config;
  change(config);
  try {
    check_consistency(config, "m.yaml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "consistent";
}

TEST(MachineConfig, DefaultsFitEachOther) {
  EXPECT_EQ(refusal([](MachineConfig&) {}), "consistent");
}

TEST(MachineConfig, Core) {
  EXPECT_EQ(refusal([](auto& c) { c.core.simd_width = 32; }), "consistent");
  EXPECT_EQ(refusal([](auto& c) { c.core.simd_width = 64; }),
            "m.yaml: core.simd_width = 64: more lanes than a warp has (core.warp_size = 32)");
  EXPECT_EQ(refusal([](auto& c) { c.core.max_threads = 1040; }),
            "m.yaml: core.max_threads = 1040: not a multiple of core.warp_size = 32");
  EXPECT_EQ(refusal([](auto& c) { c.core.max_threads = 64, c.core.schedulers = 2; }), "consistent");
  EXPECT_EQ(refusal([](auto& c) { c.core.max_threads = 64, c.core.schedulers = 3; }),
            "m.yaml: core.schedulers = 3: more than the 2 warps of a core");
}

TEST(MachineConfig, ExecutionUnits) {
  EXPECT_EQ(refusal([](auto& c) { c.core.schedulers = 4, c.core.units = {4, 2, 1, 1}; }), "consistent");
  EXPECT_EQ(refusal([](auto& c) { c.core.schedulers = 4, c.core.units.sfu = 3; }),
            "m.yaml: core.units: 3 units cannot be shared evenly by core.schedulers = 4");
  EXPECT_EQ(refusal([](auto& c) { c.core.units.memory = 2; }),
            "m.yaml: core.units: 2 units cannot be shared evenly by core.schedulers = 1");
  const auto passes = [](MachineConfig& c) { c.core.pipes = PipeLayout::kFpuEm; };
  EXPECT_EQ(refusal([&](auto& c) {
              passes(c), c.core.operations.int_mul = {OperationUnit::kOwn, 30, 8};
            }),
            "consistent");
  EXPECT_EQ(refusal([&](auto& c) { passes(c), c.core.operations.int_mul.unit = OperationUnit::kSfu; }),
            "m.yaml: core.operations.int_mul.unit = sfu: excludes core.pipes = fpu_em, which has no units besides its "
            "pipes");
  EXPECT_EQ(refusal([&](auto& c) { passes(c), c.core.units.fp64 = 1; }),
            "m.yaml: core.units.fp64 = 1: excludes core.pipes = fpu_em, which has no units besides its pipes");
  EXPECT_EQ(refusal([&](auto& c) { passes(c), c.core.issue_width = 16; }),
            "m.yaml: core.issue_width = 16: excludes core.pipes = fpu_em, where it is the pipes that take lanes");
}

TEST(MachineConfig, Latencies) {
  EXPECT_EQ(refusal([](auto& c) { c.core.issue_interval_cycles = 4, c.core.operations.control.latency_cycles = 4; }),
            "consistent");
  EXPECT_EQ(refusal([](auto& c) { c.core.issue_interval_cycles = 4, c.core.alu_latency_cycles = 3; }),
            "m.yaml: core.issue_interval_cycles = 4: longer than the pipeline (core.alu_latency_cycles = 3)");
  EXPECT_EQ(refusal([](auto& c) { c.core.issue_interval_cycles = 4, c.core.operations.control.latency_cycles = 3; }),
            "m.yaml: core.issue_interval_cycles = 4: longer than the pipeline (a latency of core.operations = 3)");
}

TEST(MachineConfig, InstructionFetch) {
  EXPECT_EQ(refusal([](auto& c) { c.core.fetch.cached = true, c.memory.l2.line_bytes = 128; }), "consistent");
  EXPECT_EQ(refusal([](auto& c) { c.core.fetch.cached = true; }),
            "m.yaml: memory.l2.line_bytes 64 is smaller than a first-level cache's line of 128; make it at least as "
            "large");
  EXPECT_EQ(refusal([](auto& c) { c.instruction_cache.size_bytes = 64; }), "consistent") << "there is none";
  EXPECT_EQ(refusal([](auto& c) { c.core.fetch.cached = true, c.instruction_cache.size_bytes = 64; }),
            "m.yaml: instruction_cache.size_bytes = 64: not a multiple of 4 ways of 128 bytes");
  EXPECT_EQ(refusal([](auto& c) {
              c.core.fetch.cached = true, c.core.fetch.instruction_bytes = 64, c.instruction_cache.line_bytes = 32;
            }),
            "m.yaml: core.fetch.instruction_bytes = 64: more than a line of instruction_cache.line_bytes = 32");
  EXPECT_EQ(refusal([](auto& c) { c.core.fetch.cached = true, c.core.pipes = PipeLayout::kFpuEm; }),
            "m.yaml: core.fetch.cached = true: excludes core.pipes = fpu_em, whose fetch is not modelled");
}

TEST(MachineConfig, Caches) {
  EXPECT_EQ(refusal([](auto& c) { c.l1d.ways = 3; }),
            "m.yaml: l1d.size_bytes = 32768: not a multiple of 3 ways of 64 bytes");
  EXPECT_EQ(refusal([](auto& c) { c.texture_cache.size_bytes = 32769; }),
            "m.yaml: texture_cache.size_bytes = 32769: not a multiple of 8 ways of 64 bytes");
  EXPECT_EQ(refusal([](auto& c) { c.constant_cache.ways = 48; }),
            "m.yaml: constant_cache.size_bytes = 32768: not a multiple of 48 ways of 64 bytes");
  EXPECT_EQ(refusal([](auto& c) { c.memory.l2.ways = 48; }),
            "m.yaml: memory.l2.size_bytes = 1048576: not a multiple of 48 ways of 64 bytes");
}

TEST(MachineConfig, Sectors) {
  EXPECT_EQ(refusal([](auto& c) { c.l1d.sector_bytes = 32, c.memory.l2.sector_bytes = 16; }), "consistent");
  EXPECT_EQ(refusal([](auto& c) { c.l1d.sector_bytes = 48; }),
            "m.yaml: l1d.sector_bytes = 48: does not divide the line (l1d.line_bytes = 64)");
  EXPECT_EQ(refusal([](auto& c) { c.memory.l2.sector_bytes = 128; }),
            "m.yaml: memory.l2.sector_bytes = 128: does not divide the line (memory.l2.line_bytes = 64)");
  EXPECT_EQ(refusal([](auto& c) { c.memory.l2.line_bytes = 256, c.memory.l2.sector_bytes = 32; }),
            "m.yaml: memory.l2.line_bytes = 256: sectors and lazy_fetch are for lines of up to 128 bytes");
}

TEST(MachineConfig, WritePolicies) {
  EXPECT_EQ(refusal([](auto& c) { c.texture_cache.read_only = true; }), "consistent");
  EXPECT_EQ(refusal([](auto& c) {
              c.texture_cache.read_only = true, c.texture_cache.write_policy = WritePolicy::kWriteEvict;
            }),
            "m.yaml: texture_cache.read_only = true: stores never come here; make it write_through and no_allocate");
  EXPECT_EQ(
      refusal([](auto& c) { c.texture_cache.read_only = true, c.texture_cache.write_miss = L1WriteMiss::kLazyFetch; }),
      "m.yaml: texture_cache.read_only = true: stores never come here; make it write_through and no_allocate");
  EXPECT_EQ(refusal([](auto& c) { c.l1d.write_policy = WritePolicy::kLocalWriteBack; }),
            "m.yaml: l1d.allocation = on_fill: local_write_back and lazy_fetch take a line's way at once; make it "
            "on_miss");
  EXPECT_EQ(refusal([](auto& c) {
              c.l1d.write_policy = WritePolicy::kLocalWriteBack, c.l1d.allocation = WayTaken::kPerfect;
            }),
            "m.yaml: l1d.allocation = perfect: local_write_back and lazy_fetch take a line's way at once; make it "
            "on_miss");
  EXPECT_EQ(
      refusal([](auto& c) { c.l1d.write_policy = WritePolicy::kLocalWriteBack, c.l1d.allocation = WayTaken::kOnMiss; }),
      "consistent");
}

TEST(MachineConfig, Hashes) {
  EXPECT_EQ(refusal([](auto& c) { c.l1d.set_hash = IndexHash::kIpoly, c.memory.slice_hash = IndexHash::kXor; }),
            "consistent");
  EXPECT_EQ(refusal([](auto& c) { c.l1d.set_hash = IndexHash::kFermi; }),
            "m.yaml: l1d.set_hash: 64 sets of lines of 64 bytes: fermi is for 32 or 64 sets of lines of 128 bytes");
  EXPECT_EQ(refusal([](auto& c) { c.memory.l2.set_hash = IndexHash::kXor, c.memory.l2.size_bytes = 3 << 20; }),
            "m.yaml: memory.l2.set_hash: 768 sets of lines of 64 bytes: a hash is for a power of two from 2 to 1024 of "
            "them");
  EXPECT_EQ(refusal([](auto& c) { c.memory.slice_hash = IndexHash::kIpoly, c.memory.channels = 6; }),
            "m.yaml: memory.slice_hash over 6 slices: a hash is for a power of two from 2 to 1024 of them");
}

TEST(MachineConfig, Dram) {
  EXPECT_EQ(refusal([](auto& c) { c.memory.dram.bank_groups = 4, c.memory.dram.t_refi = 3120; }), "consistent");
  EXPECT_EQ(refusal([](auto& c) { c.memory.dram.bank_groups = 16; }),
            "m.yaml: memory.dram.bank_groups 16 do not share out the 8 banks; make it a divisor of dram.banks");
  EXPECT_EQ(
      refusal([](auto& c) { c.memory.dram.t_refi = 88, c.memory.dram.t_rfc = 88; }),
      "m.yaml: memory.dram.t_refi 88 is no longer than the 88 cycles of a refresh, dram.t_rfc; make it longer, or "
      "0 for none");
  EXPECT_EQ(refusal([](auto& c) { c.memory.dram.mapping = DramMapping::kRowBankColumnBank, c.memory.dram.banks = 9; }),
            "m.yaml: memory.dram.mapping row_bank_column_bank takes banks in pairs; make dram.banks 9 even");
}

TEST(MachineConfig, Memory) {
  EXPECT_EQ(refusal([](auto& c) { c.l1d.line_bytes = 32; }), "consistent");
  EXPECT_EQ(
      refusal([](auto& c) { c.constant_cache.line_bytes = 128; }),
      "m.yaml: memory.l2.line_bytes 64 is smaller than a first-level cache's line of 128; make it at least as large");
  EXPECT_EQ(refusal([](auto& c) { c.memory.interleave_bytes = 32; }),
            "m.yaml: memory.interleave_bytes 32 is smaller than l2.line_bytes 64; make it at least as large");
}

}  // namespace machine_config_test
}  // namespace warpfold
