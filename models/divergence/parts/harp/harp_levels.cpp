// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/harp/harp_levels.h"

namespace warpfold::divergence {

WarpLevels::WarpLevels(const WarpLevelParams& params, unsigned slots) : params_(params), slots_(slots), first_(slots) {}

bool WarpLevels::enter(WarpId id) {
  const bool fits = slots_[id].place != Place::kNone || second_used() < params_.second_entries;
  if (fits && !overdue()) {
    move(id, Place::kFresh);
    return true;
  }
  slots_[id].until = now_ + kPatience;
  move(id, Place::kSpilled);
  return false;
}

WarpId WarpLevels::returning() const {
  const WarpId oldest = queue(Place::kSpilled).head;
  return oldest != kNoWarp && second_used() < params_.second_entries ? oldest : kNoWarp;
}

unsigned WarpLevels::second_used() const {
  return size(Place::kRunning) + size(Place::kFresh) + size(Place::kSearching) + size(Place::kReturning) +
         size(Place::kReady);
}

bool WarpLevels::empty() const { return second_used() + first_used() + size(Place::kSpilled) == 0; }

void WarpLevels::settle(Cycle now) {
  now_ = now;
  if (size(Place::kArriving) != 0) move(queue(Place::kArriving).head, Place::kFirst);
  while (size(Place::kSearching) != 0 && slots_[queue(Place::kSearching).head].until <= now) {
    move(queue(Place::kSearching).head, Place::kReady);
  }
  while (size(Place::kFresh) != 0) {
    const WarpId id = queue(Place::kFresh).head;
    slots_[id].until = now + params_.search_cycles;
    move(id, params_.search_cycles == 0 ? Place::kReady : Place::kSearching);
  }
  if (size(Place::kReady) != 0 && first_used() < params_.first_entries) {
    move(queue(Place::kReady).head, Place::kArriving);
  }
}

Cycle WarpLevels::next(Cycle now) const {
  const bool moves = size(Place::kReady) != 0 && first_used() < params_.first_entries;
  const bool returns = returning() != kNoWarp;
  if (moves || returns || size(Place::kArriving) != 0 || size(Place::kFresh) != 0) return now + 1;
  return size(Place::kSearching) != 0 ? slots_[queue(Place::kSearching).head].until : kNever;
}

void WarpLevels::move(WarpId id, Place to) {
  Slot& slot = slots_[id];
  if (slot.place != Place::kNone) unlink(id);
  if (slot.place == Place::kFirst) first_.erase(id);
  slot.place = to;
  if (to != Place::kNone) link(id, to);
  if (to == Place::kFirst) first_.insert(id);
}

void WarpLevels::unlink(WarpId id) {
  const Slot& slot = slots_[id];
  Queue& queue = queues_[static_cast<std::size_t>(slot.place)];
  (slot.before == kNoWarp ? queue.head : slots_[slot.before].behind) = slot.behind;
  (slot.behind == kNoWarp ? queue.tail : slots_[slot.behind].before) = slot.before;
  --queue.size;
}

void WarpLevels::link(WarpId id, Place to) {
  Queue& queue = queues_[static_cast<std::size_t>(to)];
  slots_[id].before = queue.tail;
  slots_[id].behind = kNoWarp;
  (queue.tail == kNoWarp ? queue.head : slots_[queue.tail].behind) = id;
  queue.tail = id;
  ++queue.size;
}

}  // namespace warpfold::divergence
