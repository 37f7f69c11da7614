// SPDX-License-Identifier: Apache-2.0
// The special registers that kernels can read (PTX ISA §10).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

// "%tid.x"; nullopt for those that the model does not have and for clocks, which are instructions
// (Kind::kClock).
std::optional<Special> find_special(std::string_view name);

// The value of those that are the same for every launch, as where there are no clusters and no graphs on the device.
std::optional<std::uint32_t> constant_special(std::string_view name);

// Differs among the threads of one block.
bool is_thread_varying(Special special);

// Width of a clock register in bits, 0 for any other name.
unsigned clock_bits(std::string_view name);

}  // namespace warpfold::isa
