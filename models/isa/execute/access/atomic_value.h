// SPDX-License-Identifier: Apache-2.0
// What an atomic makes of a number in memory.
#pragma once

#include <cstdint>

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

struct AtomicForm {
  Atomic atomic = Atomic::kAdd;
  std::uint8_t type = 'u', bytes = 4;  // MicroOp::element_type, and up to 8
};

// `b` and `c` are its operands. In `space` single precision is flushed, or not.
std::uint64_t combined(const AtomicForm& form, Space space, std::uint64_t old, std::uint64_t b, std::uint64_t c = 0);

}  // namespace warpfold::isa
