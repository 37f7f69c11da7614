// SPDX-License-Identifier: Apache-2.0
// The counters of measured tables, and what of the model's statistics each is.
#pragma once

#include <string>

namespace warpfold::sim {

struct Counter {
  const char* name;
  const char* unit;       // "cycle"
  const char* statistic;  // of a launch
  double per_unit;        // of the statistic
};

// Nothing: not one of them. It may still be a statistic's own name.
const Counter* find_counter(const std::string& name);

}  // namespace warpfold::sim
