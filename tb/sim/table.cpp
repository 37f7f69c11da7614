// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "tb/sim/labels.h"
#include "warpfold/divergence/packing/mask_totals.h"

namespace warpfold::sim {
namespace {

using Json = nlohmann::json;

std::optional<double> figure(const Json& stats, const char* name) {
  const auto at = stats.find(name);
  if (at == stats.end()) return std::nullopt;
  return at->get<double>();
}

// The sum of several figures; those that a run does not have count as nothing.
std::optional<double> sum(const Json& stats, std::initializer_list<const char*> names) {
  std::optional<double> total;
  for (const char* name : names) {
    if (const auto value = figure(stats, name)) total = total.value_or(0) + *value;
  }
  return total;
}

std::string count(std::optional<double> value) { return value ? fmt::format("{:.0f}", *value) : "-"; }
std::string decimal(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : "-"; }
std::string percent(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || *whole == 0) return "-";
  return fmt::format("{:.1f}%", 100 * *part / *whole);
}
std::string megabytes(std::optional<double> bytes) { return bytes ? fmt::format("{:.2f}", *bytes / 1e6) : "-"; }

struct Column {
  const char* header;
  std::string (*cell)(const Json& stats);
};

std::optional<double> slots(const Json& s) {
  const auto cycles = figure(s, "cycles"), schedulers = figure(s, "schedulers");
  if (!cycles || !schedulers) return std::nullopt;
  return *cycles * *schedulers;
}

// The breakdown of TBC Fig. 13, issue cycles by active lanes, two of its buckets at a time.
const std::vector<Column>& cycle_columns() {
  static const std::vector<Column> all{
      {"cycles", [](const Json& s) { return count(figure(s, "cycles")); }},
      {"IPC", [](const Json& s) { return decimal(figure(s, "ipc")); }},
      {"SIMD eff.", [](const Json& s) { return percent(figure(s, "simd_efficiency"), 1.0); }},
      {"W1-8",
       [](const Json& s) {
         return percent(sum(s, {"issue_w1_4", "issue_w5_8"}), slots(s));
       }},
      {"W9-16",
       [](const Json& s) {
         return percent(sum(s, {"issue_w9_12", "issue_w13_16"}), slots(s));
       }},
      {"W17-24",
       [](const Json& s) {
         return percent(sum(s, {"issue_w17_20", "issue_w21_24"}), slots(s));
       }},
      {"W25-32",
       [](const Json& s) {
         return percent(sum(s, {"issue_w25_28", "issue_w29_32"}), slots(s));
       }},
      {"stall", [](const Json& s) { return percent(figure(s, "stall"), slots(s)); }},
      {"W0_mem", [](const Json& s) { return percent(figure(s, "w0_mem"), slots(s)); }},
      {"W0_idle", [](const Json& s) { return percent(figure(s, "w0_idle"), slots(s)); }},
      {"L1 hits", [](const Json& s) { return percent(figure(s, "l1d_hit_rate"), 1.0); }},
      {"L1-L2 MB", [](const Json& s) { return megabytes(figure(s, "core_memory_bytes")); }},
      {"L2 hits", [](const Json& s) { return percent(figure(s, "l2_hit_rate"), 1.0); }},
      {"DRAM MB", [](const Json& s) { return megabytes(figure(s, "dram_bytes")); }},
  };
  return all;
}

// What the SIMD units do, with every lane packing; savings are beyond Ivy Bridge's (Intra-warp Fig. 10).
const std::vector<Column>& packing_columns() {
  static const std::vector<Column> all{
      {"warp instr.", [](const Json& s) { return count(figure(s, "warp_instructions")); }},
      {"SIMD eff.", [](const Json& s) { return percent(figure(s, "simd_efficiency"), 1.0); }},
      {"EU none", [](const Json& s) { return count(figure(s, "simd_cycles_none")); }},
      {"EU ivb", [](const Json& s) { return count(figure(s, "simd_cycles_ivb")); }},
      {"EU bcc", [](const Json& s) { return count(figure(s, "simd_cycles_bcc")); }},
      {"EU scc", [](const Json& s) { return count(figure(s, "simd_cycles_scc")); }},
      {"bcc saves", [](const Json& s) { return percent(figure(s, "bcc_saving"), 1.0); }},
      {"scc saves", [](const Json& s) { return percent(figure(s, "scc_saving"), 1.0); }},
  };
  return all;
}

bool functional(const Json& stats) { return !figure(stats, "cycles").has_value(); }

const std::vector<Column>& columns(const Json& stats) {
  return functional(stats) ? packing_columns() : cycle_columns();
}

// The oracle ran only to count what the best regrouping of threads would need: its own cycles mean nothing.
bool is_bound(const Json& stats) { return figure(stats, "oracle_lane_activity").has_value(); }

// A row under the header of `total`, whose launches need not all be timed.
std::vector<std::string> cells(const std::string& name, const Json& stats, const Json& total) {
  std::vector<std::string> row{name};
  for (const Column& column : columns(total)) {
    const bool efficiency = std::string_view(column.header) == "SIMD eff.";
    if (!is_bound(stats)) {
      row.push_back(column.cell(stats));
    } else {
      row.push_back(efficiency ? percent(figure(stats, "oracle_lane_activity"), 1.0) : "-");
    }
  }
  return row;
}

std::vector<std::string> header(const std::string& first, const Json& stats) {
  std::vector<std::string> row{first};
  for (const Column& column : columns(stats)) row.push_back(column.header);
  return row;
}

bool done(const Point* point) { return point->state == Point::State::kDone; }

std::optional<double> speedup(const Point* base, const Point* point) {
  if (!done(base) || !done(point) || is_bound(base->stats["total"]) || is_bound(point->stats["total"]))
    return std::nullopt;
  const auto before = figure(base->stats["total"], "cycles"), after = figure(point->stats["total"], "cycles");
  if (!before || !after || *after == 0) return std::nullopt;
  return *before / *after;
}

// "kernel.3._Z6expandPKi" → "kernel.3.expand".
std::string readable(const std::string& object) {
  const auto mangled = object.find("._Z");
  if (mangled == std::string::npos) return object;
  return object.substr(0, mangled + 1) + readable_kernel(object.substr(mangled + 1));
}

std::string verdict(const Point* point) {
  switch (point->state) {
    case Point::State::kWrong:
      return "WRONG: " + point->reason;
    case Point::State::kNotApplicable:
      return "n/a: " + point->reason;
    case Point::State::kWaiting:
    case Point::State::kRunning:
      return "not finished";
    case Point::State::kDone:
      break;
  }
  return "";
}

constexpr std::size_t kMostRows = 12;  // of kernels

// Kernels lie in the file in the order of their names as text; here by number.
std::vector<std::pair<unsigned long, std::string>> in_order(const Json& kernels) {
  std::vector<std::pair<unsigned long, std::string>> order;
  for (const auto& [object, unused] : kernels.items())
    order.emplace_back(std::stoul(object.substr(object.find('.') + 1)), object);
  std::sort(order.begin(), order.end());
  return order;
}

std::uint64_t launches_of(const Json& shapes) {
  std::uint64_t launches = 0;
  for (const Json& shape : shapes) launches += shape["launches"].get<std::uint64_t>();
  return launches;
}

// What bcc and scc save, over programs.
struct Savings {
  std::array<double, 2> largest{}, sum{};
  unsigned programs = 0;

