// SPDX-License-Identifier: Apache-2.0
// A measured table as it stands in its file, and what all formats do with it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tb/sim/correlate/measured.h"
#include "warpfold/common/files/csv.h"

namespace warpfold::sim {

class Sheet {
 public:
  // UserError: no row behind the header, or rows of other lengths than it.
  Sheet(std::string path, std::vector<CsvRow> rows, MeasuredTable& table);

  std::string place(std::size_t line) const;
  const std::vector<std::string>& header() const { return header_.cells; }
  const std::vector<CsvRow>& rows() const { return rows_; }
  bool has(const std::string& column) const;
  // Empty: there is no such column.
  std::string cell(const CsvRow& row, const std::string& column) const;
  // Not below `least`; nothing where the cell is empty. UserError.
  std::optional<std::size_t> whole(const CsvRow& row, const std::string& column) const;

  // The row of a kernel and launch, from the line on which it comes first.
  MeasuredRow& row_of(std::size_t line, const std::string& program, const std::string& kernel,
                      std::optional<std::size_t> launch);
  // A figure for it, `factor` of the cell's number; a cell that is no number is left out, with the reason.
  void take(MeasuredRow& row, std::size_t line, const std::string& counter, const std::string& cell, double factor = 1);
  void leave(std::size_t line, std::string what, std::string why);
  // Columns or metrics that are no counter of the model's: all of them in one word, at last.
  void pass_over(const std::string& name) { passed_over_.insert(name); }
  void tell_passed_over();

 private:
  std::string path_;
  CsvRow header_;
  std::vector<CsvRow> rows_;
  MeasuredTable& table_;
  std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> places_;  // in the table
  std::set<std::string> passed_over_;
};

// By their headers' columns; each fills the sheet's table.
void import_compute_raw(Sheet& sheet);      // ncu --csv --page raw
void import_compute_details(Sheet& sheet);  // ncu --csv
void import_nvprof_metrics(Sheet& sheet);   // nvprof --csv --metrics …, --events …
void import_nvprof_trace(Sheet& sheet, double clock_mhz);
void import_nvprof_summary(Sheet& sheet, double clock_mhz);

}  // namespace warpfold::sim
