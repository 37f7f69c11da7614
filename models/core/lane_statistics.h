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

  void count_registers(const isa::MicroOp& op, const divergence::Quads& quads,
                       const divergence::QuadAccesses& accesses);

  const CoreParams& params_;
  Counter &warp_instructions_, &thread_instructions_, &spill_loads_, &spill_stores_, &simd_cycles_;
  std::array<Counter*, divergence::kPackings.size()> packed_;
  std::array<Counter*, kEighths> executed_{};
  Counter &swizzled_lanes_, &fetched_, &fetches_suppressed_, &written_, &writes_suppressed_;
};

}  // namespace warpfold