  void add(const Json& total) {
    const std::array saved{figure(total, "bcc_saving").value_or(0), figure(total, "scc_saving").value_or(0)};
    for (std::size_t i = 0; i < saved.size(); ++i) {
      largest[i] = std::max(largest[i], saved[i]);
      sum[i] += saved[i];
    }
    ++programs;
  }
  std::array<double, 2> mean() const { return {sum[0] / programs, sum[1] / programs}; }
  // Their columns are the last two of `width`.
  static std::vector<std::string> row(const std::string& name, const std::array<double, 2>& values, std::size_t width) {
    std::vector<std::string> cells(width);
    cells[0] = name;
    cells[width - 2] = percent(values[0], 1.0);
    cells[width - 1] = percent(values[1], 1.0);
    return cells;
  }
};

// What makes cycles a matter of how blocks fill the cores; NaN where a run does not have the figure.
double tail(const Json& stats) { return figure(stats["total"], "few_cores_share").value_or(std::nan("")); }

// Of the cycles with a tail, nothing is said twice.
double imbalance(const Json& stats) {
  const double idle = 1 - figure(stats["total"], "core_utilisation").value_or(std::nan(""));
  return tail(stats) >= kMuchTail ? std::nan("") : idle;
}

double in_few_waves(const Json& stats) { return figure(stats["total"], "few_waves_share").value_or(std::nan("")); }

struct Filling {
  const char* what;
  double (*value)(const Json& stats);
  double least;  // that is worth a warning
};

constexpr Filling kFillings[] = {
    {"cycles with fewer than half of the cores in use", tail, kMuchTail},
    {"cores without a block, unevenly loaded", imbalance, kMuchImbalance},
    {"cycles in launches of less than two waves", in_few_waves, kMuchInFewWaves},
};

}  // namespace

