// SPDX-License-Identifier: Apache-2.0
// `warpfold study export`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tb/sim/tables/report.h"
#include "tb/study/commands.h"
#include "tb/study/store.h"
#include "tb/study/views.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"

namespace warpfold::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostDecimals = 4;    // that somebody has rounded to
constexpr int kUsualDecimals = 2;   // of what nobody has rounded
constexpr double kRounding = 1e-9;  // relative, of a rounded number

// Decimals that the number needs; more than kMostDecimals: it has not been rounded.
int decimals_of(double value) {
  double scale = 1;
  for (int decimals = 0; decimals <= kMostDecimals; ++decimals, scale *= 10) {
    const double scaled = value * scale;
    if (std::abs(scaled - std::round(scaled)) <= kRounding * std::max(1.0, std::abs(scaled))) return decimals;
  }
  return kMostDecimals + 1;
}

double number_in(const std::string& cell) { return std::strtod(cell.c_str(), nullptr); }

// Of a column: its numbers have as many as each other.
int decimals_of(const Rows& rows, std::size_t column) {
  int decimals = 0;
  for (const auto& row : rows.rows) {
    if (row[column]) decimals = std::max(decimals, decimals_of(number_in(*row[column])));
  }
  return decimals > kMostDecimals ? kUsualDecimals : decimals;
}

const Json* printed_by(const Study& study, const std::string& view) {
  if (!study.definition.contains("figures")) return nullptr;
  for (const Json& figure : study.definition["figures"]) {
    if (figure["name"] == view && figure.contains("printed")) return &figure["printed"];
  }
  return nullptr;
}

bool same(const std::string& cell, const Json& value) {
  if (value.is_string()) return cell == value.get<std::string>();
  char* end = nullptr;
  const double number = std::strtod(cell.c_str(), &end);
  return value.is_number() && !cell.empty() && *end == '\0' && number == value.get<double>();
}

// Whether the printed value belongs to the row: what it names besides itself and its place are the row's.
bool belongs(const Json& printed, const Rows& rows, const std::vector<Rows::Cell>& row) {
  for (const auto& [key, value] : printed.items()) {
    if (key == "value" || key == "where") continue;
    const auto column = std::find(rows.header.begin(), rows.header.end(), key);
    if (column == rows.header.end()) return false;
    const Rows::Cell& cell = row[static_cast<std::size_t>(column - rows.header.begin())];
    if (!cell || !same(*cell, value)) return false;
  }
  return true;
}

// The paper's value that stands beside a row.
sim::Cell paper_cell(const Json& printed, const Rows& rows, const std::vector<Rows::Cell>& row) {
  for (const Json& one : printed) {
    if (!belongs(one, rows, row)) continue;
    return one["value"].is_string() ? sim::Cell(one["value"].get<std::string>())
                                    : sim::Cell(one["value"], one["value"].dump());
  }
  return {};
}

// People see the paper's values, too.
sim::ReportTable table_of(const Rows& rows, const std::string& name, const Json* printed) {
  sim::ReportTable table{name, "", {}, {}};
  table.rows.resize(rows.rows.size());
  for (std::size_t i = 0; i < rows.header.size(); ++i) {
    table.columns.push_back({rows.header[i], rows.header[i], sim::kAll, !rows.numeric[i]});
    const int decimals = rows.numeric[i] ? decimals_of(rows, i) : 0;
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      const Rows::Cell& cell = rows.rows[k][i];
      table.rows[k].cells.push_back(
          !cell              ? sim::Cell()
          : !rows.numeric[i] ? sim::Cell(*cell)
                             : sim::Cell(Json::parse(*cell), fmt::format("{:.{}f}", number_in(*cell), decimals)));
    }
  }
  if (printed == nullptr) return table;
  table.columns.push_back({"paper", "paper", sim::kPeople, true});
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    table.rows[k].cells.push_back(paper_cell(*printed, rows, rows.rows[k]));
  }
  return table;
}

// A figure's is that of the file as it is now, as in reports.
std::string view_of(Store& store, const Study& study, const std::string& name) {
  std::vector<std::string> known{"result", "speedup", "orders", "slots", "verdict", "verdict_over_inputs", "mean"};
  for (const std::string& view : known) {
    if (view == name) return fmt::format("SELECT * FROM \"{}\" WHERE study = {}", name, quoted(study.name));
  }
  for (const Figure& figure : study.figures) {
    if (figure.name == name) return figure_query(figure.sql, study.name);
    known.push_back(figure.name);
  }
  user_error("{}: study {} has no view '{}'; {}", store.folder(), study.name, name, suggestion(name, known));
}

}  // namespace

int export_rows(const ExportCommand& command) {
  command.output.format();  // before anything is read
  const Study study = load_study(command.study, command.quick);
  Store store(command.store, Store::Access::kRead);
  const std::string sql = command.view.empty()
                              ? fmt::format("SELECT * FROM result WHERE study = {} ORDER BY number", quoted(study.name))
                              : view_of(store, study, command.view);
  const std::string some = fmt::format("SELECT 1 FROM point WHERE study = {} LIMIT 1", quoted(study.name));
  if (store.query(some, store.folder()).rows.empty()) {
    user_error("{}: nothing of study {} is in this store: warpfold study run {}", store.folder(), study.name,
               command.study);
  }
  const Rows rows = store.query(sql, command.view.empty() ? store.folder() : "view " + command.view);
  sim::Report report;
  report.single = true;
  report.tables.push_back(
      table_of(rows, command.view.empty() ? "result" : command.view, printed_by(study, command.view)));
  sim::deliver(report, command.output, command.out);
  return 0;
}

}  // namespace warpfold::study
