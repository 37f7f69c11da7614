// SPDX-License-Identifier: Apache-2.0
// For messages about kernels whose blocks need more shared memory than a core has: which machine has it.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace warpfold {

// Of configs/machines, from small to large; bytes of core.shared_bytes.
inline constexpr std::array<std::pair<const char*, std::uint64_t>, 3> kSharedOfMachines = {
    {{"gtx480", 49152}, {"volta", 98304}, {"ampere", 167936}}};

// " (--machine gtx480 has 49152)"; empty where none has so much.
inline std::string machine_with_shared(std::uint64_t bytes) {
  for (const auto& [machine, has] : kSharedOfMachines) {
    if (has >= bytes) return fmt::format(" (--machine {} has {})", machine, has);
  }
  return "";
}

}  // namespace warpfold
