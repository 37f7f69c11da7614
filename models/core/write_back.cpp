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
  enqueue({instruction.done_at, accepted_++, place});
  wake(instruction.done_at);
  return tlm::TLM_COMPLETED;
}

void WriteBack::enqueue(const Entry& entry) {
  if (queue_.size() == queue_.capacity() && 2 * first_ >= queue_.size()) {  // there is room in front
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  if (idle() || queue_.back() < entry) {  // most are done after all those that came before them
    queue_.push_back(entry);
  } else {
    queue_.insert(std::upper_bound(queue_.begin() + static_cast<std::ptrdiff_t>(first_), queue_.end(), entry), entry);
  }
}

Cycle WriteBack::tick(Cycle now) {
  while (!idle() && queue_[first_].done_at <= now) {
    const auto [done_at, order, place] = queue_[first_++];
    if (result_socket != nullptr) {
      request(*result_socket, instructions_[place]);
      if (instructions_[place].done_at > now) {
        enqueue({instructions_[place].done_at, order, place});
        continue;
      }
    }
    last_written_ = now;
    Instruction& instruction = instructions_[place];  // none is accepted meanwhile
    request(release_socket, instruction);
    if (!instruction.advances_at_issue) request(commit_socket, instruction);
    instructions_.give_back(place);
  }
  return idle() ? kNever : queue_[first_].done_at;
}

}  // namespace warpfold
