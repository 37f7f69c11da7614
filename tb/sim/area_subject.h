// SPDX-License-Identifier: Apache-2.0
// What `warpfold area` is asked about: mechanisms on a machine, or those of runs with their results.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/divergence/hardware.h"
#include "models/gpu/run_options.h"
#include "tb/sim/commands.h"

namespace warpfold::sim {

struct AreaSubject {
  std::string label;
  RunOptions options;
  divergence::HardwareGeometry sizes;
  divergence::Hardware hardware;
  std::string not_applicable;  // why the mechanism cannot run on the machine; empty: it can
  // Of a run:
  std::string program;                  // runs of one are compared
  std::optional<nlohmann::json> total;  // of its stats.json
};

// Mechanisms times lane packings times values of --sweep, or the runs in --results.
std::vector<AreaSubject> area_subjects(const AreaCommand& command);

}  // namespace warpfold::sim
