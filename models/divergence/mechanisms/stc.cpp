// SPDX-License-Identifier: Apache-2.0
// Spare-time compaction (ours): threads that have diverged wait in pools by pc to be compacted, as long as the
// schedulers have other work. A pool gives out a warp when all lanes of one are taken, or when a scheduler runs dry:
// waiting costs nothing while nobody would have issued.
//
// A row's outermost divergence has a reconvergence point, where its threads wait for each other; then the row is whole
// again. At inner ones a warp that is neither full nor whole goes into the pool there, and waits for nobody by name.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/pool_params.h"
#include "warpfold/divergence/parts/pool_table.h"

namespace warpfold::divergence {
namespace {

class Stc final : public Mechanism {
 public:
  // A warp may hold threads of several rounds of a loop.
  Stc(const StcParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.mixes_paths = true, .keeps_back = true}),
        params_(params),
        deals_blocks_(geometry.deals_blocks),
        full_(~LaneMask{0} >> (isa::kMaxLanes - geometry.warp_size)),
        core_(core),
        rows_(geometry.max_threads / geometry.warp_size),
        pools_(params.pools),
        blocks_(geometry.max_blocks),
        held_(geometry.max_warps),
        observer_(core.taps().pool_table_observer({params.pools, params.groups(geometry), params.patience})),
        pooled_(core.stats().counter("stc_pooled", "threads", "that went into a pool")),
        given_full_(core.stats().counter("stc_given_full", "warps", "that had all their lanes")),
        given_dry_(core.stats().counter("stc_given_dry", "warps", "for a scheduler that had nothing to issue")),
        given_late_(core.stats().counter("stc_given_late", "warps", "of blocks whose other threads all waited")),
        given_aged_(core.stats().counter("stc_given_aged", "warps", "of pools that had waited too long")),
        no_pool_(core.stats().counter("stc_no_pool", "warps", "that found no pool free, and went on at once")),
        divergences_(core.stats().counter("stc_divergences", "events", "of rows that were whole")),
        reborn_(core.stats().counter("stc_reborn", "events", "of rows that were whole again")),
        most_pools_(core.stats().counter("stc_pools_max", "entries", "most pools at a time", Combine::kMax)) {
    for (Pool& pool : pools_) pool.threads.assign(rows_.size(), 0);
  }

  void kernel_started(const isa::Kernel& kernel) override {
    end_ = kernel.end();
    meets_.assign(end_, 0);
    awaited_at_.assign(end_, 0);
    for (const isa::MicroOp& op : kernel.ops) {
      if (op.kind == isa::Kind::kBranch && op.may_diverge && op.reconvergence < end_) meets_[op.reconvergence] = 1;
    }
  }
  void kernel_ended() override {
    const bool none = std::all_of(pools_.begin(), pools_.end(), [](const Pool& pool) { return pool.count == 0; });
    check(none && parked_.inactive == 0 && parked_.reconverging == 0, "no thread is left in a pool");
  }

  void block_started(const Block& block) override {
    blocks_[block.slot] = {};
    for (unsigned i = 0; i < block.rows(); ++i) {
      rows_[block.first_row + i] = {block.threads[i], 0, isa::kNoPc, false};
      blocks_[block.slot].live += count_in(block.threads[i]);
      enter_whole(block.first_row + i, 0);
    }
  }
  void block_finished(const Block& /*block*/) override {}

  bool leaves_at(WarpId id, Pc next) const override {
    const Warp& warp = core_.warp(id);
    return arrived_of(warp, next) != 0 || (meets_at(next) && !goes_on_as_it_is(warp));
  }
  bool leaves_by(WarpId id, const Branch& branch, bool divides) const override {
    return divides || (branch.may_diverge && !goes_on_as_it_is(core_.warp(id)));
  }

