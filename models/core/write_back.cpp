// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/write_back.h"

#include <algorithm>

namespace warpfold {

WriteBack::WriteBack(sc_core::sc_module_name name, WritePort write_port, ClockDomain& core_clock, unsigned index)
    : sc_module(name) {
  if (write_port == WritePort::kShared) result_socket = std::make_unique<OneWayPort<Instruction>>("result_socket");
  core_clock.add(*this, index);
}

tlm::tlm_sync_enum WriteBack::accept(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  const std::uint32_t place = instructions_.take();
  instructions_[place] = instruction;
  instructions_[place].call_ends();
  heap_.push_back({instruction.done_at, accepted_++, place});
  std::push_heap(heap_.begin(), heap_.end());
  wake(instruction.done_at);
  return tlm::TLM_COMPLETED;
}

Cycle WriteBack::tick(Cycle now) {
  while (!heap_.empty() && heap_.front().done_at <= now) {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::uint32_t place = heap_.back().place;
    if (result_socket != nullptr) {
      request(*result_socket, instructions_[place]);
      if (instructions_[place].done_at > now) {
        heap_.back().done_at = instructions_[place].done_at;
        std::push_heap(heap_.begin(), heap_.end());
        continue;
      }
    }
    heap_.pop_back();
    Instruction instruction = instructions_[place];
    instructions_.give_back(place);
    last_written_ = now;
    request(release_socket, instruction);
    if (!instruction.advances_at_issue) request(commit_socket, instruction);
  }
  return heap_.empty() ? kNever : heap_.front().done_at;
}

}  // namespace warpfold
