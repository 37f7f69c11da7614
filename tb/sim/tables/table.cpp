// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "tb/sim/console/labels.h"
#include "tb/sim/runs/sampled.h"
#include "tb/sim/runs/setup.h"
#include "tb/sim/tables/figures.h"
#include "warpfold/common/symbol_name.h"
#include "warpfold/divergence/packing/mask_totals.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {
namespace {

bool done(const Point* point) { return point->state == Point::State::kDone; }

// The speed-up over `base` in two factors, either way: the order's, then the mechanism's in its own order; or the
// mechanism's in the order of `base` alone.
struct Split {
  std::optional<double> order, in_base_order, in_own_order;
  bool interact() const {
    return in_base_order && in_own_order && std::abs(*in_own_order / *in_base_order - 1) > kMuchInteraction;
  }
};

Split split(const Point* base, const Point* point, const Beside& beside) {
  const auto found = beside.orders.find(point);
  if (found != beside.orders.end()) {
    const OtherOrders& other = found->second;
    return {speedup(base, other.baseline), speedup(base, other.own), speedup(other.baseline, point)};
  }
  const std::optional<double> all = speedup(base, point);
  if (!all || policy_of(base->options) != policy_of(point->options))
    return {};  // one of them cannot run in the other's
  return {1.0, all, all};
}

const char* status(const Point* point) {
  constexpr const char* kNames[] = {"waiting", "running", "ok", "wrong", "not applicable"};
  return kNames[static_cast<std::size_t>(point->state)];
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

constexpr std::size_t kMostRows = 12;  // of kernels, on the console

// Kernels lie in the file in the order of their names as text; here by number.
std::vector<std::pair<unsigned long, std::string>> in_order(const nlohmann::json& kernels) {
  std::vector<std::pair<unsigned long, std::string>> order;
  for (const auto& [object, unused] : kernels.items())
    order.emplace_back(std::stoul(object.substr(object.find('.') + 1)), object);
  std::sort(order.begin(), order.end());
  return order;
}

std::uint64_t launches_of(const nlohmann::json& shapes) {
  std::uint64_t launches = 0;
  for (const nlohmann::json& shape : shapes) launches += shape["launches"].get<std::uint64_t>();
  return launches;
}

// What bcc and scc save, over programs.
struct Savings {
  std::array<double, 2> largest{}, sum{};
  unsigned programs = 0;

  void add(const nlohmann::json& total) {
    const std::array saved{figure(total, "bcc_saving").value_or(0), figure(total, "scc_saving").value_or(0)};
    for (std::size_t i = 0; i < saved.size(); ++i) {
      largest[i] = std::max(largest[i], saved[i]);
      sum[i] += saved[i];
    }
    ++programs;
  }
  std::array<double, 2> mean() const { return {sum[0] / programs, sum[1] / programs}; }
};

Row savings_row(const std::string& name, const std::array<double, 2>& values, const ReportTable& table) {
  Row row{std::vector<Cell>(table.columns.size(), Cell("")), "", true};
  row.cells.front() = name;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == "bcc_saving") row.cells[i] = percent(values[0]);
    if (table.columns[i].name == "scc_saving") row.cells[i] = percent(values[1]);
  }
  return row;
}

// What makes cycles a matter of how blocks fill the cores; NaN where a run does not have the figure.
double tail(const nlohmann::json& stats) { return figure(stats["total"], "few_cores_share").value_or(std::nan("")); }

// Of the cycles with a tail, nothing is said twice.
double imbalance(const nlohmann::json& stats) {
  const double idle = 1 - figure(stats["total"], "core_utilisation").value_or(std::nan(""));
  return tail(stats) >= kMuchTail ? std::nan("") : idle;
}

double in_few_waves(const nlohmann::json& stats) {
  return figure(stats["total"], "few_waves_share").value_or(std::nan(""));
}

struct Filling {
  const char* what;
  double (*value)(const nlohmann::json& stats);
  double least;  // that is worth a warning
};

constexpr Filling kFillings[] = {
    {"cycles with fewer than half of the cores in use", tail, kMuchTail},
    {"cores without a block, unevenly loaded", imbalance, kMuchImbalance},
    {"cycles in launches of less than two waves", in_few_waves, kMuchInFewWaves},
};

}  // namespace

