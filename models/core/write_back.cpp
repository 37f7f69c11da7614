// SPDX-License-Identifier: Apache-2.0
#include "models/core/write_back.h"

#include <algorithm>

namespace warpfold {

WriteBack::WriteBack(sc_core::sc_module_name name, ClockDomain& core_clock, unsigned index) : sc_module(name) {
  core_clock.add(*this, index);
}

bool WriteBack::later(const Entry& a, const Entry& b) {
  const Cycle at = a.instruction.done_at, bt = b.instruction.done_at;
  return at != bt ? at > bt : a.order > b.order;
}

tlm::tlm_sync_enum WriteBack::accept(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  heap_.push_back({instruction, accepted_++});
  heap_.back().instruction.outcome = nullptr;
  std::push_heap(heap_.begin(), heap_.end(), later);
  wake(instruction.done_at);
  return tlm::TLM_COMPLETED;
}

Cycle WriteBack::tick(Cycle now) {
  while (!heap_.empty() && heap_.front().instruction.done_at <= now) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Instruction instruction = heap_.back().instruction;
    heap_.pop_back();
    last_written_ = now;
    request(release_socket, instruction);
    if (!instruction.advances_at_issue) request(commit_socket, instruction);
  }
  return heap_.empty() ? kNever : heap_.front().instruction.done_at;
}

}  // namespace warpfold
