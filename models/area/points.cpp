// SPDX-License-Identifier: Apache-2.0
#include "warpfold/area/points.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"

namespace warpfold::area {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t comma = line.find(',', begin);
    std::string cell = line.substr(begin, comma - begin);
    cell.erase(0, cell.find_first_not_of(" \t"));
    cell.erase(cell.find_last_not_of(" \t\r") + 1);
    cells.push_back(cell);
    if (comma == std::string::npos) return cells;
    begin = comma + 1;
  }
}

std::string joined(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : ",") + cell;
  return line;
}

bool blank(const std::string& line) { return line.find_first_not_of(" \t\r") == std::string::npos; }

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

// Where a cell begins, from 1: complaints name the place in the file.
std::size_t column_of(const std::string& line, std::size_t cell) {
  std::size_t at = 0;
  for (; cell > 0; --cell) at = line.find(',', at) + 1;
  return std::min(line.find_first_not_of(" \t", at), line.size()) + 1;
}

double read_number(const std::string& cell, const std::string& place, std::string_view name) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (cell.empty() || end != cell.data() + cell.size() || !std::isfinite(value))
    user_error("{}: {} '{}': not a number", place, name, cell);
  return value;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& name) : in_(text), table_{name, {}, {}} {}

  PointTable read() {
    if (!next_line() || blank(line_)) user_error("{}:1:1: empty; the first line must name the columns", table_.path);
    table_.columns = split(line_);
    structure_ = index(kStructure);
    for (const NumberColumn& column : kNumbers) numbers_.push_back(index(column.name));
    while (next_line()) {
      if (!blank(line_)) table_.points.push_back(point());
    }
    if (table_.points.empty()) user_error("{}:{}:1: the table has no points", table_.path, number_);
    return std::move(table_);
  }

 private:
  bool next_line() {
    if (!std::getline(in_, line_)) return false;
    ++number_;
    return true;
  }

  std::string place(std::size_t cell) const {
    return fmt::format("{}:{}:{}", table_.path, number_, column_of(line_, cell));
  }

  std::size_t index(const std::string& name) const {
    const auto at = std::find(table_.columns.begin(), table_.columns.end(), name);
    if (at == table_.columns.end()) user_error("{}:1:1: no column '{}' in the header", table_.path, name);
    if (std::count(at, table_.columns.end(), name) > 1) user_error("{}:1:1: two columns '{}'", table_.path, name);
    return static_cast<std::size_t>(at - table_.columns.begin());
  }

  Point point() const {
    Point point{{}, split(line_), number_};
    if (point.cells.size() != table_.columns.size()) {
      user_error("{}: {} cells, where the header names {} columns",
                 place(std::min(point.cells.size(), table_.columns.size()) - 1), point.cells.size(),
                 table_.columns.size());
    }
    const std::string& name = point.cells[structure_];
    const auto kind = std::find(kKindNames.begin(), kKindNames.end(), name);
    if (kind == kKindNames.end()) {
      user_error("{}: no structure '{}': {}", place(structure_), name,
                 suggestion(name, {kKindNames.begin(), kKindNames.end()}));
    }
    point.storage.kind = static_cast<Kind>(kind - kKindNames.begin());
    for (std::size_t i = 0; i < kNumbers.size(); ++i) {
      const double value = read_number(point.cells[numbers_[i]], place(numbers_[i]), kNumbers[i].name);
      if (value < kNumbers[i].lowest) {
        user_error("{}: {} = {}: must be at least {}", place(numbers_[i]), kNumbers[i].name, value, kNumbers[i].lowest);
      }
      point.storage.*kNumbers[i].member = value;
    }
    const std::string reason = why_not(point.storage);
    if (!reason.empty()) user_error("{}:{}:1: {}: {}", table_.path, number_, name, reason);
    return point;
  }

  std::istringstream in_;
  PointTable table_;
  std::string line_;
  unsigned number_ = 0;
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