std::optional<double> speedup(const Point* base, const Point* point) {
  if (!done(base) || !done(point) || is_bound(base->stats["total"]) || is_bound(point->stats["total"]))
    return std::nullopt;
  if (sampled(*point)) {
    const auto estimate = speedup_of(base->stats, point->stats);
    return estimate ? std::optional(estimate->value) : std::nullopt;
  }
  const auto before = figure(base->stats["total"], "cycles"), after = figure(point->stats["total"], "cycles");
  if (!before || !after || *after == 0) return std::nullopt;
  return *before / *after;
}

unsigned warp_size(const std::vector<const Point*>& points) {
  std::optional<unsigned> width;  // none of the bounds', which show nothing of it
  for (const Point* point : points) {
    if (!done(point) || is_bound(point->stats["total"])) continue;
    const auto mechanism =
        divergence::find_mechanism(point->options.mechanism).configure(point->options.mechanism_parameters);
    const unsigned own = point->options.machine.core.shaped_by(mechanism).warp_size;
    if (width.value_or(own) != own) return 0;
    width = own;
  }
  return width.value_or(0);
}

std::vector<Column> point_columns() {
  return {{"program", "program", kPrograms, true},
          {"machine", "machine", kPrograms, true},
          {"mechanism", "mechanism"},
          {"simd", "simd", kPrograms, true},
          {"status", "status", kPrograms, true}};
}

Row row_of(const Point& point) {
  const std::string packing =
      Choices<divergence::Packing>::names[static_cast<std::size_t>(point.options.machine.core.lane_packing)];
  return {{point.program.shown(),
           point.options.machine_name,
           {point.options.mechanism, point.name()},
           packing,
           status(&point)},
          verdict(&point)};
}

