// SPDX-License-Identifier: Apache-2.0
// Instructions by warp and by active lane, and what lane packing makes of them: counted alike by the issue stage and by
// functional execution.
#pragma once

#include "warpfold/common/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"

namespace warpfold {

// Every packing's cycles are counted in every run: they are a function of the execution mask alone (the trace-based
// profiling of Intra-warp §5.1). Register accesses and moved lanes are those of the packing that the core has.
class LaneStatistics {
 public:
  LaneStatistics(StatGroup& stats, const CoreParams& params);
  void count(const Instruction& instruction);

 private:
  static constexpr unsigned kEighths = 8;  // of a warp
  static constexpr unsigned kKept = 64;    // a power of two

  // The masks of an instruction and its units.
  struct Lanes {
    isa::LaneMask executing = 0, active = 0;
    unsigned width = 0, unit_lanes = 0, simd_lanes = 0;
    bool operator==(const Lanes&) const = default;
  };
  // What such an instruction adds.
  struct Shares {
    Lanes of;
    unsigned thread_instructions = 0, simd_cycles = 0, swizzled_lanes = 0;
    unsigned eighth = 0;  // as executed_
    std::array<unsigned, divergence::kPackings.size()> packed{};
    unsigned quads = 0;  // of the register file's accesses, as the next
    divergence::QuadAccesses accesses;
  };

  Shares shares_of(const Lanes& lanes) const;
  void count_registers(const isa::MicroOp& op, const Shares& shares);

  const CoreParams& params_;
  std::array<Shares, kKept> kept_;  // masks come again and again
  Counter &warp_instructions_, &thread_instructions_, &spill_loads_, &spill_stores_, &simd_cycles_;
  std::array<Counter*, divergence::kPackings.size()> packed_;
  std::array<Counter*, kEighths + 1> executed_{};  // one that executes in no lane is in none of them
  Counter in_no_lane_;
  Counter &swizzled_lanes_, &fetched_, &fetches_suppressed_, &written_, &writes_suppressed_;
};

}  // namespace warpfold
