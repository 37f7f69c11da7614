// SPDX-License-Identifier: Apache-2.0
// `warpfold area --picture`: the clocks and areas of a sweep, as ranges below each other.
#pragma once

#include <string>
#include <vector>

#include "tb/sim/area/area_tables.h"

namespace warpfold::sim {

// An SVG picture with a row for each of the subjects that can run.
std::string picture_of(const std::vector<CostedSubject>& subjects, const AreaCommand& command);

}  // namespace warpfold::sim
