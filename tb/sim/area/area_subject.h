// SPDX-License-Identifier: Apache-2.0
// What `warpfold area` is asked about: mechanisms on a machine, or those of runs with their results.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/sim/commands/commands.h"
#include "warpfold/divergence/hardware.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {

struct AreaSubject {
  std::string label;  // the mechanism, and what of the configuration differs between rows of its name
  RunOptions options;
  divergence::HardwareGeometry sizes;
  divergence::Hardware hardware;
  divergence::Hardware core;   // that it is added to
  std::string not_applicable;  // why the mechanism cannot run on the machine; empty: it can
  // Of a run:
  std::string program;
  std::string group;                    // runs of one differ in their mechanism alone, and are compared
  std::string group_label;              // what tells it from the program's other groups
  std::string run_label;                // the mechanism, and what tells it from others in its group
  std::string trouble;                  // why its figures do not count; empty: they do
  std::optional<nlohmann::json> total;  // of its stats.json, where there is no trouble
  nlohmann::json rtl;                   // what its RTL blocks did
};

// Mechanisms times lane packings times values of --sweep, or the runs in --results.
std::vector<AreaSubject> area_subjects(const AreaCommand& command);

// The hardware of a configured machine and mechanism. Of `sets`, only the sizes area.KEY=VALUE count.
AreaSubject area_subject(RunOptions options, const std::vector<std::string>& sets);

// The runs in the directories of --results, by program and group; those of the mechanisms named, or of all.
std::vector<AreaSubject> area_runs(const AreaCommand& command, const std::vector<std::string>& mechanisms);

}  // namespace warpfold::sim