std::string format_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header) widths.push_back(cell.size());
  for (const auto& row : rows) {
    // The last cell of a short row is text that runs over the columns behind it.
    const std::size_t aligned = row.size() < header.size() ? row.size() - 1 : row.size();
    for (std::size_t i = 0; i < aligned; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const std::vector<std::string>& row) {
    std::string out = fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      const bool text = row.size() < header.size() && i + 1 == row.size();
      out += text ? "  " + row[i] : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    return out + "\n";
  };
  std::string out = line(header);
  for (const auto& row : rows) out += line(row);
  return out;
}

std::string comparison_table(const std::vector<const Point*>& points) {
  const auto some = std::find_if(points.begin(), points.end(), done);
  const Json total = some == points.end() ? Json{{"cycles", 0}} : (*some)->stats["total"];
  std::vector<std::string> head = header("mechanism", total);
  if (!functional(total)) head.push_back("speed-up");
  std::vector<std::vector<std::string>> rows;
  for (const Point* point : points) {
    if (!done(point)) {
      rows.push_back({point->name(), verdict(point)});
      continue;
    }
    rows.push_back(cells(point->name(), point->stats["total"], total));
    if (!functional(total)) rows.back().push_back(decimal(speedup(points.front(), point)));
  }
  return format_table(head, rows);
}

std::string filling_warning(const std::vector<const Point*>& points) {
  std::string text;
  for (const Filling& filling : kFillings) {
    std::string rows;
    for (const Point* point : points) {
      if (!done(point) || is_bound(point->stats["total"])) continue;
      const double value = filling.value(point->stats);
      if (!(value >= filling.least)) continue;  // NaN, too
      rows += fmt::format("{}{} {:.0f}%", rows.empty() ? "" : ", ", point->name(), 100 * value);
    }
    if (!rows.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", filling.what, rows);
  }
  return text.empty() ? "" : "caution: " + text + " (docs/statistics.md)\n";
}

std::string threads_warning(const std::vector<const Point*>& points) {
  std::string rows;
  for (const Point* point : points) {
    if (!done(point) || point->threads < 2) continue;
    rows += fmt::format("{}{} {}", rows.empty() ? "" : ", ", point->name(), point->threads);
  }
  if (rows.empty()) return "";
  return fmt::format("caution: host threads that launch, in an order that may differ from run to run: {}\n", rows);
}

std::string refusals_warning(const std::vector<const Point*>& points) {
  std::string rows;
  for (const Point* point : points) {
    if (!done(point) || point->refused == 0) continue;
    rows += fmt::format("{}{} {}", rows.empty() ? "" : ", ", point->name(), point->refused);
  }
  if (rows.empty()) return "";
  return fmt::format("caution: launches that were refused, and so have not run (refused_launches in run.json): {}\n",
                     rows);
}

std::string speedup_table(const std::vector<std::vector<const Point*>>& points) {
  std::vector<std::string> head{"speed-up"};
  for (const Point* point : points.front()) head.push_back(point->name());
  std::vector<std::vector<std::string>> rows;
  std::vector<double> logarithms(points.front().size(), 0);
  std::vector<unsigned> counted(points.front().size(), 0);
  for (const auto& of_program : points) {
    rows.push_back({of_program.front()->program.shown()});
    for (std::size_t i = 0; i < of_program.size(); ++i) {
      const auto value = speedup(of_program.front(), of_program[i]);
      rows.back().push_back(decimal(value));
      if (!value) continue;
      logarithms[i] += std::log(*value);
      ++counted[i];
    }
  }
  rows.push_back({"geometric mean"});
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const bool complete = counted[i] == points.size();
    rows.back().push_back(complete ? decimal(std::exp(logarithms[i] / counted[i])) : "-");
  }
  return format_table(head, rows);
}

