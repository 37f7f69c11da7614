// SPDX-License-Identifier: Apache-2.0
// Where a compiler for a token stack puts its SSY instructions and `.S` carriers (Divergence cost §III, Listings 3, 4).
//
// The branches that may diverge and reconverge at the same point L share one region. It begins before the first of
// them, outside their loop, where SSY L goes; every way out of it leads to L, and before L each has a carrier. Branches
// that reconverge at the kernel's end need neither: EXIT pops for them.
//
// No loop is looked for: the region's blocks are those on the ways from one of its branches to one of its branches that
// avoid L, so the region of a loop's branch holds the loop and a lone branch's its own block. L post-dominates them all
// (if a way from such a block missed L, one from the branch before it would, too), which holds for any control flow.
//
// But where some threads return before a barrier, those that go on to it meet before it (barriers_ahead.h), at an L
// that the others never come to. On their way, the region that they were in when they parted ends by their EXIT, and
// those that begin there lie in it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "warpfold/isa/analysis/cfg.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::divergence {

class SyncPlacement {
 public:
  SyncPlacement() = default;
  explicit SyncPlacement(const isa::Kernel& kernel);

  // L of the branch at `pc`: its reconvergence point or, where a jump is there, what that leads to; the kernel's end if
  // its threads meet only to exit.
  isa::Pc point(isa::Pc pc) const { return points_[pc]; }
  // May a region begin or end where a warp comes to `pc`?
  bool marked(isa::Pc pc) const { return marked_[pc]; }

  struct Begin {
    isa::Pc pc = 0;
    isa::Pc point = 0;   // L
    unsigned depth = 0;  // in the tree of post-dominators; of two points ahead of a thread, the deeper comes first
  };
  // The regions that hold the instruction `pc` and may be entered there, outermost first. SSY is due for each whose
  // point comes before that of the region which the warp is in, and for all if the warp will not come to that.
  std::span<const Begin> begins_at(isa::Pc pc) const;
  // May a thread at `pc` come to a region's point?
  bool leads_to(isa::Pc pc, isa::Pc point) const { return leading_.empty() || leading_.at(point)[block_of_[pc]]; }

 private:
  void find_region(const isa::Cfg& cfg, isa::Pc point, const std::vector<isa::BlockIndex>& branches);
  void find_leading(const isa::Cfg& cfg);

  std::vector<isa::Pc> points_;  // by pc
  std::vector<bool> marked_;     // by pc
  // Where threads return early; elsewhere all lead to the point of the region that they are in.
  std::map<isa::Pc, std::vector<bool>> leading_;  // by point, then by block
  std::vector<isa::BlockIndex> block_of_;         // by pc
  std::vector<Begin> begins_;                     // by pc, then by depth
};

}  // namespace warpfold::divergence
