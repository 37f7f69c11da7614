// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/correlate/join.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>

#include "tb/sim/correlate/counters.h"
#include "tb/sim/correlate/kernel_names.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/csv.h"
#include "warpfold/common/files/input_file.h"

namespace warpfold::sim {
namespace {

constexpr std::size_t kPlaceOfKernel =
    1;  // in launches.csv; what is no statistic stands before these, or is not asked for

// "kernel.<n>.<symbol>" of stats.json, by n.
std::vector<RanKernel> kernels_of(const nlohmann::json& stats) {
  std::vector<RanKernel> kernels(stats.at("kernels").size());
  for (const auto& [object, unused] : stats.at("kernels").items()) {
    const std::size_t number = object.find('.') + 1, name = object.find('.', number) + 1;
    kernels.at(std::stoul(object.substr(number))).name = qualified_kernel(object.substr(name));
  }
  return kernels;
}

struct Found {
  const RanProgram* program;
  const RanKernel* kernel;
};

class Joiner {
 public:
  Joiner(const MeasuredTable& measured, const std::vector<RanProgram>& programs)
      : measured_(measured), programs_(programs), result_{{}, measured.left} {}

  Correlation joined() {
    for (const MeasuredRow& row : measured_.rows) join_row(row);
    for (const auto& [kernel, seen] : numbered_) {
      const std::size_t ran = kernel->launches.size();
      if (seen.count == ran) continue;
      leave(seen.last_line, kernel->name,
            fmt::format("{} of its {} launches here are in no row", ran - seen.count, ran), false);
    }
    std::stable_sort(result_.left.begin(), result_.left.end(),
                     [](const NotCompared& a, const NotCompared& b) { return a.line < b.line; });
    return std::move(result_);
  }

 private:
  void leave(std::size_t line, const std::string& kernel, std::string why, bool mismatch = true) {
    result_.left.push_back({line, fmt::format("kernel '{}'", kernel), std::move(why), mismatch});
  }

  // Those of its programs that the row may be of.
  std::vector<const RanProgram*> programs_for(const MeasuredRow& row) const {
    std::vector<const RanProgram*> found;
    for (const RanProgram& program : programs_) {
      if (row.program.empty() || row.program == program.name) found.push_back(&program);
    }
    return found;
  }

  // By the first way of comparing names that finds any.
  std::vector<Found> kernels_for(const MeasuredRow& row, const std::vector<const RanProgram*>& programs) const {
    const std::string name = qualified_kernel(row.kernel), base = base_kernel(name);
    const auto all = [&](auto matches) {
      std::vector<Found> found;
      for (const RanProgram* program : programs) {
        for (const RanKernel& kernel : program->kernels) {
          if (!kernel.launches.empty() && matches(kernel.name)) found.push_back({program, &kernel});
        }
      }
      return found;
    };
    std::vector<Found> found = all([&](const std::string& ours) { return ours == name; });
    if (found.empty()) found = all([&](const std::string& ours) { return base_kernel(ours) == base; });
    if (found.empty() && measured_.abbreviated) {
      found = all([&](const std::string& ours) { return base_kernel(ours).find(base) != std::string::npos; });
    }
    return found;
  }

  // Why none of the programs has the kernel.
  static std::string never_ran(const std::vector<const RanProgram*>& programs) {
    std::vector<std::string> names;
    for (const RanProgram* program : programs) {
      if (!program->trouble.empty()) return fmt::format("{} has failed: {}", program->name, program->trouble);
      for (const RanKernel& kernel : program->kernels) names.push_back(kernel.name);
    }
    constexpr std::size_t kMost = 8;
    const bool more = names.size() > kMost;
    names.resize(std::min(names.size(), kMost));
    return fmt::format("never ran; these did: {}{}", fmt::join(names, ", "), more ? ", …" : "");
  }

