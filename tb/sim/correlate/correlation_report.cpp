// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/correlate/correlation_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tb/study/report_data.h"

namespace warpfold::sim {
namespace {

using Json = nlohmann::ordered_json;

ReportTable kernels_table(const Correlation& correlation) {
  ReportTable table{"kernels",
                    "",
                    {{"program", "program"},
                     {"kernel", "kernel", kAll, true},
                     {"launch", "launch"},
                     {"counter", "counter", kAll, true},
                     {"ours", "ours"},
                     {"measured", "measured"},
                     {"ratio", "ratio"},
                     {"line", "", kPrograms}},
                    {}};
  for (const Compared& one : correlation.figures) {
    const auto launch = one.launch ? Cell(*one.launch, std::to_string(*one.launch)) : Cell("mean");
    table.rows.push_back({{one.program, one.kernel, launch, one.counter, count(one.ours), count(one.measured),
                           decimal(one.ours / one.measured), count(static_cast<double>(one.line))}});
  }
  return table;
}

ReportTable agreement_table(const Correlation& correlation) {
  ReportTable table{"agreement",
                    "In all",
                    {{"counter", "counter"},
                     {"pairs", "pairs"},
                     {"mean_absolute_error", "mean absolute error"},
                     {"geometric_ratio", "geometric ratio"},
                     {"log_correlation", "log correlation"},
                     {"spearman", "Spearman"}},
                    {}};
  for (const auto& [counter, all] : agreements_of(correlation)) {
    table.rows.push_back({{counter, count(static_cast<double>(all.pairs)), percent(all.error), decimal(all.ratio),
                           decimal(all.log_correlation), decimal(all.spearman)}});
  }
  return table;
}

ReportTable left_table(const Correlation& correlation, const std::string& path) {
  ReportTable table{
      "not_compared",
      "Not compared",
      {{"row", "row"}, {"what", "what", kAll, true}, {"why", "why", kAll, true}, {"mismatch", "", kPrograms}},
      {}};
  for (const NotCompared& one : correlation.left) {
    table.rows.push_back({{fmt::format("{}:{}", path, one.line), one.what, one.why, Cell(one.mismatch, "")}});
  }
  return table;
}

}  // namespace

std::vector<std::pair<std::string, Agreement>> agreements_of(const Correlation& correlation) {
  std::vector<std::pair<std::string, std::vector<FigurePair>>> pairs;
  for (const Compared& one : correlation.figures) {
    auto at = std::find_if(pairs.begin(), pairs.end(), [&](const auto& known) { return known.first == one.counter; });
    if (at == pairs.end()) at = pairs.insert(at, {one.counter, {}});
    at->second.push_back({one.ours, one.measured});
  }
  std::vector<std::pair<std::string, Agreement>> all;
  for (const auto& [counter, of_it] : pairs) all.emplace_back(counter, agreement_of(of_it));
  return all;
}

Report correlation_report(const Correlation& correlation, const MeasuredTable& measured, const std::string& title) {
  Report report{{title}, {kernels_table(correlation), agreement_table(correlation)}};
  if (!correlation.left.empty()) report.tables.push_back(left_table(correlation, measured.path));
  return report;
}

Json correlation_page(const Report& report) {
  const ReportTable& kernels = report.tables.front();
  Json points = page_figure(kernels, "Ours beside measured");
  points["name"] = "points";
  points["chart"] = {{"kind", "points"},      {"x", "measured"},    {"y", "ours"}, {"label", "kernel"},
                     {"colour", "program"},   {"facet", "counter"}, {"log", true}, {"diagonal", true},
                     {"x_title", "measured"}, {"y_title", "ours"}};
  // There is no place for 0 on such axes.
  auto& rows = points["rows"];
  const auto ours = std::find(points["columns"].begin(), points["columns"].end(), "ours") - points["columns"].begin();
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const Json& row) { return row.at(static_cast<std::size_t>(ours)) == 0; }),
             rows.end());
  Json figures = Json::array({std::move(points), page_figure(kernels, "Kernels")});
  for (std::size_t i = 1; i < report.tables.size(); ++i)
    figures.push_back(page_figure(report.tables[i], report.tables[i].title));
  return study::page_without_points("correlation", "The model beside measured figures", report.notes.front(),
                                    std::move(figures));
}

}  // namespace warpfold::sim