  void committed(WarpId id, Pc next) override {
    if (held_.contains(id)) {
      held_.erase(id);
      for_each_block(core_.warp(id), [](BlockThreads& block, unsigned threads) { block.waiting -= threads; });
    }
    go_on(id, next, meets_at(next));
  }
  void branch_resolved(WarpId id, const Branch& branch) override {
    Warp& warp = core_.warp(id);
    const LaneMask taken = branch.taken & warp.mask;
    if (taken == 0 || taken == warp.mask || branch.target == branch.pc + 1) {
      const Pc next = taken != 0 ? branch.target : branch.pc + 1;
      go_on(id, next, branch.may_diverge || meets_at(next));
      return;
    }
    if (!row_of(warp).diverged) diverge(row_of(warp), branch.reconvergence);
    Warp side = split(warp, taken);
    side.pc = branch.target;
    go_on(id, branch.pc + 1, true);
    pool_what_goes_on(side);
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    Warp& warp = core_.warp(id);
    const Warp gone = split(warp, lanes);
    for (LaneMask rest = gone.mask; rest != 0; rest &= rest - 1) {
      Row& row = rows_[row_at(gone, rest)];
      row.live &= ~(rest & -rest);
      --blocks_[core_.block_of_row(row_at(gone, rest))].live;
      row.pending &= ~(rest & -rest);
    }
    if (warp.mask == 0) {
      core_.remove(id);
    } else {
      committed(id, next);
    }
    for (LaneMask rest = gone.mask; rest != 0; rest &= rest - 1) settle(row_at(gone, rest));
  }

  // Those of several rows are given back warp by warp.
  bool gives_up(WarpId id) override {
    const Warp& warp = core_.warp(id);
    for_each_block(warp, [](BlockThreads& block, unsigned threads) { block.waiting += threads; });
    if (is_whole(warp)) {
      held_.insert(id);
      return false;
    }
    core_.remove(id);
    return true;
  }
  void together(const Warp& warp) override {
    for_each_block(warp, [](BlockThreads& block, unsigned threads) { block.waiting -= threads; });
    pool_what_goes_on(warp);
  }
  LaneMask kept_back(WarpId /*carrier*/, const Warp& waiting, unsigned row) const override {
    return lanes_of_row(waiting, row) != 0 ? rows_[row].arrived() : 0;
  }

  // The compactor makes one warp a cycle.
  void running_dry(unsigned scheduler, Cycle now) override {
    if (compacted_at_ == now) return;
    Pool* chosen = nullptr;
    for (Pool& pool : pools_) {
      if (pool.count == 0 || !is_of(pool, scheduler)) continue;
      if (chosen == nullptr || goes_before(pool, *chosen)) chosen = &pool;
    }
    if (observer_ != nullptr && params_.pick != PoolPick::kAwaited) {
      std::vector<bool> among;
      for (const Pool& pool : pools_) among.push_back(is_of(pool, scheduler));
      observer_->picked(among, params_.pick == PoolPick::kOldest, now, index_of(chosen));
    }
    if (chosen == nullptr) return;
    compacted_at_ = now;
    ++given_dry_;
    give(*chosen, scheduler);
  }
  Cycle tick(Cycle now) override {
    // The oldest goes: others may come to be as old again and again, and it may have who holds a lock.
    Pool* oldest = nullptr;
    for (Pool& pool : pools_) {
      if (pool.count == 0) continue;
      pool.since = std::min(pool.since, now);
      if (oldest == nullptr || pool.since < oldest->since) oldest = &pool;
    }
    const bool busy = compacted_at_ == now;
    const bool late = oldest != nullptr && now - oldest->since >= params_.patience && !busy;
    if (observer_ != nullptr && oldest != nullptr) observer_->ticked(now, busy, index_of(late ? oldest : nullptr));
    if (late) {
      compacted_at_ = oldest->since = now;
      ++given_aged_;
      give(*oldest, oldest->scheduler);
    }
    if (params_.release == PoolRelease::kLate) give_what_is_late(now);
    return kNever;
  }

