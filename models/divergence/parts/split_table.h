// SPDX-License-Identifier: Apache-2.0
// The table that a core has for splits of its rows (dynamic warp subdivision), as whoever watches it sees it: RTL
// beside the model, say. A row with several splits has an entry for each, one that is whole has none.
#pragma once

#include <span>

#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

struct Split {
  WarpId slot = kNoWarp;  // of the warp buffer; none: it has no entry
  Pc pc = 0;
  LaneMask mask = 0;
  unsigned point = ~0U;  // where its threads meet the others of their row next
  bool stands = false;   // others may join it
};

class SplitTableObserver {
 public:
  virtual ~SplitTableObserver() = default;
  // Has the table room for one split more of the row?
  virtual void asked(unsigned row, bool has_room) = 0;
  // These are the row's entries now.
  virtual void changed(unsigned row, std::span<const Split> splits) = 0;
  // A split comes to a pc where that of slot `found` stands, and joins it; kNoWarp: no entry does. `others`: the row's
  // splits without it. The slot that it leaves may be one that is not among them.
  virtual void came(unsigned row, const Split& split, std::span<const Split> others, WarpId found) = 0;
};

}  // namespace warpfold::divergence
