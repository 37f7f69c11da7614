// SPDX-License-Identifier: Apache-2.0
// Threads that keep their lanes, packed into warps: what the thread compactor does per cycle (TBC §3.2) and the large
// warp at issue (HARP §2.3).
#pragma once

#include <vector>

#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

// One compaction step: per lane a priority encoder picks the lowest row that still has a thread there, and clears it.
// `threads` (per row) loses the chosen threads. Without `regroup`, the lowest row with threads leaves as it is.
Warp compact_step(std::vector<LaneMask>& threads, unsigned first_row, Pc pc, bool regroup);

// Sees a large warp being packed: RTL beside the model, say.
class PackerObserver {
 public:
  virtual ~PackerObserver() = default;
  // `threads`, by row, became these sub-warps; their rows count from `first_row`.
  virtual void packed(const std::vector<LaneMask>& threads, unsigned first_row, const std::vector<Warp>& subwarps) = 0;
};

}  // namespace warpfold::divergence