  Parked parked() const override { return parked_; }
  std::string waiting(unsigned /*slot*/) const override {
    return fmt::format("{} of the core in pools, {} at the reconvergence points of their rows", parked_.inactive,
                       parked_.reconverging);
  }

 private:
  struct Row {
    LaneMask live = 0;
    LaneMask pending = 0;  // of a row that has diverged: who has not come to `rpc`
    Pc rpc = isa::kNoPc;   // none: whole, or diverged until the kernel ends
    bool diverged = false;
    LaneMask arrived() const { return diverged ? live & ~pending : 0; }
  };
  // Threads of a block: all of them, those that wait for others at a barrier, a collective or where their row meets,
  // and those in pools.
  struct BlockThreads {
    unsigned live = 0, waiting = 0, pooled = 0;
    bool all_wait() const { return pooled != 0 && waiting + pooled == live; }
  };
  struct Pool {
    Pc pc = 0;
    unsigned group = 0;
    unsigned scheduler = kAnyScheduler;  // where blocks are dealt to schedulers
    Cycle since = kNever;                // not yet told
    unsigned count = 0;                  // 0: free
    LaneMask lanes = 0;                  // in which it has threads
    std::vector<LaneMask> threads;       // by row
  };
  static unsigned count_in(LaneMask lanes) { return static_cast<unsigned>(std::popcount(lanes)); }
  template <class Visit>
  void for_each_block(const Warp& warp, Visit visit) {
    for_each_group(
        warp, warp.mask, [this](unsigned row) { return core_.block_of_row(row); },
        [&](unsigned block, LaneMask lanes) { visit(blocks_[block], count_in(lanes)); });
  }
  static unsigned row_at(const Warp& warp, LaneMask lanes) {
    return warp.row[static_cast<unsigned>(std::countr_zero(lanes))];
  }
  Row& row_of(const Warp& warp) { return rows_[row_at(warp, warp.mask)]; }
  bool is_whole(const Warp& warp) const { return warp.one_row && warp.mask == rows_[lowest_row(warp)].live; }
  bool goes_on_as_it_is(const Warp& warp) const { return warp.mask == full_ || is_whole(warp); }
  bool meets_at(Pc pc) const { return pc < end_ && meets_[pc] != 0; }

  // --- Rows that have diverged ---
  void diverge(Row& row, Pc reconvergence) {
    ++divergences_;
    row.diverged = true;
    row.pending = row.live;
    if (reconvergence >= end_) return;
    row.rpc = reconvergence;
    ++awaited_at_[reconvergence];
  }
  LaneMask arrived_of(const Warp& warp, Pc pc) const {
    LaneMask lanes = 0;
    if (pc >= end_ || awaited_at_[pc] == 0) return lanes;
    for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
      if (rows_[row_at(warp, rest)].rpc == pc) lanes |= rest & -rest;
    }
    return lanes;
  }
  void arrive(const Warp& threads) {
    for (LaneMask rest = threads.mask; rest != 0; rest &= rest - 1) {
      rows_[row_at(threads, rest)].pending &= ~(rest & -rest);
    }
    parked_.reconverging += count_in(threads.mask);
    for_each_block(threads, [](BlockThreads& block, unsigned arrived) { block.waiting += arrived; });
    for (LaneMask rest = threads.mask; rest != 0; rest &= rest - 1) settle(row_at(threads, rest));
  }
  // All of a row's threads have come, or none is left: it is whole again.
  void settle(unsigned index) {
    Row& row = rows_[index];
    if (!row.diverged || row.pending != 0) return;
    const Pc pc = row.rpc;
    if (pc != isa::kNoPc) {
      --awaited_at_[pc];
      parked_.reconverging -= count_in(row.live);
      blocks_[core_.block_of_row(index)].waiting -= count_in(row.live);
    }
    row = {row.live, 0, isa::kNoPc, false};
    if (row.live == 0) return;
    ++reborn_;
    enter_whole(index, pc);
  }
  void enter_whole(unsigned row, Pc pc) {
    core_.insert(Warp::of_row(pc, static_cast<std::uint16_t>(row), rows_[row].live), core_.scheduler_of_row(row));
  }

