// SPDX-License-Identifier: Apache-2.0
// Accesses of two threads to the same bytes, one of them a write, that nothing orders (PTX ISA §8, memory consistency).
//
// Ordered are accesses of one thread, and of threads of one architectural warp unless they count as independent; what
// a barrier of the block or a bar.warp.sync comes between; and what comes before a release of one side and after an
// acquire of the other that has read what was written at or behind the release, of scopes that hold both. A release is
// an access that is one, or a fence before a strong write; an acquire likewise a fence behind a strong read. An atomic
// that returns a value counts as one without a fence, and a fence before a barrier or bar.warp.sync as one of all whom
// that lets go on: programs rely on both. A read behind which was a barrier has its value: whoever has read what its
// block then stored as strong may overwrite the place without fences, as look-back scans in place do. What follows a
// strong read comes after the strong write that it has read. Two strong accesses of scopes that hold both do not race.
//
// A time is that of an instruction. Each actor (a thread, or a warp where threads are in step) has a Past; a strong
// write leaves what was released at its address, whence a strong read takes it. Of the writers of a place two are
// known, and of its readers: the last, and one before it from another actor, of another block if there was one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "warpfold/isa/check/paged.h"
#include "warpfold/isa/check/past.h"
#include "warpfold/isa/check/touch.h"

namespace warpfold::isa {

class Races {
 public:
  // Who was there before.
  struct Earlier {
    bool wrote = false;
    bool harmless = false;  // the write left what was there, or the read is a guess that an atomic of its own checks
    Pc pc = 0;
    std::uint64_t block = 0;
    unsigned thread = 0;
  };
  using Tell = std::function<void(const Earlier& earlier)>;
  using Threads = std::span<const std::uint32_t>;  // of a block: bits, by architectural warp

  Races(bool independent_threads, std::uint64_t most_bytes) : independent_(independent_threads), most_(most_bytes) {}

  void launch_started();
  void block_finished(std::uint64_t block);
  // Everything in it comes after all that was: malloc() of a kernel.
  void forget(Address address, std::uint64_t bytes);
  // Of all of the block.
  void barrier_opened(std::uint64_t block);
  // Of some: whoever has arrived, and whom of these it has let go on.
  void barrier_opened(std::uint64_t block, Threads arrived, Threads waited);
  // A thread executes membar or fence; `wide`: of the device or more.
  void fenced(std::uint64_t block, unsigned thread, bool wide);
  // bar.warp.sync of some threads of an architectural warp.
  void warp_synced(std::uint64_t block, unsigned warp, std::uint32_t threads);

  // The accesses of one instruction have one time.
  void next_instruction();
  // At most one per access is told of.
  void note(const Touch& touch, const Tell& tell);

 private:
  static constexpr std::uint64_t kPage = 4096, kSharedPage = 256;
  static constexpr std::size_t kMostSynchronized = 1 << 15;  // addresses
  // Of a cell an access. Time 0: none.
  struct Mark {
    std::uint32_t time = 0;
    Pc pc = 0;
    std::uint32_t block = 0;
    std::uint16_t thread = 0;
    Strength strength = Strength::kPlain;
    bool wide : 1 = false;
    bool changes : 1 = false;
    bool reads : 1 = false;
  };
  struct Pair {
    Mark last, other;
  };
  struct Cell {
    Pair writes, reads;  // an atomic is a write
  };
  // Cells of four bytes each, or of fewer once somebody has accessed fewer.
  struct Page {
    unsigned shift = 2;
    std::vector<Cell> cells;
  };
  struct Actor {
    Past::Ref seen;                       // of others, since the block's last barrier
    Past::Ref released, released_inside;  // by its last fence: to the device, to its block
    Past::Ref pending, pending_inside;    // read, but without a fence since
    Past::Ref reads;                      // those of others that have their values
    std::uint32_t fenced_at = 0;
  };
  struct Block {
    std::uint32_t barrier = 0;        // when the last of all its threads opened
    Past::Ref seen, released, reads;  // by then
    std::vector<Actor> actors;
    Paged<Page> shared{kSharedPage};
  };
  using Place = std::pair<std::uint64_t, Address>;  // 0: for all, or a block + 1: for its threads

  unsigned actor_of(unsigned thread) const { return independent_ ? thread : thread / kArchitecturalWarp; }
  Block& block_of(std::uint64_t id);
  Actor& actor_at(Block& block, unsigned actor);
  void meet(std::uint64_t block, const std::vector<unsigned>& arrived, const std::vector<unsigned>& waited);
  std::vector<unsigned> actors_of(Threads threads) const;

  Page* page_of(Block& block, const Touch& touch, Address address);
  bool same_actor(const Mark& a, const Mark& b) const;
  static bool conflict(const Mark& mark, const Mark& now, const Touch& touch);
  bool ordered(const Mark& mark, bool wrote, const Mark& now, const Block& block) const;
  bool observed(const Cell& cell, const Mark& mark, const Mark& now, const Touch& touch, const Block& block) const;
  void keep(Pair& pair, const Mark& now) const;
  void look(const Cell& cell, const Mark& now, const Touch& touch, const Block& block, Earlier& worst) const;
  void remember(Cell& cell, const Mark& now, const Touch& touch) const;

  void leave(const Place& place, const Past::Ref& past, bool adds);
  void leave_reads(const Block& block, const Touch& touch);
  void acquire(Block& block, const Touch& touch);
  void release(Block& block, const Touch& touch);

  const bool independent_;
  const std::uint64_t most_;
  std::uint64_t bytes_ = 0;  // of cells
  std::uint32_t now_ = 0;
  Paged<Page> global_{kPage};
  std::unordered_map<std::uint64_t, Block> blocks_;
  Block* last_block_ = nullptr;
  std::uint64_t last_id_ = 0;
  std::map<Place, Past::Ref> left_;          // what strong writes have left for readers
  std::map<Address, Past::Ref> left_reads_;  // and stores, of reads before them
  Past::Ref forgotten_, forgotten_reads_;    // in place of what there was no room for
  std::unordered_set<Pc> guesses_;           // plain reads behind which an atomic of their warp looked again
};

}  // namespace warpfold::isa
