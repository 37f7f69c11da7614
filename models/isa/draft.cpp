// SPDX-License-Identifier: Apache-2.0
// A kernel while it is being decoded: micro-ops whose operands are still virtual registers.
#include "models/isa/draft.h"

#include <algorithm>

namespace warpfold::isa {

Ref DraftKernel::constant(std::uint64_t bits, bool wide) {
  const auto [entry, is_new] = constant_index_.try_emplace({bits, wide}, static_cast<std::uint32_t>(constants.size()));
  if (is_new) {
    constants.push_back(static_cast<std::uint32_t>(bits));
    if (wide) constants.push_back(static_cast<std::uint32_t>(bits >> 32));
  }
  return {Ref::Kind::kFixed, entry->second};
}

Ref DraftKernel::special(Special which) {
  const auto found = std::find(specials.begin(), specials.end(), which);
  const auto index = static_cast<std::uint32_t>(found - specials.begin());
  if (found == specials.end()) specials.push_back(which);
  return {Ref::Kind::kSpecial, index};
}

std::uint32_t DraftKernel::opcode(const std::string& text) {
  const auto [entry, is_new] = opcode_index_.try_emplace(text, static_cast<std::uint32_t>(opcodes.size()));
  if (is_new) opcodes.push_back(text);
  return entry->second;
}

}  // namespace warpfold::isa
