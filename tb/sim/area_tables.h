// SPDX-License-Identifier: Apache-2.0
// The tables of `warpfold area`.
#pragma once

#include <vector>

#include "tb/sim/area_subject.h"
#include "tb/sim/hardware_cost.h"
#include "tb/sim/report.h"

namespace warpfold::sim {

struct CostedSubject {
  AreaSubject subject;
  HardwareCost cost;

  // Cycle time of a core in ns: its own clock's, or that of the slowest part of the mechanism.
  area::Range period_ns() const;
  // Energy in mJ of the accesses to the mechanism's tables in a run.
  double table_energy_mj() const;
};

ReportTable mechanism_table(const std::vector<CostedSubject>& subjects, const AreaCommand& command);
ReportTable block_table(const std::vector<CostedSubject>& subjects, const CostSettings& settings);
ReportTable structure_table(const std::vector<CostedSubject>& subjects);
// Time and performance per area of runs, against the first run of the same program.
ReportTable run_table(const std::vector<CostedSubject>& runs, const AreaCommand& command);

}  // namespace warpfold::sim
