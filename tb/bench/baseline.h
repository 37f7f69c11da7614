// SPDX-License-Identifier: Apache-2.0
// Counts of host instructions and cache misses against those of an earlier build.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace warpfold::bench {

inline constexpr const char* kInstructions = "host_instructions_per_warp_instruction";
inline constexpr const char* kMisses = "l1d_misses_per_warp_instruction";

struct Comparison {
  std::string text;  // a line for each count that is too high or whose point's simulated work is another, and the means
  unsigned over = 0;  // counts that are too high
};

// Both as warpfold-bench --instructions writes them; `name` is the baseline's, for messages. UserError if they cannot
// be compared: another machine or size, or no point in common.
Comparison compare_counts(const nlohmann::ordered_json& counts, const nlohmann::ordered_json& baseline,
                          const std::string& name);

}  // namespace warpfold::bench
