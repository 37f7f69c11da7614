// SPDX-License-Identifier: Apache-2.0
// Which 64-bit registers need no high word on a machine whose addresses have 32 bits.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold::isa {

struct DraftKernel;

// An instruction by its name in the op table: do the low 32 bits of its result depend on nothing but the low 32 bits of
// its sources?
bool keeps_low_words(std::string_view name, std::span<const std::string> modifiers);

// By virtual register: true for a 64-bit register whose high word reaches nothing but addresses, of which such a
// machine takes the low word. Demand runs backwards from stored and compared values, shifts to the right, conversions
// and whatever else asks for high words; through keeps_low_words() it passes from a result to the sources.
std::vector<bool> find_low_only(const DraftKernel& kernel);

}  // namespace warpfold::isa
