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
  unsigned width = params_.simd_width, latency = params_.alu_latency_cycles;
  if (instruction.op->unit == isa::Unit::kSfu) {
    width = params_.sfu_width;
    latency = params_.sfu_latency_cycles;
    ++sfu_;
  } else if (instruction.op->unit == isa::Unit::kFp64) {
    width = params_.fp64_width;
    latency = params_.fp64_latency_cycles;
    ++fp64_;
  }
  instruction.hold_cycles = packing_.cycles(instruction.active, instruction.width, width);
  instruction.done_at = instruction.issued_at + instruction.operand_cycles + latency + instruction.hold_cycles - 1;
  return request(done_socket, instruction);
}

}  // namespace warpfold
