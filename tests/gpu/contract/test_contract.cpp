// SPDX-License-Identifier: Apache-2.0
// The contract of every mechanism: final memory and each thread's executed instructions equal those of a scalar
// executor that knows nothing of warps. A mechanism is held to it as soon as it is registered.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/contract/contract_device.h"
#include "tests/gpu/contract/contract_kernels.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/common/config/config.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace contract_test {

namespace fs = std::filesystem;

constexpr unsigned kThreads = 100;  // per block: its last warp is not full
constexpr unsigned kBlocks = 5;

// Different warps, schedulers and rules of when a warp goes on.
struct Core {
  const char* name;
  std::vector<std::string> sets;
};
const std::vector<Core>& cores() {
  static const std::vector<Core> all{
      {"simple", {"cores=2"}},
      {"per_register",
       {"cores=2", "core.scoreboard=per_register", "core.warp_policy=GTO", "core.schedulers=2", "core.simd_width=32"}},
      {"narrow", {"cores=1", "core.warp_size=8", "core.max_blocks=2"}},
      {"packed",
       {"cores=2", "core.warp_size=16", "core.simd_width=4", "core.lanes_by_type=true", "core.lane_packing=scc",
        "core.lsu_width=4", "core.scoreboard=per_thread"}},
      {"two_pipes",
       {"cores=1", "core.warp_size=16", "core.simd_width=4", "core.schedulers=6", "core.max_threads=576",
        "core.scoreboard=per_register", "core.pipes=fpu_em", "core.issue_interval_cycles=2",
        "core.lsu_lines_per_cycle=2", "l1d.banks=4", "core.lane_packing=bcc"}},
  };
  return all;
}

void hold_to_contract(const std::string& ptx, const MechanismVariant& variant, const Core& core) {
  std::vector<std::string> sets = variant.sets;
  sets.insert(sets.end(), core.sets.begin(), core.sets.end());
  const RunOptions options = RunOptions::resolve("tbc2011", variant.mechanism, sets);
  const auto mechanism = divergence::find_mechanism(variant.mechanism).configure(options.mechanism_parameters);
  if (!mechanism.why_not(options.machine.core.geometry()).empty()) return;  // says so itself to whoever tries
  KernelMachine<ContractDevice> machine(ptx, options);
  const Address in = machine.upload(noise(kThreads * kBlocks), "in");
  const Address out = machine.upload(std::vector<std::uint32_t>(1024), "out");
  machine.run("k", {kBlocks}, {kThreads}, out, in);
  EXPECT_EQ(machine.device.launches(), 1U);
}

class Contract : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(Every, Contract, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(Contract, HandwrittenKernels) {
  for (const Core& core : cores()) {
    for (const ContractKernel& kernel : contract_kernels()) {
      SCOPED_TRACE(kernel.name + " on " + core.name);
      EXPECT_NO_THROW(hold_to_contract(kernel.ptx, GetParam(), core));
    }
  }
}

TEST_P(Contract, RandomControlFlow) {
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    const Core& core = cores()[seed % cores().size()];
    SCOPED_TRACE(fmt::format("seed {} on {}", seed, core.name));
    EXPECT_NO_THROW(hold_to_contract(random_kernel(seed), GetParam(), core));
  }
}

// Of what takes long a part runs, in turn. WARPFOLD_ALL_CONTRACTS=1 runs all (docs/testing.md).
bool runs_all() { return std::getenv("WARPFOLD_ALL_CONTRACTS") != nullptr; }

// Each end meets two of the cores, its neighbours the next two.
class ContractAtTheEnds : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Every, ContractAtTheEnds, testing::Range(std::size_t{0}, extreme_variants().size()),
                         [](const auto& suite) { return extreme_variants()[suite.param].name(); });

TEST_P(ContractAtTheEnds, OfAParametersRange) {
  const MechanismVariant variant = extreme_variants()[GetParam()];
  for (std::size_t turn = 0; turn < (runs_all() ? cores().size() : 2); ++turn) {
    const Core& core = cores()[(2 * GetParam() + turn) % cores().size()];
    for (const ContractKernel& kernel : contract_kernels()) {
      SCOPED_TRACE(kernel.name + " on " + core.name);
      EXPECT_NO_THROW(hold_to_contract(kernel.ptx, variant, core));
    }
    for (std::uint32_t seed = 200; seed < 204; ++seed) {
      SCOPED_TRACE(fmt::format("seed {} on {}", seed, core.name));
      EXPECT_NO_THROW(hold_to_contract(random_kernel(seed), variant, core));
    }
  }
}

