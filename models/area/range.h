// SPDX-License-Identifier: Apache-2.0
// A figure that is known to lie between two others.
#pragma once

#include <algorithm>
#include <cmath>

namespace warpfold::area {

struct Range {
  double low = 0, high = 0;

  Range() = default;
  Range(double exact) : low(exact), high(exact) {}  // what is known is a range, too
  Range(double a, double b) : low(std::min(a, b)), high(std::max(a, b)) {}

  bool exact() const { return low == high; }
  // As far from one end as from the other, as a factor where both are above 0.
  double middle() const {
    if (exact()) return low;
    return low > 0 ? std::sqrt(low * high) : (low + high) / 2;
  }

  Range& operator+=(const Range& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  bool operator==(const Range&) const = default;
};

inline Range operator+(Range a, const Range& b) { return a += b; }
inline Range operator*(double factor, const Range& range) { return {factor * range.low, factor * range.high}; }
inline Range operator/(double numerator, const Range& range) { return {numerator / range.low, numerator / range.high}; }
inline Range max(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }
// What holds of either.
inline Range either(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
// Of two that have the same causes: both are low, or both are high.
inline Range together(const Range& a, const Range& b, double (*combine)(double, double)) {
  return {combine(a.low, b.low), combine(a.high, b.high)};
}

}  // namespace warpfold::area
