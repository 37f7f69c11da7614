// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/harp_levels.h"

#include <algorithm>

namespace warpfold::divergence {

WarpLevels::WarpLevels(const WarpLevelParams& params, unsigned slots) : params_(params), slots_(slots), first_(slots) {}

bool WarpLevels::enter(WarpId id) {
  const bool spills = slots_[id].place == Place::kNone && second_used() >= params_.second_entries;
  move(id, Place::kFresh);
  slots_[id].spills = spills;
  return !spills;
}

unsigned WarpLevels::second_used() const {
  return size(Place::kRunning) + size(Place::kFresh) + size(Place::kSearching) + size(Place::kReady);
}

bool WarpLevels::empty() const { return second_used() + first_used() + size(Place::kSpilled) == 0; }

void WarpLevels::settle(Cycle now) {
  if (size(Place::kArriving) != 0) move(queue(Place::kArriving).head, Place::kFirst);
  for (const Place place : {Place::kSearching, Place::kSpilled}) {
    while (size(place) != 0 && slots_[queue(place).head].until <= now) move(queue(place).head, Place::kReady);
  }
  while (size(Place::kFresh) != 0) {
    const WarpId id = queue(Place::kFresh).head;
    Slot& slot = slots_[id];
    const unsigned wait = slot.spills ? params_.spill_cycles : params_.search_cycles;
    slot.until = now + wait;
    move(id, wait == 0 ? Place::kReady : slot.spills ? Place::kSpilled : Place::kSearching);
    slot.spills = false;
  }
  if (size(Place::kReady) != 0 && first_used() < params_.first_entries) {
    move(queue(Place::kReady).head, Place::kArriving);
  }
}

Cycle WarpLevels::next(Cycle now) const {
  const bool moves = size(Place::kReady) != 0 && first_used() < params_.first_entries;
  if (moves || size(Place::kArriving) != 0 || size(Place::kFresh) != 0) return now + 1;
  Cycle next = kNever;
  for (const Place place : {Place::kSearching, Place::kSpilled}) {
    if (size(place) != 0) next = std::min(next, slots_[queue(place).head].until);
  }
  return next;
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
