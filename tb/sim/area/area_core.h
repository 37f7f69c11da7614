// SPDX-License-Identifier: Apache-2.0
// The core that a mechanism adds to, and chips of such cores.
#pragma once

#include <vector>

#include "tb/sim/area/area_tables.h"
#include "tb/sim/tables/bounds.h"

namespace warpfold::sim {

// With --rest a chip is its cores and what is not cores, a share of a chip of baselines; else --die and what cores add.
area::Range chip_mm2(const CostedSubject& one, const AreaCommand& command);

// The parts of each machine's core (--core).
ReportTable core_table(const std::vector<CostedSubject>& subjects, const CostSettings& settings);

// Cores whose area is published, beside what we make of the same (--papers --core). Nothing is fitted to them.
ReportTable published_cores(const CostSettings& settings);

// Of performance per area of a core, or of a chip of such cores, against a baseline's.
Bound area_gain_bound(const CostedSubject& run, const CostedSubject& base);

}  // namespace warpfold::sim
