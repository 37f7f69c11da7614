// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/simd_pipeline.h"

#include <algorithm>

#include "warpfold/core/lane_groups.h"

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
  const unsigned groups = enter_unit(instruction, params_, packing_);
  instruction.hold_cycles = std::max(groups, params_.interval_of(op));
  instruction.done_at = instruction.issued_at + instruction.operand_cycles + params_.latency_of(op) + groups - 1;
  return request(done_socket, instruction);
}

}  // namespace warpfold
