// SPDX-License-Identifier: Apache-2.0
// Variances that add up, each known with so many degrees of freedom, and the interval that follows.
#pragma once

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace warpfold {

// Half of a 95 % interval, in standard deviations (Student's t).
inline double half_width_of(double freedom) {
  return boost::math::quantile(boost::math::students_t(std::max(freedom, 1.0)), 0.975);
}

class PooledVariance {
 public:
  void add(double variance, double freedom) {
    variance_ += variance;
    over_freedom_ += variance * variance / freedom;
  }
  // Degrees of freedom by Satterthwaite.
  double half_width() const {
    return variance_ <= 0 ? 0 : half_width_of(variance_ * variance_ / over_freedom_) * std::sqrt(variance_);
  }

 private:
  double variance_ = 0, over_freedom_ = 0;
};

}  // namespace warpfold
