// SPDX-License-Identifier: Apache-2.0
// The SIMD units of a core: how long an instruction holds the issue port and its unit, and when its result is written.
#pragma once

#include "warpfold/common/results/stats.h"
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

  // Of an instruction whose operands are there when it issues.
  struct Passage {
    unsigned hold_cycles = 1, port_cycles = 1;
    unsigned cycles = 0;         // from its issue to when its result is written
    Counter* counted = nullptr;  // null: nowhere
  };
  Passage passage_of(const isa::MicroOp& op, isa::LaneMask executing, unsigned width) const;
  // Do an instruction's masks not matter for it?
  bool same_for_all_masks() const { return packing_.packing() == divergence::Packing::kNone; }

  // Fills in port, unit and done times.
  static void enter(Instruction& instruction, const Passage& passage) {
    if (passage.counted != nullptr) ++*passage.counted;
    instruction.hold_cycles = passage.hold_cycles;
    instruction.port_cycles = passage.port_cycles;
    instruction.done_at = instruction.issued_at + passage.cycles;
  }
  void enter(Instruction& instruction) const {
    enter(instruction, passage_of(*instruction.op, execution_mask(instruction), instruction.width));
  }

 private:
  const CoreParams& params_;
  const divergence::LanePacking& packing_;
  Counter &sfu_, &fp64_;
};

}  // namespace warpfold
