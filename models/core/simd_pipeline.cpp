// SPDX-License-Identifier: Apache-2.0
#include "models/core/simd_pipeline.h"

namespace warpfold {

SimdPipeline::SimdPipeline(sc_core::sc_module_name name, const CoreParams& params,
                           const divergence::LanePacking& packing, StatGroup& stats)
    : sc_module(name),
      params_(params),
      packing_(packing),
      sfu_(stats.counter("sfu_instructions", "warp instructions", "issued to the special function unit")),
      fp64_(stats.counter("fp64_instructions", "warp instructions", "issued to the double precision unit")) {}

tlm::tlm_sync_enum SimdPipeline::accept(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  unsigned latency = params_.alu_latency_cycles;
  if (instruction.op->unit == isa::Unit::kSfu) {
    latency = params_.sfu_latency_cycles;
    ++sfu_;
  } else if (instruction.op->unit == isa::Unit::kFp64) {
    latency = params_.fp64_latency_cycles;
    ++fp64_;
  }
  hold(instruction);
  instruction.done_at = instruction.issued_at + instruction.operand_cycles + latency + instruction.hold_cycles - 1;
  return request(done_socket, instruction);
}

// A unit narrower than the SIMD width is busy for longer than the port, which is free for other units by then.
void SimdPipeline::hold(Instruction& instruction) const {
  const isa::LaneMask mask = execution_mask(instruction);
  const unsigned lanes = params_.unit_lanes(*instruction.op), simd_lanes = params_.simd_lanes(*instruction.op);
  instruction.port_cycles = instruction.hold_cycles = packing_.cycles(mask, instruction.width, lanes);
  if (lanes < simd_lanes) instruction.port_cycles = packing_.cycles(mask, instruction.width, simd_lanes);
}

}  // namespace warpfold
