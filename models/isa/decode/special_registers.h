// SPDX-License-Identifier: Apache-2.0
// The special registers that kernels can read (PTX ISA §10).
#pragma once

#include <optional>
#include <string_view>

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

// "%tid.x", "WARP_SZ"; nullopt for those that the model does not have and for clocks, which are instructions
// (Kind::kClock).
std::optional<Special> find_special(std::string_view name);

// Differs among the threads of one block.
bool is_thread_varying(Special special);

// Width of a clock register in bits, 0 for any other name.
unsigned clock_bits(std::string_view name);

}  // namespace warpfold::isa