ReportTable comparison_table(const std::vector<const Point*>& points, const Beside& beside) {
  if (sampled(*points.front())) return sampled_comparison(points);
  const auto some = std::find_if(points.begin(), points.end(), done);
  const nlohmann::json total = some == points.end() ? nlohmann::json{{"cycles", 0}} : (*some)->stats["total"];
  ReportTable table{"comparison", "", point_columns(), {}};
  for (Column& column : figure_columns(total, warp_size(points))) table.columns.push_back(std::move(column));
  table.columns.push_back({"speed_up", "speed-up", functional(total) ? kPrograms : kAll});
  if (!beside.orders.empty()) {
    table.columns.push_back({"warp_policy", "order", kAll, true});
    table.columns.push_back({"order_speed_up", "by order"});
    table.columns.push_back({"mechanism_speed_up", "by mechanism"});
    table.columns.push_back({"mechanism_speed_up_in_own_order", "in own order"});
    table.columns.push_back({"interacts", "interacts", kPrograms, true});
  }
  if (!beside.bounds.empty()) {
    table.columns.push_back({"bound", "bound"});
    table.columns.push_back({"issuing_share", "issuing"});
  }
  table.columns.push_back({"draining_share", "draining_share", kPrograms});
  for (const char* name : {"few_cores_share", "core_utilisation", "few_waves_share"}) {
    table.columns.push_back({name, name, kPrograms});
  }
  for (const char* name : {"launching_threads", "refused_launches", "seconds", "results"}) {
    table.columns.push_back({name, name, kPrograms});
  }
  for (const Point* point : points) {
    Row row = row_of(*point);
    if (!done(point)) {
      table.rows.push_back(std::move(row));
      continue;
    }
    const nlohmann::json& stats = point->stats["total"];
    for (Cell& cell : figure_cells(stats)) row.cells.push_back(std::move(cell));
    row.cells.push_back(decimal(speedup(points.front(), point)));
    if (!beside.orders.empty()) {
      const Split of = split(points.front(), point, beside);
      row.cells.emplace_back(policy_of(point->options));
      for (const auto& value : {of.order, of.in_base_order, of.in_own_order}) row.cells.push_back(decimal(value));
      row.cells.push_back({of.interact(), of.interact() ? "yes" : "no"});
    }
    if (!beside.bounds.empty()) {
      const auto bound = beside.bounds.find(point);
      const bool known = bound != beside.bounds.end() && done(bound->second);
      row.cells.push_back(known ? decimal(figure(bound->second->stats["total"], "oracle_bound")) : Cell());
      row.cells.push_back(percent(figure(stats, "pipeline_depth_utilisation")));
    }
    row.cells.push_back(percent(figure(stats, "draining_share")));
    for (const char* name : {"few_cores_share", "core_utilisation", "few_waves_share"}) {
      row.cells.push_back(percent(figure(stats, name)));
    }
    row.cells.push_back(count(point->threads));
    row.cells.push_back(count(static_cast<double>(point->refused)));
    row.cells.push_back(decimal(point->seconds));
    row.cells.emplace_back(point->place);
    table.rows.push_back(std::move(row));
  }
  return table;
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

std::string order_warning(const std::vector<const Point*>& points, const Beside& beside) {
  std::string rows;
  const Point* const base = points.front();
  for (const Point* point : points) {
    const Split of = split(base, point, beside);
    if (!of.interact()) continue;
    rows += fmt::format("{}{} {:.2f} in {}, {:.2f} in {}", rows.empty() ? "" : "; ", point->name(), *of.in_base_order,
                        policy_of(base->options), *of.in_own_order, policy_of(point->options));
  }
  if (rows.empty()) return "";
  return "caution: interacts: what the mechanism gains hangs on the order of warps: " + rows + "\n";
}

bool drains_much(const Point& point) {
  return done(&point) && figure(point.stats["total"], "draining_share").value_or(0) >= kMuchDraining;
}

std::string draining_warning(const std::vector<const Point*>& points, const Beside& beside) {
  std::string rows;
  for (const Point* point : points) {
    if (!drains_much(*point)) continue;
    rows += fmt::format("{}{} {:.0f}%", rows.empty() ? "" : ", ", point->name(),
                        100 * *figure(point->stats["total"], "draining_share"));
    const auto without = beside.undrained.find(point);
    if (without != beside.undrained.end()) {
      rows += fmt::format(" ({:.2f} with core.scoreboard=per_thread)", without->second);
    }
  }
  return rows.empty() ? "" : fmt::format("caution: drain: slots lost since warps drain: {}\n", rows);
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

ReportTable speedup_table(const std::vector<std::vector<const Point*>>& points, const Beside& beside) {
  ReportTable table{"speed_ups", "", {{"program", "speed-up"}}, {}};
  const Point* const base = points.front().front();
  for (const Point* point : points.front()) {
    const std::string name = point->name();
    table.columns.push_back({name, name});
    if (!beside.orders.contains(point)) continue;
    for (const std::string& column :
         {"order of " + name, name + " in " + policy_of(base->options), name + " in " + policy_of(point->options)})
      table.columns.push_back({column, column});
  }
  std::vector<double> logarithms(table.columns.size() - 1, 0);
  std::vector<unsigned> counted(logarithms.size(), 0);
  for (const auto& of_program : points) {
    Row row{{of_program.front()->program.shown()}};
    std::vector<std::optional<double>> values;
    for (std::size_t k = 0; k < of_program.size(); ++k) {
      values.push_back(speedup(of_program.front(), of_program[k]));
      if (!beside.orders.contains(points.front()[k])) continue;
      const Split of = split(of_program.front(), of_program[k], beside);
      values.insert(values.end(), {of.order, of.in_base_order, of.in_own_order});
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& value = values[i];
      row.cells.push_back(decimal(value));
      if (!value) continue;
      logarithms[i] += std::log(*value);
      ++counted[i];
    }
    table.rows.push_back(std::move(row));
  }
  Row mean{{"geometric mean"}, "", true};
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const bool complete = counted[i] == points.size();
    mean.cells.push_back(complete ? decimal(std::exp(logarithms[i] / counted[i])) : Cell());
  }
  table.rows.push_back(std::move(mean));
  return table;
}

void add_savings_of_all(ReportTable& table, const std::vector<nlohmann::json>& totals) {
  Savings all, divergent;
  for (const nlohmann::json& total : totals) {
    all.add(total);
    if (figure(total, "simd_efficiency").value_or(1) < divergence::kDivergentBelow) divergent.add(total);
  }
  for (const auto& [name, savings] : {std::pair{"all", all}, {"divergent (< 95%)", divergent}}) {
    if (savings.programs == 0) continue;
    table.rows.push_back(savings_row(fmt::format("maximum of {}", name), savings.largest, table));
    table.rows.push_back(savings_row(fmt::format("mean of {}", name), savings.mean(), table));
  }
}

std::vector<ReportTable> savings_tables(const std::vector<std::vector<const Point*>>& points) {
  std::vector<ReportTable> tables;
  for (std::size_t variant = 0; variant < points.front().size(); ++variant) {
    std::vector<nlohmann::json> totals;
    const std::string name = points.front()[variant]->name();
    ReportTable table{"savings", "", {{"program", name}}, {}, "", kPeople};
    for (const auto& of_program : points) {
      const Point* const point = of_program[variant];
      if (!done(point) || is_bound(point->stats["total"])) continue;
      totals.push_back(point->stats["total"]);
      if (totals.size() == 1) {
        for (Column& column : figure_columns(totals.front(), 0)) table.columns.push_back(std::move(column));
      }
      Row row{{point->program.shown()}};
      for (Cell& cell : figure_cells(totals.back())) row.cells.push_back(std::move(cell));
      table.rows.push_back(std::move(row));
    }
    if (totals.empty()) continue;
    add_savings_of_all(table, totals);
    tables.push_back(std::move(table));
  }
  return tables;
}

namespace {

// Kernels by their functions' names, and with their arguments too where two have the same.
class KernelNames {
 public:
  explicit KernelNames(const nlohmann::json& kernels) {
    for (const auto& [object, unused] : kernels.items()) ++known_[readable_kernel(symbol_of(object))];
  }
  // "kernel.3._Z6expandPKi" → "_Z6expandPKi".
  static std::string symbol_of(const std::string& object) {
    return object.substr(object.find('.', object.find('.') + 1) + 1);
  }
  std::string of(const std::string& object) const {
    const std::string symbol = symbol_of(object), name = readable_kernel(symbol);
    return known_.at(name) == 1 ? name : shown_name(symbol);
  }

 private:
  std::map<std::string, unsigned> known_;
};

std::string block_text(const nlohmann::json& shape) {
  std::string text;
  for (const nlohmann::json& size : shape.value("block", nlohmann::json::array()))
    text.append(text.empty() ? "" : "x").append(size.dump());
  return text;
}

}  // namespace

ReportTable resource_table(const nlohmann::json& stats) {
  constexpr std::pair<const char*, const char*> kFigures[] = {
      {"registers_per_thread", "registers"},        {"spill_load_instructions", "spill loads"},
      {"spill_store_instructions", "spill stores"}, {"spill_bytes_per_thread", "spill bytes"},
      {"shared_bytes_per_block", "shared bytes"},   {"blocks_per_core", "blocks/core"}};
  ReportTable table{"resources", "", {{"kernel", "kernel"}, {"symbol", "", kPrograms}}, {}};
  table.columns.push_back({"block", "", kPrograms});
  table.columns.push_back({"launches", "", kPrograms});
  for (const auto& [name, title] : kFigures) table.columns.push_back({name, title});
  table.columns.push_back({"limit", "limit"});
  table.distinct = true;
  table.most_rows = kMostRows;
  const KernelNames names(stats["resources"]);
  for (const auto& [number, object] : in_order(stats["resources"])) {
    for (const nlohmann::json& shape : stats["resources"][object]) {
      Row row{{names.of(object), KernelNames::symbol_of(object), block_text(shape), count(figure(shape, "launches"))}};
      for (const auto& [name, unused] : kFigures) row.cells.push_back(count(figure(shape, name)));
      row.cells.emplace_back(shape["limit"].get<std::string>());
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

ReportTable kernel_table(const nlohmann::json& stats, unsigned warp_size) {
  ReportTable table{"kernels", "", {{"kernel", "kernel"}, {"symbol", "", kPrograms}, {"number", "", kPrograms}}, {}};
  table.columns.push_back({"launches", "launches"});
  for (Column& column : figure_columns(stats["total"], warp_size)) table.columns.push_back(std::move(column));
  table.most_rows = kMostRows;
  const KernelNames names(stats["kernels"]);
  const auto add = [&](std::vector<Cell> cells, std::uint64_t launches, const nlohmann::json& figures) -> Row& {
    cells.push_back(count(static_cast<double>(launches)));
    for (Cell& cell : figure_cells(figures)) cells.push_back(std::move(cell));
    return table.rows.emplace_back(Row{std::move(cells)});
  };
  std::uint64_t all = 0;
  for (const auto& [number, object] : in_order(stats["kernels"])) {
    const std::uint64_t launches = launches_of(stats["resources"][object]);
    all += launches;
    const std::string name = names.of(object);
    add({{name, fmt::format("kernel.{}.{}", number, name)}, KernelNames::symbol_of(object), count(number)}, launches,
        stats["kernels"][object]);
  }
  add({"total", "", Cell()}, all, stats["total"]).summary = true;
  return table;
}

}  // namespace warpfold::sim
