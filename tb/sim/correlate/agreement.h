// SPDX-License-Identifier: Apache-2.0
// How well figures of a model agree with measured ones (docs/correlate.md).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace warpfold::sim {

struct FigurePair {
  double ours, measured;  // the measured one is above 0, ours is not below it
};

struct Agreement {
  std::size_t pairs = 0;
  std::optional<double> error;            // mean of |ours - measured| / measured; nothing without pairs
  std::optional<double> ratio;            // geometric mean of ours / measured; nothing where one of ours is 0
  std::optional<double> log_correlation;  // Pearson's, of the logarithms; likewise, or as Spearman's
  std::optional<double> spearman;  // with mean ranks for ties; nothing for fewer than three pairs or equal figures
};

Agreement agreement_of(const std::vector<FigurePair>& pairs);

}  // namespace warpfold::sim
