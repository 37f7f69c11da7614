// SPDX-License-Identifier: Apache-2.0
// The table of pools in which a core's threads wait to be compacted (spare-time compaction), as whoever watches it sees
// it: RTL beside the model, say.
#pragma once

#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

inline constexpr unsigned kNoPool = ~0U;

// `full`: the pool has threads in all lanes now.
class PoolTableObserver {
 public:
  virtual ~PoolTableObserver() = default;
  // These are in the pool of their pc and group; kNoPool: it has none, and none is free.
  virtual void added(const Warp& threads, unsigned group, unsigned pool, bool full) = 0;
  // The compactor has taken these out of it.
  virtual void given(unsigned pool, const Warp& threads, bool full) = 0;
  // Among these the one of most threads, or the oldest, gives; kNoPool: none of them has threads.
  virtual void picked(const std::vector<bool>& among, bool by_age, Cycle now, unsigned pool) = 0;
  // The next cycle. `pool` gives since it has waited too long; kNoPool: none has, or the compactor is busy.
  virtual void ticked(Cycle now, bool busy, unsigned pool) = 0;
};

}  // namespace warpfold::divergence
