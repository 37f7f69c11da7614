// SPDX-License-Identifier: Apache-2.0
// What Nsight Compute and nvprof write, as measured tables.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "tb/sim/correlate/counters.h"
#include "tb/sim/correlate/sheet.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

struct ProfilerMetric {
  const char *name, *counter;
};

// The names of both of Nsight Compute's pages, and nvprof's.
constexpr ProfilerMetric kMetrics[] = {
    {"sm__cycles_elapsed.max", "cycles"},
    {"gpc__cycles_elapsed.max", "cycles"},
    {"Elapsed Cycles", "cycles"},
    {"sm__cycles_active.sum", "core_busy_cycles"},
    {"smsp__inst_executed.sum", "instructions"},
    {"sm__inst_executed.sum", "instructions"},
    {"Executed Instructions", "instructions"},
    {"inst_executed", "instructions"},
    {"dram__sectors_read.sum", "dram_read_sectors"},
    {"dram__sectors_write.sum", "dram_write_sectors"},
    {"dram__bytes_read.sum", "dram_read_sectors"},
    {"dram__bytes_write.sum", "dram_write_sectors"},
    {"dram_read_transactions", "dram_read_sectors"},
    {"dram_write_transactions", "dram_write_sectors"},
    {"lts__t_sectors_op_read_lookup_hit.sum", "l2_read_hits"},
    {"lts__t_sectors_op_read_lookup_miss.sum", "l2_read_misses"},
    {"lts__t_sectors_op_write_lookup_hit.sum", "l2_write_hits"},
    {"lts__t_sectors_op_write_lookup_miss.sum", "l2_write_misses"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "l1_read_hits"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "l1_read_misses"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "l1_write_hits"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum", "l1_write_misses"},
};

const char* counter_of(const std::string& metric) {
  const auto* const found = std::find_if(std::begin(kMetrics), std::end(kMetrics),
                                         [&](const ProfilerMetric& known) { return metric == known.name; });
  return found == std::end(kMetrics) ? nullptr : found->counter;
}

struct MetricUnit {
  std::string_view name, of;  // a counter's unit, or "s" for times
  double factor;
};

constexpr MetricUnit kUnits[] = {
    {"cycle", "cycle", 1},
    {"inst", "inst", 1},
    {"sector", "sector", 1},
    {"byte", "sector", 1.0 / 32},
    {"Kbyte", "sector", 1e3 / 32},
    {"Mbyte", "sector", 1e6 / 32},
    {"Gbyte", "sector", 1e9 / 32},
    {"s", "s", 1},
    {"ms", "s", 1e-3},
    {"us", "s", 1e-6},
    {"ns", "s", 1e-9},
};

// Of what is counted in `of`; nothing: it cannot be made of this unit.
std::optional<double> factor_of(const std::string& unit, std::string_view of) {
  const auto* const found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                         [&](const MetricUnit& known) { return unit == known.name && of == known.of; });
  if (found == std::end(kUnits)) return std::nullopt;
  return found->factor;
}

// A metric of Nsight Compute's for a row.
void take_metric(Sheet& sheet, MeasuredRow& row, std::size_t line, const std::string& metric, const std::string& unit,
                 const std::string& value) {
  const char* const counter = counter_of(metric);
  if (counter == nullptr) return sheet.pass_over(metric);
  const auto factor = factor_of(unit, find_counter(counter)->unit);
  if (factor) return sheet.take(row, line, counter, value, *factor);
  sheet.leave(line, fmt::format("{} of kernel '{}'", metric, row.kernel),
              fmt::format("its unit '{}' is no number of {}s", unit, find_counter(counter)->unit));
}

// Finds the row of each launch: launches have numbers of their own, over all kernels.
class Launches {
 public:
  explicit Launches(Sheet& sheet) : sheet_(sheet) {
    for (const CsvRow& row : sheet.rows()) processes_.insert(sheet.cell(row, "Process ID"));
    processes_.erase("");
  }

  MeasuredRow& row_of(const CsvRow& row) {
    // Of one program, whatever its name: only where there are several does it matter.
    const std::string process = sheet_.cell(row, "Process Name"), kernel = sheet_.cell(row, "Kernel Name");
    const std::string program = processes_.size() > 1 ? std::filesystem::path(process).filename().string() : "";
    const auto [launch, fresh] = launches_.try_emplace({sheet_.cell(row, "Process ID"), sheet_.cell(row, "ID")},
                                                       launches_of_[{program, kernel}] + 1);
    if (fresh) ++launches_of_[{program, kernel}];
    return sheet_.row_of(row.line, program, kernel, launch->second);
  }

