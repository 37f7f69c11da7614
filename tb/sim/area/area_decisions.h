// SPDX-License-Identifier: Apache-2.0
// What areas, clocks and energies decide between mechanisms, as wide as they are known.
#pragma once

#include <vector>

#include "tb/sim/area/area_tables.h"

namespace warpfold::sim {

// A row for each mechanism, or run, against the baseline of its group: how its core compares in area, clock and (of
// runs) energy; whether that holds wherever the true figures lie; what would settle the rest; and how much faster in
// cycles it must be before it pays (--decide).
ReportTable decision_table(const std::vector<CostedSubject>& subjects);

}  // namespace warpfold::sim
