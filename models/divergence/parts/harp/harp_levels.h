// SPDX-License-Identifier: Apache-2.0
// HARP's two scheduler tables: Second-Level holds the active warps, First-Level the few of them that are to issue next
// (HARP §4.2, §4.2.3).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

struct WarpLevelParams {
  unsigned first_entries = 8;
  unsigned second_entries = 512;
  unsigned search_cycles = 0;  // from a warp's commit until it is ready, beyond the cycle of the commit
};

// Where the warps of one scheduler's slots are. Whatever moves in a cycle can be used in the next; settle() is a
// cycle's own work, after its commits and before its issue.
class WarpLevels {
 public:
  WarpLevels(const WarpLevelParams& params, unsigned slots);

  // A warp enters Second-Level, or commits. False: there is no room, and the warp is in memory (§7.3). Those come back
  // in the order in which they went, as soon as there is room; where that takes longer than kPatience, warps that
  // commit make room (decision: the others may wait for what one of those in memory is to do).
  static constexpr Cycle kPatience = 4096;
  bool enter(WarpId id);
  // Who is to come back from memory now, kNoWarp: nobody. It is on its way, and then there.
  WarpId returning() const;
  void on_its_way(WarpId id) { move(id, Place::kReturning); }
  bool is_on_its_way(WarpId id) const { return slots_[id].place == Place::kReturning; }
  void back(WarpId id) { move(id, Place::kReady); }
  // A warp of First-Level goes to the pipeline; in Second-Level it is not ready until it has committed.
  void issued(WarpId id) { move(id, Place::kRunning); }
  // A warp is in neither table any more.
  void leave(WarpId id) { move(id, Place::kNone); }

  // Makes ready what is to be ready in this cycle, and moves one warp, the first that became ready, to First-Level.
  void settle(Cycle now);
  // The next cycle in which settle() has something to do, unless something happens.
  Cycle next(Cycle now) const;

  const WarpSet& first_level() const { return first_; }
  unsigned first_used() const { return size(Place::kFirst) + size(Place::kArriving); }
  unsigned second_used() const;
  unsigned ready() const { return size(Place::kReady); }  // in Second-Level
  bool empty() const;

 private:
  enum class Place : std::uint8_t {
    kNone,
    kRunning,    // from issue to commit
    kFresh,      // entered or committed since the last settle()
    kSearching,  // the barrier table is pipelined and searched for its pc
    kSpilled,
    kReturning,  // from memory
    kReady,
    kArriving,  // usable in First-Level from the next cycle on
    kFirst,
    kCount
  };
  // A queue of warps from which any may leave.
  struct Queue {
    WarpId head = kNoWarp, tail = kNoWarp;
    unsigned size = 0;
  };
  struct Slot {
    WarpId before = kNoWarp, behind = kNoWarp;
    Place place = Place::kNone;
    Cycle until = 0;  // of its search; when its stay in memory becomes too long
  };

  const Queue& queue(Place place) const { return queues_[static_cast<std::size_t>(place)]; }
  unsigned size(Place place) const { return queue(place).size; }
  bool overdue() const { return size(Place::kSpilled) != 0 && slots_[queue(Place::kSpilled).head].until <= now_; }
  void move(WarpId id, Place to);
  void unlink(WarpId id);
  void link(WarpId id, Place to);

  WarpLevelParams params_;
  std::vector<Slot> slots_;
  std::array<Queue, static_cast<std::size_t>(Place::kCount)> queues_;
  WarpSet first_;
  Cycle now_ = 0;
};

}  // namespace warpfold::divergence
