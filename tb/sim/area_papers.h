// SPDX-License-Identifier: Apache-2.0
// What the papers say that their mechanisms cost, beside the same by our models.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "tb/sim/hardware_cost.h"
#include "tb/sim/report.h"

namespace warpfold::sim {

inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

struct PaperFigure {
  std::string table;  // of the paper
  std::string what, unit;
  std::string paper;         // as printed there
  double cacti = kNoFigure;  // the same structure by CACTI 7.0
  double ours = kNoFigure;
  std::string remark;  // where and why we differ
};

// `settings.lib` maps the RTL; each figure is at its paper's node.
std::vector<PaperFigure> paper_figures(const CostSettings& settings);
std::vector<ReportTable> paper_tables(const CostSettings& settings);

}  // namespace warpfold::sim