  // --- Where threads go on ---
  // `leaves`: into a pool, unless the warp is full or whole.
  void go_on(WarpId id, Pc next, bool leaves) {
    Warp& warp = core_.warp(id);
    warp.pc = next;
    const Warp waits = split(warp, arrived_of(warp, next));
    if (warp.mask == 0) {
      core_.remove(id);
    } else if (leaves && !goes_on_as_it_is(warp)) {
      const Warp threads = warp;
      core_.remove(id);
      pool(threads);
    }
    arrive(waits);
  }
  // Of threads that hold no slot.
  void pool_what_goes_on(Warp threads) {
    const Warp waits = split(threads, arrived_of(threads, threads.pc));
    if (threads.mask != 0) pool(threads);
    arrive(waits);
  }

  // --- Pools ---
  bool is_of(const Pool& pool, unsigned scheduler) const { return !deals_blocks_ || pool.scheduler == scheduler; }
  unsigned index_of(const Pool* pool) const {
    return pool != nullptr ? static_cast<unsigned>(pool - pools_.data()) : kNoPool;
  }
  void tell_added(const Warp& threads, unsigned group, const Pool* pool) {
    if (observer_ == nullptr) return;
    observer_->added(threads, group != kAnyScheduler ? group : 0, index_of(pool),
                     pool != nullptr && pool->lanes == full_);
  }
  unsigned scheduler_of(unsigned row) const { return deals_blocks_ ? core_.scheduler_of_row(row) : kAnyScheduler; }
  // Rows whose threads may share a pool: of a block, which one scheduler has where blocks are dealt, or of a scheduler.
  unsigned group_of(unsigned row) const {
    return params_.scope == PoolScope::kBlock ? core_.block_of_row(row) : scheduler_of(row);
  }

