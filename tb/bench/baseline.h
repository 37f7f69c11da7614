// SPDX-License-Identifier: Apache-2.0
// Counts of host instructions against those of an earlier build.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace warpfold::bench {

// A point may need this many times the baseline's instructions.
inline constexpr double kAllowed = 1.03;

struct Comparison {
  std::string text;   // a line for each point that needs too many or whose simulated work is another, and the mean
  unsigned over = 0;  // points that need too many
};

// Both as warpfold-bench --instructions writes them; `name` is the baseline's, for messages. UserError if they cannot
// be compared: another machine or size, or no point in common.
Comparison compare_counts(const nlohmann::ordered_json& counts, const nlohmann::ordered_json& baseline,
                          const std::string& name);

}  // namespace warpfold::bench
