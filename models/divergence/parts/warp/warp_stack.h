// SPDX-License-Identifier: Apache-2.0
// The reconvergence stack of a static warp (TBC §2.2.2), with likely-convergence points (TBC §4) for branches that have
// one.
#pragma once

#include <algorithm>
#include <vector>

#include "warpfold/divergence/mechanism.h"
#include "warpfold/divergence/parts/branch_order.h"

namespace warpfold::divergence {

class WarpStackObserver;

class WarpStack {
 public:
  struct Entry {
    Pc pc = 0, rpc = 0;
    LaneMask mask = 0;
    // Threads that reach `lpc` before `rpc` go over to the likely-convergence entry, which is entry `lpos`.
    Pc lpc = isa::kNoPc;
    unsigned lpos = 0;
  };

  // Told of every operation, after it; null: nobody.
  void observe(WarpStackObserver* observer) { observer_ = observer; }

  // All threads of the warp in one entry at pc 0 that reconverges at `end`.
  void start(LaneMask threads, Pc end);
  // The threads of the top go on at `next`. True: they reconverge there, and the top is another or has more threads.
  bool go_on(Pc next) {
    Entry& entry = entries_.back();
    entry.pc = next;
    const bool moves = next == entry.rpc || next == entry.lpc;
    if (moves) settle();
    if (observer_ != nullptr) went_on(next);
    return moves;
  }
  // How far, at most to `end`, the top's threads go on before they may reconverge or somebody is told.
  Pc goes_straight_to(Pc end) const {
    const Entry& entry = entries_.back();
    if (observer_ != nullptr) return 0;
    const auto ahead = [&](Pc point) { return point > entry.pc && point < end ? point : end; };
    return std::min(ahead(entry.rpc), ahead(entry.lpc));
  }
  // The top's threads part at a branch. Returns the number of entries that this takes, those included that pop at once.
  //
  // A top that waits for the same reconvergence point already makes room (a loop with differing trip counts does not
  // grow the stack), and what takes its place keeps its likely-convergence point: the sides, when the branch has no
  // other (TBC footnote 7), or else the entry of the branch's own point.
  unsigned diverge(const Branch& branch, BranchOrder order);
  // Threads exited; the top's others, if any, go on at `next`.
  void exit(LaneMask lanes, Pc next);

  bool empty() const { return entries_.empty(); }  // all threads have exited
  const Entry& top() const { return entries_.back(); }
  const std::vector<Entry>& entries() const { return entries_; }
  LaneMask inactive() const { return inactive_; }  // threads on a side of a branch whose turn has not come
  LaneMask reconverging() const { return empty() ? 0 : live_ & ~inactive_ & ~top().mask; }

 private:
  void settle();
  void went_on(Pc next) const;

  std::vector<Entry> entries_;
  LaneMask live_ = 0, inactive_ = 0;
  WarpStackObserver* observer_ = nullptr;
};

// Sees a stack at work: RTL beside the model, say.
class WarpStackObserver {
 public:
  virtual ~WarpStackObserver() = default;
  virtual void started(const WarpStack& after, LaneMask threads, Pc end) = 0;
  virtual void went_on(const WarpStack& after, Pc next) = 0;
  // `deepest`: the entries that it took, `taken_first`: which side ran first.
  virtual void diverged(const WarpStack& after, const Branch& branch, bool taken_first, unsigned deepest) = 0;
  virtual void exited(const WarpStack& after, LaneMask lanes, Pc next) = 0;
};

}  // namespace warpfold::divergence