// `if (…) return;` and then __syncthreads(): one `ret` ends both ways, and nobody must wait there for the others.
class EarlyReturn : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(Every, EarlyReturn, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(EarlyReturn, BeforeABarrier) {
  const std::string ptx = ptx_kernel(R"(
and.b32 %r10, %r5, 3;
setp.eq.u32 %p1, %r10, 0;
@%p1 bra OUT;
atom.shared.add.u32 %r12, [box], 1;
bar.sync 0;
ld.shared.u32 %r6, [box];
st.global.u32 [%rd4], %r6;
OUT:
ret;
)");
  for (const Core& core : cores()) {
    SCOPED_TRACE(core.name);
    EXPECT_NO_THROW(hold_to_contract(ptx, GetParam(), core));
  }
}

// A comparison that found nothing would pass the tests above. The reference knows one core, the machine has two.
std::string contract_error(const std::string& body) {
  KernelMachine<ContractDevice> machine(ptx_kernel(body), RunOptions::resolve("tbc2011", "pdom", {"cores=2"}));
  const Address in = machine.upload(noise(64), "in");
  const Address out = machine.upload(std::vector<std::uint32_t>(64), "out");
  try {
    machine.run("k", {2}, {32}, out, in);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no difference";
}

TEST(Comparison, SeesAByte) {
  EXPECT_EQ(contract_error("mov.u32 %r6, %smid;\n"),
            "launch 0, kernel 'k', under pdom: byte 128 of out is 0x01, of the reference 0x00");
}

TEST(Comparison, SeesAnInstruction) {
  EXPECT_EQ(contract_error("mov.u32 %r10, %smid;\nsetp.eq.u32 %p1, %r10, 1;\n@%p1 bra DONE;\nadd.u32 %r6, %r6, 0;\n"),
            "launch 0, kernel 'k', under pdom: thread 0 of block 1 is at pc 13 (test.ptx:24) at its instruction 13, "
            "where the "
            "reference is at pc 13 (test.ptx:24), guard false");
}

struct Workload {
  std::string name;
  std::vector<std::string> arguments;
  bool in_turn;  // else under every mechanism as it comes
};

std::vector<Workload> comparable_workloads() {
  std::vector<Workload> workloads;
  for (const auto& folder : fs::directory_iterator(WARPFOLD_WORKLOAD_SOURCES)) {
    const fs::path file = folder.path() / "workload.yaml";
    if (!fs::exists(file)) continue;
    const ConfigNode manifest = ConfigNode::from_file(file);
    const auto is_true = [&](const char* key) { return manifest.value(key).scalar() == "true"; };
    if (!is_true("order_independent") || is_true("implicit_synchronisation")) continue;
    const ConfigNode* const contracts = manifest.find("contracts");
    workloads.push_back({manifest.value("name").scalar(), manifest.table("arguments").list("small"),
                         contracts != nullptr && contracts->scalar() == "in_turn"});
  }
  std::sort(workloads.begin(), workloads.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return workloads;
}

// With each setting every sixth program runs, and others on every core. Only where a mechanism is as it comes do those
// run every time, on one core, that do not ask for turns.
constexpr std::size_t kTurns = 6;
constexpr std::size_t kCores = 3;

bool has_turn(std::size_t program, std::size_t setting) { return (program + setting) % kTurns == 0; }

std::vector<Workload> workloads_for(std::size_t setting, bool most) {
  std::vector<Workload> chosen;
  std::size_t program = 0;
  for (const Workload& workload : comparable_workloads()) {
    if (runs_all() || (most && !workload.in_turn) || has_turn(program, setting)) chosen.push_back(workload);
    ++program;
  }
  return chosen;
}

// The place of a mechanism's setting among all, for the `core`-th time that programs run under it.
std::size_t setting_of(const MechanismVariant& variant, std::size_t core) {
  const std::vector<MechanismVariant> all = mechanism_variants();
  const auto same = [&](const MechanismVariant& other) { return other.name() == variant.name(); };
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), same) - all.begin()) + core * (kTurns / kCores);
}

