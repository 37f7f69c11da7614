// SPDX-License-Identifier: Apache-2.0
// Picks one of the ready warps of a scheduler: loose round-robin (TBC Table 2) or greedy-then-oldest.
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/core/core_params.h"
#include "warpfold/divergence/warp.h"

namespace warpfold {

class WarpScheduler {
 public:
  WarpScheduler(WarpPolicy policy, unsigned slots) : policy_(policy), age_(slots, 0), last_(slots - 1) {}

  // A warp entered the buffer: it is the youngest.
  void entered(divergence::WarpId warp) { age_[warp] = ++clock_; }
  // Chooses from `ready`, which is not empty, and remembers the choice.
  divergence::WarpId pick(const divergence::WarpSet& ready);

 private:
  divergence::WarpId oldest(const divergence::WarpSet& ready) const;

  WarpPolicy policy_;
  std::vector<std::uint64_t> age_;  // order of entering
  std::uint64_t clock_ = 0;
  divergence::WarpId last_;
  std::uint64_t last_age_ = 0;  // GTO: the warp that was greedy, not a later one in its slot
};

}  // namespace warpfold
