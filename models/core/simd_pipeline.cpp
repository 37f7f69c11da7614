// SPDX-License-Identifier: Apache-2.0
#include "models/core/simd_pipeline.h"

#include <algorithm>

namespace warpfold {

SimdPipeline::SimdPipeline(sc_core::sc_module_name name, const CoreParams& params,
                           const divergence::LanePacking& packing, StatGroup& stats)
    : sc_module(name),
      params_(params),
      packing_(packing),
      sfu_(stats.counter("sfu_instructions", "warp instructions", "issued to the special function unit")),
      fp64_(stats.counter("fp64_instructions", "warp instructions", "issued to the double precision unit")) {}

tlm::tlm_sync_enum SimdPipeline::accept(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  const isa::MicroOp& op = *instruction.op;
  const isa::Unit unit = params_.unit_of(op);
  if (unit == isa::Unit::kSfu) {
    ++sfu_;
  } else if (unit == isa::Unit::kFp64) {
    ++fp64_;
  }
  const isa::LaneMask mask = execution_mask(instruction);
  const unsigned lanes = params_.unit_lanes(op), port_lanes = params_.port_lanes(op);
  const unsigned groups = packing_.cycles(mask, instruction.width, lanes);
  // A unit narrower than the port is busy for longer than the port, which is free for other units by then.
  instruction.port_cycles = lanes < port_lanes ? packing_.cycles(mask, instruction.width, port_lanes) : groups;
  instruction.hold_cycles = std::max(groups, params_.interval_of(op));
  instruction.done_at = instruction.issued_at + instruction.operand_cycles + params_.latency_of(op) + groups - 1;
  return request(done_socket, instruction);
}

}  // namespace warpfold
