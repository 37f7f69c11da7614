// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/harp/harp_barriers.h"

#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"

namespace warpfold::divergence {

namespace {

unsigned rows_of(const Warp& warp, LaneMask lanes) {
  unsigned rows = 0;
  for_each_row(warp, lanes, [&](unsigned, LaneMask) { ++rows; });
  return rows;
}

// The clocks of an operation that may complete entries, row by row. They are queued one a clock, while the next row has
// its turn or, after the last one, a turn without a row, which there is `always` or if an entry completed.
class Steps {
 public:
  explicit Steps(unsigned per_row) : per_row_(per_row) {}
  void row(std::size_t completes) {
    clocks_ += per_row_ + (queued_ > per_row_ ? queued_ - per_row_ : 0);
    queued_ = static_cast<unsigned>(completes);
  }
  unsigned end(bool always) const { return clocks_ + (always || queued_ != 0 ? std::max(per_row_, queued_) : 0); }

 private:
  unsigned per_row_, clocks_ = 1, queued_ = 0;
};

}  // namespace

ReconvergenceBarriers::ReconvergenceBarriers(unsigned entries, unsigned ways, unsigned schedulers, unsigned stages)
    : ways_(ways), sets_(entries / ways), schedulers_(schedulers), entries_(entries), stages_(stages) {
  check(ways != 0 && sets_ != 0 && entries % ways == 0, "the ways of the barrier table divide its entries");
}

bool ReconvergenceBarriers::complete() const { return answer_ != nullptr ? answer_->complete : !complete_.empty(); }

unsigned ReconvergenceBarriers::used() const { return answer_ != nullptr ? answer_->used : used_; }

template <class Tell>
unsigned ReconvergenceBarriers::done(unsigned clocks_of_model, Tell tell) const {
  if (player_ == nullptr) return clocks_of_model;
  answer_ = nullptr;
  answer_ = &tell();
  return answer_->clocks;
}

template <class Visit>
void ReconvergenceBarriers::for_each_at(unsigned row, Pc pc, Visit visit) {
  Entry* const set = set_of(row);
  for (unsigned way = 0; way < ways_; ++way) {
    if (set[way].warp.mask != 0 && set[way].warp.pc == pc && !set[way].complete()) visit(set[way]);
  }
}

ReconvergenceBarriers::Entry* ReconvergenceBarriers::free_entry(unsigned row) {
  Entry* const set = set_of(row);
  Entry* const found = std::find_if(set, set + ways_, [](const Entry& entry) { return entry.warp.mask == 0; });
  return found != set + ways_ ? found : nullptr;
}

LaneMask ReconvergenceBarriers::without_barrier(unsigned row, LaneMask lanes, Pc rpc) {
  if (at_pc_[rpc] == 0) return lanes;
  for_each_at(row, rpc, [&](const Entry& entry) { lanes &= ~lanes_of_row(entry.warp, row, lanes); });
  return lanes;
}

LaneMask ReconvergenceBarriers::without_room(unsigned row, LaneMask lanes, Pc rpc, bool join) {
  if (at_pc_[rpc] == 0) return lanes;
  for_each_at(row, rpc, [&](Entry& entry) {
    const LaneMask fit = lanes & ~entry.warp.mask;
    if (join) add(entry, row, fit);
    lanes &= ~fit;
  });
  return lanes;
}

void ReconvergenceBarriers::add(Entry& entry, unsigned row, LaneMask lanes) {
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    entry.warp.row[static_cast<unsigned>(std::countr_zero(rest))] = static_cast<std::uint16_t>(row);
  }
  entry.warp.mask |= lanes;
}

ReconvergenceBarriers::Reserved ReconvergenceBarriers::reserve(const Warp& warp, Pc rpc, bool all_or_none) {
  const unsigned rows = rows_of(warp, warp.mask) * stages_;
  const Reserved reserved = enter(warp, rpc, all_or_none);
  // For all_or_none all rows look before any enters, if none misses.
  const unsigned took = 1 + rows + (all_or_none && reserved.misses == 0 ? rows : 0);
  clocks.spend(
      done(took, [&]() -> const Answer& { return player_->reserve(*this, warp, rpc, all_or_none, reserved, took); }));
  return answer_ != nullptr ? Reserved{answer_->count, answer_->lanes} : reserved;
}

