// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/correlate/measured.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "tb/sim/correlate/counters.h"
#include "tb/sim/correlate/sheet.h"
#include "tb/sim/tables/known_statistics.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/common/number.h"

namespace warpfold::sim {
namespace {

constexpr double kMostCounted = 1e18;

// "1,234.5", as profilers write it where nobody has said otherwise: a comma before each three digits, or none.
std::optional<double> measured_number(const std::string& cell) {
  const std::size_t whole = std::min(cell.find_first_not_of("0123456789,"), cell.size());
  const bool grouped = cell.find(',') != std::string::npos;
  std::string digits;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const bool comma = cell[i] == ',';
    if (grouped && comma != (i < whole && (whole - i) % 4 == 0)) return std::nullopt;
    if (!comma) digits += cell[i];
  }
  const auto value = number_in<double>(digits);
  if (whole == 0 || cell.front() == ',' || !value || !(*value <= kMostCounted)) return std::nullopt;
  return value;
}

bool is_statistic(const std::string& name) {
  static const std::vector<StatInfo> known = known_statistics();
  return std::any_of(known.begin(), known.end(), [&](const StatInfo& info) { return info.name == name; });
}

// Of a table that has all of a kernel or launch in one line; nothing: an earlier line had it.
MeasuredRow* new_row(Sheet& sheet, const CsvRow& row) {
  std::optional<std::size_t> launch;
  if (sheet.cell(row, "launch") != "mean") launch = sheet.whole(row, "launch");
  MeasuredRow& made = sheet.row_of(row.line, sheet.cell(row, "program"), sheet.cell(row, "kernel"), launch);
  if (made.line == row.line) return &made;
  sheet.leave(row.line, fmt::format("kernel '{}'", made.kernel), fmt::format("line {} has it", made.line));
  return nullptr;
}

void import_ours(Sheet& sheet) {
  for (const CsvRow& row : sheet.rows()) {
    MeasuredRow* const to = new_row(sheet, row);
    if (to == nullptr) continue;
    to->launches = sheet.whole(row, "launches");
    for (const std::string& name : sheet.header()) {
      if (name == "program" || name == "kernel" || name == "launch" || name == "launches") continue;
      const std::string cell = sheet.cell(row, name);
      if (find_counter(name) == nullptr && !is_statistic(name)) {
        sheet.pass_over(name);
      } else if (!cell.empty()) {
        sheet.take(*to, row.line, name, cell);
      }
    }
  }
}

// The columns of published tables of the GV100 that are ours by other names; cycles are means over launches.
constexpr std::pair<const char*, const char*> kSiliconColumns[] = {
    {"elapsed_cycles", "cycles"}, {"dram_rd", "dram_read_sectors"}, {"dram_wr", "dram_write_sectors"},
    {"l1_rh", "l1_read_hits"},    {"l1_rm", "l1_read_misses"},      {"l1_wh", "l1_write_hits"},
    {"l1_wm", "l1_write_misses"}, {"l2_rh", "l2_read_hits"},        {"l2_rm", "l2_read_misses"},
    {"l2_wh", "l2_write_hits"},   {"l2_wm", "l2_write_misses"},
};

constexpr double kSiliconCores = 80;  // of which `num_idle_sms` were idle on average

void import_silicon(Sheet& sheet) {
  for (const CsvRow& row : sheet.rows()) {
    MeasuredRow* const to = new_row(sheet, row);
    if (to == nullptr) continue;
    for (const std::string& name : sheet.header()) {
      if (name == "program" || name == "kernel") continue;
      const auto* const ours = std::find_if(std::begin(kSiliconColumns), std::end(kSiliconColumns),
                                            [&](const auto& column) { return name == column.first; });
      if (name == "num_idle_sms") {
        const auto idle = measured_number(sheet.cell(row, name));
        if (idle)
          sheet.take(*to, row.line, "core_busy_cycles", sheet.cell(row, "elapsed_cycles"), kSiliconCores - *idle);
      } else if (ours == std::end(kSiliconColumns)) {
        sheet.pass_over(name);
      } else {
        sheet.take(*to, row.line, ours->second, sheet.cell(row, name));
      }
    }
  }
}

struct Format {
  const char* source;
  std::vector<std::string> columns;  // by which it is known
  std::function<void(Sheet&, double clock_mhz)> import;
  bool timed = false;        // it says times, no cycles
  bool abbreviated = false;  // of kernels' names there are parts
};

// In this order: Nsight Compute's details have all columns of its raw page that it is known by.
const std::vector<Format>& formats() {
  const auto without_clock = [](void (*import)(Sheet&)) { return [import](Sheet& sheet, double) { import(sheet); }; };
  static const std::vector<Format> all{
      {"Nsight Compute",
       {"ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"},
       without_clock(import_compute_details)},
      {"Nsight Compute", {"ID", "Kernel Name"}, without_clock(import_compute_raw)},
      {"nvprof", {"Device", "Kernel", "Invocations", "Avg"}, without_clock(import_nvprof_metrics)},
      {"nvprof", {"Start", "Duration", "Grid X", "Name"}, import_nvprof_trace, true},
      {"nvprof", {"Type", "Calls", "Avg", "Name"}, import_nvprof_summary, true},
      {"published table of the GV100",
       {"kernel", "elapsed_cycles", "dram_rd"},
       without_clock(import_silicon),
       false,
       true},
      {"table", {"kernel"}, without_clock(import_ours)},
  };
  return all;
}

const Format* format_of(const std::vector<std::string>& header) {
  for (const Format& format : formats()) {
    const auto there = [&](const std::string& column) {
      return std::find(header.begin(), header.end(), column) != header.end();
    };
    // A program may have said "kernel".
    if (header.size() > 1 && std::all_of(format.columns.begin(), format.columns.end(), there)) return &format;
  }
  return nullptr;
}

// Programs and profilers may have said something before the table, in lines that nobody could read as rows.
const Format* skip_to_header(std::string_view& text, std::size_t& line) {
  for (line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string first(text.substr(0, end));
    try {
      const std::vector<CsvRow> rows = csv_rows(first, "");
      if (const Format* format = rows.empty() ? nullptr : format_of(rows.front().cells)) return format;
    } catch (const UserError&) {
      // no row
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return nullptr;
}

}  // namespace

Sheet::Sheet(std::string path, std::vector<CsvRow> rows, MeasuredTable& table)
    : path_(std::move(path)), header_(rows.at(0)), table_(table) {
  for (const std::string& name : header_.cells) {
    if (!name.empty() && std::count(header_.cells.begin(), header_.cells.end(), name) > 1) {
      user_error("{}:{}: two columns '{}'", path_, header_.line, name);
    }
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].cells.front().starts_with("==")) continue;  // what profilers say between tables
    if (rows[i].cells.size() != header_.cells.size()) {
      user_error("{}:{}: {} cells, where the header names {} columns", path_, rows[i].line, rows[i].cells.size(),
                 header_.cells.size());
    }
    rows_.push_back(std::move(rows[i]));
  }
  if (rows_.empty()) user_error("{}:{}: nothing behind this header", path_, header_.line);
}

