// SPDX-License-Identifier: Apache-2.0
// The columns that a run's statistics fill: of cycles, or of what lane packings save where nothing was timed.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tb/sim/tables/report.h"

namespace warpfold::sim {

// Of a statistic's value in `total` or of a kernel; nothing where it does not exist (0/0).
std::optional<double> figure(const nlohmann::json& stats, const char* name);

// Nothing of the run was timed.
bool functional(const nlohmann::json& total);

// The oracle ran only to count what the best regrouping of threads would need: its own cycles mean nothing.
bool is_bound(const nlohmann::json& stats);

// `total` decides which of them people see; `warp_size` is 0 where warps of several widths stand below each other.
std::vector<Column> figure_columns(const nlohmann::json& total, unsigned warp_size);
std::vector<Cell> figure_cells(const nlohmann::json& stats);

}  // namespace warpfold::sim
