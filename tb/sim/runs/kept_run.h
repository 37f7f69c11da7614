// SPDX-License-Identifier: Apache-2.0
// A run's results as they lie on disk.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {

struct KeptRun {
  std::string key;
  nlohmann::ordered_json decided_by;
  std::string trouble;                // why it has no figures that count: "not finished", "WRONG: …"; empty: it has
  std::optional<RunOptions> options;  // always where there is no trouble
  nlohmann::json total;               // of stats.json; an object where there is no trouble
  nlohmann::ordered_json rtl;         // what RTL blocks did, by their names; an object
};

// Result directories: `path` itself, or those below it, by name. UserError when there are none.
std::vector<std::filesystem::path> runs_in(const std::string& path);

// UserError, one line: files that are damaged or of another version, results without a key.
KeptRun read_run(const std::filesystem::path& directory);

}  // namespace warpfold::sim
