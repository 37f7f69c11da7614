// SPDX-License-Identifier: Apache-2.0
// Which threads of a block are in warps: what mechanisms are asked again and again while threads wait for one another.
#pragma once

#include <vector>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {

class RunningLanes {
 public:
  // Warps have come, gone or parted.
  void changed() { rows_.clear(); }
  // Lanes of the block's rows; threads that have exited since the last change may be among them. `visit` calls what it
  // is given for each warp of the block, and returns false where threads are on their way to others: then any may run.
  template <class Visit>
  const std::vector<LaneMask>& of(const Block& block, Visit visit) {
    if (!rows_.empty()) return rows_;
    rows_.assign(block.rows(), 0);
    const bool all = visit([&](const Warp& warp) {
      for_each_thread(warp, warp.mask, [&](unsigned row, LaneMask lane) { rows_[row - block.first_row] |= lane; });
    });
    if (!all) rows_.assign(block.rows(), ~LaneMask{0});
    return rows_;
  }

 private:
  std::vector<LaneMask> rows_;
};

}  // namespace warpfold::divergence
