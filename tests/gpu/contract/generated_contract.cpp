// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/contract/generated_contract.h"

#include <fmt/format.h>

#include "tests/gpu/contract/contract_device.h"
#include "tests/gpu/kernel_machine.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace {

// Small cores: several blocks share one, and several warps a scheduler.
const std::vector<std::vector<std::string>>& machines() {
  static const std::vector<std::vector<std::string>> all{
      {"cores=1", "core.warp_size=8", "core.simd_width=8", "core.max_threads=256"},
      {"cores=1", "core.warp_size=16", "core.simd_width=8", "core.max_threads=256", "core.schedulers=2",
       "core.scoreboard=per_register", "core.warp_policy=GTO", "core.lane_packing=bcc"},
      {"cores=2", "core.warp_size=32", "core.simd_width=16", "core.max_threads=256", "core.lane_packing=scc"},
      {"cores=1", "core.warp_size=4", "core.simd_width=4", "core.max_threads=128", "core.schedulers=2",
       "core.scoreboard=per_thread"},
      {"cores=1", "core.warp_size=32", "core.simd_width=32", "core.max_threads=128", "core.scoreboard=per_register"},
  };
  return all;
}

constexpr unsigned kBlockThreads[] = {33, 64, 7, 100, 40, 96, 17};

}  // namespace

std::string contract_failure(const GeneratedKernel& kernel, const MechanismVariant& variant) {
  std::vector<std::string> sets = variant.sets;
  const auto& machine_sets = machines()[kernel.seed % machines().size()];
  sets.insert(sets.end(), machine_sets.begin(), machine_sets.end());
  sets.insert(sets.end(), {"cycle_limit=3000000", "device_memory_bytes=4194304"});
  const unsigned threads = kBlockThreads[kernel.seed % std::size(kBlockThreads)], blocks = 1 + kernel.seed % 4;
  try {
    const RunOptions options = RunOptions::resolve("tbc2011", variant.mechanism, sets);
    const auto mechanism = divergence::find_mechanism(variant.mechanism).configure(options.mechanism_parameters);
    if (!mechanism.why_not(options.machine.core.geometry()).empty()) return "";  // says so itself to whoever tries
    KernelMachine<ContractDevice> machine(kernel.ptx(), options);
    const Address in = machine.upload(noise(512, kernel.seed), "in");
    const Address out = machine.upload(std::vector<std::uint32_t>(1024), "out");
    machine.run("k", {blocks}, {threads}, out, in);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string generated_failure(std::uint32_t seed, const MechanismVariant& variant) {
  const GeneratedKernel kernel = generate_kernel(seed);
  const std::string failure = contract_failure(kernel, variant);
  if (failure.empty()) return "";
  const GeneratedKernel small =
      shrink(kernel, [&](const GeneratedKernel& smaller) { return !contract_failure(smaller, variant).empty(); });
  return fmt::format("seed {} under {}: {}\nof its {} statements these {} are enough ({}):\n{}", seed, variant.name(),
                     failure, kernel.statements(), small.statements(), contract_failure(small, variant), small.ptx());
}

}  // namespace warpfold