  void pool(const Warp& threads) {
    for_each_group(
        threads, threads.mask, [this](unsigned row) { return group_of(row); },
        [&](unsigned /*group*/, LaneMask lanes) {
          Warp together = threads;
          narrow(together, lanes);
          add(together);
        });
  }
  void add(const Warp& threads) {
    const unsigned row = lowest_row(threads);
    Pool* const found = pool_for(threads.pc, row);
    if (found == nullptr) {
      ++no_pool_;
      tell_added(threads, group_of(row), found);
      core_.insert(threads, scheduler_of(row));
      return;
    }
    for_each_row(threads, threads.mask, [&](unsigned index, LaneMask lanes) { found->threads[index] |= lanes; });
    found->lanes |= threads.mask;
    const unsigned count = count_in(threads.mask);
    for_each_block(threads, [](BlockThreads& block, unsigned pooled) { block.pooled += pooled; });
    found->count += count;
    parked_.inactive += count;
    pooled_ += count;
    tell_added(threads, group_of(row), found);
    while (found->lanes == full_) {
      ++given_full_;
      give(*found, found->scheduler);
    }
  }
  // The pool of these, or a free one made theirs; null: there is none.
  Pool* pool_for(Pc pc, unsigned row) {
    const unsigned group = group_of(row);
    Pool* free = nullptr;
    unsigned used = 1;
    for (Pool& pool : pools_) {
      if (pool.count == 0) {
        if (free == nullptr) free = &pool;
      } else if (pool.pc == pc && pool.group == group) {
        return &pool;
      } else {
        ++used;
      }
    }
    if (free == nullptr) return nullptr;
    most_pools_.raise_to(used);
    free->pc = pc, free->group = group, free->scheduler = scheduler_of(row), free->since = kNever;
    return free;
  }
  bool goes_before(const Pool& one, const Pool& other) const {
    if (params_.pick == PoolPick::kAwaited) {
      const std::uint64_t mine = awaited(one), others = awaited(other);
      if (mine != others) return mine > others;
    }
    if (params_.pick != PoolPick::kOldest && one.count != other.count) return one.count > other.count;
    return one.since < other.since;
  }
  // How many threads wait for some of the pool's, at their row's reconvergence point.
  std::uint64_t awaited(const Pool& pool) const {
    std::uint64_t threads = 0;
    for (unsigned row = 0; row < rows_.size(); ++row) {
      if (pool.threads[row] != 0) threads += count_in(rows_[row].arrived());
    }
    return threads;
  }
  // One warp a cycle.
  void give_what_is_late(Cycle now) {
    for (unsigned block = 0; block < blocks_.size() && compacted_at_ != now; ++block) {
      if (!blocks_[block].all_wait()) continue;
      Pool* chosen = nullptr;
      unsigned most = 0;
      for (Pool& pool : pools_) {
        unsigned threads = 0;
        for (unsigned row = 0; pool.count != 0 && row < rows_.size(); ++row) {
          if (pool.threads[row] != 0 && core_.block_of_row(row) == block) threads += count_in(pool.threads[row]);
        }
        if (threads > most) most = threads, chosen = &pool;
      }
      compacted_at_ = now;
      ++given_late_;
      give(*chosen, chosen->scheduler, block);
    }
  }
  // A warp of the pool's threads: those of the rows that have most of them first, of a block before others.
  void give(Pool& pool, unsigned scheduler, unsigned first_block = ~0U) {
    order_.clear();
    for (unsigned row = 0; row < rows_.size(); ++row) {
      if (pool.threads[row] == 0) continue;
      const bool first = first_block != ~0U && core_.block_of_row(row) == first_block;
      order_.push_back({count_in(pool.threads[row]) + (first ? isa::kMaxLanes : 0), row});
    }
    std::stable_sort(order_.begin(), order_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    Warp warp;
    warp.pc = pool.pc;
    pool.lanes = 0;
    for (const auto& [count, row] : order_) {
      const LaneMask lanes = pool.threads[row] & ~warp.mask;
      for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
        warp.row[static_cast<unsigned>(std::countr_zero(rest))] = static_cast<std::uint16_t>(row);
      }
      warp.mask |= lanes;
      pool.threads[row] &= ~lanes;
      pool.lanes |= pool.threads[row];
    }
    warp.one_row = from_one_row(warp);
    const unsigned count = count_in(warp.mask);
    for_each_block(warp, [](BlockThreads& block, unsigned threads) { block.pooled -= threads; });
    pool.count -= count;
    parked_.inactive -= count;
    if (observer_ != nullptr) observer_->given(index_of(&pool), warp, pool.lanes == full_);
    core_.insert(warp, scheduler);
  }

  const StcParams params_;
  const bool deals_blocks_;
  const LaneMask full_;
  Core& core_;
  Pc end_ = 0;
  std::vector<Row> rows_;
  std::vector<Pool> pools_;
  std::vector<BlockThreads> blocks_;  // by slot
  WarpSet held_;                      // warps that wait for others as they are
  std::vector<std::uint8_t> meets_;   // by pc: does a branch that may diverge reconverge there?
  std::vector<unsigned> awaited_at_;  // by pc: rows that wait there for their threads
  PoolTableObserver* const observer_;
  Cycle compacted_at_ = kNever;
  Parked parked_;
  std::vector<std::pair<unsigned, unsigned>> order_;  // threads and row
  Counter &pooled_, &given_full_, &given_dry_, &given_late_, &given_aged_, &no_pool_, &divergences_, &reborn_,
      &most_pools_;
};

const Register<StcParams, Stc> stc_registration(
    "stc", "spare-time compaction: threads wait in pools to be compacted while schedulers have other work", "ours");

}  // namespace
}  // namespace warpfold::divergence
