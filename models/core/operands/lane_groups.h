// SPDX-License-Identifier: Apache-2.0
// For how long an instruction's lanes leave the issue port, and enter its unit.
#pragma once

#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold {

// Cycles for which an instruction's operands wait for the control of its lane packing.
inline unsigned packing_wait(const isa::MicroOp& op, unsigned width, const CoreParams& params,
                             const divergence::LanePacking& packing) {
  return packing.wait(width, params.unit_lanes(op));
}

// Cycles in which the lanes enter the unit, a group each, and those for which the port is held. A unit narrower than
// the port is busy for longer than the port, which is free for other units by then.
struct LaneGroups {
  unsigned unit = 1, port = 1;
};
inline LaneGroups lane_groups(const isa::MicroOp& op, isa::LaneMask executing, unsigned width, const CoreParams& params,
                              const divergence::LanePacking& packing) {
  const unsigned lanes = params.unit_lanes(op), port_lanes = params.port_lanes(op);
  const unsigned groups = packing.cycles(executing, width, lanes);
  return {groups, lanes < port_lanes ? packing.cycles(executing, width, port_lanes) : groups};
}

}  // namespace warpfold
