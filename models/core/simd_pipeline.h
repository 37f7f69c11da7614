// SPDX-License-Identifier: Apache-2.0
// The SIMD units of a core: how long an instruction holds the issue port and when its result is written.
#pragma once

#include <systemc>

#include "warpfold/common/port_socket.h"
#include "warpfold/common/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold {

// Lanes enter a unit group by group, one group per cycle; the last group's results are written
// latency + groups - 1 cycles after issue. An operation with an interval of its own holds its unit for that long,
// however few its groups.
class SimdPipeline : public sc_core::sc_module {
 public:
  TargetPort<SimdPipeline, InstructionProtocol> issue_socket{"issue_socket", *this, &SimdPipeline::accept};
  OneWayPort<Instruction> done_socket{"done_socket"};

  SimdPipeline(sc_core::sc_module_name name, const CoreParams& params, const divergence::LanePacking& packing,
               StatGroup& stats);

 private:
  tlm::tlm_sync_enum accept(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

  const CoreParams& params_;
  const divergence::LanePacking& packing_;
  Counter &sfu_, &fp64_;
};

}  // namespace warpfold
