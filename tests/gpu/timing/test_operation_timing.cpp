// SPDX-License-Identifier: Apache-2.0
// Latencies and intervals of classes of operations, and units that schedulers share, in whole kernels: what a chain and
// a stream of one class take, by formula. Each figure is the difference of two runs, of n and of 2 n instructions.
#include <gtest/gtest.h>

#include "tests/gpu/kernel_machine.h"

namespace warpfold {
namespace operation_timing_test {

using Sets = std::vector<std::string>;

constexpr unsigned kSchedulers = 2, kWarps = 16, kRepeats = 32;
constexpr double kPerScheduler = kWarps / kSchedulers * kRepeats;  // instructions

// Two schedulers, units as wide as a warp.
const Sets kMachine{"cores=1",
                    "core.simd_width=32",
                    "core.sfu_width=32",
                    "core.fp64_width=32",
                    "core.schedulers=2",
                    "core.max_threads=512",
                    "core.scoreboard=per_register",
                    "core.register_banks=64"};

std::string kernel_of(const std::vector<std::string>& body, unsigned repeats) {
  std::string text = ".entry k()\n{\n.reg .b32 %r<16>;\n.reg .f32 %f<16>;\n.reg .f64 %fd<16>;\n";
  for (unsigned i = 0; i < repeats; ++i) text += body[i % body.size()];
  return ptx_module(text + "ret;\n}\n");
}

double cycles_of(const std::vector<std::string>& body, unsigned repeats, unsigned warps, const Sets& more) {
  Sets sets = kMachine;
  sets.insert(sets.end(), more.begin(), more.end());
  KernelMachine<> machine(kernel_of(body, repeats), RunOptions::resolve("gt200", "pdom", sets));
  machine.run("k", {1}, {warps * 32});
  return machine.device.results().last_launch().at("cycles");
}
double extra(const std::vector<std::string>& body, unsigned warps, const Sets& more) {
  return cycles_of(body, 2 * kRepeats, warps, more) - cycles_of(body, kRepeats, warps, more);
}

// On each of four registers in turn, so that no warp waits for itself for long.
std::vector<std::string> each(const char* instruction) {
  std::vector<std::string> lines;
  for (unsigned n = 1; n <= 4; ++n) lines.push_back(fmt::format(fmt::runtime(instruction), n));
  return lines;
}
const std::vector<std::string> kProducts = each("mul.lo.u32 %r{0}, %r{0}, %r9;\n");
const std::vector<std::string> kSums = each("add.f32 %f{0}, %f{0}, %f9;\n");
const std::vector<std::string> kDoubles = each("add.f64 %fd{0}, %fd{0}, %fd9;\n");
const std::vector<std::string> kRoots = each("sqrt.rn.f32 %f{0}, %f{0};\n");

TEST(OperationTiming, AChainTakesTheLatencyOfItsClass) {
  const Sets sets{"core.alu_latency_cycles=4", "core.operations.int_mul.latency_cycles=13"};
  EXPECT_EQ(extra({"mul.lo.u32 %r1, %r1, %r1;\n"}, 1, sets), kRepeats * 13);
  EXPECT_EQ(extra({"add.u32 %r1, %r1, %r1;\n"}, 1, sets), kRepeats * 4);
  EXPECT_EQ(extra({"mul.lo.u32 %r1, %r1, %r1;\n", "add.u32 %r1, %r1, %r1;\n"}, 1, sets), kRepeats * (13 + 4) / 2);
}

TEST(OperationTiming, AStreamTakesTheIntervalOfItsClass) {
  EXPECT_EQ(extra(kProducts, kWarps, {}), kPerScheduler);
  EXPECT_EQ(extra(kProducts, kWarps, {"core.operations.int_mul.interval_cycles=2"}), kPerScheduler * 2);
  EXPECT_EQ(extra(kProducts, kWarps, {"core.operations.int_add.interval_cycles=2"}), kPerScheduler);
}

TEST(OperationTiming, SchedulersShareAUnitsInterval) {
  const std::string interval = "core.operations.special.interval_cycles=8";
  EXPECT_EQ(extra(kRoots, kWarps, {interval}), kPerScheduler * 8);
  EXPECT_EQ(extra(kRoots, kWarps, {interval, "core.units.sfu=1"}), kPerScheduler * 8 * kSchedulers);
}

TEST(OperationTiming, DoublesInTheSpecialFunctionUnit) {
  const Sets sets{"core.units.sfu=1", "core.operations.dp_add.unit=sfu", "core.operations.dp_add.interval_cycles=8",
                  "core.operations.special.interval_cycles=4"};
  EXPECT_EQ(extra(kDoubles, kWarps, sets), kPerScheduler * 8 * kSchedulers);
  std::vector<std::string> both;
  for (unsigned i = 0; i < 4; ++i) both.insert(both.end(), {kDoubles[i], kRoots[i]});
  EXPECT_EQ(extra(both, kWarps, sets), kPerScheduler / 2 * (8 + 4) * kSchedulers);
}

// Sub-cores: a warp a cycle to units of half its width, single precision and integers side by side.
TEST(OperationTiming, HalfWarpUnitsOfTwoKindsTakeAnInstructionPerCycle) {
  const Sets narrow{"core.simd_width=16", "core.issue_width=32"};
  Sets two_kinds = narrow;
  two_kinds.push_back("core.units.integer=2");
  std::vector<std::string> both;
  for (unsigned i = 0; i < 4; ++i) both.insert(both.end(), {kProducts[i], kSums[i]});
  EXPECT_EQ(extra(both, kWarps, narrow), kPerScheduler * 2);
  EXPECT_EQ(extra(both, kWarps, two_kinds), kPerScheduler);
  EXPECT_EQ(extra(kSums, kWarps, two_kinds), kPerScheduler * 2);
}

}  // namespace operation_timing_test
}  // namespace warpfold
