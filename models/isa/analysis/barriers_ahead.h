// SPDX-License-Identifier: Apache-2.0
// Where threads meet that part before a barrier and otherwise meet only to end.
#pragma once

#include <vector>

#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::isa {

// Threads that return early (`if (i >= n) return;` before __syncthreads()) do not come to the barrier, and nobody has
// to wait for them; but compilers merge a kernel's returns, and what is done before them, so that its end is the first
// thing that all paths have in common. Threads that met only there would wait there for those at the barrier, or be
// kept back, on a path whose turn never comes, while the others wait for them at the barrier.
class BarriersAhead {
 public:
  // `barriers`: by block, has it one, of its block or of its warp?
  BarriersAhead(const Cfg& cfg, std::vector<bool> barriers);

  // May a thread that leaves the block come to a barrier? One in the block itself is behind it, unless a loop leads
  // back.
  bool any(BlockIndex block) const { return ahead_[block]; }
  // Of the block's branch, where there is one ahead: the first block on all the ways to the next barrier. Cfg::exit():
  // none is.
  BlockIndex meeting_point(BlockIndex block) const;
  // May a thread that enters the block come to a barrier?
  bool leads_to_one(BlockIndex block) const { return block != cfg_.exit() && (barriers_[block] || ahead_[block]); }

 private:
  BlockIndex common(BlockIndex one, BlockIndex other) const;

  const Cfg& cfg_;
  std::vector<bool> barriers_, ahead_;
  std::vector<BlockIndex> next_;  // on all ways from a block to the next barrier; of those with a barrier, the exit
};

}  // namespace warpfold::isa
