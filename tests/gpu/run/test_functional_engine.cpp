// SPDX-License-Identifier: Apache-2.0
// Execution without timing keeps the same contract as the pipeline, and tells a kernel that cannot end.
#include <gtest/gtest.h>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/contract/contract_device.h"
#include "tests/gpu/contract/contract_kernels.h"
#include "tests/gpu/kernel_machine.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace functional_engine_test {

class Functional : public testing::TestWithParam<MechanismVariant> {
 protected:
  RunOptions options(std::vector<std::string> sets) const {
    sets.insert(sets.end(), GetParam().sets.begin(), GetParam().sets.end());
    RunOptions options = RunOptions::resolve("tbc2011", GetParam().mechanism, sets);
    options.timing = Timing::kFunctional;
    return options;
  }
  void hold_to_contract(const std::string& ptx) {
    KernelMachine<ContractDevice> machine(ptx, options({"cores=1"}));
    const Address in = machine.upload(noise(500), "in");
    const Address out = machine.upload(std::vector<std::uint32_t>(1024), "out");
    machine.run("k", {5}, {100}, out, in);
    EXPECT_EQ(machine.device.launches(), 1U);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, Functional, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(Functional, KeepsTheContract) {
  for (const ContractKernel& kernel : contract_kernels()) {
    SCOPED_TRACE(kernel.name);
    EXPECT_NO_THROW(hold_to_contract(kernel.ptx));
  }
  for (std::uint32_t seed = 100; seed < 110; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_NO_THROW(hold_to_contract(random_kernel(seed)));
  }
}

// A profile wants to know each instruction; without one, runs of them are executed and counted at once.
TEST_P(Functional, RunsCountAsTheirInstructions) {
  for (std::uint32_t seed = 300; seed < 320; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<StatValues> counted;
    std::vector<std::vector<std::uint32_t>> results;
    for (PcProfile profile; PcProfile* const who : {&profile, static_cast<PcProfile*>(nullptr)}) {
      KernelMachine<> machine(random_kernel(seed), options({"cores=2"}), GpuOptions{.profile = who});
      const Address in = machine.upload(noise(500));
      const Address out = machine.upload(std::vector<std::uint32_t>(1024));
      machine.run("k", {5}, {100}, out, in);
      counted.push_back(machine.device.results().total());
      results.push_back(machine.download<std::uint32_t>(out, 1024));
    }
    EXPECT_EQ(counted[0], counted[1]);
    EXPECT_EQ(results[0], results[1]);
  }
}

// Neither threads, nor registers, nor shared memory of a core are enough for one block.
TEST_P(Functional, RefusesNothingForOccupancy) {
  KernelMachine<> machine(ptx_kernel("mov.u32 %r6, %r5;\nst.shared.u32 [box], %r5;"),
                          options({"cores=1", "core.max_threads=128", "core.registers=64", "core.shared_bytes=64"}));
  const Address in = machine.upload(noise(600)), out = machine.upload(std::vector<std::uint32_t>(600));
  machine.run("k", {2}, {300}, out, in);
  EXPECT_EQ(machine.download<std::uint32_t>(out, 600), noise(600));
}

// DWF, a frontier of which any part may run, and branch interweaving whose secondaries do not wait, let diverged
// threads run to their end, and ITS lets those that wait yield: what is a deadlock where they wait for one another
// ends.
bool threads_wait(const MechanismVariant& variant) {
  return variant.mechanism != "dwf" && variant.mechanism != "its" && variant.name() != "frontier_run_any" &&
         variant.name() != "sbi_wait_false";
}

// Half of each warp passes a barrier by and ends; in some orders the other half waits for it before.
TEST_P(Functional, ABarrierThatSomePassBy) {
  KernelMachine<> machine(
      ptx_kernel("and.b32 %r10, %r1, 1;\nsetp.eq.u32 %p1, %r10, 0;\n@%p1 bra SKIP;\nbar.sync 0;\nSKIP:\n"),
      options({}));
  const Address words = machine.upload(noise(64));
  EXPECT_NO_THROW(machine.run("k", {1}, {64}, words, words));
}

// The limit is on what the machine can issue in so many cycles, to the instruction.
TEST_P(Functional, ACycleLimit) {
  const auto issued = [&](const std::string& limit) -> double {
    KernelMachine<> machine(ptx_kernel("add.u32 %r6, %r5, 1;"), options({"cores=1", "cycle_limit=" + limit}));
    const Address words = machine.upload(noise(200));
    try {
      machine.run("k", {5}, {40}, words, words);
    } catch (const UserError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with("kernel 'k': cycle limit of " + limit + " reached with ")) << text;
      return 0;
    }
    return machine.device.results().total().at("warp_instructions");
  };
  const auto needed = static_cast<std::uint64_t>(issued("0"));
  ASSERT_GT(needed, 0U);
  EXPECT_EQ(issued(std::to_string(needed)), needed);
  EXPECT_EQ(issued(std::to_string(needed - 1)), 0);
  EXPECT_EQ(issued("18446744073709551615"), needed);
}

// The second loop is long and stores nothing, but comes to its end.
TEST_P(Functional, ASpinLockAndALongLoop) {
  const std::string lock =
      "AGAIN:\natom.global.cas.b32 %r7, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra AGAIN;\n"
      "atom.global.exch.b32 %r8, [%rd1], 0;\n";
  const std::string loop =
      "mov.u32 %r7, 200000;\nAGAIN:\nsub.u32 %r7, %r7, 1;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra AGAIN;\n";
  for (const std::string& body : {lock, loop}) {
    KernelMachine<> machine(ptx_kernel(body), options({}));
    const Address words = machine.upload(std::vector<std::uint32_t>(64));
    std::string text = "it ended";
    try {
      machine.run("k", {1}, {64}, words, words);
    } catch (const UserError& error) {
      text = error.what();
    }
    const bool spins = body == lock && threads_wait(GetParam());
    const char* const expected = spins ? "kernel 'k': spins for ever: every running warp repeats" : "it ended";
    EXPECT_TRUE(text.starts_with(expected)) << text;
  }
}

// The clock goes on though there are no cycles, for longer than what counts as standing still.
TEST_P(Functional, AWaitByTheClockEnds) {
  const std::string wait =
      "mov.u32 %r7, %clock;\nAGAIN:\nmov.u32 %r8, %clock;\nsub.u32 %r8, %r8, %r7;\nsetp.lt.u32 %p1, %r8, 300000;\n"
      "@%p1 bra AGAIN;\n";
  KernelMachine<> machine(ptx_kernel(wait), options({}));
  const Address words = machine.upload(std::vector<std::uint32_t>(64));
  EXPECT_NO_THROW(machine.run("k", {1}, {64}, words, words));
}

TEST(FunctionalStatistics, CountInstructionsAndNoCycles) {
  RunOptions options = RunOptions::resolve("tbc2011", "pdom", {});
  options.timing = Timing::kFunctional;
  KernelMachine<> functional(contract_kernels().at(0).ptx, options);
  const Address words = functional.upload(noise(64));
  functional.run("k", {1}, {64}, words, words);
  const StatValues values = functional.device.results().total();
  EXPECT_EQ(values.at("functional_kernels"), 1);
  EXPECT_GT(values.at("thread_instructions"), 64 * 20);
  EXPECT_FALSE(values.contains("cycles") && values.at("cycles") != 0);
  EXPECT_FALSE(values.contains("ipc"));
}

// Both kinds of launch in one run: values agree, and only the chosen launch has cycles.
TEST(Detail, TimesTheChosenLaunchOnly) {
  std::vector<std::vector<std::uint32_t>> results;
  for (const char* detail : {"", "1"}) {
    RunOptions options = RunOptions::resolve("tbc2011", "tbc", {"cores=2"});
    options.detail = warpfold::Detail::parse(detail, "here");
    KernelMachine<> machine(contract_kernels().at(2).ptx, options);
    const Address in = machine.upload(noise(200));
    const Address out = machine.upload(std::vector<std::uint32_t>(200));
    for (unsigned launch = 0; launch < 3; ++launch) {
      machine.run("k", {2}, {100}, out, in);
      const StatValues kernel = machine.device.results().last_launch();
      const bool timed = *detail == 0 || launch == 1;
      EXPECT_EQ(kernel.at("cycles") != 0, timed) << detail << launch;
    }
    results.push_back(machine.download<std::uint32_t>(out, 200));
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace functional_engine_test
}  // namespace warpfold
