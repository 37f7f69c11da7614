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
// that the others never come to. On their way, the region that they were in when they parted ends by their EXIT.
#pragma once

#include <cstdint>
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
    isa::Pc point = 0;    // L
    unsigned region = 0;  // its number
  };
  // The regions that hold the instruction `pc` and may be entered there, outermost first. SSY is due for each that the
  // warp is not in and whose point it may come to before that of the region which it is in.
  std::span<const Begin> begins_at(isa::Pc pc) const;
  static constexpr unsigned kNoRegion = ~0U;
  // Is a warp in the region of `begin` or in one that lies within it? `innermost`: the region that it is in;
  // has_point(pc): is that where one of its regions ends?
  template <class HasPoint>
  bool is_in(const Begin& begin, unsigned innermost, HasPoint has_point) const {
    if (innermost == kNoRegion) return false;
    if (innermost == begin.region || !comes_before(begin.region, innermost)) return true;
    return has_point(begin.point);
  }
  // May a thread in the region `outer` come to the point of `inner` before it comes to that of `outer`?
  bool comes_before(unsigned inner, unsigned outer) const { return regions_[outer].within[regions_[inner].point]; }

 private:
  struct Region {
    isa::BlockIndex point;
    std::vector<bool> within;  // by block: what its branches lead to that does not lie behind its point
  };

  void find_region(const isa::Cfg& cfg, isa::Pc point, const std::vector<isa::BlockIndex>& branches);
  void sort_begins();

  std::vector<isa::Pc> points_;  // by pc
  std::vector<bool> marked_;     // by pc
  std::vector<Region> regions_;
  std::vector<Begin> begins_;  // by pc, the outermost first
};

}  // namespace warpfold::divergence
