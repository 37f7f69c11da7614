// SPDX-License-Identifier: Apache-2.0
// The mask-fit picker of warp interweaving: which ready warp fills the lanes that an issued one leaves idle (Brunie,
// Collange and Diamos, ISCA 2012).
#pragma once

#include <bit>
#include <span>

#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

// Of the `ready` warps that have no active lane among `taken`, the one with most lanes; of equal ones that of the
// lowest slot (decision: the paper's abstract does not say). `set` of `sets`: only slots that are congruent to it are
// looked at. kNoWarp: none fits. `warp_at`: the warp in a slot.
template <class WarpAt>
WarpId fitting_warp(const WarpSet& ready, LaneMask taken, WarpId set, unsigned sets, WarpAt warp_at) {
  WarpId fits = kNoWarp;
  int most = 0;
  for (WarpId id = ready.next(0); id != kNoWarp; id = ready.next(id + 1)) {
    if (sets > 1 && id % sets != set % sets) continue;
    const LaneMask mask = warp_at(id).mask;
    if ((mask & taken) != 0 || std::popcount(mask) <= most) continue;
    fits = id;
    most = std::popcount(mask);
  }
  return fits;
}

// Sees the picker of a scheduler at work: RTL beside the model, say. Warps are numbered among the scheduler's.
class MaskFitObserver {
 public:
  struct Candidate {
    unsigned warp;
    LaneMask mask;
  };
  virtual ~MaskFitObserver() = default;
  // Of the warps that are ready, `fits` is the pick of its set beside `taken` lanes; kNoWarp: nobody fits.
  virtual void picked(std::span<const Candidate> ready, LaneMask taken, unsigned set, WarpId fits) = 0;
};

}  // namespace warpfold::divergence
