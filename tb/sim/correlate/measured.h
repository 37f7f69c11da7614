// SPDX-License-Identifier: Apache-2.0
// What a GPU has been measured to do, kernel by kernel: a table of ours, or what profilers write (docs/correlate.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpfold::sim {

struct MeasuredRow {
  std::size_t line;                       // of the file
  std::string program;                    // empty: the file does not say
  std::string kernel;                     // as in the file
  std::optional<std::size_t> launch;      // among the kernel's, from 1; nothing: figures are means over launches
  std::optional<std::size_t> launches{};  // that means are of; nothing: the file does not say
  std::vector<std::pair<std::string, double>> figures{};  // counters' names (counters.h), and values in their units
};

// Something of the file that has nothing beside it.
struct NotCompared {
  std::size_t line;
  std::string what, why;
  bool mismatch = true;  // measured and run do not fit each other; else there is nothing to be compared
};

struct MeasuredTable {
  std::string path, source;  // "Nsight Compute"
  bool abbreviated = false;  // kernels' names are parts of those in the programs
  std::vector<MeasuredRow> rows{};
  std::vector<NotCompared> left{};  // that cannot be compared, whatever runs
};

// The format is known by the header. `clock_mhz`: of the measured GPU's cores, for profilers that say times; nothing:
// not known. UserError, file:line: no header that is known, rows that are not as it says, times without a clock.
MeasuredTable read_measured(const std::string& path, std::optional<double> clock_mhz);
// The same of a text; `path` stands for its file in messages.
MeasuredTable measured_in(const std::string& text, const std::string& path, std::optional<double> clock_mhz);

}  // namespace warpfold::sim
