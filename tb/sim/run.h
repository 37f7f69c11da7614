// SPDX-License-Identifier: Apache-2.0
// What `run` does, for other commands that run one program.
#pragma once

#include <functional>

#include "tb/sim/commands.h"
#include "tb/sim/point.h"

namespace warpfold::sim {

// Runs the program and, when all went well and it launched kernels, reports. Returns the exit status.
int run(const RunCommand& command, const std::function<void(const Point&)>& report);

}  // namespace warpfold::sim
