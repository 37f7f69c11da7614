// SPDX-License-Identifier: Apache-2.0
// What `run` and `compare` both do to a configuration before anything starts.
#pragma once

#include <string>

#include "models/gpu/run_options.h"

namespace warpfold::sim {

// --timing and --detail, checked.
void apply_timing(RunOptions& options, const std::string& timing, const std::string& detail);

// --rtl, --rtl-check and --waves (empty: none), checked; what they need is built.
void apply_rtl(RunOptions& options, const std::string& rtl, const std::string& check, const std::string& waves);

// Why the mechanism cannot run on the machine; empty: it can.
std::string why_not(const RunOptions& options);

}  // namespace warpfold::sim
