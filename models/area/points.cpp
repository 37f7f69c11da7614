// SPDX-License-Identifier: Apache-2.0
#include "warpfold/area/points.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/csv.h"
#include "warpfold/common/files/input_file.h"

namespace warpfold::area {
namespace {

std::string joined(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    line += csv_cell(cell);
  }
  return line;
}

struct NumberColumn {
  const char* name;
  double Storage::*member;
  double lowest;
};
constexpr std::array<NumberColumn, 8> kNumbers{{{"node_nm", &Storage::node_nm, kSmallestNode},
                                                {"bytes", &Storage::bytes, 1},
                                                {"row_bits", &Storage::row_bits, 1},
                                                {"assoc", &Storage::ways, 0},
                                                {"banks", &Storage::banks, 1},
                                                {"rw_ports", &Storage::read_write_ports, 0},
                                                {"r_ports", &Storage::read_ports, 0},
                                                {"w_ports", &Storage::write_ports, 0}}};
constexpr const char* kStructure = "structure";

double read_number(const std::string& cell, const std::string& place, std::string_view name) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (cell.empty() || end != cell.data() + cell.size() || !std::isfinite(value))
    user_error("{}: {} '{}': not a number", place, name, cell);
  return value;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& name) : rows_(csv_rows(text, name)), table_{name, {}, {}} {}

  PointTable read() {
    if (rows_.empty() || rows_.front().line != 1) {
      user_error("{}:1:1: empty; the first line must name the columns", table_.path);
    }
    table_.columns = rows_.front().cells;
    structure_ = index(kStructure);
    for (const NumberColumn& column : kNumbers) numbers_.push_back(index(column.name));
    for (std::size_t i = 1; i < rows_.size(); ++i) table_.points.push_back(point(rows_[i]));
    if (table_.points.empty()) user_error("{}:1:1: the table has no points", table_.path);
    return std::move(table_);
  }

 private:
  std::string place(const CsvRow& row, std::size_t cell) const {
    return fmt::format("{}:{}:{}", table_.path, row.line, row.columns[cell]);
  }

  std::size_t index(const std::string& name) const {
    const auto at = std::find(table_.columns.begin(), table_.columns.end(), name);
    if (at == table_.columns.end()) user_error("{}:1:1: no column '{}' in the header", table_.path, name);
    if (std::count(at, table_.columns.end(), name) > 1) user_error("{}:1:1: two columns '{}'", table_.path, name);
    return static_cast<std::size_t>(at - table_.columns.begin());
  }

  Point point(const CsvRow& row) const {
    Point point{{}, row.cells, static_cast<unsigned>(row.line)};
    if (point.cells.size() != table_.columns.size()) {
      user_error("{}: {} cells, where the header names {} columns",
                 place(row, std::min(point.cells.size(), table_.columns.size()) - 1), point.cells.size(),
                 table_.columns.size());
    }
    const std::string& name = point.cells[structure_];
    const auto kind = std::find(kKindNames.begin(), kKindNames.end(), name);
    if (kind == kKindNames.end()) {
      user_error("{}: no structure '{}': {}", place(row, structure_), name,
                 suggestion(name, {kKindNames.begin(), kKindNames.end()}));
    }
    point.storage.kind = static_cast<Kind>(kind - kKindNames.begin());
    for (std::size_t i = 0; i < kNumbers.size(); ++i) {
      const double value = read_number(point.cells[numbers_[i]], place(row, numbers_[i]), kNumbers[i].name);
      if (value < kNumbers[i].lowest) {
        user_error("{}: {} = {}: must be at least {}", place(row, numbers_[i]), kNumbers[i].name, value,
                   kNumbers[i].lowest);
      }
      point.storage.*kNumbers[i].member = value;
    }
    const std::string reason = why_not(point.storage);
    if (!reason.empty()) user_error("{}:{}:1: {}: {}", table_.path, row.line, name, reason);
    return point;
  }

  const std::vector<CsvRow> rows_;
  PointTable table_;
  std::size_t structure_ = 0;
  std::vector<std::size_t> numbers_;
};

}  // namespace

double PointTable::number(const Point& point, std::string_view column) const {
  const auto at = std::find(columns.begin(), columns.end(), column);
  if (at == columns.end()) user_error("{}:1:1: no column '{}' in the header", path, column);
  const std::string& cell = point.cells[static_cast<std::size_t>(at - columns.begin())];
  return read_number(cell, fmt::format("{}:{}", path, point.line), column);
}

std::string PointTable::with_model() const {
  std::string text = joined(columns) + ",model_area_mm2,model_access_ns\n";
  for (const Point& point : points) {
    const Cost of_point = cost(point.storage);
    text += fmt::format("{},{:.6g},{:.6g}\n", joined(point.cells), of_point.area_mm2, of_point.access_ns);
  }
  return text;
}

PointTable read_points(const std::string& path) { return points_in(read_input(path, "table of points"), path); }

PointTable points_in(const std::string& text, const std::string& name) { return Reader(text, name).read(); }

}  // namespace warpfold::area
