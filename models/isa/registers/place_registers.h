// SPDX-License-Identifier: Apache-2.0
// From a draft's virtual registers to those that a thread holds, and to the words in which the model keeps values.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "warpfold/isa/decode/draft.h"
#include "warpfold/isa/registers/register_limits.h"

namespace warpfold::isa {

struct PlacedRegisters {
  RegisterMap held;  // the machine's registers: what occupancy counts, banks and scoreboards see
  // Where values lie in a ThreadStore: the same words, unless registers hold low words only. Then values have words as
  // if registers held all of them.
  RegisterMap values;
  std::uint32_t local_bytes = 0;  // with the slots of what was spilled

  unsigned value_words() const { return std::max(held.words, values.words); }
  unsigned predicates() const { return std::max(held.predicates, values.predicates); }
  // Of a virtual register's value: the first word in Kernel's numbering.
  unsigned value_word(std::span<const RegisterShape> registers, Register r) const;
};

// Where messages say that the kernel is.
struct KernelPlace {
  std::string kernel, file;
};

// Adds spill code to the draft until a thread needs no more registers than `cap` gives it. Throws UserError where
// single instructions need more.
PlacedRegisters place_registers(DraftKernel& draft, const RegisterCap& cap, std::uint32_t local_bytes,
                                const KernelPlace& place);

}  // namespace warpfold::isa
