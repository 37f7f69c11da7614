// SPDX-License-Identifier: Apache-2.0
// Write-back: instructions leave the pipeline in the order of their completion and free what waits for them.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/clock/slots.h"
#include "warpfold/core/core_protocols.h"
#include "warpfold/core/operands/register_file_params.h"

namespace warpfold {

// Results of one cycle are written in the order in which they were issued; write ports of their own are not a limit
// (decision: a unified pipeline brings at most one ALU result and one memory result per cycle, TBC §2.2). Where results
// share the ports that operands are read by, the register file says when each is written.
class WriteBack : public sc_core::sc_module, public Clocked {
  tlm::tlm_sync_enum accept(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

 public:
  DirectTargetPort<WriteBack, InstructionProtocol, &WriteBack::accept> simd_socket{"simd_socket", *this};
  DirectTargetPort<WriteBack, InstructionProtocol, &WriteBack::accept> memory_socket{"memory_socket", *this};
  OneWayPort<Instruction> release_socket{"release_socket"};
  OneWayPort<Instruction> commit_socket{"commit_socket"};
  std::unique_ptr<OneWayPort<Instruction>> result_socket;  // null: results have ports of their own

  WriteBack(sc_core::sc_module_name name, WritePort write_port, ClockDomain& core_clock, unsigned index);
  Cycle tick(Cycle now) override;
  bool idle() const { return first_ == end_; }
  Cycle last_written() const { return last_written_; }

 private:
  struct Entry {
    Cycle done_at;
    std::uint64_t order;
    std::uint32_t place;  // in instructions_
    bool operator<(const Entry& other) const {
      return done_at != other.done_at ? done_at < other.done_at : order < other.order;
    }
  };
  Entry& at(std::size_t number) { return queue_[number & last_place_]; }
  inline bool enqueue(const Entry& entry);
  void make_room();

  std::size_t last_place_ = 15;  // of the queue, with as many places as a power of two
  std::unique_ptr<Entry[]> queue_ = std::make_unique<Entry[]>(last_place_ + 1);
  std::size_t first_ = 0, end_ = 0;  // numbers of those that are in it, in their order
  Slots<Instruction> instructions_;
  std::uint64_t accepted_ = 0;
  Cycle last_written_ = 0;
};

}  // namespace warpfold
