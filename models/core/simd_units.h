// SPDX-License-Identifier: Apache-2.0
// The SIMD units of a core: how long an instruction holds the issue port and its unit, and when its result is written.
#pragma once

#include "warpfold/common/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold {

// Lanes enter a unit group by group, one group per cycle; the last group's results are written
// latency + groups - 1 cycles after issue. An operation with an interval of its own holds its unit for that long,
// however few its groups.
class SimdUnits {
 public:
  SimdUnits(const CoreParams& params, const divergence::LanePacking& packing, StatGroup& stats);
  // Fills in port, unit and done times of an instruction whose operands are there when it issues.
  void enter(Instruction& instruction);

 private:
  const CoreParams& params_;
  const divergence::LanePacking& packing_;
  Counter &sfu_, &fp64_;
};

}  // namespace warpfold
