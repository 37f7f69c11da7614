// SPDX-License-Identifier: Apache-2.0
// What the papers say that their mechanisms cost, beside the same by our models.
#pragma once

#include <vector>

#include "tb/sim/area/hardware_cost.h"
#include "tb/sim/tables/report.h"

namespace warpfold::sim {

// A table per paper: what it prints, the same structure by CACTI 7.0, ours, and where and why we differ. `settings.lib`
// maps the RTL; each figure is at its paper's node.
std::vector<ReportTable> paper_tables(const CostSettings& settings);

}  // namespace warpfold::sim