std::string Sheet::place(std::size_t line) const { return fmt::format("{}:{}", path_, line); }

bool Sheet::has(const std::string& column) const {
  return std::find(header_.cells.begin(), header_.cells.end(), column) != header_.cells.end();
}

std::string Sheet::cell(const CsvRow& row, const std::string& column) const {
  const auto at = std::find(header_.cells.begin(), header_.cells.end(), column);
  return at == header_.cells.end() ? "" : row.cells[static_cast<std::size_t>(at - header_.cells.begin())];
}

std::optional<std::size_t> Sheet::whole(const CsvRow& row, const std::string& column) const {
  const std::string text = cell(row, column);
  if (text.empty()) return std::nullopt;
  const auto value = measured_number(text);
  constexpr double kMost = 1e12;
  if (!value || *value < 1 || *value > kMost || *value != std::floor(*value)) {
    user_error("{}:{}: {} '{}': must be a whole number from 1 on", path_, row.line, column, text);
  }
  return static_cast<std::size_t>(*value);
}

MeasuredRow& Sheet::row_of(std::size_t line, const std::string& program, const std::string& kernel,
                           std::optional<std::size_t> launch) {
  if (kernel.empty()) user_error("{}:{}: this row names no kernel", path_, line);
  const auto [place, fresh] = places_.try_emplace({program, kernel, launch.value_or(0)}, table_.rows.size());
  if (fresh) table_.rows.push_back({line, program, kernel, launch});
  return table_.rows[place->second];
}

void Sheet::take(MeasuredRow& row, std::size_t line, const std::string& counter, const std::string& cell,
                 double factor) {
  const auto value = measured_number(cell);
  if (!value)
    return leave(line, fmt::format("{} of kernel '{}'", counter, row.kernel), fmt::format("'{}' is no count", cell));
  const auto same = [&](const auto& figure) { return figure.first == counter; };
  // Of several metrics that mean the same, the first.
  if (std::none_of(row.figures.begin(), row.figures.end(), same)) row.figures.emplace_back(counter, factor * *value);
}

void Sheet::leave(std::size_t line, std::string what, std::string why) {
  table_.left.push_back({line, std::move(what), std::move(why)});
}

void Sheet::tell_passed_over() {
  constexpr std::size_t kMost = 8;
  if (passed_over_.empty()) return;
  const std::vector<std::string> all(passed_over_.begin(), passed_over_.end());
  std::string text =
      fmt::format("{}", fmt::join(all.begin(), all.begin() + static_cast<long>(std::min(kMost, all.size())), ", "));
  if (all.size() > kMost) text += fmt::format(" and {} more", all.size() - kMost);
  table_.left.push_back({header_.line, text, "nothing that the model counts", false});
}

MeasuredTable read_measured(const std::string& path, std::optional<double> clock_mhz) {
  return measured_in(read_input(path, "measured table"), path, clock_mhz);
}

MeasuredTable measured_in(const std::string& text, const std::string& path, std::optional<double> clock_mhz) {
  std::string_view rest = text;
  std::size_t line = 1;
  const Format* const format = skip_to_header(rest, line);
  if (format == nullptr) {
    user_error(
        "{}: no header that is known: a column kernel, or what ncu --csv and nvprof --csv write (docs/correlate.md)",
        path);
  }
  if (format->timed && !clock_mhz) {
    user_error("{}:{}: it has times, no cycles: give the clock of the measured GPU's cores, --clock MHZ", path, line);
  }
  MeasuredTable table{path, format->source, format->abbreviated};
  Sheet sheet(path, csv_rows(rest, path, line), table);
  format->import(sheet, clock_mhz.value_or(0));
  sheet.tell_passed_over();
  return table;
}

}  // namespace warpfold::sim
