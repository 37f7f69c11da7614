// SPDX-License-Identifier: Apache-2.0
// Instructions by warp and by active lane: counted alike by the issue stage and by functional execution.
#pragma once

#include <bit>

#include "models/common/stats.h"
#include "models/isa/kernel.h"

namespace warpfold {

class LaneStatistics {
 public:
  LaneStatistics(StatGroup& stats, unsigned simd_width)
      : simd_width_(simd_width),
        warp_instructions_(stats.counter("warp_instructions", "warp instructions", "instructions issued, per warp")),
        thread_instructions_(
            stats.counter("thread_instructions", "thread instructions", "instructions issued, per active lane")),
        simd_cycles_(stats.counter("simd_active_cycles", "cycles",
                                   "SIMD cycles with an active lane, were every unit as wide as the SIMD pipeline")) {}

  void count(isa::LaneMask active) {
    ++warp_instructions_;
    thread_instructions_ += static_cast<std::uint64_t>(std::popcount(active));
    simd_cycles_ += active_groups(active);
  }

 private:
  // Groups of simd_width lanes with an active one.
  unsigned active_groups(isa::LaneMask mask) const {
    if (simd_width_ >= isa::kMaxLanes) return mask != 0 ? 1 : 0;
    const isa::LaneMask group = (isa::LaneMask{1} << simd_width_) - 1;
    unsigned groups = 0;
    for (; mask != 0; mask >>= simd_width_) groups += (mask & group) != 0 ? 1 : 0;
    return groups;
  }

  unsigned simd_width_;
  Counter &warp_instructions_, &thread_instructions_, &simd_cycles_;
};

}  // namespace warpfold