// The programs run unchanged, as processes of their own, on a runtime library that compares launch by launch.
void run_all(const MechanismVariant& variant, std::size_t setting, const std::vector<std::string>& core, Timing timing,
             bool most = false) {
  std::vector<std::string> sets = variant.sets;
  sets.insert(sets.end(), core.begin(), core.end());
  const host::ScratchFolder folder;
  RunOptions options = RunOptions::resolve("tbc2011", variant.mechanism, sets);
  options.timing = timing;
  const std::string run_file = folder.write("run.yaml", options.run_file());
  const std::vector<Workload> workloads = workloads_for(setting, most);
  ASSERT_GE(workloads.size(), 8U) << "in " << WARPFOLD_WORKLOADS;
  for (const Workload& workload : workloads) {
    std::string command = fmt::format("LD_PRELOAD='{}' {}='{}' '{}/{}'", WARPFOLD_CONTRACT_RUNTIME, kRunVariable,
                                      run_file, WARPFOLD_WORKLOADS, workload.name);
    for (const std::string& argument : workload.arguments) command += fmt::format(" '{}'", argument);
    const host::CommandResult result = host::run_command(command);
    EXPECT_EQ(result.status, 0) << workload.name << ": " << result.output;
    EXPECT_NE(result.output.find("thread instructions agree"), std::string::npos)
        << workload.name << ": " << result.output;
  }
}

class WorkloadContract : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(Every, WorkloadContract, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(WorkloadContract, BundledPrograms) {
  run_all(GetParam(), setting_of(GetParam(), 0), {"cores=4"}, Timing::kCycle, GetParam().sets.empty());
}

TEST_P(WorkloadContract, BundledProgramsOnAnotherCore) {
  run_all(
      GetParam(), setting_of(GetParam(), 1),
      {"cores=2", "core.scoreboard=per_register", "core.warp_policy=GTO", "core.schedulers=2", "core.simd_width=16"},
      Timing::kCycle);
}

TEST_P(WorkloadContract, BundledProgramsWithoutTiming) {
  run_all(GetParam(), setting_of(GetParam(), 2), {}, Timing::kFunctional);
}

// Lane packing says when lanes execute, never what they do: alone, and under a mechanism of each kind.
constexpr const char* kPackedMechanisms[] = {"pdom", "tbc", "dwf-wb"};
constexpr const char* kPackings[] = {"ivb", "bcc", "scc"};

class PackedWorkloads : public testing::TestWithParam<std::size_t> {
 protected:
  static std::string mechanism(std::size_t number) { return kPackedMechanisms[number / std::size(kPackings)]; }
  static std::string packing(std::size_t number) { return kPackings[number % std::size(kPackings)]; }

 public:
  static std::string name(const testing::TestParamInfo<std::size_t>& suite) {
    std::string text = mechanism(suite.param) + "_" + packing(suite.param);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, PackedWorkloads,
                         testing::Range(std::size_t{0}, std::size(kPackedMechanisms) * std::size(kPackings)),
                         PackedWorkloads::name);

TEST_P(PackedWorkloads, BundledPrograms) {
  run_all({mechanism(GetParam()), {}}, GetParam(),
          {"cores=4", "core.warp_size=16", "core.simd_width=4", "core.lane_packing=" + packing(GetParam())},
          Timing::kCycle);
}

// Whoever takes turns meets mechanisms of every kind.
TEST(Turns, BringEveryProgramToEveryKindOfMechanism) {
  const std::vector<std::vector<std::string>> kinds{
      {"pdom", "pdom-lcp"}, {"dwf", "dwf-wb"}, {"tbc", "tbc-lcp"}, {"capri"}, {"harp"}, {"lwm"}, {"its"},
      {"multipath"}};
  for (const std::vector<std::string>& kind : kinds) {
    for (std::size_t program = 0; program < kTurns; ++program) {
      std::size_t meetings = 0;
      for (const MechanismVariant& variant : variants_of(kind)) {
        for (std::size_t core = 0; core < kCores; ++core) meetings += has_turn(program, setting_of(variant, core));
      }
      EXPECT_GE(meetings, 1U) << kind.front() << ", program " << program;
    }
  }
}

}  // namespace contract_test
}  // namespace warpfold
