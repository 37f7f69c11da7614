// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/correlate/agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpfold::sim {
namespace {

using Values = std::vector<double>;

double mean_of(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Pearson's. Two points always lie on a line.
std::optional<double> correlation_of(const Values& a, const Values& b) {
  if (a.size() < 3) return std::nullopt;
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

// From 1; equal values share the mean of the ranks that they take.
Values ranks_of(const Values& values) {
  Values ranks;
  for (const double value : values) {
    const auto below = std::count_if(values.begin(), values.end(), [&](double other) { return other < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal + 1) / 2);
  }
  return ranks;
}

}  // namespace

Agreement agreement_of(const std::vector<FigurePair>& pairs) {
  Agreement agreement{pairs.size(), {}, {}, {}, {}};
  if (pairs.empty()) return agreement;
  Values ours, measured, errors, log_ours, log_measured, log_ratios;
  for (const FigurePair& pair : pairs) {
    ours.push_back(pair.ours);
    measured.push_back(pair.measured);
    errors.push_back(std::abs(pair.ours - pair.measured) / pair.measured);
    log_ours.push_back(std::log(pair.ours));
    log_measured.push_back(std::log(pair.measured));
    log_ratios.push_back(std::log(pair.ours / pair.measured));
  }
  agreement.error = mean_of(errors);
  agreement.spearman = correlation_of(ranks_of(ours), ranks_of(measured));
  if (std::count(ours.begin(), ours.end(), 0.0) != 0) return agreement;
  agreement.ratio = std::exp(mean_of(log_ratios));
  agreement.log_correlation = correlation_of(log_ours, log_measured);
  return agreement;
}

}  // namespace warpfold::sim
