// SPDX-License-Identifier: Apache-2.0
// Every machine that comes with the model: its file is complete and consistent, warps and compacted blocks keep the
// contract on it, and an arithmetic instruction takes the cycles that the file says it is made to take.
#include <gtest/gtest.h>

#include <cctype>

#include "tests/gpu/contract/contract_device.h"
#include "tests/gpu/contract/contract_kernels.h"
#include "tests/gpu/kernel_machine.h"
#include "warpfold/common/machine_with_shared.h"

namespace warpfold {
namespace machine_files_test {

std::string test_name(std::string machine) {
  for (char& c : machine) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return machine;
}

class MachineFile : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Every, MachineFile, testing::ValuesIn(config_names("machines")),
                         [](const auto& suite) { return test_name(suite.param); });

// Blocks of 100 threads: their last warp is not full at any width.
TEST_P(MachineFile, KeepsTheContract) {
  for (const char* mechanism : {"pdom", "tbc"}) {
    const RunOptions options = RunOptions::resolve(GetParam(), mechanism, {});
    for (const ContractKernel& kernel : contract_kernels()) {
      SCOPED_TRACE(kernel.name + " under " + mechanism);
      KernelMachine<ContractDevice> machine(kernel.ptx, options);
      const Address in = machine.upload(noise(500), "in");
      const Address out = machine.upload(std::vector<std::uint32_t>(1024), "out");
      EXPECT_NO_THROW(machine.run("k", {5}, {100}, out, in));
      EXPECT_EQ(machine.device.launches(), 1U);
    }
  }
}

// More blocks than are resident at once, so that slots are used again, each of a size that divides no row of threads.
TEST_P(MachineFile, FillsItsCores) {
  const RunOptions options = RunOptions::resolve(GetParam(), "pdom", {});
  const unsigned blocks = options.machine.cores * options.machine.core.max_blocks + 1;
  KernelMachine<> machine(ptx_kernel("add.u32 %r6, %r5, %r4;\n"), options);
  const std::vector<std::uint32_t> in = noise(blocks * 33);
  const Address from = machine.upload(in, "in");
  const Address to = machine.upload(std::vector<std::uint32_t>(in.size()), "out");
  machine.run("k", {blocks}, {33}, to, from);
  std::vector<std::uint32_t> expected = in;
  for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] += i;
  EXPECT_EQ(machine.download<std::uint32_t>(to, in.size()), expected);
}

// Cycles between the issues of additions that each need the last one's sum.
class SumTimes : public TraceSink {
 public:
  void record(const TraceRecord& record) override {
    if (record.event == TraceEvent::kIssue) at.push_back(record.cycle);
  }
  std::vector<Cycle> at;
};

struct Arithmetic {
  const char* machine;
  Cycle cycles;
};

// Messages name machines by what their cores have.
TEST(MachineFiles, SharedMemoryIsAsMessagesSay) {
  for (const auto& [machine, bytes] : kSharedOfMachines) {
    EXPECT_EQ(RunOptions::resolve(machine, "pdom", {}).machine.core.shared_bytes, bytes) << machine;
  }
}

// gt200: measured on the chip. tbc2011, harp2013: the way through six and eight stages, and the last lanes' delay; six
// stages at 325 MHz take no such delay. tstbc2016: the ten cycles of its simulator, each two of 16 lanes; gtx480: ten,
// as its simulator's log shows. volta and its kin: measured on the chip. kepler: NVIDIA's guide; ivb2013: as measured
// for eight lanes, and two cycles for the other eight.
TEST(MachineFiles, DependentAdditionsIssueAtThePipelinesLatency) {
  for (const Arithmetic& expected :
       {Arithmetic{"gt200", 24}, Arithmetic{"tbc2011", 5 + 3}, Arithmetic{"tbc2011-325mhz", 5},
        Arithmetic{"harp2013", 7 + 1}, Arithmetic{"tstbc2016", 19 + 1}, Arithmetic{"gtx480", 10},
        Arithmetic{"volta", 3 + 1}, Arithmetic{"titan-v", 3 + 1}, Arithmetic{"ampere", 3 + 1},
        Arithmetic{"kepler-token", 11}, Arithmetic{"maxwell-token", 6}, Arithmetic{"ivb2013", 16}}) {
    SCOPED_TRACE(expected.machine);
    constexpr unsigned kSums = 8;
    std::string body = ".entry sums()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\n";
    for (unsigned i = 0; i < kSums; ++i) body += "add.u32 %r1, %r1, 1;\n";
    SumTimes times;
    const RunOptions options = RunOptions::resolve(expected.machine, "pdom", {});
    KernelMachine<> machine(ptx_module(body + "ret;\n}\n"), options, GpuOptions{&times, false});
    machine.run("sums", {1}, {options.machine.core.warp_size});
    ASSERT_EQ(times.at.size(), kSums + 2);
    for (unsigned i = 1; i < kSums; ++i) EXPECT_EQ(times.at[i + 1] - times.at[i], expected.cycles) << "sum " << i;
  }
}

}  // namespace machine_files_test
}  // namespace warpfold
