// SPDX-License-Identifier: Apache-2.0
#include "warpfold/area/computed.h"

#include <algorithm>
#include <cmath>

#include "warpfold/area/points.h"

namespace warpfold::area {
namespace {

constexpr const char* kGrid =
#include "cacti_grid.inc"
    ;

// How near a point is to be to count, in octaves of sizes: areas jump, access times and energies are smoother.
constexpr std::array<double, 3> kNear{0.25, 0.6, 0.6};
// A node, and a port, as octaves of sizes: areas in F² hardly depend on the node.
constexpr double kNode = 0.25, kPort = 0.6;
// The weight of the formulas themselves, where a point at the same place has 1.
constexpr double kOfFormulas = 0.05;

double ways_of(const Storage& storage) {
  return storage.kind == Kind::kCache || storage.kind == Kind::kCacheSequential ? storage.ways : 1;
}
double tag_bits_of(const Storage& storage) {
  return storage.kind == Kind::kRam || storage.kind == Kind::kCam ? 1 : storage.tag_bits;
}

}  // namespace

const std::vector<Sample>& computed_points() {
  static const std::vector<Sample> samples = [] {
    const PointTable table = points_in(kGrid, "models/area/cacti_grid.csv");
    std::vector<Sample> all;
    for (const Point& point : table.points) {
      all.push_back(
          {point.storage,
           {table.number(point, "area_mm2"), table.number(point, "access_ns"), table.number(point, "read_nJ")}});
    }
    return all;
  }();
  return samples;
}

ComputedPoints::ComputedPoints(const std::vector<Sample>& points, const Coefficients& coefficients) {
  for (const Sample& sample : points) {
    const Cost formula = formula_cost(sample.storage, coefficients);
    points_.push_back(
        {sample.storage.kind,
         place_of(sample.storage),
         {std::log(sample.known.area_mm2 / formula.area_mm2), std::log(sample.known.access_ns / formula.access_ns),
          std::log(sample.known.read_nj / formula.read_nj)}});
  }
}

ComputedPoints::Place ComputedPoints::place_of(const Storage& s) {
  return {std::log2(s.bytes),   std::log2(s.row_bits),     std::log2(ways_of(s)),
          std::log2(s.banks),   std::log2(tag_bits_of(s)), s.read_write_ports * kPort,
          s.read_ports * kPort, s.write_ports * kPort,     std::log2(s.node_nm) * kNode};
}

Cost ComputedPoints::corrected(const Storage& storage, const Cost& by_formulas) const {
  const Place place = place_of(storage);
  std::array<double, 3> sums{}, weights;
  weights.fill(kOfFormulas);
  for (const Point& point : points_) {
    if (point.kind != storage.kind) continue;
    double square = 0;
    for (std::size_t i = 0; i < kDimensions; ++i) square += (place[i] - point.place[i]) * (place[i] - point.place[i]);
    for (std::size_t i = 0; i < kNear.size(); ++i) {
      const double weight = std::exp(-square / (2 * kNear[i] * kNear[i]));
      weights[i] += weight;
      sums[i] += weight * point.misses[i];
    }
  }
  const auto factor = [&](std::size_t i) { return std::exp(sums[i] / weights[i]); };
  return {by_formulas.area_mm2 * factor(0), by_formulas.access_ns * factor(1), by_formulas.read_nj * factor(2)};
}

}  // namespace warpfold::area
