// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace warpfold::sim {
namespace {

constexpr unsigned kQuarters = 4, kEighths = 8;

// The statistics' eighths are named after the lanes of a warp of 32, whatever the machine's has.
constexpr std::array<const char*, kEighths> kIssue{"issue_w1_4",   "issue_w5_8",   "issue_w9_12",  "issue_w13_16",
                                                   "issue_w17_20", "issue_w21_24", "issue_w25_28", "issue_w29_32"};

std::optional<double> share(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || *whole == 0) return std::nullopt;
  return *part / *whole;
}

std::optional<double> slots(const nlohmann::json& s) {
  const auto cycles = figure(s, "cycles"), schedulers = figure(s, "schedulers");
  if (!cycles || !schedulers) return std::nullopt;
  return *cycles * *schedulers;
}

// The breakdown of TBC Fig. 13, issue cycles by active lanes, two of its eight groups at a time.
template <unsigned quarter>
Cell issued_with(const nlohmann::json& s) {
  std::optional<double> cycles;
  for (const unsigned eighth : {2 * quarter, 2 * quarter + 1}) {
    if (const auto value = figure(s, kIssue[eighth])) cycles = cycles.value_or(0) + *value;
  }
  return percent(share(cycles, slots(s)));
}

enum class Shown { kTimed, kFunctional, kAlways };

struct Metric {
  const char *name, *title;
  Shown shown;
  Cell (*cell)(const nlohmann::json& stats);
};

// Savings are beyond Ivy Bridge's packing (Intra-warp Fig. 10).
const std::vector<Metric>& metrics() {
  using enum Shown;
  static const std::vector<Metric> all{
      {"cycles", "cycles", kTimed, [](const nlohmann::json& s) { return count(figure(s, "cycles")); }},
      {"ipc", "IPC", kTimed, [](const nlohmann::json& s) { return decimal(figure(s, "ipc")); }},
      {"warp_instructions", "warp instr.", kFunctional,
       [](const nlohmann::json& s) { return count(figure(s, "warp_instructions")); }},
      {"simd_efficiency", "SIMD eff.", kAlways,
       [](const nlohmann::json& s) { return percent(figure(s, "simd_efficiency")); }},
      {"issue_quarter_1", "", kTimed, issued_with<0>},
      {"issue_quarter_2", "", kTimed, issued_with<1>},
      {"issue_quarter_3", "", kTimed, issued_with<2>},
      {"issue_quarter_4", "", kTimed, issued_with<3>},
      {"stall_share", "stall", kTimed,
       [](const nlohmann::json& s) { return percent(share(figure(s, "stall"), slots(s))); }},
      {"w0_mem_share", "W0_mem", kTimed,
       [](const nlohmann::json& s) { return percent(share(figure(s, "w0_mem"), slots(s))); }},
      {"w0_idle_share", "W0_idle", kTimed,
       [](const nlohmann::json& s) { return percent(share(figure(s, "w0_idle"), slots(s))); }},
      {"l1d_hit_rate", "L1 hits", kTimed, [](const nlohmann::json& s) { return percent(figure(s, "l1d_hit_rate")); }},
      {"core_memory_bytes", "L1-L2 MB", kTimed,
       [](const nlohmann::json& s) { return megabytes(figure(s, "core_memory_bytes")); }},
      {"l2_hit_rate", "L2 hits", kTimed, [](const nlohmann::json& s) { return percent(figure(s, "l2_hit_rate")); }},
      {"dram_bytes", "DRAM MB", kTimed, [](const nlohmann::json& s) { return megabytes(figure(s, "dram_bytes")); }},
      {"simd_cycles_none", "EU none", kFunctional,
       [](const nlohmann::json& s) { return count(figure(s, "simd_cycles_none")); }},
      {"simd_cycles_ivb", "EU ivb", kFunctional,
       [](const nlohmann::json& s) { return count(figure(s, "simd_cycles_ivb")); }},
      {"simd_cycles_bcc", "EU bcc", kFunctional,
       [](const nlohmann::json& s) { return count(figure(s, "simd_cycles_bcc")); }},
      {"simd_cycles_scc", "EU scc", kFunctional,
       [](const nlohmann::json& s) { return count(figure(s, "simd_cycles_scc")); }},
      {"bcc_saving", "bcc saves", kFunctional,
       [](const nlohmann::json& s) { return percent(figure(s, "bcc_saving")); }},
      {"scc_saving", "scc saves", kFunctional,
       [](const nlohmann::json& s) { return percent(figure(s, "scc_saving")); }},
  };
  return all;
}

constexpr std::string_view kQuarterName = "issue_quarter_";

// "W9-16" of a warp of 32; empty: no number of active lanes falls into the quarter.
std::string quarter_title(unsigned quarter, unsigned warp_size) {
  if (warp_size == 0) return fmt::format("W{}/{}", quarter + 1, kQuarters);
  unsigned first = 0, last = 0;
  for (unsigned active = 1; active <= warp_size; ++active) {
    const unsigned eighth = (active * kEighths - 1) / warp_size;  // as the issue stage counts them
    if (eighth * kQuarters / kEighths != quarter) continue;
    if (first == 0) first = active;
    last = active;
  }
  if (first == 0) return "";
  return first == last ? fmt::format("W{}", first) : fmt::format("W{}-{}", first, last);
}

}  // namespace

std::optional<double> figure(const nlohmann::json& stats, const char* name) {
  const auto at = stats.find(name);
  if (at == stats.end()) return std::nullopt;
  return at->get<double>();
}

bool functional(const nlohmann::json& total) { return !figure(total, "cycles").has_value(); }

bool is_bound(const nlohmann::json& stats) { return figure(stats, "oracle_lane_activity").has_value(); }

std::vector<Column> figure_columns(const nlohmann::json& total, unsigned warp_size) {
  const Shown hidden = functional(total) ? Shown::kTimed : Shown::kFunctional;
  std::vector<Column> columns;
  for (const Metric& metric : metrics()) {
    Column column{metric.name, metric.title, metric.shown == hidden ? kPrograms : kAll};
    if (column.name.starts_with(kQuarterName)) {
      column.title = quarter_title(static_cast<unsigned>(column.name.back() - '1'), warp_size);
      if (column.title.empty()) column.audience &= kPrograms;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<Cell> figure_cells(const nlohmann::json& stats) {
  const bool bound = is_bound(stats);
  std::vector<Cell> cells;
  for (const Metric& metric : metrics()) {
    if (!bound) {
      cells.push_back(metric.cell(stats));
    } else {
      const bool efficiency = metric.shown == Shown::kAlways;
      cells.push_back(efficiency ? percent(figure(stats, "oracle_lane_activity")) : Cell());
    }
  }
  return cells;
}

}  // namespace warpfold::sim
