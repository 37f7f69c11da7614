// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/bounds.h"

#include <array>

namespace warpfold::sim {
namespace {

constexpr std::array kBoundNames{"exact", "at least", "at most", "neither"};
constexpr std::array kSigns{"", "≥ ", "≤ ", "~ "};

}  // namespace

Cell name_of(Bound bound) { return kBoundNames[static_cast<std::size_t>(bound)]; }

Cell bounded(Cell cell, Bound bound) {
  if (bound == Bound::kAtLeast && (cell.value.is_null() || cell.value == 0)) return {nullptr, "?"};
  if (!cell.value.is_null()) cell.shown.insert(0, kSigns[static_cast<std::size_t>(bound)]);
  return cell;
}

Bound both(Bound a, Bound b) {
  if (a == Bound::kExact || a == b) return b;
  return b == Bound::kExact ? a : Bound::kNeither;
}

Bound ratio(bool run, bool base) {
  return both(run ? Bound::kAtMost : Bound::kExact, base ? Bound::kAtLeast : Bound::kExact);
}

}  // namespace warpfold::sim
