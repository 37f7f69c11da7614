// SPDX-License-Identifier: Apache-2.0
// Fits the coefficients of the storage formulas to points whose cost is known.
#pragma once

#include <string>
#include <vector>

#include "warpfold/area/computed.h"

namespace warpfold::area {

// One structure after another, each by least squares of relative errors (an error above 10 % counts by its size, not
// by its square), without negative coefficients: a RAM's area, then what banks, ways and comparison add, then times,
// then energies.
Coefficients fit(const std::vector<Sample>& samples);

// As models/area/coefficients.cpp says it.
std::string source_of(const Coefficients& coefficients);

}  // namespace warpfold::area
