// SPDX-License-Identifier: Apache-2.0
// Where the threads of a warp that went different ways wait for each other: convergence barriers (US 10,067,768 B2), or
// the reconvergence table of multi-path execution (ElTantawy, HPCA 2014). A point has a pc, the threads that take part
// and, of these, those that have not come yet.
#pragma once

#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

class MeetingPoints {
 public:
  static constexpr unsigned kNone = ~0U;
  struct Point {
    Pc pc = isa::kNoPc;      // none: the entry is free
    unsigned outer = kNone;  // where its threads meet next
    LaneMask threads = 0;
    LaneMask pending = 0;
    std::uint64_t begun = 0;  // the how-manieth of its warp
    Cycle heard = 0;          // when one came last
    LaneMask arrived() const { return threads & ~pending; }
  };

  // Takes the lowest free entry.
  unsigned begin(Pc pc, unsigned outer, LaneMask threads, Cycle now);
  void arrive(unsigned at, LaneMask threads, Cycle now);
  // Threads exit: nobody waits for them, and entries without threads are free.
  void exit(LaneMask threads);
  // Threads that wait at `at` go on without those that have not come.
  void let_go(unsigned at, Cycle now);
  // May those who wait go on, if nobody waits for `yielded`?
  bool complete(unsigned at, LaneMask yielded = 0) const {
    return points_[at].arrived() != 0 && (points_[at].pending & ~yielded) == 0;
  }
  // Frees an entry; what it was the outer one of has its outer one instead.
  Point end(unsigned at);

  const Point& operator[](unsigned at) const { return points_[at]; }
  unsigned places() const { return static_cast<unsigned>(points_.size()); }
  bool used(unsigned at) const { return points_[at].pc != isa::kNoPc; }
  unsigned in_use() const { return in_use_; }
  // All threads that wait somewhere.
  LaneMask arrived() const;
  // Those that cannot go on before some of `threads` come.
  LaneMask kept_back_by(LaneMask threads) const;

 private:
  std::vector<Point> points_;
  unsigned in_use_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace warpfold::divergence
