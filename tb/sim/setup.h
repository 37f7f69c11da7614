// SPDX-License-Identifier: Apache-2.0
// What `run` and `compare` both do to a configuration before anything starts.
#pragma once

#include <string>

#include "models/gpu/run_options.h"

namespace warpfold::sim {

// --timing and --detail, checked.
void apply_timing(RunOptions& options, const std::string& timing, const std::string& detail);

// Why the mechanism cannot run on the machine; empty: it can.
std::string why_not(const RunOptions& options);

}  // namespace warpfold::sim
