// SPDX-License-Identifier: Apache-2.0
// HARP's Lookup tables, both fully associative and keyed by pc: threads that have just diverged meet others of their pc
// in Ready-Lookup, warps that wait for memory others at the same instruction in Waiting-Lookup (HARP §4.2.1).
#pragma once

#include <array>
#include <vector>

#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

class LookupObserver;

class ReadyLookup {
 public:
  explicit ReadyLookup(unsigned entries) : entries_(entries) {}

  // Told of every operation, after it; null: nobody.
  void observe(LookupObserver* observer) { observer_ = observer; }

  // What became of the threads of a diverged warp.
  struct Result {
    unsigned merged = 0;    // threads that joined warps of the table
    unsigned entered = 0;   // new warps in the table
    unsigned bypassed = 0;  // new warps that found it full
  };
  // Takes in the two sides of a branch, each at its pc. A thread joins the oldest warp of its pc with its lane free;
  // the others of a side make a new warp, which enters last, except that warps which got threads go behind it: they may
  // get more (Fig. 10). Leaves in `sides` what found the table full.
  Result take(std::array<Warp, 2>& sides);

  bool empty() const { return fifo_.empty(); }
  Warp pop();  // the warp that entered first
  unsigned used() const { return static_cast<unsigned>(fifo_.size()); }
  unsigned threads() const { return threads_; }
  const std::vector<Warp>& warps() const { return fifo_; }  // first in, first out

 private:
  unsigned join(Warp& side);

  unsigned entries_;
  std::vector<Warp> fifo_;
  std::vector<Warp> joined_;  // those that got threads, on their way to the end
  unsigned threads_ = 0;
  LookupObserver* observer_ = nullptr;
};

class WaitingLookup {
 public:
  // `slots`: of the warp buffer.
  WaitingLookup(unsigned entries, unsigned slots) : entries_(entries), entry_of_(slots, kNone) {}

  // Told of every operation, after it; null: nobody.
  void observe(LookupObserver* observer) { observer_ = observer; }

  enum class Outcome : std::uint8_t { kEntered, kMerged, kFull };
  // A warp's memory operation at its pc is under way: it merges with the warps of an entry at this pc that leave its
  // lanes free, or else enters a free entry. All warps of an entry go on as one when the last operation has completed.
  Outcome issued(WarpId id, const Warp& warp);

  bool holds(WarpId id) const { return entry_of_[id] != kNone; }
  // The operation of a warp in this table completed. True: it was its entry's last, and `warp` now has all threads of
  // the entry. False: they wait for the others here, and the warp is to give up its slot.
  bool completed(WarpId id, Warp& warp);

  unsigned entry_of(WarpId id) const { return entry_of_[id]; }  // of a warp that it holds
  unsigned used() const { return used_; }
  unsigned threads() const { return threads_; }  // whose own operation has completed
  // Calls visit(warp) for the threads of each entry that wait for others.
  template <class Visit>
  void for_each_waiting(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.in_flight != 0) visit(entry.done);
    }
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  struct Entry {
    Pc pc = 0;
    LaneMask lanes = 0;      // of all its warps
    unsigned in_flight = 0;  // operations; 0: the entry is free
    Warp done;               // threads that wait for them
  };

  Outcome enter(WarpId id, const Warp& warp);
  bool leave(Entry& entry, Warp& warp);

  std::vector<Entry> entries_;
  std::vector<std::uint16_t> entry_of_;  // by slot
  unsigned used_ = 0, threads_ = 0;
  LookupObserver* observer_ = nullptr;
};

// Sees both tables at work: RTL beside the model, say.
class LookupObserver {
 public:
  virtual ~LookupObserver() = default;
  // The sides of a diverged warp as they came, and what of them has found the table full.
  virtual void took(const ReadyLookup& after, const std::array<Warp, 2>& sides, const std::array<Warp, 2>& left) = 0;
  virtual void popped(const ReadyLookup& after, const Warp& warp) = 0;
  virtual void issued(const WaitingLookup& after, WarpId id, const Warp& warp, WaitingLookup::Outcome outcome) = 0;
  // An operation of that entry; `last`: `warp` has all its threads.
  virtual void completed(const WaitingLookup& after, unsigned entry, const Warp& warp, bool last) = 0;
};

}  // namespace warpfold::divergence
