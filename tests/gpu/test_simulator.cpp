// SPDX-License-Identifier: Apache-2.0
// The device behind the runtime: what it tells programs, what it keeps between launches, and what it writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/common/error.h"
#include "models/gpu/simulator.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"

namespace warpfold {
namespace {

RunOptions small(std::vector<std::string> sets = {}) {
  sets.insert(sets.begin(), "cores=2");
  return RunOptions::resolve("tbc2011", "pdom", sets);
}

TEST(Simulator, TellsProgramsWhatTheMachineIs) {
  const Simulator simulator(small({"core.warp_size=16", "core.max_threads=512", "memory.channels=3"}));
  const host::DeviceFigures& figures = simulator.figures();
  EXPECT_EQ(figures.name, "Warpfold tbc2011 (pdom)");
  EXPECT_EQ(figures.cores, 2U);
  EXPECT_EQ(figures.warp_size, 16U);
  EXPECT_EQ(figures.max_threads_per_block, 512U);
  EXPECT_EQ(figures.registers_per_core, 16384U);
  EXPECT_EQ(figures.l2_bytes, 3U << 20);
  EXPECT_EQ(figures.core_clock_khz, 1300000U);
  EXPECT_EQ(figures.memory_bus_bits, 3U * 64);
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

// Time goes on from launch to launch; the L2 is kept, the L1 is not (DESIGN §2, 13).
TEST(Simulator, KeepsTimeAndTheL2BetweenLaunches) {
  KernelMachine<> machine(ptx_kernel(""), small());
  EXPECT_EQ(machine.device.simulated_seconds(), 0);
  const Address words = machine.upload(noise(256));
  machine.run("k", {4}, {64}, words, words);
  const double first_seconds = machine.device.simulated_seconds();
  const StatValues first = machine.device.results().last_kernel();
  EXPECT_EQ(first.at("dram_reads"), 256 * 4 / 64);
  EXPECT_GE(first_seconds, first.at("cycles") / 1300e6 * 0.99);
  machine.run("k", {4}, {64}, words, words);
  const StatValues second = machine.device.results().last_kernel();
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
    return machine.device.results().last_kernel().at("dram_reads");
  };
  EXPECT_EQ(dram_reads("memory.l2.filled_by_copies=false"), 256 * 4 / 64);
  EXPECT_EQ(dram_reads("memory.l2.filled_by_copies=true"), 0);
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

}  // namespace
}  // namespace warpfold
