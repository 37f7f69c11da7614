// SPDX-License-Identifier: Apache-2.0
// The device behind the runtime: what it tells programs, what it keeps between launches, and what it writes.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/simulator.h"

namespace warpfold {
namespace simulator_test {

RunOptions small(std::vector<std::string> sets = {}) {
  sets.insert(sets.begin(), "cores=2");
  return RunOptions::resolve("tbc2011", "pdom", sets);
}

TEST(Simulator, TellsProgramsWhatTheMachineIs) {
  const Simulator simulator(small({"core.warp_size=16", "core.max_threads=512", "memory.channels=3"}));
  const host::DeviceFigures& figures = simulator.figures();
  EXPECT_EQ(figures.name, "Warpfold tbc2011 (pdom)");
  EXPECT_EQ(figures.cores, 2U);
  EXPECT_EQ(figures.row_lanes, 16U);
  EXPECT_EQ(figures.max_threads_per_block, 512U);
  EXPECT_EQ(figures.registers_per_core, 16384U);
  EXPECT_EQ(figures.l2_bytes, 3U << 20);
  EXPECT_EQ(figures.core_clock_khz, 1300000U);
  EXPECT_EQ(figures.memory_bus_bits, 3U * 64 / 2) << "two transfers a cycle";
  const double peak = 2.0 * figures.memory_clock_khz * 1e3 * figures.memory_bus_bits / 8;  // as programs reckon it
  EXPECT_DOUBLE_EQ(peak, figures.memory_bytes_per_second);
}

TEST(Simulator, RefusesAMachineThatContradictsItself) {
  RunOptions options = small();
  options.machine.core.simd_width = 64;
  try {
    const Simulator simulator(options);
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "machine tbc2011: core.simd_width = 64: more lanes than a warp has (core.warp_size = 32)");
  }
}

TEST(Simulator, BlocksPerCore) {
  Simulator simulator(small());
  isa::Kernel kernel;
  kernel.registers = 20;
  EXPECT_EQ(simulator.blocks_per_core(kernel, 256, 0), 3U) << "16384 registers hold 3 x 5120";
  EXPECT_EQ(simulator.blocks_per_core(kernel, 256, 9000), 1U);
}

TEST(Simulator, BlocksThatDoNotFitAreNone) {
  Simulator simulator(small());
  const isa::Kernel kernel;
  EXPECT_EQ(simulator.blocks_per_core(kernel, 2048, 0), 0U);
  EXPECT_EQ(simulator.blocks_per_core(kernel, 32, 20000), 0U);
}

// Eight words that are needed together, and then a result of all of them.
std::string crowded_kernel() {
  std::string body;
  for (unsigned i = 8; i < 16; ++i) body += fmt::format("mad.lo.u32 %r{}, %r5, {}, %r1;\n", i, i);
  for (unsigned i = 8; i < 16; ++i) body += fmt::format("mad.lo.u32 %r6, %r6, 3, %r{};\n", i);
  return ptx_kernel(body);
}

RunOptions narrow(std::vector<std::string> sets) {
  sets.insert(sets.begin(), {"core.address_bits=32", "device_memory_bytes=0x1000000"});
  return small(sets);
}

struct Spilled {
  std::vector<std::uint32_t> out;
  StatValues statistics;
  isa::Kernel kernel;
};

// Eight warps, with all spilled values of one word.
Spilled run_crowded(const std::string& cap) {
  KernelMachine<> machine(crowded_kernel(), narrow({"core.max_registers_per_thread=" + cap}));
  const Address in = machine.upload(noise(256)), out = machine.upload(std::vector<std::uint32_t>(256));
  machine.run("k", {4}, {64}, out, in);
  return {machine.download<std::uint32_t>(out, 256), machine.device.results().last_launch(),
          machine.program.kernel("k", 64)};
}

// What is spilled goes through the L1: 32 words of a warp lie in two of its lines. Nothing else changes.
TEST(Simulator, SpillsAreTimedAndCounted) {
  const Spilled all = run_crowded("1024"), some = run_crowded("6");
  EXPECT_EQ(all.kernel.spill_loads, 0U);
  EXPECT_EQ(all.statistics.at("spill_loads"), 0);
  EXPECT_GE(all.kernel.registers, 9U);
  EXPECT_LE(some.kernel.registers, 6U);
  EXPECT_GE(some.kernel.spill_loads, 3U);
  EXPECT_EQ(some.out, all.out);
  const double accesses = some.kernel.spill_loads + some.kernel.spill_stores;
  EXPECT_EQ(some.statistics.at("spill_loads"), 8.0 * some.kernel.spill_loads);
  EXPECT_EQ(some.statistics.at("spill_stores"), 8.0 * some.kernel.spill_stores);
  EXPECT_EQ(some.statistics.at("warp_instructions"), all.statistics.at("warp_instructions") + 8 * accesses);
  EXPECT_EQ(some.statistics.at("line_accesses"), all.statistics.at("line_accesses") + 2 * 8 * accesses);
  EXPECT_GT(some.statistics.at("cycles"), all.statistics.at("cycles"));
}

// 1024 threads in 6144 registers are six each, whatever the machine's cap.
TEST(Simulator, ABlockGetsWhatRegistersThereAre) {
  KernelMachine<> machine(crowded_kernel(), narrow({"core.registers=6144"}));
  const Address in = machine.upload(noise(1024)), out = machine.upload(std::vector<std::uint32_t>(1024));
  machine.run("k", {1}, {1024}, out, in);
  EXPECT_EQ(machine.device.results().last_launch().at("registers_per_thread"), 6);
  machine.run("k", {1}, {64}, out, in);
  EXPECT_GE(machine.device.results().last_launch().at("registers_per_thread"), 9);
}

TEST(Simulator, PointersOf32Bits) {
  Simulator simulator(small({"core.address_bits=32", "device_memory_bytes=0xfc000000"}));
  EXPECT_EQ(simulator.memory().allocate(1, "first"), DeviceMemory::kBase32);
  EXPECT_EQ(simulator.memory().allocate(0xfbffff00, "the rest"), DeviceMemory::kBase32 + 256);
  EXPECT_EQ(simulator.decode_options().address_bits, 32U);
}

// Time goes on from launch to launch; the L2 is kept, the L1 is not (docs/architecture.md).
TEST(Simulator, KeepsTimeAndTheL2BetweenLaunches) {
  KernelMachine<> machine(ptx_kernel(""), small());
  EXPECT_EQ(machine.device.simulated_seconds(), 0);
  const Address words = machine.upload(noise(256));
  machine.run("k", {4}, {64}, words, words);
  const double first_seconds = machine.device.simulated_seconds();
  const StatValues first = machine.device.results().last_launch();
  EXPECT_EQ(first.at("dram_reads"), 256 * 4 / 64);
  EXPECT_GE(first_seconds, first.at("cycles") / 1300e6 * 0.99);
  machine.run("k", {4}, {64}, words, words);
  const StatValues second = machine.device.results().last_launch();
  EXPECT_EQ(second.at("dram_reads"), 0);
  EXPECT_EQ(second.at("l1d_misses"), first.at("l1d_misses"));
  EXPECT_LT(second.at("cycles"), first.at("cycles"));
  EXPECT_GE(machine.device.simulated_seconds(), first_seconds + second.at("cycles") / 1300e6 * 0.99);
}

TEST(Simulator, CopiesFillTheL2WhereTheMachineSaysSo) {
  const auto dram_reads = [](const char* set) {
    KernelMachine<> machine(ptx_kernel(""), small({set}));
    const Address words = machine.upload(noise(256));
    machine.device.copied_in(words, 256 * 4);
    machine.run("k", {4}, {64}, words, words);
    return machine.device.results().last_launch().at("dram_reads");
  };
  EXPECT_EQ(dram_reads("memory.l2.filled_by_copies=false"), 256 * 4 / 64);
  EXPECT_EQ(dram_reads("memory.l2.filled_by_copies=true"), 0);
}

TEST(Simulator, CopiesToMemoryThatTheHostSharesReachTheL2) {
  KernelMachine<> machine(ptx_kernel(""), small({"memory.l2.filled_by_copies=true"}));
  const Address words = machine.device.memory().allocate_shared(256 * 4, "managed");
  ASSERT_NE(words, 0);
  std::memset(reinterpret_cast<void*>(words), 0, 256 * 4);
  machine.device.copied_in(words, 256 * 4);
  machine.run("k", {4}, {64}, words, words);
  EXPECT_EQ(machine.device.results().last_launch().at("dram_reads"), 0);
}

TEST(Simulator, WritesItsResults) {
  const host::ScratchFolder folder;
  RunOptions options = small();
  options.out = folder.path("out");
  KernelMachine<> machine(ptx_kernel(""), options);
  EXPECT_FALSE(std::filesystem::exists(options.out)) << "nothing was launched";
  const Address words = machine.upload(noise(256));
  machine.run("k", {4}, {64}, words, words);
  machine.device.finish();
  const auto stats = nlohmann::json::parse(folder.read("out/stats.json"));
  EXPECT_EQ(stats.at("kernels").size(), 1U);
  EXPECT_TRUE(stats.at("kernels").contains("kernel.0.k"));
  EXPECT_EQ(stats.at("total").at("blocks"), 4);
  EXPECT_TRUE(nlohmann::json::parse(folder.read("out/run.json")).at("finished").get<bool>());
  EXPECT_EQ(folder.read("out/config.effective.yaml"), options.effective_config());
}

}  // namespace simulator_test
}  // namespace warpfold
