// SPDX-License-Identifier: Apache-2.0
// Edges of a clock, counted from the start of the simulation.
#pragma once

#include <cstdint>
#include <limits>

namespace warpfold {

using Cycle = std::uint64_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

}  // namespace warpfold
