// SPDX-License-Identifier: Apache-2.0
// Tables of sampled runs, whose cycles are estimates with an interval (docs/sampling.md).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/sim/runs/point.h"
#include "tb/sim/tables/report.h"

namespace warpfold::sim {

bool sampled(const Point& point);

// The launches that a sampled run has timed, as --sample takes them; empty: it is none.
std::string timed_launches(const nlohmann::json& stats);

// Of a run's cycles, or of how much faster one run is than another.
struct Interval {
  double value = 0;
  std::optional<double> low, high;  // of 95 %; nothing: not known
};
std::optional<Interval> cycles_of(const nlohmann::json& stats);
// Launches that both runs have timed, if they are the same, count only where they differ between the runs by more than
// other launches do; of runs that were sampled one without the other the relative widths add as squares.
std::optional<Interval> speedup_of(const nlohmann::json& base, const nlohmann::json& stats);

// As comparison_table() and kernel_table().
ReportTable sampled_comparison(const std::vector<const Point*>& points);
ReportTable sampled_kernels(const nlohmann::json& stats);

}  // namespace warpfold::sim
