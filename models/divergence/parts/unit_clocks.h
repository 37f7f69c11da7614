// SPDX-License-Identifier: Apache-2.0
// The time that a mechanism's units take: each works on one operation at a time, and whoever needs its answer waits for
// it, where the machine counts that (core.logic.clocks).
#pragma once

#include <cstdint>
#include <utility>

namespace warpfold::divergence {

// One for each block, scheduler or core.
enum class Unit : std::uint8_t { kStack, kBarriers, kAdequacy, kSorter, kSwizzle };
inline constexpr unsigned kUnits = 5;

// What a unit's operations take, summed up until somebody asks.
class SpentClocks {
 public:
  void spend(unsigned clocks) { clocks_ += clocks; }
  unsigned take() { return std::exchange(clocks_, 0); }

 private:
  unsigned clocks_ = 0;
};

}  // namespace warpfold::divergence
