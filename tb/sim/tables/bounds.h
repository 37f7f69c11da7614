// SPDX-License-Identifier: Apache-2.0
// What a figure says of the true one, where logic is unknown.
#pragma once

#include <cstdint>

#include "tb/sim/tables/report.h"

namespace warpfold::sim {

enum class Bound : std::uint8_t { kExact, kAtLeast, kAtMost, kNeither };

Cell name_of(Bound bound);  // "at least", for programs
// With "≥", "≤" or "~" before it; "?" for what is at least 0 or nothing, which says nothing.
Cell bounded(Cell cell, Bound bound);
// Of a figure that is bounded in both ways.
Bound both(Bound a, Bound b);
// Of what falls as a run's cost grows, and rises with that of its baseline; `run`, `base`: which of them are lower
// bounds.
Bound ratio(bool run, bool base);

}  // namespace warpfold::sim
