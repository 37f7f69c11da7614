// SPDX-License-Identifier: Apache-2.0
// Sums and products of sizes that a program chooses: what does not fit is as much as can be, and nothing is as large.
#pragma once

#include <cstdint>

namespace warpfold {

constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

constexpr std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

}  // namespace warpfold
