// SPDX-License-Identifier: Apache-2.0
// Threads of one warp, or of warps on two sides of a branch, that spin for a lock: under which mechanisms does the
// holder get its turn (docs/mechanisms.md)?
#include <gtest/gtest.h>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace forward_progress_test {

constexpr unsigned kThreads = 40, kBlocks = 2;

// The holder leaves the loop before it does what it wants the lock for, and releases it behind.
constexpr const char* kSource = R"(
extern "C" __global__ void lock(unsigned* held, volatile unsigned* count) {
  while (atomicCAS(held, 0u, 1u) != 0u) {}
  *count = *count + 1;
  __threadfence();
  atomicExch(held, 0u);
}

// The holder releases it before its warp meets. Each block has a lock; in one the first warp takes the one side, in the
// other one the other.
__device__ __forceinline__ void add(unsigned* held, unsigned* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(held + blockIdx.x, 0u, 1u) != 0u) continue;
    atomicAdd(count, 1u);
    __threadfence();
    atomicExch(held + blockIdx.x, 0u);
    done = true;
  }
}
extern "C" __global__ void sides(unsigned* held, unsigned* count) {
  if ((threadIdx.x < 32) == (blockIdx.x == 0)) {
    add(held, count);
    asm volatile("// one side");
  } else {
    add(held, count);
    asm volatile("// the other side");
  }
}
)";

struct Setting {
  const char* mechanism;
  std::vector<std::string> sets;
};

// Of every thread once, or what the watchdog says.
std::string outcome(const Setting& setting, Timing timing = Timing::kCycle, const std::string& machine = "tbc2011",
                    const char* kernel = "lock") {
  static const std::string ptx = host::ptx_of(kSource);
  std::vector<std::string> sets = setting.sets;
  sets.emplace_back("cores=1");
  RunOptions options = RunOptions::resolve(machine, setting.mechanism, sets);
  options.timing = timing;
  KernelMachine<> gpu(ptx, options);
  const Address words = gpu.upload(std::vector<std::uint32_t>(kBlocks + 1), "words");
  try {
    gpu.run(kernel, {kBlocks}, {kThreads}, words, words + 4 * kBlocks);
  } catch (const UserError& error) {
    return error.what();
  }
  return fmt::format("{}", gpu.template download<std::uint32_t>(words + 4 * kBlocks, 1).front());
}

TEST(ForwardProgress, ALockPassesThroughTheWarp) {
  const std::string all = std::to_string(kThreads * kBlocks);
  for (const Setting& setting : {Setting{"its", {"mechanism.yield_after=16"}},
                                 {"its", {"mechanism.yield_after=16", "mechanism.switch=stall"}},
                                 {"its", {"mechanism.yield_after=16", "mechanism.switch=every"}},
                                 {"multipath", {"mechanism.timeout=1000"}}}) {
    const std::string name = fmt::format("{} {}", setting.mechanism, setting.sets.back());
    EXPECT_EQ(outcome(setting), all) << name;
    EXPECT_EQ(outcome(setting, Timing::kCycle, "volta"), all) << name;
    EXPECT_EQ(outcome(setting, Timing::kFunctional), all) << name;
  }
}

// As they come. `dwf` meets nowhere, but its majority policy issues those who spin.
class EveryMechanism : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(ForwardProgress, EveryMechanism, testing::ValuesIn(timed_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(EveryMechanism, EndsOrIsReported) {
  const std::string& mechanism = GetParam().mechanism;
  const std::string said = outcome({mechanism.c_str(), {}});
  if (mechanism == "its") {
    EXPECT_EQ(said, std::to_string(kThreads * kBlocks));
  } else {
    EXPECT_TRUE(said.starts_with("kernel 'lock': spins for ever")) << said;
  }
}

// The warps of a block that compacts its threads run one side of a branch after the other, those of CAPRI and TSTBC
// ahead of their block for a while. Under DWF and HARP those who spin may be preferred, and that is reported.
TEST_P(EveryMechanism, WarpsOnTwoSidesOfABranchShareALock) {
  const std::string& mechanism = GetParam().mechanism;
  const bool may_spin = mechanism == "dwf" || mechanism == "dwf-wb" || mechanism == "harp";
  for (const Timing timing : {Timing::kCycle, Timing::kFunctional}) {
    const std::string said = outcome({mechanism.c_str(), {}}, timing, "tbc2011", "sides");
    if (may_spin && said.starts_with("kernel 'sides': spins for ever")) continue;
    EXPECT_EQ(said, std::to_string(kThreads * kBlocks));
  }
}

TEST(ForwardProgress, OtherwiseItIsReported) {
  for (const Setting& setting :
       {Setting{"pdom", {}}, {"its", {"mechanism.yield_after=0"}}, {"multipath", {"mechanism.timeout=0"}}}) {
    for (const Timing timing : {Timing::kCycle, Timing::kFunctional}) {
      const std::string said = outcome(setting, timing);
      EXPECT_NE(said.find("kernel 'lock': spins for ever"), std::string::npos) << setting.mechanism << ": " << said;
    }
  }
}

}  // namespace forward_progress_test
}  // namespace warpfold
