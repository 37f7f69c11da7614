// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tb/sim/console/output.h"
#include "tb/sim/tables/text_table.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/csv.h"

namespace warpfold::sim {
namespace {

using Json = nlohmann::ordered_json;

Cell number(std::optional<double> value, const std::string& shown) {
  return !value || !std::isfinite(*value) ? Cell() : Cell(*value, shown);
}

// Those of a table that an audience sees.
std::vector<std::size_t> columns_for(const ReportTable& table, unsigned audience) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if ((table.columns[i].audience & audience) != 0) all.push_back(i);
  }
  return all;
}

bool has_notes(const ReportTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return !row.note.empty(); });
}

Json json_of(const ReportTable& table) {
  Json rows = Json::array();
  for (const Row& row : table.rows) {
    if (row.summary) continue;
    Json object = Json::object();
    for (const std::size_t i : columns_for(table, kJson)) {
      object[table.columns[i].name] = i < row.cells.size() ? row.cells[i].value : Json();
    }
    if (!row.note.empty()) object["note"] = row.note;
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string json_of(const Report& report, const std::vector<const ReportTable*>& tables, bool only_one) {
  Json json = Json::object();
  if (!report.notes.empty()) json["notes"] = report.notes;
  for (const ReportTable* table : tables) json[table->name] = json_of(*table);
  if (only_one) json = tables.empty() ? Json::array() : Json(json[tables.front()->name]);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  return csv_cell(value.is_string() ? value.get<std::string>() : value.dump());
}

std::string csv_of(const ReportTable& table) {
  const std::vector<std::size_t> columns = columns_for(table, kCsv);
  const bool notes = has_notes(table);
  std::string text;
  for (const std::size_t i : columns) {
    if (i != columns.front()) text += ',';
    text += csv_cell(table.columns[i].name);
  }
  text += notes ? ",note\n" : "\n";
  for (const Row& row : table.rows) {
    if (row.summary) continue;
    for (const std::size_t i : columns) {
      if (i != columns.front()) text += ',';
      if (i < row.cells.size()) text += csv_field(row.cells[i].value);
    }
    if (notes) text += fmt::format(",{}", csv_cell(row.note));
    text += '\n';
  }
  return text;
}

std::string markdown_cell(const Column& column, const std::string& shown) {
  std::string text;
  for (const char c : shown) text += c == '|' ? "\\|" : std::string(1, c);
  return column.code ? fmt::format(" `{}` |", text) : fmt::format(" {} |", text);
}

// What people see of a row: its cells, and where it has a note, that.
std::vector<std::string> shown_cells(const ReportTable& table, const Row& row, unsigned audience) {
  std::vector<std::string> cells;
  for (const std::size_t i : columns_for(table, audience)) {
    if (i < row.cells.size()) cells.push_back(row.cells[i].shown);
  }
  if (!row.note.empty()) cells.push_back(row.note);
  return cells;
}

std::vector<std::vector<std::string>> shown_rows(const ReportTable& table, unsigned audience) {
  std::vector<std::vector<std::string>> rows, summary;
  for (const Row& row : table.rows) {
    std::vector<std::string> cells = shown_cells(table, row, audience);
    if (table.distinct && std::find(rows.begin(), rows.end(), cells) != rows.end()) continue;
    (row.summary ? summary : rows).push_back(std::move(cells));
  }
  if (audience == kConsole && table.most_rows != 0 && rows.size() > table.most_rows) {
    const std::size_t more = rows.size() - table.most_rows;
    rows.resize(table.most_rows);
    rows.push_back({fmt::format("... {} more", more)});
  }
  rows.insert(rows.end(), summary.begin(), summary.end());
  return rows;
}

std::string markdown_of(const ReportTable& table) {
  const std::vector<std::size_t> columns = columns_for(table, kMarkdown);
  std::string text = "|", rule = "|";
  for (const std::size_t i : columns) {
    text += fmt::format(" {} |", table.columns[i].title);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (std::vector<std::string>& row : shown_rows(table, kMarkdown)) {
    row.resize(columns.size());
    text += "|";
    for (std::size_t i = 0; i < row.size(); ++i) text += markdown_cell(table.columns[columns[i]], row[i]);
    text += "\n";
  }
  return text;
}

std::string console_of(const ReportTable& table, unsigned width) {
  TextTable text;
  for (const std::size_t i : columns_for(table, kConsole)) {
    text.header.push_back(table.columns[i].title);
    text.left.push_back(table.columns[i].text);
  }
  text.rows = shown_rows(table, kConsole);
  return table.listing ? text.as_listing(width) : text.as_columns(width);
}

std::string for_people(const Report& report, const std::vector<const ReportTable*>& tables, bool markdown,
                       unsigned width) {
  std::string text;
  for (const std::string& note : report.notes) text += note + "\n";
  for (const ReportTable* table : tables) {
    if (!text.empty()) text += "\n";
    if (!table->title.empty()) text += table->title + (markdown ? "\n\n" : "\n");
    text += markdown ? markdown_of(*table) : console_of(*table, width);
    if (!table->footer.empty()) text += (markdown ? "\n" : "") + table->footer;
  }
  return text;
}

constexpr unsigned kAudiences[] = {kConsole, kMarkdown, kJson, kCsv};  // of each format

// Those that are wanted in the format; a CSV file holds one.
std::vector<const ReportTable*> chosen(const Report& report, const OutputOptions& output, ReportFormat format) {
  std::vector<const ReportTable*> tables;
  const std::string name = output.table.empty() && format == ReportFormat::kCsv ? report.csv : output.table;
  for (const ReportTable& table : report.tables) {
    const bool wanted = name.empty() || table.name == name;
    const bool seen = (table.audience & kAudiences[static_cast<std::size_t>(format)]) != 0;
    if (wanted && seen && (tables.empty() || format != ReportFormat::kCsv)) tables.push_back(&table);
  }
  if (tables.empty() && !output.table.empty()) user_error("--table {}: there is no such table here", output.table);
  return tables;
}

}  // namespace

ReportFormat OutputOptions::format() const {
  const std::pair<bool, std::pair<const char*, ReportFormat>> all[] = {
      {json, {"--json", ReportFormat::kJson}},
      {csv, {"--csv", ReportFormat::kCsv}},
      {markdown, {"--markdown", ReportFormat::kMarkdown}}};
  const char* first = nullptr;
  ReportFormat format = ReportFormat::kText;
  for (const auto& [given, option] : all) {
    if (!given) continue;
    if (first != nullptr) user_error("{} and {}: give one of them", first, option.first);
    std::tie(first, format) = option;
  }
  return format;
}

Cell count(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  const bool whole = *value >= 0 && *value < 1e15 && *value == std::floor(*value);
  return {whole ? Json(static_cast<std::uint64_t>(*value)) : Json(*value), fmt::format("{:.0f}", *value)};
}
Cell decimal(std::optional<double> value, int digits) {
  return number(value, value ? fmt::format("{:.{}f}", *value, digits) : "");
}
Cell percent(std::optional<double> share) { return number(share, share ? fmt::format("{:.1f}%", 100 * *share) : ""); }
Cell megabytes(std::optional<double> bytes) {
  Cell cell = count(bytes);
  if (bytes) cell.shown = fmt::format("{:.2f}", *bytes / 1e6);
  return cell;
}

Cell parsed(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? Cell(value, text) : Cell(text);
}

std::string text_of(const Report& report, const OutputOptions& output, unsigned width) {
  const ReportFormat format = output.format();
  const std::vector<const ReportTable*> tables = chosen(report, output, format);
  if (format == ReportFormat::kJson) return json_of(report, tables, report.single || !output.table.empty());
  if (format == ReportFormat::kCsv) return tables.empty() ? "" : csv_of(*tables.front());
  return for_people(report, tables, format == ReportFormat::kMarkdown, width);
}

nlohmann::ordered_json page_figure(const ReportTable& table, const std::string& title) {
  Json figure{{"name", table.name},
              {"title", title},
              {"chart", {{"kind", "table"}}},
              {"columns", Json::array()},
              {"rows", Json::array()}};
  const std::vector<std::size_t> columns = columns_for(table, kPeople);
  for (const std::size_t i : columns) figure["columns"].push_back(table.columns[i].title);
  for (const Row& row : table.rows) {
    Json cells = Json::array();
    for (const std::size_t i : columns) cells.push_back(i < row.cells.size() ? row.cells[i].value : Json());
    figure["rows"].push_back(std::move(cells));
  }
  return figure;
}

void deliver(const Report& report, const OutputOptions& output, const std::string& file) {
  if (quiet() && !output.asked()) return;
  deliver(text_of(report, output, file.empty() ? terminal_columns(STDOUT_FILENO) : 0), file);
}

}  // namespace warpfold::sim
