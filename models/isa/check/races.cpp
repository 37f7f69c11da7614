// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/check/races.h"

#include <algorithm>
#include <limits>

namespace warpfold::isa {
namespace {

bool same_warp(unsigned a, unsigned b) { return a / kArchitecturalWarp == b / kArchitecturalWarp; }

// The bytes of a touch that lie in the cell at `cell`.
std::uint8_t bytes_in(const Touch& touch, Address cell, unsigned grain) {
  const Address begin = std::max(touch.address, cell), end = std::min(touch.address + touch.bytes, cell + grain);
  return static_cast<std::uint8_t>(((1U << (end - begin)) - 1) << (begin - cell));
}

}  // namespace

void Races::launch_started() {
  now_ = 0;
  global_.clear();
  blocks_.clear();
  block_clocks_.clear();
}

// What came before the numbers run out is forgotten.
void Races::next_instruction() {
  if (now_ == std::numeric_limits<std::uint32_t>::max()) launch_started();
  ++now_;
}

Races::Clock& Races::clock_of(std::uint64_t block, unsigned thread) {
  std::vector<Clock>& threads = blocks_[block].threads;
  if (threads.size() <= thread) threads.resize(thread + 1);
  return threads[thread];
}

void Races::fenced(std::uint64_t block, unsigned thread) {
  for (Clock* const clock : {&clock_of(block, thread), &block_clocks_[block]}) clock->released = clock->acquired = now_;
}

Races::Cell& Races::cell_of(const Touch& touch, Address address) {
  if (touch.space == Space::kGlobal) return global_.at(address)[address % kPage / kGrain];
  std::vector<Cell>& cells = blocks_[touch.block].shared;
  if (cells.size() <= address / kGrain) cells.resize(address / kGrain + 1);
  return cells[address / kGrain];
}

// Do they touch the same bytes, in a way that wants an order? Within a warp, volatile accesses do: without
// independent threads nobody comes here, and with them they are what old code relies on.
bool Races::conflict(const Mark& mark, const Touch& touch, std::uint8_t bytes) const {
  if (mark.time == 0 || mark.time == now_ || (mark.bytes & bytes) == 0) return false;
  const bool one_warp = touch.space == Space::kShared && same_warp(mark.thread, touch.thread);
  const Strength enough = one_warp ? Strength::kAtomic : Strength::kVolatile;
  return mark.strength < enough || touch.strength < enough;
}

bool Races::ordered_in_block(const Mark& mark, const Touch& touch) {
  if (mark.thread == touch.thread || mark.time <= blocks_[touch.block].barrier) return true;
  const Clock earlier = clock_of(touch.block, mark.thread), later = clock_of(touch.block, touch.thread);
  if (same_warp(mark.thread, touch.thread)) {
    if (!independent_ || (earlier.warp >= mark.time && later.warp >= mark.time)) return true;
  }
  return earlier.released >= mark.time && later.acquired >= mark.time;
}

bool Races::ordered(const Mark& mark, const Touch& touch) {
  if (touch.space == Space::kShared) return ordered_in_block(mark, touch);
  if (mark.block == static_cast<std::uint32_t>(touch.block)) return true;
  const auto earlier = block_clocks_.find(mark.block);
  const auto later = block_clocks_.find(touch.block);
  return earlier != block_clocks_.end() && later != block_clocks_.end() && earlier->second.released >= mark.time &&
         later->second.acquired >= mark.time;
}

// The earlier access that the touch races with, or null.
const Races::Mark* Races::raced(const Cell& cell, const Touch& touch, std::uint8_t bytes, bool writes) {
  const auto races = [&](const Mark& mark) { return conflict(mark, touch, bytes) && !ordered(mark, touch); };
  if ((touch.reads || writes) && races(cell.write)) return &cell.write;
  const bool atomic_in_global = touch.space == Space::kGlobal && touch.strength >= Strength::kAtomic;
  if (writes && !atomic_in_global && races(cell.read)) return &cell.read;
  return nullptr;
}

// In global memory an atomic counts as a reader: only plain writes race with it.
void Races::remember(Cell& cell, const Touch& touch, std::uint8_t bytes, bool writes) const {
  const bool as_write = writes && (touch.space == Space::kShared || touch.strength < Strength::kAtomic);
  if (!as_write && !touch.reads && !writes) return;
  Mark& mark = as_write ? cell.write : cell.read;
  if (mark.time == now_) {
    mark.bytes |= bytes;
    return;
  }
  mark = {now_,  touch.pc,      static_cast<std::uint32_t>(touch.block), static_cast<std::uint16_t>(touch.thread),
          bytes, touch.strength};
}

void Races::note(const Touch& touch, const Tell& tell) {
  bool told = false;
  const Address first = touch.address / kGrain * kGrain;
  for (Address at = first; at < touch.address + touch.bytes; at += kGrain) {
    Cell& cell = cell_of(touch, at);
    const std::uint8_t bytes = bytes_in(touch, at, kGrain);
    const bool fresh = touch.space == Space::kShared && cell.write.time == 0;
    const bool writes = touch.writes && (touch.changes || fresh);
    const Mark* const earlier = raced(cell, touch, bytes, writes);
    if (earlier != nullptr && !told) {
      tell({earlier == &cell.write, earlier->pc, earlier->block, earlier->thread});
      told = true;
    }
    remember(cell, touch, bytes, writes);
  }
  if (touch.strength == Strength::kPlain) return;
  clock_of(touch.block, touch.thread).acquired = now_;
  if (touch.space == Space::kGlobal) block_clocks_[touch.block].acquired = now_;
  if (touch.strength == Strength::kReleasing) fenced(touch.block, touch.thread);
}

}  // namespace warpfold::isa
