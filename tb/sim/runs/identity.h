// SPDX-License-Identifier: Apache-2.0
// What decides a run's results, as far as can be known before it runs.
#pragma once

#include <string>

#include "tb/sim/runs/point.h"

namespace warpfold::sim {

// A JSON object, for run.json: machine, mechanism, lane packing, timing, code, RTL, the program's contents, its
// arguments and the contents of those that name files, and the simulator. Equal texts mean equal results; what a
// program reads besides, such as its environment, is not seen. UserError: a program that cannot be read.
std::string decided_by(const Point& point);

// The machine's parameter that is a choice of its own in there.
inline constexpr const char* kPackingKey = "core.lane_packing";

}  // namespace warpfold::sim
