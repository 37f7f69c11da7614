// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/simd_units.h"

#include <algorithm>

#include "warpfold/core/lane_groups.h"

namespace warpfold {

SimdUnits::SimdUnits(const CoreParams& params, const divergence::LanePacking& packing, StatGroup& stats)
    : params_(params),
      packing_(packing),
      sfu_(stats.counter("sfu_instructions", "warp instructions", "issued to the special function unit")),
      fp64_(stats.counter("fp64_instructions", "warp instructions", "issued to the double precision unit")) {}

void SimdUnits::enter(Instruction& instruction) {
  const isa::MicroOp& op = *instruction.op;
  const isa::Unit unit = params_.unit_of(op);
  if (unit == isa::Unit::kSfu) {
    ++sfu_;
  } else if (unit == isa::Unit::kFp64) {
    ++fp64_;
  }
  const unsigned groups = enter_unit(instruction, params_, packing_);
  instruction.hold_cycles = std::max(groups, params_.interval_of(op));
  instruction.done_at =
      instruction.issued_at + params_.latency_of(op) + groups - 1 + packing_wait(instruction, params_, packing_);
}

}  // namespace warpfold
