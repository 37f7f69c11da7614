// SPDX-License-Identifier: Apache-2.0
// The lane-banked register file: each lane has banks of its own, so that threads of different rows can share a warp
// (TBC §7).
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "warpfold/common/port_socket.h"
#include "warpfold/common/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/core_protocols.h"

namespace warpfold {

// Adds to an instruction the cycles that its operands take beyond one read per bank, and sends it on: to the load/store
// unit, or to write-back, which it reaches when its SIMD unit is done.
class RegisterFile : public sc_core::sc_module {
 public:
  TargetPort<RegisterFile, InstructionProtocol> issue_socket{"issue_socket", *this, &RegisterFile::accept};
  OneWayPort<Instruction> simd_socket{"simd_socket"};
  InitiatorPort<RegisterFile, InstructionProtocol> memory_socket{"memory_socket", *this, &RegisterFile::answered};

  RegisterFile(sc_core::sc_module_name name, const CoreParams& params, StatGroup& stats);
  void kernel_started(const isa::Kernel& kernel);

 private:
  tlm::tlm_sync_enum accept(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);
  // The load/store unit can take instructions again: news for the issue stage.
  tlm::tlm_sync_enum answered(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

  unsigned banks_;
  std::vector<std::uint8_t> extra_cycles_;  // by pc: the registers of an instruction are the same for every warp
  Counter& conflicts_;
};

}  // namespace warpfold