std::string savings_table(const std::string& first, const NamedTotals& totals) {
  if (totals.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  Savings all, divergent;
  for (const auto& [name, total] : totals) {
    rows.push_back(cells(name, total, totals.front().second));
    all.add(total);
    if (figure(total, "simd_efficiency").value_or(1) < divergence::kDivergentBelow) divergent.add(total);
  }
  for (const auto& [name, savings] : {std::pair{"all", all}, {"divergent (< 95%)", divergent}}) {
    if (savings.programs == 0) continue;
    rows.push_back(savings.row(fmt::format("maximum of {}", name), savings.largest, rows[0].size()));
    rows.push_back(savings.row(fmt::format("mean of {}", name), savings.mean(), rows[0].size()));
  }
  return format_table(header(first, totals.front().second), rows);
}

std::string savings_table(const std::vector<std::vector<const Point*>>& points) {
  std::string out;
  for (std::size_t variant = 0; variant < points.front().size(); ++variant) {
    NamedTotals totals;
    for (const auto& of_program : points) {
      const Point* const point = of_program[variant];
      if (!done(point) || is_bound(point->stats["total"])) continue;
      totals.emplace_back(point->program.shown(), point->stats["total"]);
    }
    if (!totals.empty() && !out.empty()) out += "\n";
    out += savings_table(points.front()[variant]->name(), totals);
  }
  return out;
}

std::string resource_table(const nlohmann::json& stats) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [number, object] : in_order(stats["resources"])) {
    const std::string name = readable(object);
    for (const Json& shape : stats["resources"][object]) {
      std::vector<std::string> row{name.substr(name.find('.', name.find('.') + 1) + 1)};
      for (const char* key : {"registers_per_thread", "spill_load_instructions", "spill_store_instructions",
                              "spill_bytes_per_thread", "shared_bytes_per_block", "blocks_per_core"}) {
        row.push_back(count(figure(shape, key)));
      }
      row.push_back(shape["limit"].get<std::string>());
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(std::move(row));
    }
  }
  if (rows.size() > kMostRows) {
    const std::size_t more = rows.size() - kMostRows;
    rows.resize(kMostRows);
    rows.push_back({fmt::format("... {} more", more), ""});
  }
  return format_table(
      {"kernel", "registers", "spill loads", "spill stores", "spill bytes", "shared bytes", "blocks/core", "limit"},
      rows);
}

std::string kernel_table(const nlohmann::json& stats) {
  const auto row = [&](const std::string& name, std::uint64_t launches, const Json& figures) {
    std::vector<std::string> out = cells(name, figures, stats["total"]);
    out.insert(out.begin() + 1, std::to_string(launches));
    return out;
  };
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::pair<unsigned long, std::string>> order = in_order(stats["kernels"]);
  std::uint64_t all = 0;
  for (const auto& [number, object] : order) {
    const std::uint64_t launches = launches_of(stats["resources"][object]);
    all += launches;
    if (rows.size() < kMostRows) rows.push_back(row(readable(object), launches, stats["kernels"][object]));
  }
  if (order.size() > kMostRows) rows.push_back({fmt::format("... {} more", order.size() - kMostRows), ""});
  rows.push_back(row("total", all, stats["total"]));
  std::vector<std::string> head = header("kernel", stats["total"]);
  head.insert(head.begin() + 1, "launches");
  return format_table(head, rows);
}

}  // namespace warpfold::sim
