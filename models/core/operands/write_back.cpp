// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/operands/write_back.h"

#include <utility>

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
  if (enqueue({instruction.done_at, accepted_++, place})) wake(instruction.done_at);
  return tlm::TLM_COMPLETED;
}

// Most are done after all those that came before them. True: this one is done first.
[[gnu::always_inline]] inline bool WriteBack::enqueue(const Entry& entry) {
  if (end_ - first_ > last_place_) [[unlikely]]
    make_room();
  std::size_t number = end_++;
  for (; number != first_ && entry < at(number - 1); --number) at(number) = at(number - 1);
  at(number) = entry;
  return number == first_;
}

void WriteBack::make_room() {
  const std::size_t last = 2 * last_place_ + 1;
  auto larger = std::make_unique<Entry[]>(last + 1);
  for (std::size_t number = first_; number != end_; ++number) larger[number & last] = at(number);
  queue_ = std::move(larger);
  last_place_ = last;
}

Cycle WriteBack::tick(Cycle now) {
  while (!idle() && at(first_).done_at <= now) {
    const auto [done_at, order, place] = at(first_++);
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
    if (!instruction.gone_on) request(commit_socket, instruction);
    instructions_.give_back(place);
  }
  return idle() ? kNever : at(first_).done_at;
}

}  // namespace warpfold
