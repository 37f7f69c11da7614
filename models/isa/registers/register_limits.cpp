// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/registers/register_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace warpfold::isa {
namespace {

std::uint64_t whole_warps(std::uint64_t threads, const RegisterLimits& limits) {
  return (threads + limits.warp_size - 1) / limits.warp_size * limits.warp_size;
}

}  // namespace

unsigned most_threads(const ptx::Function& entry) {
  const ptx::ThreadCounts& counts = entry.required_threads.x != 0 ? entry.required_threads : entry.max_threads;
  return counts.x * counts.y * counts.z;
}

RegisterCap register_cap(const RegisterLimits& limits, const ptx::Function& entry, unsigned block_threads) {
  RegisterCap cap{limits.per_thread, fmt::format("core.max_registers_per_thread = {}", limits.per_thread)};
  const auto lower = [&](std::uint64_t registers, const std::string& reason) {
    if (registers < cap.registers) cap = {static_cast<unsigned>(registers), reason};
  };
  if (entry.max_registers != 0) lower(entry.max_registers, fmt::format(".maxnreg {}", entry.max_registers));
  if (const std::uint64_t bound = whole_warps(most_threads(entry), limits); bound != 0) {
    const std::uint64_t blocks = std::min<std::uint64_t>(entry.min_blocks_per_core, limits.threads_per_core / bound);
    if (blocks != 0) {
      lower(limits.per_core / (blocks * bound),
            fmt::format("{} blocks of {} threads (.minnctapersm) in {} registers", blocks, bound, limits.per_core));
    }
  }
  const std::uint64_t threads = whole_warps(block_threads, limits);
  if (threads != 0 && threads <= limits.threads_per_core) {
    lower(limits.per_core / threads,
          fmt::format("a block of {} threads in {} registers (core.registers)", threads, limits.per_core));
  }
  return cap;
}

}  // namespace warpfold::isa
