// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/block/compact_step.h"

#include <bit>

namespace warpfold::divergence {

Warp compact_step(std::vector<LaneMask>& threads, unsigned first_row, isa::Pc pc, bool regroup) {
  Warp warp;
  warp.pc = pc;
  unsigned rows_used = 0;
  for (unsigned row = 0; row < threads.size(); ++row) {
    const LaneMask chosen = threads[row] & ~warp.mask;
    if (chosen == 0) continue;
    const auto global_row = static_cast<std::uint16_t>(first_row + row);
    if (rows_used == 0) {
      warp.row.fill(global_row);
    } else {
      for (LaneMask rest = chosen; rest != 0; rest &= rest - 1) {
        warp.row[static_cast<unsigned>(std::countr_zero(rest))] = global_row;
      }
    }
    ++rows_used;
    warp.mask |= chosen;
    threads[row] &= ~chosen;
    if (!regroup) break;
  }
  warp.one_row = rows_used <= 1;
  return warp;
}

}  // namespace warpfold::divergence
