// SPDX-License-Identifier: Apache-2.0
// The lane-banked register file: each lane has banks of its own, so that threads of different rows can share a warp
// (TBC §7). Operands are collected from them in time, and results written where banks have one port for both.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/clock/slots.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/core_protocols.h"
#include "warpfold/core/operands/register_banks.h"

namespace warpfold {

// An instruction asks for its operands when it issues, those of all active lanes, and reads each when its bank is
// free (RegisterBanks). It goes on at once, with the cycles that this adds to one access per bank: to the load/store
// unit, or to write-back, which it reaches when its SIMD unit is done. It issues when that unit is free, but enters it
// with its operands, and after those that issued to it before, but for parts of one cycle, whose lanes are distinct: a
// part goes beside those that its unit got in the same cycle (Instruction::beside).
//
// Until it leaves for its unit it holds an operand collector of its scheduler, where their number is bounded. The one
// that takes the last says so on its way down, and END_REQ with the scheduler's number as its warp that one is free.
//
// Ways to have three operands and a result per instruction (Intra-warp §4.3): banks (register_banks), a pumped bank
// (accesses_per_cycle), or cycles of a file of one port (register_banks: 1, write_port: shared). A result that shares
// the port asks at write-back and is written when its bank is free; operands are then read from the cycle after the
// issue on, since in that of the issue the result is written that the instruction waited for.
class RegisterFile : public sc_core::sc_module, public Clocked {
  tlm::tlm_sync_enum accept(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

 public:
  DirectTargetPort<RegisterFile, InstructionProtocol, &RegisterFile::accept> issue_socket{"issue_socket", *this};
  OneWayPort<Instruction> simd_socket{"simd_socket"};
  InitiatorPort<RegisterFile, InstructionProtocol> memory_socket{"memory_socket", *this, &RegisterFile::answered};
  std::unique_ptr<TargetPort<RegisterFile, InstructionProtocol>>
      result_socket;  // null: results have ports of their own

  RegisterFile(sc_core::sc_module_name name, const CoreParams& params, ClockDomain& core_clock, unsigned index,
               StatGroup& stats);
  void kernel_started(const isa::Kernel& kernel);
  Cycle tick(Cycle now) override;

  unsigned files() const { return static_cast<unsigned>(files_.size()); }  // each with banks of its own
  // Told of every access of a file's banks; null: nobody.
  void observe(unsigned file, RegisterObserver* observer) { observers_[file] = observer; }

 private:
  // Of a scheduler.
  struct Collectors {
    std::vector<Cycle> free_at;
    bool all_taken = false;
    Cycle taken_since = 0;
    Cycle first_free() const;
  };
  struct Result {
    RegisterBanks::Words words;
    divergence::Warp threads;
    isa::LaneMask lanes = 0;
    Cycle part_at = 0;  // when some lanes of a load were written before the others
  };
  struct Registers {
    RegisterBanks::Words read, written;
    bool memory = false;
  };

  // The load/store unit can take instructions again: news for the issue stage.
  tlm::tlm_sync_enum answered(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);
  // A result is there: fills in when it is written.
  tlm::tlm_sync_enum write(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

  // With operands that are there in cycle `ready`: the cycle in which it does.
  inline Cycle go_to_unit(Instruction& instruction, Cycle ready);
  void take_collector(Instruction& instruction, Cycle now, Cycle until);
  void keep_result(Instruction& instruction, const RegisterBanks::Words& words);
  unsigned scheduler_of(const Instruction& instruction) const { return instruction.warp % schedulers_; }
  inline Cycle reserve(const Instruction& instruction, const RegisterBanks::Words& words,
                       const divergence::Warp& threads, isa::LaneMask lanes, Cycle now, Cycle from);

  const ClockDomain& clock_;
  const unsigned schedulers_;
  const bool one_file_;                       // of the core
  std::vector<RegisterBanks> files_;          // of the core, or of each scheduler
  std::vector<RegisterObserver*> observers_;  // by file
  std::vector<Collectors> collectors_;        // by scheduler; empty where there is no limit
  std::vector<Registers> registers_;          // by pc
  // For what has its operands; and as it was before the last instruction, for what goes beside that.
  std::vector<Cycle> unit_free_at_, unit_was_free_at_;
  Slots<Result> results_;
  Counter &conflicts_, &reads_, &writes_, &collector_waits_, &result_waits_;
};

}  // namespace warpfold
