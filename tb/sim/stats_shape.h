// SPDX-License-Identifier: Apache-2.0
// Whether a stats.json is what a run leaves, asked before figures are taken out of it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace warpfold::sim {

// What is not as it should be in the total, the kernels and the launches, those of them that there are; empty: nothing.
std::string wrong_in_statistics(const nlohmann::json& stats);

// run.json says that the run came to its end.
bool says_finished(const nlohmann::json& run);

}  // namespace warpfold::sim
