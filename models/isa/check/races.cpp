// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/check/races.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "warpfold/common/warning.h"

namespace warpfold::isa {
namespace {

constexpr Address kInShared = Address{1} << 63;

Address tagged(const Touch& touch) { return touch.space == Space::kShared ? touch.address | kInShared : touch.address; }

}  // namespace

void Races::launch_started() {
  now_ = 0;
  bytes_ = 0;
  global_.clear();
  blocks_.clear();
  last_block_ = nullptr;
  left_.clear();
  left_reads_.clear();
  guesses_.clear();
  forgotten_ = forgotten_reads_ = nullptr;
}

// What came before the numbers run out is forgotten.
void Races::next_instruction() {
  if (now_ == std::numeric_limits<std::uint32_t>::max()) launch_started();
  ++now_;
}

void Races::block_finished(std::uint64_t block) {
  if (const auto found = blocks_.find(block); found != blocks_.end()) {
    found->second.shared.for_each([&](const Page& page) { bytes_ -= page.cells.size() * sizeof(Cell); });
    blocks_.erase(found);
  }
  last_block_ = nullptr;
  left_.erase(left_.lower_bound({block + 1, 0}), left_.lower_bound({block + 2, 0}));
}

void Races::forget(Address address, std::uint64_t bytes) {
  for (Address at = address; at < address + bytes; at = (at / kPage + 1) * kPage) {
    Page* const page = global_.find(at);
    if (page == nullptr || page->cells.empty()) continue;
    const Address last = std::min(address + bytes, (at / kPage + 1) * kPage) - 1;
    std::fill(page->cells.begin() + static_cast<std::ptrdiff_t>(at % kPage >> page->shift),
              page->cells.begin() + static_cast<std::ptrdiff_t>((last % kPage >> page->shift) + 1), Cell{});
  }
}

Races::Block& Races::block_of(std::uint64_t id) {
  if (last_block_ == nullptr || last_id_ != id) {
    last_block_ = &blocks_[id];
    last_id_ = id;
  }
  return *last_block_;
}

Races::Actor& Races::actor_at(Block& block, unsigned actor) {
  if (block.actors.size() <= actor) block.actors.resize(actor + 1);
  return block.actors[actor];
}

// --- What orders ---

void Races::barrier_opened(std::uint64_t id) {
  Block& block = block_of(id);
  block.barrier = now_;
  for (Actor& actor : block.actors) {
    block.seen = Past::join(block.seen, actor.seen);
    block.released = Past::join(block.released, actor.released);
    block.reads = Past::join(block.reads, actor.reads);
    actor.seen = actor.released = actor.released_inside = actor.reads = nullptr;
    actor.fenced_at = 0;
  }
}

void Races::barrier_opened(std::uint64_t block, Threads arrived, Threads waited) {
  meet(block, actors_of(arrived), actors_of(waited));
}

void Races::warp_synced(std::uint64_t block, unsigned warp, std::uint32_t threads) {
  if (!independent_) return;
  std::vector<std::uint32_t> bits(warp + 1, 0);
  bits[warp] = threads;
  const std::vector<unsigned> actors = actors_of(bits);
  meet(block, actors, actors);
}

std::vector<unsigned> Races::actors_of(Threads threads) const {
  std::vector<unsigned> actors;
  for (unsigned warp = 0; warp < threads.size(); ++warp) {
    if (threads[warp] != 0 && !independent_) actors.push_back(warp);
    for (std::uint32_t rest = independent_ ? threads[warp] : 0; rest != 0; rest &= rest - 1) {
      actors.push_back(warp * kArchitecturalWarp + static_cast<unsigned>(std::countr_zero(rest)));
    }
  }
  return actors;
}

void Races::meet(std::uint64_t id, const std::vector<unsigned>& arrived, const std::vector<unsigned>& waited) {
  Block& block = block_of(id);
  Past::Ref seen, released, reads;
  std::vector<std::uint64_t> names;
  for (const unsigned each : arrived) {
    names.push_back(Past::actor(static_cast<std::uint32_t>(id), each));
    const Actor& actor = actor_at(block, each);
    seen = Past::join(seen, actor.seen);
    released = Past::join(released, actor.released);
    reads = Past::join(reads, actor.reads);
  }
  seen = Past::join(seen, Past::of(names, now_));
  for (const unsigned each : waited) {
    Actor& actor = actor_at(block, each);
    actor.seen = Past::join(actor.seen, seen);
    actor.released = Past::join(actor.released, released);
    actor.reads = Past::join(actor.reads, reads);
  }
}

void Races::fenced(std::uint64_t id, unsigned thread, bool wide) {
  Block& block = block_of(id);
  Actor& actor = actor_at(block, actor_of(thread));
  if (actor.fenced_at == now_) return;  // the warp's other threads
  actor.fenced_at = now_;
  actor.seen = Past::join(actor.seen, std::exchange(actor.pending_inside, nullptr));
  if (wide) actor.seen = Past::join(actor.seen, std::exchange(actor.pending, nullptr));
  const auto name = static_cast<std::uint32_t>(id);
  actor.released_inside = Past::join(Past::of({Past::actor(name, actor_of(thread))}, now_), actor.seen);
  actor.released_inside = Past::join(actor.released_inside, block.seen);
  if (block.barrier != 0) {
    actor.released_inside = Past::join(actor.released_inside, Past::of({Past::whole(name)}, block.barrier));
  }
  if (wide) actor.released = actor.released_inside;
}

void Races::leave(const Place& place, const Past::Ref& past, bool adds) {
  if (past == nullptr) {
    if (!adds && !left_.empty()) left_.erase(place);
    return;
  }
  Past::Ref& left = left_[place];
  left = adds ? Past::join(left, past) : past;
  if (left_.size() <= kMostSynchronized) return;
  left_.clear();
  forgotten_ = Past::of_everybody(now_);
}

// A store of all that its block has read before its last barrier, and others before what it has read of theirs.
void Races::leave_reads(const Block& block, const Touch& touch) {
  if (block.barrier == 0) return;
  const Past::Ref own = Past::of({Past::whole(static_cast<std::uint32_t>(touch.block))}, block.barrier);
  const Past::Ref& before = block.actors[actor_of(touch.thread)].reads;
  left_reads_[tagged(touch)] = Past::join(Past::join(own, block.reads), before);
  if (left_reads_.size() <= kMostSynchronized) return;
  left_reads_.clear();
  forgotten_reads_ = Past::of_everybody(now_);
}

void Races::acquire(Block& block, const Touch& touch) {
  const auto at = [](const auto& left, const auto& place, const Past::Ref& otherwise) {
    const auto found = left.find(place);
    return found == left.end() ? otherwise : found->second;
  };
  const Address address = tagged(touch);
  if (const Past::Ref reads = at(left_reads_, address, forgotten_reads_); reads != nullptr) {
    Actor& actor = actor_at(block, actor_of(touch.thread));
    actor.reads = Past::join(actor.reads, reads);
  }
  const Past::Ref inside = at(left_, Place{touch.block + 1, address}, forgotten_);
  const Past::Ref all = touch.wide ? at(left_, Place{0, address}, forgotten_) : nullptr;
  if (inside == nullptr && all == nullptr) return;
  Actor& actor = actor_at(block, actor_of(touch.thread));
  actor.fenced_at = 0;
  if (touch.acquires) {
    actor.seen = Past::join(Past::join(actor.seen, inside), all);
  } else {
    actor.pending_inside = Past::join(actor.pending_inside, inside);
    actor.pending = Past::join(actor.pending, all);
  }
}

// A store begins anew, an atomic adds to what others have left.
void Races::release(Block& block, const Touch& touch) {
  if (touch.releases) fenced(touch.block, touch.thread, touch.wide);
  const Actor& actor = actor_at(block, actor_of(touch.thread));
  leave({touch.block + 1, tagged(touch)}, actor.released_inside, touch.reads);
  if (touch.space == Space::kShared) return;
  if (!touch.reads) leave_reads(block, touch);
  leave({0, tagged(touch)}, touch.wide ? Past::join(actor.released, block.released) : nullptr, touch.reads);
}

// --- What is at a place ---

// Null: there is no more room.
Races::Page* Races::page_of(Block& block, const Touch& touch, Address address) {
  const bool shared = touch.space == Space::kShared;
  Page& page = (shared ? block.shared : global_).at(address);
  const auto shift = static_cast<unsigned>(std::countr_zero(touch.address | touch.bytes | 4));
  if (!page.cells.empty() && page.shift <= shift) return &page;
  const std::size_t before = page.cells.size(), after = (shared ? kSharedPage : kPage) >> std::min(shift, page.shift);
  const std::uint64_t more = (after - before) * sizeof(Cell);
  if (bytes_ + more > most_) {
    warn_once(
        fmt::format("races: what the threads of a launch touch takes more than {} MiB to remember; not all of it "
                    "is looked at (check.races_memory)",
                    most_ >> 20));
    return nullptr;
  }
  bytes_ += more;
  std::vector<Cell> cells(after);
  for (std::size_t k = 0; before != 0 && k < after; ++k) cells[k] = page.cells[k * before / after];
  page = {std::min(shift, page.shift), std::move(cells)};
  return &page;
}

bool Races::same_actor(const Mark& a, const Mark& b) const {
  return a.block == b.block && actor_of(a.thread) == actor_of(b.thread);
}

// Do they want an order? Strong ones of scopes that hold both do not; but in shared memory volatile ones of a warp are
// what code relies on that takes its threads to be in step.
bool Races::conflict(const Mark& mark, const Mark& now, const Touch& touch) {
  const bool one_block = mark.block == now.block;
  const bool one_warp = one_block && mark.thread / kArchitecturalWarp == now.thread / kArchitecturalWarp;
  const Strength enough = touch.space == Space::kShared && one_warp ? Strength::kAtomic : Strength::kVolatile;
  const bool strong = mark.strength >= enough && now.strength >= enough;
  return !strong || (!one_block && !(mark.wide && now.wide));
}

bool Races::ordered(const Mark& mark, bool wrote, const Mark& now, const Block& block) const {
  if (same_actor(mark, now)) return true;
  if (mark.block == now.block && mark.time <= block.barrier) return true;
  const unsigned who = actor_of(mark.thread), me = actor_of(now.thread);
  const auto has = [&](const Past::Ref& past) { return past != nullptr && past->has(mark.block, who, mark.time); };
  if (has(block.seen) || (!wrote && has(block.reads))) return true;
  if (me >= block.actors.size()) return false;
  return has(block.actors[me].seen) || (!wrote && has(block.actors[me].reads));
}

// Causality order (PTX ISA §8.9.5): what follows a strong read of a strong write follows that write, if not what was
// before it. So the last block may set its counter back.
bool Races::observed(const Cell& cell, const Mark& mark, const Mark& now, const Touch& touch,
                     const Block& block) const {
  const auto by = [&](const Mark& read) {
    return read.reads && read.time > mark.time && !conflict(mark, read, touch) && ordered(read, false, now, block);
  };
  return by(cell.writes.last) || by(cell.writes.other) || by(cell.reads.last) || by(cell.reads.other);
}

// The earlier access with which one races, if any; one that does harm before one that does not.
void Races::look(const Cell& cell, const Mark& now, const Touch& touch, const Block& block, Earlier& worst) const {
  const auto at = [&](const Mark& mark, bool wrote) {
    if (mark.time == 0 || !conflict(mark, now, touch) || ordered(mark, wrote, now, block)) return;
    if (wrote && observed(cell, mark, now, touch, block)) return;
    const auto guesses = [&](const Mark& read) {
      return read.strength == Strength::kPlain && guesses_.contains(read.pc);
    };
    const bool guess = wrote ? !touch.writes && mark.reads && guesses(now) : touch.reads && guesses(mark);
    const bool nothing = mark.strength != Strength::kAtomic && touch.strength != Strength::kAtomic &&
                         (touch.writes ? !touch.changes : !mark.changes);
    const bool harmless = guess || nothing;
    if (worst.pc != kNoPc && (harmless || !worst.harmless)) return;
    worst = {wrote, harmless, mark.pc, mark.block, mark.thread};
  };
  at(cell.writes.last, true);
  at(cell.writes.other, true);
  if (!touch.writes) return;
  at(cell.reads.last, false);
  at(cell.reads.other, false);
}

void Races::keep(Pair& pair, const Mark& now) const {
  if (same_actor(pair.last, now) && pair.last.strength >= now.strength && pair.last.time != 0) {
    pair.last = now;
    return;
  }
  const bool farther = pair.last.block != now.block || pair.other.block == now.block || pair.other.time == 0;
  if (farther && pair.last.time != 0) pair.other = pair.last;
  pair.last = now;
}

// Who comes after a plain write comes after what was before it, or races with it. One that changes nothing takes no
// place from those that did.
void Races::remember(Cell& cell, const Mark& now, const Touch& touch) const {
  if (!touch.writes) return keep(cell.reads, now);
  if (touch.strength != Strength::kPlain) return keep(cell.writes, now);
  if (touch.changes) {
    cell = {};
    cell.writes.last = now;
  } else if (Mark& slot = cell.writes.last.changes ? cell.writes.other : cell.writes.last; !slot.changes) {
    slot = now;
  }
}

void Races::note(const Touch& touch, const Tell& tell) {
  Block& block = block_of(touch.block);
  const bool strong = touch.strength != Strength::kPlain;
  const auto for_each_word = [&](auto with) {  // by which flags are known, whatever else is read or written with them
    Touch word = touch;
    word.address -= touch.address % 4;
    for (; word.address < touch.address + touch.bytes; word.address += 4) with(word);
  };
  if (strong && touch.reads) for_each_word([&](const Touch& word) { acquire(block, word); });
  Mark now{now_, touch.pc, static_cast<std::uint32_t>(touch.block), static_cast<std::uint16_t>(touch.thread),
           touch.strength};
  now.wide = touch.wide;
  now.changes = touch.changes;
  now.reads = touch.reads;
  Earlier worst{.pc = kNoPc};
  for (Address at = touch.address; at < touch.address + touch.bytes;) {
    Page* const page = page_of(block, touch, at);
    if (page == nullptr) break;
    const std::uint64_t in_page = at % (touch.space == Space::kShared ? kSharedPage : kPage);
    Cell& cell = page->cells[in_page >> page->shift];
    if (touch.reads && touch.writes) {  // a plain read by the same warp was for this, which looks again itself
      for (const Mark& read : {cell.reads.last, cell.reads.other}) {
        const bool own = read.block == now.block && read.thread / kArchitecturalWarp == now.thread / kArchitecturalWarp;
        if (read.time != 0 && own && read.strength == Strength::kPlain) guesses_.insert(read.pc);
      }
    }
    look(cell, now, touch, block, worst);
    remember(cell, now, touch);
    at = ((at >> page->shift) + 1) << page->shift;
  }
  if (worst.pc != kNoPc) tell(worst);
  if (strong && touch.writes) for_each_word([&](const Touch& word) { release(block, word); });
}

}  // namespace warpfold::isa
