// SPDX-License-Identifier: Apache-2.0
// `warpfold study export`.
#include <fmt/format.h>

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

// Whole numbers as they are, others with two decimals.
std::string readable(const Rows::Cell& cell, bool numeric) {
  if (!cell) return "-";
  const bool real = numeric && cell->find_first_of(".e") != std::string::npos;
  return real ? fmt::format("{:.2f}", std::strtod(cell->c_str(), nullptr)) : *cell;
}

std::vector<std::vector<std::string>> readable(const Rows& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows.rows) {
    cells.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) cells.back().push_back(readable(row[i], rows.numeric[i]));
  }
  return cells;
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
  sim::deliver(formatted(rows, command.format), command.out);
  return 0;
}

}  // namespace warpfold::study