ReconvergenceBarriers::Reserved ReconvergenceBarriers::enter(const Warp& warp, Pc rpc, bool all_or_none) {
  if (all_or_none) {
    LaneMask without = 0;
    bool missed = false;
    for_each_row(warp, warp.mask, [&](unsigned row, LaneMask lanes) {
      lanes = without_barrier(row, lanes, rpc);
      without |= lanes;
      // One free entry does for all rows of a set: lanes of a warp never meet.
      missed |= without_room(row, lanes, rpc, false) != 0 && free_entry(row) == nullptr;
    });
    if (missed) return {0, without};
  }
  Reserved reserved;
  for_each_row(warp, warp.mask, [&](unsigned row, LaneMask lanes) {
    lanes = without_room(row, without_barrier(row, lanes, rpc), rpc, true);
    if (lanes == 0) return;
    Entry* const entry = free_entry(row);
    if (entry == nullptr) {
      reserved.misses |= lanes;
      return;
    }
    *entry = {};
    entry->warp.pc = rpc;
    add(*entry, row, lanes);
    ++used_;
    ++at_pc_[rpc];
    ++reserved.entries;
  });
  return reserved;
}

LaneMask ReconvergenceBarriers::search(const Warp& warp, Pc pc) const {
  LaneMask found = 0;
  for_each_row(warp, warp.mask, [&](unsigned row, LaneMask lanes) {
    const Entry* const set = set_of(row);
    for (unsigned way = 0; way < ways_; ++way) {
      if (set[way].warp.pc == pc && !set[way].complete()) found |= lanes_of_row(set[way].warp, row, lanes);
    }
  });
  const unsigned took = 1 + rows_of(warp, warp.mask) * stages_;
  search_clocks_ = done(took, [&]() -> const Answer& { return player_->search(*this, warp, pc, found, took); });
  return answer_ != nullptr ? answer_->lanes : found;
}

void ReconvergenceBarriers::reach(const Warp& warp, LaneMask lanes, Pc pc) {
  waiting_ += static_cast<unsigned>(std::popcount(lanes));
  Steps steps(stages_);
  for_each_row(warp, lanes, [&](unsigned row, LaneMask of_row) {
    const std::size_t complete_before = complete_.size();
    for_each_at(row, pc, [&](Entry& entry) {
      const LaneMask here = lanes_of_row(entry.warp, row, of_row);
      if (here == 0) return;
      check((entry.reached & here) == 0, "a thread reaches its barrier once");
      entry.reached |= here;
      of_row &= ~here;
      settle(entry);
    });
    check(of_row == 0, "a thread reaches a barrier that it holds");
    steps.row(complete_.size() - complete_before);
  });
  const unsigned took = steps.end(false);
  clocks.spend(done(took, [&]() -> const Answer& { return player_->reach(*this, warp, lanes, pc, took); }));
}

unsigned ReconvergenceBarriers::leave(const Warp& warp, LaneMask lanes) {
  unsigned given_up = 0;
  if (used_ == 0) return 0;
  Steps steps(stages_);
  for_each_row(warp, lanes, [&](unsigned row, LaneMask of_row) {
    const std::size_t complete_before = complete_.size();
    Entry* const set = set_of(row);
    for (unsigned way = 0; way < ways_; ++way) {
      Entry& entry = set[way];
      if (entry.complete()) continue;
      const LaneMask here = lanes_of_row(entry.warp, row, of_row);
      if (here == 0) continue;
      check((entry.reached & here) == 0, "a thread that waits at a barrier leaves none");
      given_up += static_cast<unsigned>(std::popcount(here));
      entry.warp.mask &= ~here;
      settle(entry);
    }
    steps.row(complete_.size() - complete_before);
  });
  const unsigned took = steps.end(true);
  clocks.spend(done(took, [&]() -> const Answer& { return player_->leave(*this, warp, lanes, given_up, took); }));
  return answer_ != nullptr ? answer_->count : given_up;
}

// What its threads' moves make of an entry: still waited at, complete, or free.
void ReconvergenceBarriers::settle(Entry& entry) {
  if (entry.warp.mask == 0) {
    --used_;
  } else if (entry.complete()) {
    complete_.push_back(&entry);
  } else {
    return;
  }
  --at_pc_[entry.warp.pc];
}

Warp ReconvergenceBarriers::take_complete() {
  Entry& entry = *complete_.front();
  complete_.pop_front();
  Warp warp = entry.warp;
  warp.one_row = from_one_row(warp);
  entry = {};
  --used_;
  waiting_ -= static_cast<unsigned>(std::popcount(warp.mask));
  const unsigned took = 1 + stages_;
  clocks.spend(done(took, [&]() -> const Answer& { return player_->take(*this, warp, took); }));
  return answer_ != nullptr ? answer_->warp : warp;
}

}  // namespace warpfold::divergence
