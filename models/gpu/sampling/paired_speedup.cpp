// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/sampling/paired_speedup.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/gpu/sampling/pooled_variance.h"

namespace warpfold {
namespace {

double cycles_of(const std::vector<GroupResiduals>& groups) {
  double sum = 0;
  for (const GroupResiduals& group : groups) sum += group.cycles;
  return sum;
}

bool all_timed(const GroupResiduals& group) {
  return group.launches <= std::max(static_cast<double>(group.weights.size()), 1.0);
}

}  // namespace

bool can_be_paired(const std::vector<GroupResiduals>& one, const std::vector<GroupResiduals>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const GroupResiduals& a, const GroupResiduals& b) {
                      return a.launches == b.launches && a.weights.size() == b.weights.size();
                    });
}

double paired_half_width(const std::vector<GroupResiduals>& one, const std::vector<GroupResiduals>& other) {
  check(can_be_paired(one, other), "both runs have the same launches timed");
  const double all_of_one = cycles_of(one), all_of_other = cycles_of(other);
  if (all_of_one <= 0 || all_of_other <= 0 || std::all_of(one.begin(), one.end(), all_timed)) return 0;
  PooledVariance variance;
  double deviations = 0, freedoms = 0, single = 0;  // squares of shares, of launches that nobody else is like
  for (std::size_t g = 0; g < one.size(); ++g) {
    const GroupResiduals &a = one[g], &b = other[g];
    const double share = a.cycles / all_of_one;
    const auto count = static_cast<double>(a.weights.size());
    if (a.weights.empty()) {
      single += share * share;
      continue;
    }
    double squares = 0, by_samples = 0, weights = 0;
    for (std::size_t n = 0; n < a.weights.size(); ++n) {
      const double off = a.off[n] / all_of_one - b.off[n] / all_of_other;
      const double moves = a.moves[n] / all_of_one - b.moves[n] / all_of_other;
      squares += a.weights[n] * off * off;
      by_samples += moves * moves;
      weights += a.weights[n] * a.weights[n];
    }
    const double untimed = a.launches - count, freedom = std::min(a.freedom, b.freedom);
    variance.add(squares * a.launches + std::max(untimed * untimed * squares * weights, by_samples), freedom);
    const double mean = share / a.launches;
    if (mean > 0) deviations += squares / (mean * mean) * freedom, freedoms += freedom;
  }
  if (single > 0 && freedoms > 0) variance.add(single * deviations / freedoms, freedoms);  // they vary as others do
  return variance.half_width();
}

}  // namespace warpfold
