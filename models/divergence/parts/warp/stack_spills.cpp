// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/stack_spills.h"

namespace warpfold::divergence {

unsigned StackSpills::make_room(unsigned owner, unsigned depth) {
  Stack& stack = stacks_[owner];
  unsigned times = 0;
  for (; depth - stack.in_memory > entries_; ++times) {
    move(owner, Spill::Way::kOut, stack.in_memory, at_a_time_);
    stack.in_memory += at_a_time_;
  }
  counters_.spills += times;
  return times;
}

unsigned StackSpills::bring(unsigned owner, unsigned depth) {
  Stack& stack = stacks_[owner];
  unsigned times = 0;
  for (; depth <= stack.in_memory; ++times) {
    stack.in_memory -= at_a_time_;
    move(owner, Spill::Way::kIn, stack.in_memory, at_a_time_);
  }
  counters_.reloads += times;
  return times;
}

void StackSpills::rewrite(unsigned owner, unsigned entry) {
  move(owner, Spill::Way::kIn, entry, 1);
  move(owner, Spill::Way::kOut, entry, 1);
  ++counters_.reloads;
  ++counters_.spills;
}

void StackSpills::move(unsigned owner, Spill::Way way, unsigned first, unsigned entries) {
  if (core_ == nullptr) return;
  Stack& stack = stacks_[owner];
  const std::uint64_t offset = std::uint64_t{first} * stack.entry_bytes;
  if (!core_->spill({way, owner, offset, entries * stack.entry_bytes})) stack.waits = true;
}

}  // namespace warpfold::divergence
