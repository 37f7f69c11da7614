// SPDX-License-Identifier: Apache-2.0
// The tables of `warpfold area`.
#pragma once

#include <vector>

#include "tb/sim/area/area_subject.h"
#include "tb/sim/area/hardware_cost.h"
#include "tb/sim/area/logic_energy.h"
#include "tb/sim/tables/bounds.h"
#include "tb/sim/tables/report.h"

namespace warpfold::sim {

struct CostedSubject {
  AreaSubject subject;
  HardwareCost cost;
  HardwareCost core;  // without a mechanism; empty without --core
  LogicEnergy logic;  // of a run

  // Cycle time of a core in ns: its own clock's, or that of the slowest part of the mechanism.
  area::Range period_ns() const;
  // Energy in mJ of the accesses to the mechanism's tables in a run.
  double table_energy_mj() const;
};

std::string text_of(const divergence::RtlUse& use);  // "int_lane Width=32 Stages=2"
std::string shape_of(const StructureCost& cost);     // "128 × 32, tag 33"

// What lies between two figures: a column that people see as "0.98–1.37", and for programs its middle and its ends.
void add_range(std::vector<Column>& columns, const std::string& name, const std::string& title);
void add_range(std::vector<Cell>& cells, const area::Range& range, int digits, Bound bound = Bound::kExact);

ReportTable mechanism_table(const std::vector<CostedSubject>& subjects, const AreaCommand& command);
ReportTable block_table(const std::vector<CostedSubject>& subjects, const CostSettings& settings);
ReportTable structure_table(const std::vector<CostedSubject>& subjects);
// Time and performance per area of runs, against the first run of the same program.
ReportTable run_table(const std::vector<CostedSubject>& runs, const AreaCommand& command);

}  // namespace warpfold::sim
