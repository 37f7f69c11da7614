// SPDX-License-Identifier: Apache-2.0
// Bundled programs, compiled when they are first asked for and kept under what they are made of.
#pragma once

#include <map>
#include <string>

#include "tb/sim/runs/catalog.h"

namespace warpfold::sim {

// The path of each program, by name. Compiles what the cache (warpfold/common/files/cache.h) does not have of these
// sources, headers, options and this warpfold-cc, as many at a time as the host has cores, and says so. UserError, one
// line, where one does not compile; the cache then has nothing of it but the log that the line names.
std::map<std::string, std::string> compiled(const std::map<std::string, Workload>& workloads);

// The program, as it can be run.
Program ready(Program program);

}  // namespace warpfold::sim
