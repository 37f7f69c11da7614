// SPDX-License-Identifier: Apache-2.0
// The execution units (EUs) of configs/machines/ivb2013.yaml, their SLM and their way to L3, in closed form
// (Intra-warp §2.2, Table 3). L3, LLC and DRAM latencies: test_latency.
//
// Rates are differences of two runs whose kernels have n and 2 n of an instruction, on all 36 EU threads: what goes
// before and after cancels out, and every cycle counts.
#include <gtest/gtest.h>

#include "tests/gpu/kernel_machine.h"

namespace warpfold {
namespace execution_units_test {

constexpr unsigned kRepeats = 64;
constexpr unsigned kThreadsPerEu = 6, kEus = 6;
constexpr Cycle kRounds = kThreadsPerEu * kRepeats;  // instructions of an EU

using Sets = std::vector<std::string>;

std::string kernel_of(const std::string& setup, const std::vector<std::string>& body, unsigned repeats) {
  std::string text = ".entry k(.param .u64 array)\n{\n.reg .b32 %r<16>;\n.reg .f32 %f<16>;\n.reg .f64 %fd<16>;\n" +
                     std::string(".reg .b64 %rd<16>;\n.shared .align 8 .b8 box[1024];\n") + setup;
  for (unsigned i = 0; i < repeats; ++i) text += body[i % body.size()];
  return ptx_module(text + "ret;\n}\n");
}

// An instruction on each of four registers in turn, so that no warp waits for itself. A register is also read, for it
// to be one of its own.
std::vector<std::string> each(const char* instruction) {
  std::vector<std::string> lines;
  for (unsigned n = 1; n <= 4; ++n) lines.push_back(fmt::format(fmt::runtime(instruction), n));
  return lines;
}
const std::vector<std::string> kIntegers = each("mad.lo.u32 %r{0}, %r{0}, %r9, %r9;\n");
const std::vector<std::string> kFloats = each("fma.rn.f32 %f{0}, %f{0}, %f9, %f9;\n");
const std::vector<std::string> kRoots = each("sqrt.rn.f32 %f{0}, %f{0};\n");
const std::vector<std::string> kSharedLoads = each("ld.shared.u32 %r1{0}, [%r9];\n");

class ExecutionUnits : public testing::Test {
 protected:
  // All EU threads run the kernel once; 12 of them are a block.
  StatValues run(const std::string& ptx, const Sets& sets) {
    const RunOptions options = RunOptions::resolve("ivb2013", "pdom", sets);
    KernelMachine<> machine(ptx, options);
    const Address array = machine.upload(std::vector<std::uint32_t>(1024));
    machine.run("k", {3}, {12 * options.machine.core.warp_size}, array);
    return machine.device.results().last_launch();
  }
  double extra(const std::vector<std::string>& body, const Sets& sets, const std::string& setup = "",
               const char* statistic = "cycles") {
    const StatValues once = run(kernel_of(setup, body, kRepeats), sets);
    return run(kernel_of(setup, body, 2 * kRepeats), sets).at(statistic) - once.at(statistic);
  }
  double cycles(const std::vector<std::string>& body, const Sets& sets = {}) { return extra(body, sets); }
};

TEST_F(ExecutionUnits, SixteenLanesTakeFourCyclesOfAPipe) {
  EXPECT_EQ(cycles(kIntegers), kRounds * 4);
  EXPECT_EQ(cycles(kIntegers, {"core.warp_size=8", "core.max_threads=288"}), kRounds * 2);
  EXPECT_EQ(cycles(kIntegers, {"core.warp_size=32", "core.max_threads=1152"}), kRounds * 8);
}

TEST_F(ExecutionUnits, FloatsHaveTwoPipes) {
  EXPECT_EQ(cycles(kFloats), kRounds * 4 / 2);
  EXPECT_EQ(extra(kFloats, {}, "", "fpu_cycles"), kEus * kRounds * 4 / 2);
  EXPECT_EQ(extra(kFloats, {}, "", "em_cycles"), kEus * kRounds * 4 / 2);
}

TEST_F(ExecutionUnits, ExtendedMathAndDoublesHaveOne) {
  EXPECT_EQ(cycles(kRoots), kRounds * 4);
  EXPECT_EQ(cycles(each("div.rn.f32 %f{0}, %f{0}, %f9;\n")), kRounds * 4);
  EXPECT_EQ(cycles(each("fma.rn.f64 %fd{0}, %fd{0}, %fd9, %fd9;\n")), kRounds * 8) << "two lanes a cycle";
}

TEST_F(ExecutionUnits, IntegersAndExtendedMathOverlap) {
  std::vector<std::string> body;
  for (unsigned i = 0; i < 4; ++i) body.insert(body.end(), {kIntegers[i], kRoots[i]});
  EXPECT_EQ(cycles(body), kRounds / 2 * 4);
}

TEST_F(ExecutionUnits, NarrowInstructionsAreLimitedByTwoEveryTwoCycles) {
  const Sets wide{"core.simd_width=16"};  // one cycle in a pipe
  EXPECT_EQ(cycles(kIntegers, wide), kRounds);
  EXPECT_EQ(cycles(kFloats, wide), kRounds);
}

// Each load: two lines that the L3 has, of 36 EU threads.
TEST_F(ExecutionUnits, DataClustersOfOneAndOfTwoLinesPerCycle) {
  const std::string lane = "ld.param.u64 %rd9, [array];\nmov.u32 %r1, %laneid;\n";
  const std::string in_two_banks = lane + "mul.wide.u32 %rd10, %r1, 8;\nadd.s64 %rd9, %rd9, %rd10;\n";
  const std::string in_one_bank =
      lane + "and.b32 %r1, %r1, 1;\nmul.wide.u32 %rd10, %r1, 256;\nadd.s64 %rd9, %rd9, %rd10;\n";
  const std::vector<std::string> loads = each("ld.global.u64 %rd{0}, [%rd9];\n");
  const Sets dc2{"core.lsu_lines_per_cycle=2"};
  const double lines = 2 * kEus * kRounds;
  EXPECT_EQ(extra(loads, {}, in_two_banks, "line_accesses"), lines);
  EXPECT_EQ(extra(loads, {}, in_two_banks), lines);
  EXPECT_EQ(extra(loads, dc2, in_two_banks), lines / 2);
  EXPECT_EQ(extra(loads, dc2, in_two_banks, "stall_cache_bank"), 0);
  EXPECT_EQ(extra(loads, dc2, in_one_bank), lines);
  EXPECT_EQ(extra(loads, dc2, in_one_bank, "stall_cache_bank"), lines) << "the second line, and the next first one";
}

TEST_F(ExecutionUnits, SharedMemoryTakesASixteenLaneAccessPerCycle) {
  const std::string lane = "mov.u32 %r9, %laneid;\nmul.lo.u32 %r9, %r9, 4;\n";
  EXPECT_EQ(extra(kSharedLoads, {}, lane), kEus * kRounds);
  const std::string two_per_bank = "mov.u32 %r9, %laneid;\nmul.lo.u32 %r9, %r9, 8;\n";
  EXPECT_EQ(extra(kSharedLoads, {}, two_per_bank), 2 * kEus * kRounds);
}

// Loads take no lane's time of FPU or EM.
TEST_F(ExecutionUnits, MessagesGoBesideTheFpu) {
  const std::string lane = "mov.u32 %r9, %laneid;\nmul.lo.u32 %r9, %r9, 4;\n";
  std::vector<std::string> body;
  for (unsigned i = 0; i < 4; ++i) {
    body.push_back(kIntegers[i]);
    body.push_back(kIntegers[(i + 1) % 4]);
    body.push_back(kSharedLoads[i]);
    body.push_back(kIntegers[(i + 2) % 4]);
  }
  EXPECT_EQ(extra(body, {}, lane, "fpu_cycles"), kEus * kRounds * 4 * 3 / 4);
  EXPECT_EQ(cycles(body), kRounds * 4 * 3 / 4);
}

// When one EU thread issues the instructions from `first` on.
class Times : public TraceSink {
 public:
  explicit Times(isa::Pc first) : first_(first) {}
  void record(const TraceRecord& record) override {
    if (record.event == TraceEvent::kIssue && record.pc >= first_) at.push_back(record.cycle);
  }
  std::vector<Cycle> at;

 private:
  isa::Pc first_;
};

TEST_F(ExecutionUnits, ADependentLoadOfSharedMemoryComesFiveCyclesAfterItsAddress) {
  Times times(1);
  const RunOptions options = RunOptions::resolve("ivb2013", "pdom", {});
  KernelMachine<> machine(kernel_of("mov.u32 %r1, 0;\n", {"ld.shared.u32 %r1, [%r1];\n"}, kRepeats), options,
                          GpuOptions{&times, false});
  machine.run("k", {1}, {16}, Address{0});
  ASSERT_EQ(times.at.size(), kRepeats + 1);
  for (unsigned i = 0; i + 1 < kRepeats; ++i) {
    EXPECT_EQ(times.at[i + 1] - times.at[i], options.machine.core.address_latency_cycles + 5) << "load " << i;
  }
}

}  // namespace execution_units_test
}  // namespace warpfold