 private:
  Sheet& sheet_;
  std::set<std::string> processes_;
  std::map<std::pair<std::string, std::string>, std::size_t> launches_of_, launches_;
};

// Rows of numbers below the row of their units.
const CsvRow& units_of(const Sheet& sheet, const char* empty_there) {
  const CsvRow& units = sheet.rows().front();
  if (!sheet.cell(units, empty_there).empty()) {
    user_error("{}: the row of units is missing, which the profiler writes below the header", sheet.place(units.line));
  }
  return units;
}

bool is_kernel(const std::string& activity) { return !activity.starts_with("[CUDA "); }

}  // namespace

void import_compute_raw(Sheet& sheet) {
  const CsvRow units = units_of(sheet, "ID");
  Launches launches(sheet);
  for (const CsvRow& row : sheet.rows()) {
    if (sheet.cell(row, "ID").empty()) continue;
    MeasuredRow& to = launches.row_of(row);
    for (const std::string& name : sheet.header()) {
      if (name.find("__") == std::string::npos) continue;  // no metric
      take_metric(sheet, to, row.line, name, sheet.cell(units, name), sheet.cell(row, name));
    }
  }
}

void import_compute_details(Sheet& sheet) {
  Launches launches(sheet);
  for (const CsvRow& row : sheet.rows()) {
    const std::string metric = sheet.cell(row, "Metric Name");
    if (metric.empty()) continue;  // advice
    take_metric(sheet, launches.row_of(row), row.line, metric, sheet.cell(row, "Metric Unit"),
                sheet.cell(row, "Metric Value"));
  }
}

void import_nvprof_metrics(Sheet& sheet) {
  const std::string named = sheet.has("Metric Name") ? "Metric Name" : "Event Name";
  for (const CsvRow& row : sheet.rows()) {
    const std::string metric = sheet.cell(row, named);
    const char* const counter = counter_of(metric);
    MeasuredRow& to = sheet.row_of(row.line, "", sheet.cell(row, "Kernel"), std::nullopt);
    to.launches = sheet.whole(row, "Invocations");
    if (counter == nullptr) {
      sheet.pass_over(metric);
    } else {
      sheet.take(to, row.line, counter, sheet.cell(row, "Avg"));
    }
  }
}

void import_nvprof_trace(Sheet& sheet, double clock_mhz) {
  const std::string unit = sheet.cell(units_of(sheet, "Name"), "Duration");
  const auto seconds = factor_of(unit, "s");
  std::map<std::string, std::size_t> launches;
  for (const CsvRow& row : sheet.rows()) {
    const std::string kernel = sheet.cell(row, "Name");
    if (kernel.empty() || !is_kernel(kernel)) continue;
    const std::string name = kernel.substr(0, kernel.rfind(" ["));  // each launch has a number of its own there
    MeasuredRow& to = sheet.row_of(row.line, "", name, ++launches[name]);
    if (!seconds) {
      sheet.leave(row.line, fmt::format("Duration of kernel '{}'", name),
                  fmt::format("its unit '{}' is no time", unit));
    } else {
      sheet.take(to, row.line, "cycles", sheet.cell(row, "Duration"), *seconds * clock_mhz * 1e6);
    }
  }
}

void import_nvprof_summary(Sheet& sheet, double clock_mhz) {
  const std::string unit = sheet.cell(units_of(sheet, "Name"), "Avg");
  const auto seconds = factor_of(unit, "s");
  for (const CsvRow& row : sheet.rows()) {
    const std::string kernel = sheet.cell(row, "Name");
    if (sheet.cell(row, "Type") != "GPU activities" || !is_kernel(kernel)) continue;
    MeasuredRow& to = sheet.row_of(row.line, "", kernel, std::nullopt);
    to.launches = sheet.whole(row, "Calls");
    if (!seconds) {
      sheet.leave(row.line, fmt::format("Avg of kernel '{}'", kernel), fmt::format("its unit '{}' is no time", unit));
    } else {
      sheet.take(to, row.line, "cycles", sheet.cell(row, "Avg"), *seconds * clock_mhz * 1e6);
    }
  }
}

}  // namespace warpfold::sim
