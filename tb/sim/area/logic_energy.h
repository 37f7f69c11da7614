// SPDX-License-Identifier: Apache-2.0
// Energy of the logic of runs whose RTL blocks were recorded, from how often these switched.
#pragma once

#include <optional>

#include "tb/sim/area/area_subject.h"
#include "tb/sim/area/hardware_cost.h"

namespace warpfold::sim {

struct LogicEnergy {
  std::optional<double> mj;  // dynamic, of all cores; none: no block was recorded
  bool all = false;          // every block of the mechanism was
};

// Of a run, on the first library that its blocks could be mapped to. The first core's activity, which `--waves`
// records, is taken for all; a block switches in the clocks that run.json counts. UserError: a waveform that cannot be
// read.
LogicEnergy logic_energy(const AreaSubject& run, const HardwareCost& cost, const CostSettings& settings);

}  // namespace warpfold::sim
