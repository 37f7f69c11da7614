// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/tables/pool_table_shadow.h"

#include <algorithm>
#include <bit>

namespace warpfold::cosim {

using divergence::kNoPool;
using divergence::Warp;

namespace {

enum PoolOp : unsigned { kAdd, kGive, kPick, kTick };

}  // namespace

RtlParameters PoolTableShadow::parameters(const Size& size) {
  return {
      {"Lanes", size.lanes}, {"Rows", size.rows},    {"Pools", size.shape.pools},         {"Groups", size.shape.groups},
      {"PcWidth", kPcBits},  {"AgeWidth", kAgeBits}, {"LongestWait", size.shape.patience}};
}

PoolTableShadow::PoolTableShadow(Session& session, const ClockDomain& clock, unsigned core, const Size& size)
    : Shadow(session, clock, "pool-table", core, parameters(size), ""),
      row_bits_(index_width(size.rows)),
      counts_(size.shape.pools),
      op_mask_(model_.pin("op_mask_i")),
      op_row_(model_.pin("op_row_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_group_(model_.pin("op_group_i")),
      op_pool_(model_.pin("op_pool_i")),
      op_among_(model_.pin("op_among_i")),
      op_by_age_(model_.pin("op_by_age_i")),
      op_now_(model_.pin("op_now_i")),
      res_ok_(model_.pin("res_ok_o")),
      res_pool_(model_.pin("res_pool_o")),
      res_full_(model_.pin("res_full_o")),
      used_(model_.pin("used_o")) {
  operations({"add", "give", "pick", "tick"});
  Coverage& coverage = model_.record.coverage;
  const unsigned threads = size.lanes * size.rows, pools = size.shape.pools;
  points_ = {coverage.sizes("pools_in_use", 0, pools),
             coverage.event("tables_filled"),
             coverage.event("warps_that_find_no_pool"),
             coverage.sizes("pools_of_threads", 0, pools - 1),
             coverage.sizes("rows_of_threads", 0, size.rows - 1),
             coverage.sizes("lanes_of_threads", 0, size.lanes - 1),
             coverage.sizes("bits_of_threads_of_a_pool", 1, static_cast<unsigned>(std::bit_width(threads))),
             coverage.sizes("groups_of_threads", 0, size.shape.groups - 1),
             coverage.event("pools_that_get_all_lanes"),
             coverage.event("pools_that_keep_all_lanes"),
             coverage.event("pools_given_whole"),
             coverage.event("pools_given_in_part"),
             coverage.event("picks_by_age"),
             coverage.event("picks_by_threads"),
             coverage.event("picks_among_several"),
             coverage.event("picks_among_none"),
             coverage.event("pools_that_waited_too_long"),
             coverage.event("ticks_of_a_busy_compactor")};
}

void PoolTableShadow::set_threads(const Warp& threads) {
  op_mask_.set(threads.mask);
  set_rows(op_row_, row_bits_, threads, threads.mask);
}

void PoolTableShadow::set_among(const std::vector<bool>& among) {
  for (unsigned pool = 0; pool < among.size(); ++pool) op_among_.set_field(pool, 1, among[pool] ? 1 : 0);
}

void PoolTableShadow::same_used(const char* operation) {
  const auto used = counts_.size() - static_cast<std::size_t>(std::count(counts_.begin(), counts_.end(), 0U));
  same(operation, "pools in use", used, used_.get());
  model_.record.coverage.size(points_.used, static_cast<unsigned>(used));
}

void PoolTableShadow::added(const Warp& threads, unsigned group, unsigned pool, bool full) {
  Coverage& coverage = model_.record.coverage;
  set_threads(threads);
  set_pc(op_pc_, threads.pc);
  op_group_.set(group);
  operate(kAdd, "add", 0, threads.pc);
  same("add", "there is a pool", pool != kNoPool ? 1 : 0, res_ok_.get());
  same("add", "it has all lanes", full ? 1 : 0, res_full_.get());
  if (pool == kNoPool) {
    coverage.count(points_.full_table);
  } else {
    same("add", "the pool", pool, res_pool_.get());
    fresh_ = fresh_ || counts_[pool] == 0;
    const bool first = counts_[pool] == 0;
    counts_[pool] += static_cast<unsigned>(std::popcount(threads.mask));
    coverage.size(points_.pools, pool);
    coverage.size(points_.groups, group);
    coverage.size(points_.threads, static_cast<unsigned>(std::bit_width(counts_[pool])));
    coverage.each(points_.lanes, threads.mask);
    for (isa::LaneMask rest = threads.mask; rest != 0; rest &= rest - 1) {
      coverage.size(points_.rows, threads.row[static_cast<unsigned>(std::countr_zero(rest))]);
    }
    coverage.count_if(full, points_.full);
    coverage.count_if(first && std::count(counts_.begin(), counts_.end(), 0U) == 0, points_.filled);
  }
  same_used("add");
}

void PoolTableShadow::given(unsigned pool, const Warp& threads, bool full) {
  Coverage& coverage = model_.record.coverage;
  set_threads(threads);
  op_pool_.set(pool);
  operate(kGive, "give", 0, threads.pc);
  same("give", "it has all lanes", full ? 1 : 0, res_full_.get());
  counts_[pool] -= static_cast<unsigned>(std::popcount(threads.mask));
  coverage.count(counts_[pool] == 0 ? points_.freed : points_.partly);
  coverage.count_if(full, points_.full_still);
  same_used("give");
}

void PoolTableShadow::picked(const std::vector<bool>& among, bool by_age, Cycle now, unsigned pool) {
  Coverage& coverage = model_.record.coverage;
  unsigned there = 0;
  for (unsigned p = 0; p < counts_.size(); ++p) there += among[p] && counts_[p] != 0 ? 1 : 0;
  coverage.count(by_age ? points_.by_age : points_.most);
  coverage.count_if(there > 1, points_.one_of_many);
  coverage.count_if(there == 0, points_.none);
  set_among(among);
  op_by_age_.set(by_age ? 1 : 0);
  op_now_.set(now & 0xffff);
  operate(kPick, "pick");
  same("pick", "one gives", pool != kNoPool ? 1 : 0, res_ok_.get());
  if (pool != kNoPool) same("pick", "the pool", pool, res_pool_.get());
}

void PoolTableShadow::ticked(Cycle now, bool busy, unsigned pool) {
  const bool due = fresh_ || pool != kNoPool || unseen_ == kTicksUnseen;
  unseen_ = due ? 0 : unseen_ + 1;
  if (!due) return;
  fresh_ = false;
  model_.record.coverage.count_if(pool != kNoPool, points_.late);
  model_.record.coverage.count_if(busy, points_.busy);
  set_among(std::vector<bool>(counts_.size(), !busy));
  op_now_.set(now & 0xffff);
  operate(kTick, "tick");
  same("tick", "one has waited too long", pool != kNoPool ? 1 : 0, res_ok_.get());
  if (pool != kNoPool) same("tick", "the pool", pool, res_pool_.get());
}

}  // namespace warpfold::cosim
