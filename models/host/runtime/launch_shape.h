// SPDX-License-Identifier: Apache-2.0
// What a kernel itself says about how it may be launched.
#pragma once

#include <algorithm>
#include <cstdint>

#include "warpfold/common/launch_error.h"
#include "warpfold/common/saturating.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold::host {

inline constexpr unsigned kMostBlockThreads = 1024, kMostBlockDepth = 64;  // CUDA's, on any machine

// Shared memory that a block wants: the kernel's own and, from where .extern .shared begins, what the launch adds.
inline std::uint64_t wanted_shared_bytes(const isa::Kernel& kernel, std::uint64_t dynamic_bytes) {
  if (dynamic_bytes == 0) return kernel.static_shared_bytes;
  return saturating_sum(std::max(kernel.static_shared_bytes, kernel.dynamic_shared_offset), dynamic_bytes);
}

// The same of a launch; LaunchRefused where no machine has as much.
inline std::uint32_t shared_bytes_of(const isa::Kernel& kernel, std::uint64_t dynamic_bytes) {
  const std::uint64_t bytes = wanted_shared_bytes(kernel, dynamic_bytes);
  if (bytes > UINT32_MAX) {
    refuse_launch(LaunchRefused::Why::kValue, "kernel {}: {} bytes of shared memory asked for", kernel.name, bytes);
  }
  return static_cast<std::uint32_t>(bytes);
}

// Beyond what CUDA's grids and any machine's blocks can have; numbers of threads and blocks below it fit 64 bits.
inline bool is_beyond_cuda(const isa::Dim3& grid, const isa::Dim3& block) {
  constexpr unsigned kMost = 0xffff;
  return grid.x > 0x7fff'ffff || grid.y > kMost || grid.z > kMost || block.x > kMost || block.y > kMost ||
         block.z > kMost || block.count() > kMost;
}

inline void check_block(const isa::Kernel& kernel, const isa::Dim3& block) {
  if (kernel.max_threads == 0 || block.count() <= kernel.max_threads) return;
  refuse_launch(LaunchRefused::Why::kResources, "kernel {}: {} threads per block, but its launch bounds allow {}",
                kernel.name, block.count(), kernel.max_threads);
}

}  // namespace warpfold::host
