// SPDX-License-Identifier: Apache-2.0
// The report of a kernel that cannot end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold {

// What a kernel does whose running warps all repeat themselves.
inline constexpr const char* kSpinsForEver =
    "spins for ever: every running warp repeats the same pc and registers and memory does not change (a lock whose "
    "holder "
    "waits for its own warp to reconverge?)";

// Throws UserError: one line with the kernel, why, how far it got, and what the first warps wait for.
[[noreturn]] void report_stuck(const isa::Kernel& kernel, const std::string& why, std::uint64_t blocks_finished,
                               std::uint64_t blocks, const std::vector<std::string>& warps);

}  // namespace warpfold
