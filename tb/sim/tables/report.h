// SPDX-License-Identifier: Apache-2.0
// The one way to tables: for the console, for documentation, and for programs, which want the whole numbers under names
// that stay (docs/tables.md).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpfold::sim {

enum class ReportFormat { kText, kMarkdown, kJson, kCsv };

// --json, --csv, --markdown and --table of a command.
struct OutputOptions {
  bool json = false, csv = false, markdown = false;
  std::string table;            // the only one that is wanted; empty: all, or with --csv the report's first
  ReportFormat format() const;  // UserError where two are given
  bool for_programs() const { return json || csv; }
  bool asked() const { return for_programs() || markdown; }
};

// Of commands that make a page (tb/study/report_data.h): empty, where it is not wanted.
struct PageOptions {
  std::string file;      // HTML
  std::string svg, png;  // folders for the page's charts
  bool asked() const { return !file.empty() || !svg.empty() || !png.empty(); }
};

// To whom a column, or a whole table, is shown.
enum Audience : unsigned { kConsole = 1, kMarkdown = 2, kJson = 4, kCsv = 8, kPeople = 3, kPrograms = 12, kAll = 15 };

struct Column {
  std::string name;   // for programs: "simd_efficiency"
  std::string title;  // for people: "SIMD eff."
  unsigned audience = kAll;
  bool text = false;  // begins at the left; the first column always does
  bool code = false;  // in Markdown, between backquotes
};

struct Cell {
  Cell() = default;  // nothing is known: "-" and null
  Cell(const char* words) : value(words), shown(words) {}
  Cell(std::string words) : value(words), shown(std::move(words)) {}
  Cell(nlohmann::ordered_json of, std::string as) : value(std::move(of)), shown(std::move(as)) {}

  nlohmann::ordered_json value;
  std::string shown = "-";
};

// Numbers: whole for programs, and rounded for people. What is not known, or no number, is "-".
Cell count(std::optional<double> value);
Cell decimal(std::optional<double> value, int digits = 2);
Cell percent(std::optional<double> share);  // of 1
Cell megabytes(std::optional<double> bytes);
// A number or true and false where the text is one, and else the text.
Cell parsed(const std::string& text);

struct Row {
  std::vector<Cell> cells;  // fewer than columns where there are no figures
  std::string note{};       // instead of the figures: why there are none
  bool summary = false;     // made of the other rows, for people only
};

struct ReportTable {
  std::string name;   // for programs, and for --table
  std::string title;  // above it
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string footer{};  // whole lines below it
  unsigned audience = kAll;
  bool listing = false;       // on the console, words without a header
  bool distinct = false;      // people see equal rows once
  std::size_t most_rows = 0;  // on the console; 0: all
};

struct Report {
  std::vector<std::string> notes;  // above the tables
  std::vector<ReportTable> tables;
  bool single = false;  // never more than one table: in JSON it is a list, else they are members of an object
  std::string csv{};    // the table that --csv takes by itself; empty: the first
};

// `width`: of the terminal, beyond which tables go on below; 0: there is none.
std::string text_of(const Report& report, const OutputOptions& output, unsigned width);

// A table as a page's figure: what people are shown, in whole numbers.
nlohmann::ordered_json page_figure(const ReportTable& table, const std::string& title);

// To this file or, where it has no name, to standard output. Without --json, --csv or --markdown, --quiet stops it.
void deliver(const Report& report, const OutputOptions& output, const std::string& file = "");

}  // namespace warpfold::sim
