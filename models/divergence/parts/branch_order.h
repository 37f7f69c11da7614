// SPDX-License-Identifier: Apache-2.0
// Which side of a divergent branch a stack runs first.
#pragma once

#include <array>
#include <cstdint>

#include "warpfold/common/config/params.h"

namespace warpfold {

namespace divergence {

enum class BranchOrder : std::uint8_t { kTakenFirst, kNotTakenFirst, kFewestFirst };

// `taken`, `fall_through`: threads that go either way; ties run the taken side.
inline bool runs_taken_first(BranchOrder order, unsigned taken, unsigned fall_through) {
  switch (order) {
    case BranchOrder::kTakenFirst:
      return true;
    case BranchOrder::kNotTakenFirst:
      return false;
    case BranchOrder::kFewestFirst:
      break;
  }
  return taken <= fall_through;
}

}  // namespace divergence

template <>
struct Choices<divergence::BranchOrder> {
  static constexpr std::array names{"taken_first", "not_taken_first", "fewest_first"};
};

}  // namespace warpfold
