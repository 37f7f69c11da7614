// SPDX-License-Identifier: Apache-2.0
// A table of storage structures: comma-separated values under a header. The columns structure, node_nm, bytes,
// row_bits, assoc, banks, rw_ports, r_ports and w_ports must be there, in any order; others (what another model says of
// the points, for one) are kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpfold/area/storage.h"

namespace warpfold::area {

struct Point {
  Storage storage;
  std::vector<std::string> cells;  // as in the file
  unsigned line = 0;
};

struct PointTable {
  std::string path;
  std::vector<std::string> columns;
  std::vector<Point> points;

  // The number in a column that need not be there. Throws UserError where it is not, or where there is no number.
  double number(const Point& point, std::string_view column) const;
  // The table again, with the columns model_area_mm2 and model_access_ns behind it.
  std::string with_model() const;
};

// Throws UserError (file:line:column) for anything that is no such table, or no structure that has a cost.
PointTable read_points(const std::string& path);
// The same of a text; `name` stands for its path in messages.
PointTable points_in(const std::string& text, const std::string& name);

}  // namespace warpfold::area
