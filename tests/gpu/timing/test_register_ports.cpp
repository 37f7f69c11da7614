// SPDX-License-Identifier: Apache-2.0
// Three operands and a result per instruction, in the ways of Intra-warp §4.3, in whole kernels: what a stream of fused
// multiply-adds takes. Each figure is the difference of two runs, of n and of 2 n instructions.
#include <gtest/gtest.h>

#include "tests/gpu/kernel_machine.h"

namespace warpfold {
namespace register_ports_test {

using Sets = std::vector<std::string>;

constexpr unsigned kWarps = 16, kRepeats = 32;
constexpr double kInstructions = kWarps * kRepeats;

// One scheduler.
const Sets kMachine{"cores=1", "core.max_threads=512", "core.scoreboard=per_register",
                    "core.register_file.collectors=2"};

std::string kernel_of(unsigned repeats) {
  std::string text = ".entry k()\n{\n.reg .f32 %f<16>;\n";
  for (unsigned i = 0; i < repeats; ++i) text += fmt::format("fma.rn.f32 %f{0}, %f{0}, %f8, %f9;\n", i % 8);
  return ptx_module(text + "ret;\n}\n");
}

double cycles_of(unsigned repeats, unsigned simd_width, const Sets& more) {
  Sets sets = kMachine;
  sets.push_back(fmt::format("core.simd_width={}", simd_width));
  sets.insert(sets.end(), more.begin(), more.end());
  KernelMachine<> machine(kernel_of(repeats), RunOptions::resolve("gt200", "pdom", sets));
  machine.run("k", {1}, {kWarps * 32});
  return machine.device.results().last_launch().at("cycles");
}
// Cycles an instruction.
double takes(unsigned simd_width, const Sets& more) {
  return (cycles_of(2 * kRepeats, simd_width, more) - cycles_of(kRepeats, simd_width, more)) / kInstructions;
}

TEST(RegisterPorts, ASinglePortIsBusyForFourCycles) {
  const Sets single{"core.register_banks=1", "core.register_file.write_port=shared"};
  EXPECT_EQ(takes(32, single), 4) << "a unit that takes a warp per cycle waits for its operands";
  EXPECT_EQ(takes(8, single), 4) << "one that takes it in four does not";
  EXPECT_EQ(takes(32, {"core.register_banks=1"}), 3) << "with a write port";
}

TEST(RegisterPorts, PumpingGivesAnInstructionPerCycle) {
  const Sets twice{"core.register_banks=1", "core.register_file.write_port=shared",
                   "core.register_file.accesses_per_cycle=2"};
  Sets four_times = twice;
  four_times.back() = "core.register_file.accesses_per_cycle=4";
  EXPECT_EQ(takes(32, twice), 2);
  EXPECT_EQ(takes(32, four_times), 1);
}

TEST(RegisterPorts, BanksDoUnlessTheOperandsMeet) {
  const Sets banks{"core.register_banks=8", "core.register_file.write_port=shared"};
  EXPECT_LT(takes(32, banks), 2);
  EXPECT_EQ(takes(32, {"core.register_banks=64"}), 1);
}

}  // namespace register_ports_test
}  // namespace warpfold
