// SPDX-License-Identifier: Apache-2.0
// The storage formulas against the grid that CACTI 7.0 computed: fitted anew, and cross-validated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tests/area/fit.h"
#include "warpfold/area/points.h"

namespace warpfold::area {
namespace {

const std::vector<Sample>& grid() {
  static const std::vector<Sample> samples = [] {
    const PointTable table = read_points(CACTI_GRID);
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

// All nodes of a structure fall into the same fold: a structure is judged by coefficients that have not seen it at all.
std::vector<unsigned> folds(unsigned count) {
  using Shape = std::tuple<Kind, double, double, double, double, double, double, double>;
  const auto shape = [](const Storage& s) {
    return Shape{s.kind, s.bytes, s.row_bits, s.ways, s.banks, s.read_write_ports, s.read_ports, s.write_ports};
  };
  std::map<Shape, unsigned> numbers;
  for (const Sample& sample : grid()) numbers.emplace(shape(sample.storage), 0);
  unsigned next = 0;
  for (auto& [unused, number] : numbers) number = next++ % count;
  std::vector<unsigned> all;
  for (const Sample& sample : grid()) all.push_back(numbers.at(shape(sample.storage)));
  return all;
}

// Relative errors of one figure.
class Errors {
 public:
  void add(double model, double known) { values_.push_back(std::abs(model / known - 1)); }
  double quantile(double q) const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    return sorted.at(static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1)));
  }
  std::string text() const {
    return fmt::format("{:5.1f} {:5.1f} {:6.1f}", 100 * quantile(0.5), 100 * quantile(0.9), 100 * quantile(1));
  }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<double> values_;
};

struct CostErrors {
  Errors area, access, read;
  void add(const Cost& model, const Cost& known) {
    area.add(model.area_mm2, known.area_mm2);
    access.add(model.access_ns, known.access_ns);
    read.add(model.read_nj, known.read_nj);
  }
};

std::map<std::string, CostErrors> errors_of(const std::vector<Cost>& model) {
  std::map<std::string, CostErrors> by;
  for (std::size_t i = 0; i < grid().size(); ++i) {
    const Storage& storage = grid()[i].storage;
    by["all"].add(model[i], grid()[i].known);
    by[kKindNames[static_cast<std::size_t>(storage.kind)]].add(model[i], grid()[i].known);
    if (storage.banks > 1) by["ram, banks"].add(model[i], grid()[i].known);
  }
  return by;
}

void print(const char* title, const std::map<std::string, CostErrors>& errors) {
  fmt::print("{}: relative errors in %, median, 90th percentile and largest\n", title);
  fmt::print("{:<12} {:>6}  {:<18}  {:<18}  {:<18}\n", "structure", "points", "area", "access time", "read energy");
  for (const auto& [name, of] : errors) {
    fmt::print("{:<12} {:>6}  {}  {}  {}\n", name, of.area.size(), of.area.text(), of.access.text(), of.read.text());
  }
}

TEST(StorageFit, SourceHoldsTheFit) {
  const Coefficients fresh = fit(grid());
  fmt::print("{}", source_of(fresh));
  EXPECT_EQ(source_of(fresh), source_of(fitted()));
  std::vector<Cost> model;
  for (const Sample& sample : grid()) model.push_back(cost(sample.storage));
  print("all points", errors_of(model));
}

TEST(StorageFit, FiveFoldCrossValidation) {
  constexpr unsigned kFolds = 5;
  const std::vector<unsigned> fold = folds(kFolds);
  std::vector<Cost> model(grid().size());
  for (unsigned left_out = 0; left_out < kFolds; ++left_out) {
    std::vector<Sample> others;
    for (std::size_t i = 0; i < grid().size(); ++i) {
      if (fold[i] != left_out) others.push_back(grid()[i]);
    }
    const Coefficients coefficients = fit(others);
    for (std::size_t i = 0; i < grid().size(); ++i) {
      if (fold[i] == left_out) model[i] = cost(grid()[i].storage, coefficients);
    }
  }
  const auto errors = errors_of(model);
  print("points outside of the fit", errors);
  for (const char* name : {"all", "ram", "cache", "cache_seq", "cam", "fa"}) {
    EXPECT_LE(errors.at(name).area.quantile(0.5), 0.06) << name;
    EXPECT_LE(errors.at(name).access.quantile(0.5), 0.12) << name;
  }
}

}  // namespace
}  // namespace warpfold::area
