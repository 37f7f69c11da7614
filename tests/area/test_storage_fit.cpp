// SPDX-License-Identifier: Apache-2.0
// The storage formulas against the grid that CACTI 7.0 computed: fitted anew, and cross-validated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tests/area/fit.h"

namespace warpfold::area {
namespace storage_fit_test {

const std::vector<Sample>& grid() { return computed_points(); }

constexpr unsigned kFolds = 5;

// All nodes of a structure fall into the same fold: it is judged by what has not seen it at all.
std::vector<unsigned> folds_of_structures() {
  using Shape = std::tuple<Kind, double, double, double, double, double, double, double>;
  const auto shape = [](const Storage& s) {
    return Shape{s.kind, s.bytes, s.row_bits, s.ways, s.banks, s.read_write_ports, s.read_ports, s.write_ports};
  };
  std::map<Shape, unsigned> numbers;
  for (const Sample& sample : grid()) numbers.emplace(shape(sample.storage), 0);
  unsigned next = 0;
  for (auto& [unused, number] : numbers) number = next++ % kFolds;
  std::vector<unsigned> all;
  for (const Sample& sample : grid()) all.push_back(numbers.at(shape(sample.storage)));
  return all;
}

// A structure may have been seen at other nodes.
std::vector<unsigned> folds_of_points() {
  std::vector<unsigned> all;
  for (unsigned i = 0; i < grid().size(); ++i) all.push_back(i % kFolds);
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
  for (const Sample& sample : grid()) model.push_back(formula_cost(sample.storage));
  print("all points, formulas alone", errors_of(model));
}

// The costs of all points, each by coefficients and computed points that its fold is not among.
std::map<std::string, CostErrors> cross_validated(const std::vector<unsigned>& fold) {
  std::vector<Cost> model(grid().size());
  for (unsigned left_out = 0; left_out < kFolds; ++left_out) {
    std::vector<Sample> others;
    for (std::size_t i = 0; i < grid().size(); ++i) {
      if (fold[i] != left_out) others.push_back(grid()[i]);
    }
    const Coefficients coefficients = fit(others);
    const ComputedPoints near(others, coefficients);
    for (std::size_t i = 0; i < grid().size(); ++i) {
      if (fold[i] != left_out) continue;
      model[i] = near.corrected(grid()[i].storage, formula_cost(grid()[i].storage, coefficients));
    }
  }
  return errors_of(model);
}

TEST(StorageFit, StructuresOutsideOfTheFit) {
  const auto errors = cross_validated(folds_of_structures());
  print("structures outside of the fit", errors);
  for (const char* name : {"all", "ram", "cache", "cache_seq", "cam", "fa"}) {
    EXPECT_LE(errors.at(name).area.quantile(0.5), 0.06) << name;
    EXPECT_LE(errors.at(name).access.quantile(0.5), 0.12) << name;
  }
  EXPECT_NEAR(errors.at("all").area.quantile(0.9), kAreaError, 0.001);
  EXPECT_NEAR(errors.at("all").access.quantile(0.9), kAccessError, 0.001);
  EXPECT_NEAR(errors.at("all").read.quantile(0.9), kEnergyError, 0.001);
}

TEST(StorageFit, PointsOutsideOfTheFit) {
  const auto errors = cross_validated(folds_of_points());
  print("points outside of the fit", errors);
  EXPECT_LE(errors.at("all").area.quantile(0.5), 0.04);
  EXPECT_LE(errors.at("all").access.quantile(0.5), 0.08);
  for (const char* name : {"cache", "cache_seq", "cam", "fa"}) {
    EXPECT_LE(errors.at(name).area.quantile(0.9), 0.15) << name;
    EXPECT_LE(errors.at(name).access.quantile(0.9), 0.15) << name;
  }
}

}  // namespace storage_fit_test
}  // namespace warpfold::area
