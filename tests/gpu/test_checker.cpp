// SPDX-License-Identifier: Apache-2.0
// The memory checker under every mechanism, timed and not: the same errors, and none where there is none.
#include <gtest/gtest.h>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "warpfold/common/launch_error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace checker_test {

constexpr unsigned kBlock = 48, kBlocks = 4, kThreads = kBlock * kBlocks;

class Checker : public testing::TestWithParam<MechanismVariant> {
 protected:
  static RunOptions options(const MechanismVariant& variant, Timing timing) {
    std::vector<std::string> sets{"cores=2", "check.memory=true", "check.initialized=true", "check.races=true"};
    sets.insert(sets.end(), variant.sets.begin(), variant.sets.end());
    RunOptions options = RunOptions::resolve("tbc2011", variant.mechanism, sets);
    options.timing = timing;
    return options;
  }
  // Runs a kernel on so many words; calls see(machine, out, message of the fault).
  template <class See>
  void run(const std::string& body, unsigned words, See see) const {
    for (const Timing timing : {Timing::kFunctional, Timing::kCycle}) {
      SCOPED_TRACE(timing == Timing::kCycle ? "cycle" : "functional");
      testing::internal::CaptureStderr();
      KernelMachine<> machine(ptx_kernel(body), options(GetParam(), timing));
      const Address in = machine.upload(noise(words), "in");
      const Address out = machine.upload(std::vector<std::uint32_t>(kThreads), "out");
      std::string fault;
      try {
        machine.run("k", {kBlocks}, {kBlock}, out, in);
      } catch (const KernelFault& error) {
        fault = error.what();
      }
      see(machine, out, fault);
      testing::internal::GetCapturedStderr();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Every, Checker, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

// Six threads read behind the end, at line 19, and every odd thread writes outside shared memory.
TEST_P(Checker, TheKernelRunsToItsEndAndEveryErrorIsCounted) {
  const std::string body = R"(and.b32 %r7, %r1, 1;
setp.eq.u32 %p1, %r7, 0;
@%p1 bra EVEN;
st.shared.u32 [box+4096], %r5;
EVEN:
add.u32 %r6, %r5, 1;)";
  constexpr unsigned kWords = kThreads - 6;
  run(body, kWords, [](auto& machine, Address out, const std::string& fault) {
    EXPECT_EQ(fault, fmt::format("kernel 'k': {} errors were found in this launch", 6 + kThreads / 2));
    std::vector<std::uint32_t> expected = noise(kWords);
    for (std::uint32_t& word : expected) ++word;
    expected.resize(kThreads, 1);
    EXPECT_EQ(machine.template download<std::uint32_t>(out, kThreads), expected);
    const auto& findings = machine.device.checker()->findings().all();
    ASSERT_EQ(findings.size(), 2U);
    for (const isa::Finding& finding : findings) {
      const bool shared = finding.act.starts_with("writes");
      EXPECT_EQ(finding.kind, isa::FindingKind::kOutOfBounds);
      EXPECT_EQ(finding.count, shared ? kThreads / 2 : 6U);
      EXPECT_EQ(finding.ptx, shared ? "test.ptx:25: st.shared.u32" : "test.ptx:19: ld.global.u32");
      EXPECT_TRUE(shared || finding.memory.starts_with("outside every allocation; nearest is in [")) << finding.memory;
    }
    EXPECT_THROW(machine.run("k", {1}, {kBlock}, out, out), KernelFault) << "the machine is whole";
    EXPECT_EQ(machine.device.checker()->findings().errors(), 6U + kThreads / 2 + kBlock / 2);
  });
}

// Each thread leaves a word and takes that of another warp; with a barrier in between, and one before it goes round.
std::string exchange(bool ordered) {
  const std::string barrier = ordered ? "bar.sync 0;\n" : "";
  return R"(mov.u32 %r10, 0;
mov.u64 %rd6, box;
mul.wide.u32 %rd7, %r1, 4;
add.s64 %rd7, %rd6, %rd7;
add.u32 %r8, %r1, 33;
rem.u32 %r8, %r8, 48;
mul.wide.u32 %rd8, %r8, 4;
add.s64 %rd8, %rd6, %rd8;
AGAIN:
add.u32 %r5, %r5, 1;
st.shared.u32 [%rd7], %r5;
)" + barrier +
         R"(ld.shared.u32 %r9, [%rd8];
add.u32 %r6, %r6, %r9;
)" + barrier +
         R"(add.u32 %r10, %r10, 1;
setp.lt.u32 %p1, %r10, 3;
@%p1 bra AGAIN;)";
}

TEST_P(Checker, RacesInSharedMemory) {
  run(exchange(true), kThreads, [](auto& machine, Address, const std::string& fault) {
    EXPECT_EQ(fault, "");
    EXPECT_EQ(machine.device.checker()->news(), "");
  });
  run(exchange(false), kThreads, [](auto& machine, Address, const std::string& fault) {
    EXPECT_EQ(fault, "") << "CUDA knows no error for it";
    const auto& findings = machine.device.checker()->findings().all();
    ASSERT_FALSE(findings.empty());
    EXPECT_TRUE(findings[0].kind == isa::FindingKind::kSharedRace || findings[0].act.starts_with("reads"));
  });
}

// 4096 bytes of the kernel's and 4 of the launch's are a unit more than 4096.
TEST(SharedMemory, IsDealtInUnitsAndCheckedByTheByte) {
  const auto fault = [](const char* place, bool checked) -> std::string {
    RunOptions options = RunOptions::resolve("tbc2011", "pdom", {checked ? "check.memory=true" : "cores=1"});
    KernelMachine<> machine(ptx_kernel(fmt::format("st.shared.u32 [box+{}], %r6;", place)), options);
    machine.dynamic_shared_bytes = 4;
    const Address words = machine.upload(noise(32));
    try {
      machine.run("k", {1}, {32}, words, words);
    } catch (const KernelFault& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault("4096", true), "");
  EXPECT_EQ(fault("4100", false), "");
  EXPECT_NE(fault("4100", true), "");
  EXPECT_EQ(fault("4348", false), "");
  EXPECT_NE(fault("4352", false).find("outside the 4352 bytes of its block's shared memory"), std::string::npos);
}

}  // namespace checker_test
}  // namespace warpfold
