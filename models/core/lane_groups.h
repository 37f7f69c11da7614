// SPDX-License-Identifier: Apache-2.0
// For how long an instruction's lanes leave the issue port, and enter its unit.
#pragma once

#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold {

// Cycles for which an instruction's operands wait for the control of its lane packing.
inline unsigned packing_wait(const Instruction& instruction, const CoreParams& params,
                             const divergence::LanePacking& packing) {
  return packing.wait(instruction.width, params.unit_lanes(*instruction.op));
}

// Cycles in which the lanes enter the unit, a group each; fills in those for which the port is held. A unit narrower
// than the port is busy for longer than the port, which is free for other units by then.
inline unsigned enter_unit(Instruction& instruction, const CoreParams& params, const divergence::LanePacking& packing) {
  const isa::LaneMask mask = execution_mask(instruction);
  const unsigned lanes = params.unit_lanes(*instruction.op), port_lanes = params.port_lanes(*instruction.op);
  const unsigned groups = packing.cycles(mask, instruction.width, lanes);
  instruction.port_cycles = lanes < port_lanes ? packing.cycles(mask, instruction.width, port_lanes) : groups;
  return groups;
}

}  // namespace warpfold
