// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/harp/harp_lookup.h"

#include <bit>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {

ReadyLookup::Result ReadyLookup::take(std::array<Warp, 2>& sides) {
  Result result;
  std::array<Warp, 2> came;
  if (observer_ != nullptr) came = sides;
  joined_.clear();
  for (Warp& side : sides) {
    if (side.mask != 0) result.merged += join(side);
  }
  for (Warp& side : sides) {
    if (side.mask == 0) continue;
    if (fifo_.size() + joined_.size() == entries_) {
      ++result.bypassed;
      continue;
    }
    ++result.entered;
    threads_ += isa::count_lanes(side.mask);
    fifo_.push_back(side);
    side.mask = 0;
  }
  fifo_.insert(fifo_.end(), joined_.begin(), joined_.end());
  threads_ += result.merged;
  if (observer_ != nullptr) observer_->took(*this, came, sides);
  return result;
}

// Moves threads of a side to warps of the table, and those out of the queue; returns how many threads.
unsigned ReadyLookup::join(Warp& side) {
  const LaneMask before = side.mask;
  for (std::size_t i = 0; i < fifo_.size() && side.mask != 0;) {
    Warp& warp = fifo_[i];
    const LaneMask fit = warp.pc == side.pc ? side.mask & ~warp.mask : 0;
    if (fit == 0) {
      ++i;
      continue;
    }
    Warp part = side;
    narrow(part, fit);
    widen(warp, part);
    narrow(side, ~fit);
    joined_.push_back(warp);
    fifo_.erase(fifo_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return isa::count_lanes(before) - isa::count_lanes(side.mask);
}

Warp ReadyLookup::pop() {
  const Warp warp = fifo_.front();
  fifo_.erase(fifo_.begin());
  threads_ -= isa::count_lanes(warp.mask);
  if (observer_ != nullptr) observer_->popped(*this, warp);
  return warp;
}

WaitingLookup::Outcome WaitingLookup::issued(WarpId id, const Warp& warp) {
  const Outcome outcome = enter(id, warp);
  if (observer_ != nullptr) observer_->issued(*this, id, warp, outcome);
  return outcome;
}

WaitingLookup::Outcome WaitingLookup::enter(WarpId id, const Warp& warp) {
  Entry* free = nullptr;
  for (Entry& entry : entries_) {
    if (entry.in_flight == 0) {
      if (free == nullptr) free = &entry;
      continue;
    }
    if (entry.pc != warp.pc || (entry.lanes & warp.mask) != 0) continue;
    entry.lanes |= warp.mask;
    ++entry.in_flight;
    entry_of_[id] = static_cast<std::uint16_t>(&entry - entries_.data());
    return Outcome::kMerged;
  }
  if (free == nullptr) return Outcome::kFull;
  free->pc = warp.pc;
  free->lanes = warp.mask;
  free->in_flight = 1;
  free->done.mask = 0;
  entry_of_[id] = static_cast<std::uint16_t>(free - entries_.data());
  ++used_;
  return Outcome::kEntered;
}

bool WaitingLookup::completed(WarpId id, Warp& warp) {
  check(holds(id), "a memory operation completes for a warp of Waiting-Lookup");
  const unsigned entry = entry_of_[id];
  entry_of_[id] = kNone;
  const bool last = leave(entries_[entry], warp);
  if (observer_ != nullptr) observer_->completed(*this, entry, warp, last);
  return last;
}

bool WaitingLookup::leave(Entry& entry, Warp& warp) {
  if (--entry.in_flight != 0) {
    threads_ += isa::count_lanes(warp.mask);
    widen(entry.done, warp);
    return false;
  }
  --used_;
  if (entry.done.mask != 0) {
    threads_ -= isa::count_lanes(entry.done.mask);
    widen(warp, entry.done);
  }
  return true;
}

}  // namespace warpfold::divergence
