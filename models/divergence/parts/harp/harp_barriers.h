// SPDX-License-Identifier: Apache-2.0
// HARP's Re-convergence Barriers: a set-associative table whose entries each gather threads at one reconvergence point
// (HARP §4.2.2, Fig. 8 and 9).
#pragma once

#include <deque>
#include <vector>

#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/unit_clocks.h"

namespace warpfold::divergence {

// A bank per lane holds the threads' tags and reached bits, so that a warp's threads never compete for a port; one more
// bank holds the reconvergence pcs. A thread's set is its row modulo the sets. What an entry waits for is whoever is in
// it: threads of a row that come from different warps gather again.
class BarrierPlayer;

class ReconvergenceBarriers {
 public:
  // Of the threads of every schedulers-th row. `entries` is a multiple of `ways`. `stages`: clocks that the unit takes
  // for a row.
  ReconvergenceBarriers(unsigned entries, unsigned ways, unsigned schedulers, unsigned stages = 1);

  // Who plays the table; null: nobody. What it answers holds.
  void played_by(BarrierPlayer* player) { player_ = player; }
  // What its operations take, as rtl/barrier_table.sv does them or whoever plays it; not what looks_ahead() does.
  mutable SpentClocks clocks;

  void kernel_started(Pc end) { at_pc_.assign(end + 1, 0); }

  struct Reserved {
    unsigned entries = 0;  // that were free
    LaneMask misses = 0;   // lanes whose threads found their set full
  };
  // A warp diverges (Fig. 8a): each of its threads reserves a barrier at `rpc`, unless it holds one there already, in
  // an entry that waits there and where its lane is free, or else in a free entry. all_or_none: a thread that misses
  // makes all miss that do not hold a barrier already.
  Reserved reserve(const Warp& warp, Pc rpc, bool all_or_none);

  // A warp goes on at `pc` (Fig. 8b): the lanes of its threads that hold a barrier there.
  LaneMask held(const Warp& warp, Pc pc) const {
    const LaneMask found = looks_ahead(warp, pc);
    if (at_pc_[pc] != 0) clocks.spend(search_clocks_);
    return found;
  }
  // The same, for who asks ahead of time, and again. Where no entry waits at that pc it is no operation.
  LaneMask looks_ahead(const Warp& warp, Pc pc) const { return at_pc_[pc] == 0 ? 0 : search(warp, pc); }
  // Threads that hold a barrier at `pc` are marked as reached. They are in no warp until the barrier is complete.
  void reach(const Warp& warp, LaneMask lanes, Pc pc);

  // Threads give up all their barriers, whose other threads wait for them no longer. Returns how many were given up.
  unsigned leave(const Warp& warp, LaneMask lanes);

  // Takes out, as a warp, the threads of the barrier that was the first to have them all.
  bool complete() const;
  Warp take_complete();

  unsigned used() const;                         // entries
  unsigned waiting() const { return waiting_; }  // threads marked as reached
  // Calls visit(warp) for the threads of each entry that are marked as reached.
  template <class Visit>
  void for_each_waiting(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.reached == 0) continue;
      Warp waiting = entry.warp;
      waiting.mask = entry.reached;
      waiting.one_row = from_one_row(waiting);
      visit(waiting);
    }
  }

  // What a player answers. `lanes`: that miss, or that hold a barrier; `count`: entries taken, or barriers given up.
  struct Answer {
    LaneMask lanes = 0;
    unsigned count = 0, used = 0;
    bool complete = false;
    Warp warp;            // taken
    unsigned clocks = 0;  // that the operation took
  };

 private:
  // The operation is done; returns the clocks. Tells the player by `tell`.
  template <class Tell>
  unsigned done(unsigned clocks_of_model, Tell tell) const;
  struct Entry {
    Warp warp;  // pc: of reconvergence; mask: threads synchronised; one_row: not kept
    LaneMask reached = 0;
    bool complete() const { return warp.mask != 0 && reached == warp.mask; }
  };

  LaneMask search(const Warp& warp, Pc pc) const;
  Reserved enter(const Warp& warp, Pc rpc, bool all_or_none);
  // Calls visit(entry) for the entries of a row's set that wait at `pc`.
  template <class Visit>
  void for_each_at(unsigned row, Pc pc, Visit visit);
  Entry* set_of(unsigned row) { return &entries_[(row / schedulers_) % sets_ * ways_]; }
  const Entry* set_of(unsigned row) const { return &entries_[(row / schedulers_) % sets_ * ways_]; }
  Entry* free_entry(unsigned row);
  LaneMask without_barrier(unsigned row, LaneMask lanes, Pc rpc);
  // Those of a row's threads for which no entry at `rpc` has room; with `join` the others enter one.
  LaneMask without_room(unsigned row, LaneMask lanes, Pc rpc, bool join);
  void add(Entry& entry, unsigned row, LaneMask lanes);
  void settle(Entry& entry);

  unsigned ways_, sets_, schedulers_;
  std::vector<Entry> entries_;  // set by set
  std::deque<Entry*> complete_;
  // Entries that wait, by pc: most instructions are no reconvergence point, and need no search.
  std::vector<std::uint16_t> at_pc_;
  unsigned used_ = 0, waiting_ = 0;
  unsigned stages_;
  mutable unsigned search_clocks_ = 0;  // of the last one
  BarrierPlayer* player_ = nullptr;
  mutable const Answer* answer_ = nullptr;  // of the player
};

// Plays a table: RTL in the model's place, say. Each operation comes with what the model makes of it: `after`, which
// answers for itself as long as the player is told, the result, the clocks.
class BarrierPlayer {
 public:
  using Table = ReconvergenceBarriers;
  using Answer = Table::Answer;
  virtual ~BarrierPlayer() = default;
  virtual const Answer& reserve(const Table& after, const Warp& warp, Pc rpc, bool all_or_none,
                                const Table::Reserved& result, unsigned clocks) = 0;
  virtual const Answer& search(const Table& table, const Warp& warp, Pc pc, LaneMask held, unsigned clocks) = 0;
  virtual const Answer& reach(const Table& after, const Warp& warp, LaneMask lanes, Pc pc, unsigned clocks) = 0;
  virtual const Answer& leave(const Table& after, const Warp& warp, LaneMask lanes, unsigned given_up,
                              unsigned clocks) = 0;
  virtual const Answer& take(const Table& after, const Warp& warp, unsigned clocks) = 0;
};

}  // namespace warpfold::divergence
