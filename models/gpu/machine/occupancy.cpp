// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/machine/occupancy.h"

#include <algorithm>

#include "warpfold/common/launch_error.h"
#include "warpfold/common/machine_with_shared.h"

namespace warpfold {
namespace {

using Why = LaunchRefused::Why;

void check_launch(const isa::Launch& launch) {
  const isa::Kernel& kernel = *launch.kernel;
  const std::uint64_t threads = launch.block.count();
  if (launch.grid.count() == 0 || threads == 0) {
    refuse_launch(Why::kConfiguration, "kernel '{}': launch of {} blocks of {} threads: both must be at least 1",
                  kernel.name, launch.grid.count(), threads);
  }
  if (kernel.max_threads != 0 && threads > kernel.max_threads) {
    refuse_launch(Why::kResources,
                  "kernel '{}': block of {} threads: the kernel was compiled for at most {} (.maxntid)", kernel.name,
                  threads, kernel.max_threads);
  }
}

std::uint64_t block_registers(const CoreParams& core, const isa::Launch& launch, unsigned rows) {
  return std::uint64_t{launch.kernel->registers} * rows * core.warp_size;
}

}  // namespace

Occupancy occupancy(const CoreParams& core, const isa::Launch& launch) {
  check_launch(launch);
  Occupancy result;
  result.rows = static_cast<unsigned>((launch.block.count() + core.warp_size - 1) / core.warp_size);
  const bool dealt = core.deals_whole(result.rows);
  result.blocks = (dealt ? core.rows() / core.schedulers : core.rows()) / result.rows * (dealt ? core.schedulers : 1);
  result.limit = "threads";
  const auto limit = [&](std::uint64_t blocks, const char* what) {
    if (blocks >= result.blocks) return;
    result.blocks = static_cast<unsigned>(blocks);
    result.limit = what;
  };
  const std::uint64_t registers = block_registers(core, launch, result.rows);
  limit(core.max_blocks, "blocks");
  if (registers != 0) limit(core.registers / registers, "registers");
  if (launch.shared_bytes != 0) limit(core.shared_bytes / launch.shared_bytes, "shared memory");
  return result;
}

Occupancy occupancy_of_fitting(const CoreParams& core, const isa::Launch& launch) {
  const Occupancy result = occupancy(core, launch);
  if (result.blocks != 0) return result;
  const isa::Kernel& kernel = *launch.kernel;
  const std::uint64_t threads = launch.block.count();
  if (result.rows > core.rows()) {
    refuse_launch(Why::kConfiguration, "kernel '{}': block of {} threads: a core holds {} (core.max_threads)",
                  kernel.name, threads, core.max_threads);
  }
  const std::uint64_t registers = block_registers(core, launch, result.rows);
  if (registers > core.registers) {
    refuse_launch(Why::kResources,
                  "kernel '{}': a block of {} threads needs {} registers ({} per thread): a core has {}", kernel.name,
                  threads, registers, kernel.registers, core.registers);
  }
  refuse_launch(Why::kValue, "kernel '{}': a block needs {} bytes of shared memory: a core has {}{}", kernel.name,
                launch.shared_bytes, core.shared_bytes, machine_with_shared(launch.shared_bytes));
}

}  // namespace warpfold