  void join_row(const MeasuredRow& row) {
    const std::vector<const RanProgram*> programs = programs_for(row);
    if (programs.empty())
      return leave(row.line, row.kernel, fmt::format("its program {} was not run", row.program), false);
    const std::vector<Found> found = kernels_for(row, programs);
    if (found.empty()) return leave(row.line, row.kernel, never_ran(programs));
    if (found.size() > 1) {
      std::vector<std::string> names;
      for (const Found& one : found) names.push_back(fmt::format("{} of {}", one.kernel->name, one.program->name));
      return leave(row.line, row.kernel,
                   fmt::format("is one of several: {}: say which by its template arguments or a column program",
                               fmt::join(names, ", ")));
    }
    const auto& [program, kernel] = found.front();
    const std::size_t ran = kernel->launches.size();
    if (row.launch && *row.launch > ran) {
      return leave(row.line, row.kernel, fmt::format("launch {}; launches here: {}", *row.launch, ran));
    }
    if (row.launches && *row.launches != ran) {
      return leave(row.line, row.kernel, fmt::format("a mean of {} launches; launches here: {}", *row.launches, ran));
    }
    if (row.launch) {
      Seen& seen = numbered_[kernel];
      ++seen.count;
      seen.last_line = row.line;
    }
    for (const auto& [counter, value] : row.figures) compare(row, *program, *kernel, counter, value);
  }

  void compare(const MeasuredRow& row, const RanProgram& program, const RanKernel& kernel, const std::string& name,
               double measured) {
    const Counter* const counter = find_counter(name);
    const auto not_there = [&](std::string why) {
      result_.left.push_back({row.line, fmt::format("{} of kernel '{}'", name, row.kernel), std::move(why), false});
    };
    const std::string statistic = counter == nullptr ? name : counter->statistic;
    const auto place = std::find(program.statistics.begin(), program.statistics.end(), statistic);
    if (place == program.statistics.end()) return not_there(fmt::format("this machine does not count {}", statistic));
    const auto index = static_cast<std::size_t>(place - program.statistics.begin());
    double sum = 0;
    const std::size_t first = row.launch ? *row.launch - 1 : 0, count = row.launch ? 1 : kernel.launches.size();
    for (std::size_t i = first; i < first + count; ++i) sum += kernel.launches[i].at(index);
    if (std::isnan(sum)) return not_there("it does not exist in every launch");
    if (measured == 0) return not_there("0 was measured, and nothing is a multiple of that");
    const double ours = sum / static_cast<double>(count) / (counter == nullptr ? 1 : counter->per_unit);
    result_.figures.push_back({row.line, program.name, kernel.name, row.launch, name, ours, measured});
  }

  struct Seen {
    std::size_t count = 0, last_line = 0;
  };
  const MeasuredTable& measured_;
  const std::vector<RanProgram>& programs_;
  Correlation result_;
  std::map<const RanKernel*, Seen> numbered_;  // kernels of which single launches were measured
};

}  // namespace

RanProgram read_launches(const Point& point) {
  RanProgram program{point.program.name, ""};
  if (point.state != Point::State::kDone) {
    program.trouble = point.reason.empty() ? "not finished" : point.reason;
    return program;
  }
  const std::string path = std::filesystem::path(point.directory()) / "launches.csv";
  const std::vector<CsvRow> rows = csv_rows(read_input(path, "table of launches"), path);
  program.kernels = kernels_of(point.stats);
  const auto damaged = [&](std::size_t line) { user_error("{}:{}: not as a run leaves it: run it again", path, line); };
  if (rows.empty()) damaged(1);
  program.statistics = rows.front().cells;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string>& cells = rows[i].cells;
    if (cells.size() != program.statistics.size()) damaged(rows[i].line);
    std::vector<double> values;
    for (const std::string& cell : cells) {
      values.push_back(cell.empty() ? std::numeric_limits<double>::quiet_NaN() : std::strtod(cell.c_str(), nullptr));
    }
    const double kernel = values.at(kPlaceOfKernel);
    if (!(kernel >= 0 && kernel < static_cast<double>(program.kernels.size()))) damaged(rows[i].line);
    program.kernels[static_cast<std::size_t>(kernel)].launches.push_back(std::move(values));
  }
  return program;
}

Correlation join(const MeasuredTable& measured, const std::vector<RanProgram>& programs) {
  return Joiner(measured, programs).joined();
}

}  // namespace warpfold::sim
