// SPDX-License-Identifier: Apache-2.0
// Measured figures beside those of runs.
#pragma once

#include <string>
#include <vector>

#include "tb/sim/correlate/measured.h"
#include "tb/sim/runs/point.h"

namespace warpfold::sim {

struct RanKernel {
  std::string name;                           // qualified (kernel_names.h)
  std::vector<std::vector<double>> launches;  // of each statistic; no number: it does not exist
};

struct RanProgram {
  std::string name, trouble;  // why nothing of it counts; empty: it does
  std::vector<std::string> statistics{};
  std::vector<RanKernel> kernels{};
};

// What has become of a point; of a good one, the launches that lie in its directory. UserError: they are not whole.
RanProgram read_launches(const Point& point);

struct Compared {
  std::size_t line;             // of the measured table
  std::string program, kernel;  // as they ran
  std::optional<std::size_t> launch;
  std::string counter;
  double ours, measured;
};

struct Correlation {
  std::vector<Compared> figures;
  std::vector<NotCompared> left;  // in the order of lines
};

// By program, where the table names it, by kernel and by the number of the launch among its kernel's.
Correlation join(const MeasuredTable& measured, const std::vector<RanProgram>& programs);

}  // namespace warpfold::sim
