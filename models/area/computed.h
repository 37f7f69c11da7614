// SPDX-License-Identifier: Apache-2.0
// Structures whose cost CACTI 7.0 computed, and what they say about others: near a computed point the formulas are
// corrected by how far they miss it, as CACTI's choice among organisations makes its figures jump from one structure to
// the next where no closed formula does.
#pragma once

#include <array>
#include <vector>

#include "warpfold/area/storage.h"

namespace warpfold::area {

struct Sample {
  Storage storage;
  Cost known;
};

const std::vector<Sample>& computed_points();  // models/area/cacti_grid.csv

class ComputedPoints {
 public:
  // `coefficients`: of the formulas that are to be corrected.
  ComputedPoints(const std::vector<Sample>& points, const Coefficients& coefficients);
  // Of a structure that costs so much by these formulas. Far from all points of its kind it stays what it is.
  Cost corrected(const Storage& storage, const Cost& by_formulas) const;

 private:
  static constexpr std::size_t kDimensions = 9;
  using Place = std::array<double, kDimensions>;
  struct Point {
    Kind kind;
    Place place;
    std::array<double, 3> misses;  // logarithms of known over formula: area, access, energy
  };
  static Place place_of(const Storage& storage);

  std::vector<Point> points_;
};

}  // namespace warpfold::area
