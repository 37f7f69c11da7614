// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/sampled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tb/sim/console/labels.h"
#include "tb/sim/tables/figures.h"
#include "tb/sim/tables/table.h"
#include "warpfold/gpu/sampling/paired_speedup.h"

namespace warpfold::sim {
namespace {

constexpr const char* kSampling = "sampling";

const nlohmann::json* total_of(const nlohmann::json& stats) {
  const auto sampling = stats.find(kSampling);
  if (sampling == stats.end()) return nullptr;
  const auto total = sampling->find("total");
  return total == sampling->end() ? nullptr : &*total;
}

std::optional<Interval> interval_of(const nlohmann::json& estimate) {
  const auto cycles = figure(estimate, "cycles");
  if (!cycles) return std::nullopt;
  return Interval{*cycles, figure(estimate, "cycles_low"), figure(estimate, "cycles_high")};
}

// Half of the interval over the estimate.
std::optional<double> width_of(const Interval& cycles) {
  if (!cycles.high || cycles.value == 0) return std::nullopt;
  return *cycles.high / cycles.value - 1;
}

std::vector<GroupResiduals> residuals_of(const nlohmann::json& sampling) {
  std::vector<GroupResiduals> all;
  for (const nlohmann::json& group : sampling.value("groups", nlohmann::json::array())) {
    all.push_back({group.value("launches", 0.0), group.value("cycles", 0.0), group.value("freedom", 1.0),
                   group.value("weights", std::vector<double>()), group.value("off", std::vector<double>()),
                   group.value("moves", std::vector<double>())});
  }
  return all;
}

// Half of the interval over the speed-up; nothing: it is not known.
std::optional<double> width_of_speedup(const nlohmann::json& base, const nlohmann::json& stats, const Interval& before,
                                       const Interval& after) {
  if (const std::string timed = timed_launches(base); !timed.empty() && timed == timed_launches(stats)) {
    const auto one = residuals_of(base[kSampling]), other = residuals_of(stats[kSampling]);
    if (can_be_paired(one, other)) return paired_half_width(one, other);
  }
  const auto first = width_of(before), second = width_of(after);
  return first && second ? std::optional(std::sqrt(*first * *first + *second * *second)) : std::nullopt;
}

std::vector<Column> estimate_columns() {
  return {{"cycles", "cycles"},     {"cycles_low", "95% from"},  {"cycles_high", "to"},       {"half_width", "±"},
          {"launches", "launches"}, {"timed_launches", "timed"}, {"timed_share", "of cycles"}};
}

void add_estimate(std::vector<Cell>& cells, const nlohmann::json& estimate) {
  const std::optional<Interval> cycles = interval_of(estimate);
  const auto timed = figure(estimate, "timed_cycles");
  cells.push_back(count(cycles ? std::optional(cycles->value) : std::nullopt));
  cells.push_back(count(cycles ? cycles->low : std::nullopt));
  cells.push_back(count(cycles ? cycles->high : std::nullopt));
  cells.push_back(percent(cycles ? width_of(*cycles) : std::nullopt));
  cells.push_back(count(figure(estimate, "launches")));
  cells.push_back(count(figure(estimate, "timed_launches")));
  cells.push_back(percent(timed && cycles && cycles->value > 0 ? std::optional(*timed / cycles->value) : std::nullopt));
}

}  // namespace

bool sampled(const Point& point) { return point.options.sample.on(); }

std::string timed_launches(const nlohmann::json& stats) {
  const auto sampling = stats.find(kSampling);
  return sampling == stats.end() ? "" : sampling->value("timed", "");
}

std::optional<Interval> cycles_of(const nlohmann::json& stats) {
  const nlohmann::json* const total = total_of(stats);
  return total == nullptr ? std::nullopt : interval_of(*total);
}

std::optional<Interval> speedup_of(const nlohmann::json& base, const nlohmann::json& stats) {
  const auto before = cycles_of(base), after = cycles_of(stats);
  if (!before || !after || after->value == 0) return std::nullopt;
  Interval speedup{before->value / after->value, {}, {}};
  if (const auto width = width_of_speedup(base, stats, *before, *after)) {
    speedup.low = speedup.value / (1 + *width);
    speedup.high = speedup.value * (1 + *width);
  }
  return speedup;
}

ReportTable sampled_comparison(const std::vector<const Point*>& points) {
  ReportTable table{"comparison", "", point_columns(), {}};
  for (Column& column : estimate_columns()) table.columns.push_back(std::move(column));
  for (const auto& [name, title] : {std::pair{"simd_efficiency", "SIMD eff."},
                                    {"speed_up", "speed-up"},
                                    {"speed_up_low", "95% from"},
                                    {"speed_up_high", "to"}}) {
    table.columns.push_back({name, title});
  }
  table.columns.push_back({"seconds", "seconds", kPrograms});
  table.columns.push_back({"results", "results", kPrograms});
  for (const Point* point : points) {
    Row row = row_of(*point);
    if (point->state == Point::State::kDone) {
      add_estimate(row.cells, *total_of(point->stats));
      row.cells.push_back(percent(figure(point->stats["total"], "simd_efficiency")));
      const auto base =
          points.front()->state == Point::State::kDone ? speedup_of(points.front()->stats, point->stats) : std::nullopt;
      row.cells.push_back(decimal(base ? std::optional(base->value) : std::nullopt));
      row.cells.push_back(decimal(base ? base->low : std::nullopt));
      row.cells.push_back(decimal(base ? base->high : std::nullopt));
      row.cells.push_back(decimal(point->seconds));
      row.cells.emplace_back(point->place);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable sampled_kernels(const nlohmann::json& stats) {
  ReportTable table{"kernels", "", {{"kernel", "kernel"}}, {}};
  for (Column& column : estimate_columns()) table.columns.push_back(std::move(column));
  const auto sampling = stats.find(kSampling);
  if (sampling == stats.end()) return table;
  for (const auto& [object, estimate] : (*sampling)["kernels"].items()) {
    Row row{{readable_kernel(object.substr(object.find('.', object.find('.') + 1) + 1))}};
    add_estimate(row.cells, estimate);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpfold::sim
