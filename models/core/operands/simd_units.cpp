// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/operands/simd_units.h"

#include <algorithm>

#include "warpfold/core/operands/lane_groups.h"

namespace warpfold {

SimdUnits::SimdUnits(const CoreParams& params, const divergence::LanePacking& packing, StatGroup& stats)
    : params_(params),
      packing_(packing),
      sfu_(stats.counter("sfu_instructions", "warp instructions", "issued to the special function unit")),
      fp64_(stats.counter("fp64_instructions", "warp instructions", "issued to the double precision unit")) {}

SimdUnits::Passage SimdUnits::passage_of(const isa::MicroOp& op, isa::LaneMask executing, unsigned width) const {
  const LaneGroups groups = lane_groups(op, executing, width, params_, packing_);
  Passage passage;
  passage.hold_cycles = std::max(groups.unit, params_.interval_of(op));
  passage.port_cycles = groups.port;
  passage.cycles = params_.latency_of(op) + groups.unit - 1 + packing_wait(op, width, params_, packing_);
  const isa::Unit unit = params_.unit_of(op);
  if (unit == isa::Unit::kSfu) passage.counted = &sfu_;
  if (unit == isa::Unit::kFp64) passage.counted = &fp64_;
  return passage;
}

}  // namespace warpfold
