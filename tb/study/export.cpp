// SPDX-License-Identifier: Apache-2.0
// `warpfold study export`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tb/sim/output.h"
#include "tb/sim/text_table.h"
#include "tb/study/commands.h"
#include "tb/study/store.h"
#include "warpfold/common/error.h"
#include "warpfold/common/nearest.h"

namespace warpfold::study {
namespace {

using Json = nlohmann::ordered_json;

std::string csv_cell(const Rows::Cell& cell) {
  if (!cell) return "";
  if (cell->find_first_of(",\"\n\r") == std::string::npos) return *cell;
  std::string out = "\"";
  for (const char c : *cell) out.append(c == '"' ? 2 : 1, c);
  out.push_back('"');
  return out;
}

std::string csv(const Rows& rows) {
  std::string out;
  const auto add = [&](const std::vector<Rows::Cell>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) out.push_back(',');
      out += csv_cell(row[i]);
    }
    out.push_back('\n');
  };
  add({rows.header.begin(), rows.header.end()});
  for (const auto& row : rows.rows) add(row);
  return out;
}

std::string json(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      object[rows.header[i]] = !row[i] ? Json() : rows.numeric[i] ? Json::parse(*row[i]) : Json(*row[i]);
    }
    list.push_back(std::move(object));
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

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

// Numbers of a column have as many decimals as each other.
std::vector<std::vector<std::string>> readable(const Rows& rows) {
  std::vector<std::vector<std::string>> cells(rows.rows.size());
  for (std::size_t i = 0; i < rows.header.size(); ++i) {
    int decimals = 0;
    for (const auto& row : rows.rows) {
      if (rows.numeric[i] && row[i]) decimals = std::max(decimals, decimals_of(number_in(*row[i])));
    }
    if (decimals > kMostDecimals) decimals = kUsualDecimals;
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      const Rows::Cell& cell = rows.rows[k][i];
      cells[k].push_back(!cell ? "-" : rows.numeric[i] ? fmt::format("{:.{}f}", number_in(*cell), decimals) : *cell);
    }
  }
  return cells;
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

// The paper's values in a column of their own.
Rows with_printed(Rows rows, const Json& printed) {
  bool numeric = true;
  for (auto& row : rows.rows) {
    const auto found =
        std::find_if(printed.begin(), printed.end(), [&](const Json& one) { return belongs(one, rows, row); });
    const bool there = found != printed.end();
    const bool text = there && (*found)["value"].is_string();
    if (text) numeric = false;
    row.push_back(!there ? Rows::Cell() : text ? (*found)["value"].get<std::string>() : (*found)["value"].dump());
  }
  rows.header.emplace_back("paper");
  rows.numeric.push_back(numeric);
  return rows;
}

std::string markdown(const Rows& rows) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += fmt::format(" {} |", cell);
    text.push_back('\n');
    return text;
  };
  std::string text = line(rows.header) + "|";
  for (std::size_t i = 0; i < rows.header.size(); ++i) text += "---|";
  text.push_back('\n');
  for (const auto& cells : readable(rows)) text += line(cells);
  return text;
}

std::string formatted(const Rows& rows, const std::string& format) {
  if (format == "csv") return csv(rows);
  if (format == "json") return json(rows);
  if (format == "markdown") return markdown(rows);
  return sim::TextTable{rows.header, {}, readable(rows)}.as_columns();
}

std::string view_of(Store& store, const Study& study, const std::string& name) {
  std::vector<std::string> known{"result", "speedup", "verdict", "mean"};
  for (const std::string& view : known) {
    if (view == name) return fmt::format("SELECT * FROM \"{}\" WHERE study = {}", name, quoted(study.name));
  }
  for (const Figure& figure : study.figures) {
    if (figure.name == name) return fmt::format("SELECT * FROM \"{}\"", view_name(study, name));
    known.push_back(figure.name);
  }
  user_error("{}: study {} has no view '{}'; {}", store.folder(), study.name, name, suggestion(name, known));
}

}  // namespace

int export_rows(const ExportCommand& command) {
  const Study study = load_study(command.study, command.quick);
  Store store(command.store, Store::Access::kRead);
  const std::string sql = command.view.empty()
                              ? fmt::format("SELECT * FROM result WHERE study = {} ORDER BY number", quoted(study.name))
                              : view_of(store, study, command.view);
  const Rows rows = store.query(sql, command.view.empty() ? store.folder() : "view " + command.view);
  if (rows.rows.empty() && command.view.empty()) {
    user_error("{}: nothing of study {} is in this store: warpfold study run {}", store.folder(), study.name,
               command.study);
  }
  const Json* const printed = printed_by(study, command.view);
  const bool for_people = command.format != "csv" && command.format != "json";
  sim::deliver(formatted(printed != nullptr && for_people ? with_printed(rows, *printed) : rows, command.format),
               command.out);
  return 0;
}

}  // namespace warpfold::study
