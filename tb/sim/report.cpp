// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/report.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tb/sim/table.h"

namespace warpfold::sim {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const std::string& cell) {
  char* end = nullptr;
  const double number = std::strtod(cell.c_str(), &end);
  if (!cell.empty() && *end == '\0') return number;
  if (cell == "-") return nullptr;
  return cell;
}

Json json_of(const ReportTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool text = row.size() < table.header.size() && i + 1 == row.size();
      object[text ? "note" : table.header[i]] = value_of(row[i]);
    }
    rows.push_back(object);
  }
  return rows;
}

std::string markdown_of(const ReportTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
  };
  std::string text = line(table.header) + "|";
  for (std::size_t i = 0; i < table.header.size(); ++i) text += "---|";
  text += "\n";
  for (auto row : table.rows) {
    row.resize(table.header.size());
    text += line(row);
  }
  return text;
}

}  // namespace

std::string report(const std::vector<ReportTable>& tables, const std::vector<std::string>& notes, ReportFormat format) {
  if (format == ReportFormat::kJson) {
    Json json = Json::object();
    json["notes"] = notes;
    for (const ReportTable& table : tables) json[table.name] = json_of(table);
    return json.dump(2) + "\n";
  }
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  for (const ReportTable& table : tables) {
    if (!text.empty()) text += "\n";
    text += table.title + "\n";
    if (format == ReportFormat::kMarkdown) text += "\n";
    text += format == ReportFormat::kMarkdown ? markdown_of(table) : format_table(table.header, table.rows);
  }
  return text;
}

}  // namespace warpfold::sim
