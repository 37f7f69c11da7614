// SPDX-License-Identifier: Apache-2.0
// Computed points correct the formulas near them, and only there.
#include <gtest/gtest.h>

#include <cmath>

#include "warpfold/area/computed.h"

namespace warpfold::area {
namespace computed_test {

constexpr Cost kDouble{2, 2, 2};

// One point, twice as expensive as the formulas say.
Cost corrected_by(const Storage& point, const Storage& storage) {
  const Cost formula = formula_cost(point);
  const Cost known{2 * formula.area_mm2, 2 * formula.access_ns, 2 * formula.read_nj};
  return ComputedPoints({{point, known}}, fitted()).corrected(storage, {1, 1, 1});
}

void expect_near(const Cost& cost, const Cost& expected, double tolerance) {
  EXPECT_NEAR(cost.area_mm2, expected.area_mm2, tolerance);
  EXPECT_NEAR(cost.access_ns, expected.access_ns, tolerance);
  EXPECT_NEAR(cost.read_nj, expected.read_nj, tolerance);
}

const Storage kPoint{.node_nm = 32, .bytes = 2048, .row_bits = 64};

TEST(ComputedPoints, CountWhereTheyAre) {
  expect_near(corrected_by(kPoint, kPoint), kDouble, 0.07);  // the formulas keep a twentieth
  Storage other_node = kPoint;
  other_node.node_nm = 45;
  expect_near(corrected_by(kPoint, other_node), kDouble, 0.1);
}

TEST(ComputedPoints, DoNotCountFarAwayOrForOtherKinds) {
  const auto far = [](auto change) {
    Storage storage = kPoint;
    change(storage);
    expect_near(corrected_by(kPoint, storage), {1, 1, 1}, 0.05);
  };
  far([](Storage& s) { s.bytes *= 8; });
  far([](Storage& s) { s.row_bits /= 8; });
  far([](Storage& s) { s.banks = 8; });
  far([](Storage& s) { s.read_ports += 6; });
  far([](Storage& s) { s.kind = Kind::kCache; });
  Storage cache = kPoint, wider_tags = kPoint;
  cache.kind = wider_tags.kind = Kind::kCache;
  wider_tags.tag_bits = 8 * cache.tag_bits;
  expect_near(corrected_by(cache, wider_tags), {1, 1, 1}, 0.05);
}

TEST(ComputedPoints, NearerPointsCountMore) {
  double before = 2;
  for (const double bytes : {2048.0, 2304.0, 2560.0, 3072.0, 4096.0}) {
    Storage storage = kPoint;
    storage.bytes = bytes;
    const double area = corrected_by(kPoint, storage).area_mm2;
    EXPECT_LT(area, before) << bytes;
    EXPECT_GE(area, 1) << bytes;
    before = area;
  }
}

TEST(ComputedPoints, ThoseOfTheProgramHoldItToTheGrid) {
  ASSERT_EQ(computed_points().size(), 313U);
  double formula_misses = 0, misses = 0;
  for (const Sample& sample : computed_points()) {
    formula_misses += std::abs(formula_cost(sample.storage).area_mm2 / sample.known.area_mm2 - 1);
    misses += std::abs(cost(sample.storage).area_mm2 / sample.known.area_mm2 - 1);
  }
  EXPECT_LT(misses, formula_misses / 3);
}

}  // namespace computed_test
}  // namespace warpfold::area
