// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/row_contexts.h"

#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::divergence {
namespace {

constexpr unsigned kContextDepthBits = 8;

std::uint64_t count_in(LaneMask lanes) { return static_cast<std::uint64_t>(std::popcount(lanes)); }

// By the place of a reconvergence point: the first place of what lies between the branches that meet there and it. The
// branches are part of it: in a loop's last branch, which is its first place too, those who leave would run ahead.
std::vector<Pc> regions_of(const isa::Kernel& kernel, const ContextOrder& order) {
  std::vector<Pc> regions(kernel.end(), isa::kNoPc);
  const isa::Cfg cfg(flow_of(kernel));
  for (Pc pc = 0; pc < kernel.end(); ++pc) {
    const isa::MicroOp& op = kernel.ops[pc];
    if (op.kind != isa::Kind::kBranch || !op.may_diverge || op.reconvergence >= kernel.end()) continue;
    Pc& first = regions[order.at(op.reconvergence, 1).place];
    first = std::min(first, order.at(pc, 1).place);
    std::vector<bool> inside(cfg.blocks().size(), false);
    std::vector<isa::BlockIndex> from = cfg.blocks()[cfg.block_of(pc)].successors;
    while (!from.empty()) {
      const isa::BlockIndex index = from.back();
      from.pop_back();
      if (index == cfg.exit() || index == cfg.block_of(op.reconvergence) || inside[index]) continue;
      inside[index] = true;
      const isa::Block& block = cfg.blocks()[index];
      for (Pc at = block.begin; at < block.end; ++at) first = std::min(first, order.at(at, 1).place);
      from.insert(from.end(), block.successors.begin(), block.successors.end());
    }
  }
  return regions;
}

}  // namespace

Shape RowContextRules::shape(const Geometry& geometry) const {
  const unsigned rows = geometry.max_threads / geometry.warp_size;
  if (hot == 1) return {geometry.warp_size, rows};
  return {geometry.warp_size, (rows + geometry.schedulers - 1) / geometry.schedulers * geometry.schedulers * hot};
}

unsigned context_bits(const HardwareGeometry& geometry, ContextPriority order) {
  return kPcBits + geometry.core.warp_size + (order == ContextPriority::kDepthPc ? kContextDepthBits : 0) + 1;
}

Structure cold_contexts(const HardwareGeometry& geometry, unsigned hot, ContextPriority order,
                        const std::string& name) {
  const unsigned lanes = geometry.core.warp_size;
  return {"cold contexts",
          table(geometry.rows() * (lanes > hot ? lanes - hot : 1), context_bits(geometry, order)),
          1,
          {{name + "_inserts"}, {name + "_merges"}, {name + "_turns"}}};
}

// Whoever runs ahead may meet others in the next round of a loop.
RowContexts::RowContexts(const RowContextRules& rules, const Geometry& geometry, Core& core, const std::string& name,
                         bool any_order)
    : Mechanism({.keeps_warps = rules.hot == 1, .mixes_paths = true, .any_order = any_order, .issues_parts = true}),
      rules_(rules),
      core_(core),
      rows_(geometry.max_threads / geometry.warp_size),
      others_(rules.hot == 1 ? 0 : geometry.max_warps, kNoWarp),
      seconds_(geometry.max_warps),
      inserts_(core.stats().counter(name + "_inserts", "contexts", "that a divergent branch or a wait added to a row")),
      merges_(core.stats().counter(name + "_merges", "contexts", "that came to the place of another and joined it")),
      turns_(core.stats().counter(name + "_turns", "contexts", "that had waited and became one that runs")),
      most_(core.stats().counter(name + "_contexts_max", "contexts", "most of a row", Combine::kMax)) {
  if (rules_.hot == 1) return;
  waits_ = &core.stats().counter(name + "_waits", "contexts",
                                 "held at a reconvergence point because the row's first is in the region before it");
}

void RowContexts::kernel_started(const isa::Kernel& kernel) {
  order_ = ContextOrder(kernel, rules_.order);
  if (rules_.hot != 1 && rules_.waits) regions_ = regions_of(kernel, order_);
}

void RowContexts::kernel_ended() {
  for (const Row& row : rows_) check(row.live == 0 && row.entries.empty(), "no context is left");
  check(parked_.inactive == 0 && parked_.reconverging == 0 && seconds_.empty(), "nobody waits when all have exited");
}

void RowContexts::block_started(const Block& block) {
  for (unsigned i = 0; i < block.rows(); ++i) {
    const unsigned index = block.first_row + i;
    rows_[index].live = block.threads[i];
    place(rows_[index], order_.at(0, block.threads[i]));
    arrange(index, kNoWarp);
  }
}

unsigned RowContexts::row_of(WarpId id) const { return lowest_row(core_.warp(id)); }

// Where two are hot: does it join another there, or are others hot from then on?
bool RowContexts::leaves_at(WarpId id, Pc next) const {
  const Row& row = rows_[row_of(id)];
  if (rules_.hot == 1 || row.entries.size() == 1) return false;
  const Context mine = order_.at(next, core_.warp(id).mask);
  unsigned fixed = 0, before = 0;
  const Entry* first = nullptr;
  for (const Entry& other : row.entries) {
    if (other.slot == id) continue;
    if (!other.issued && other.context.place == mine.place) return true;
    const bool goes_first = !goes_before(mine, other.context);
    if (first == nullptr && goes_first) first = &other;
    fixed += other.fixed() ? 1 : 0;
    before += goes_first && !other.fixed() ? 1 : 0;
  }
  return before + fixed >= rules_.hot || (first != nullptr && must_wait(first->context.place, mine));
}

void RowContexts::committed(WarpId id, Pc next) {
  Warp& warp = core_.warp(id);
  Row& row = rows_[lowest_row(warp)];
  if (row.entries.size() == 1) {
    Entry& only = row.entries.front();
    only.context = order_.at(next, warp.mask);
    only.issued = rules_.hot == 1;
    only.stays = rules_.hot != 1;  // threads that come together may be first in the row before it has drained
    warp.pc = next;
    return;
  }
  const bool stays = !leaves_at(id, next);
  go_on(id, order_.at(next, warp.mask), {});
  if (!stays || rules_.hot == 1) return;
  for (Entry& entry : row.entries) entry.stays |= entry.slot == id;
}

void RowContexts::branch_resolved(WarpId id, const Branch& branch) {
  const LaneMask active = core_.warp(id).mask, taken = branch.taken & active;
  if (taken == 0 || taken == active || branch.target == branch.pc + 1) {
    committed(id, taken != 0 ? branch.target : branch.pc + 1);
    return;
  }
  ++inserts_;
  go_on(id, order_.at(branch.pc + 1, active & ~taken), order_.at(branch.target, taken), branch.reconvergence);
}

void RowContexts::exited(WarpId id, LaneMask lanes, Pc next) {
  const LaneMask left = core_.warp(id).mask & ~lanes;
  rows_[row_of(id)].live &= ~lanes;
  go_on(id, left != 0 ? order_.at(next, left) : Context(), {});
}

bool RowContexts::gives_up(WarpId id) {
  const unsigned index = row_of(id);
  if (core_.warp(id).mask == rows_[index].live) return false;
  take_out(rows_[index], id);
  seconds_.erase(id);
  core_.remove(id);
  arrange(index, kNoWarp);
  return true;
}

void RowContexts::together(const Warp& warp) {
  for_each_row(warp, warp.mask, [&](unsigned index, LaneMask lanes) {
    ++inserts_;
    place(rows_[index], order_.at(warp.pc, lanes));
    arrange(index, kNoWarp);
  });
}

void RowContexts::issued(WarpId id, Cycle /*now*/) {
  std::vector<Entry>& entries = rows_[row_of(id)].entries;
  Entry* entry = entries.data();
  while (entry->slot != id) ++entry;
  entry->issued = true;
}

std::string RowContexts::waiting(unsigned /*block_slot*/) const {
  return "threads whose turn comes behind the others of their row, by the order of the code";
}

std::size_t RowContexts::take_out(Row& row, WarpId id) {
  const auto at =
      std::find_if(row.entries.begin(), row.entries.end(), [id](const Entry& entry) { return entry.slot == id; });
  const auto place = at - row.entries.begin();
  row.entries.erase(at);
  return static_cast<std::size_t>(place);
}

// Threads join a context at their place that has not issued there; else they are one of their own.
void RowContexts::place(Row& row, const Context& context) {
  if (context.mask == 0) return;
  for (Entry& other : row.entries) {
    if (other.issued || other.context.place != context.place) continue;
    other.context.mask |= context.mask;
    if (other.slot != kNoWarp) core_.warp(other.slot).mask |= context.mask;
    ++merges_;
    return;
  }
  const auto behind = std::find_if(row.entries.begin(), row.entries.end(),
                                   [&](const Entry& entry) { return goes_before(context, entry.context); });
  row.entries.insert(behind, {context});
  most_.raise_to(row.entries.size());
}

void RowContexts::go_on(WarpId id, const Context& one, const Context& other, Pc meets) {
  const unsigned index = row_of(id);
  Row& row = rows_[index];
  const std::size_t contexts = row.entries.size(), before = take_out(row, id);
  place(row, one);
  place(row, other);
  const bool parts = one.mask != 0 && other.mask != 0;
  for (const Context& side : {one, other}) {
    if (side.mask != 0 && (!parts || order_.pc(side) == meets)) row.met |= side.mask;
  }
  const bool keeps_its_place = row.entries.size() == contexts && row.entries[before].context == one;
  arrange(index, id);
  if (keeps_its_place) return;
  const unsigned wait = core_.occupy(Unit::kSorter, core_.scheduler_of_row(index), ContextSorter::kClocks);
  const bool stays = std::any_of(row.entries.begin(), row.entries.end(), [id](const Entry& e) { return e.slot == id; });
  if (stays) core_.hold(id, wait);
}

bool RowContexts::must_wait(Pc first, const Context& context) const {
  if (regions_.empty()) return false;
  return regions_[context.place] <= first && first < context.place;
}

// Who is in the warp buffer? Those that keep their slots, and the first of the others. `vacant`: the slot of a warp
// that the mechanism is being told about, which goes to one of them.
void RowContexts::arrange(unsigned index, WarpId vacant) {
  Row& row = rows_[index];
  unsigned room = rules_.hot;
  for (const Entry& entry : row.entries) room -= entry.fixed() ? 1 : 0;
  LaneMask cold = 0;
  std::size_t end = 0;  // of those that may be in the buffer
  for (; end < row.entries.size(); ++end) {
    const Entry& entry = row.entries[end];
    if (entry.fixed()) continue;
    if (room == 0) break;
    if (end != 0 && must_wait(row.entries.front().context.place, entry.context)) {
      if (entry.slot != kNoWarp || (entry.context.mask & ~row.cold) != 0) ++*waits_;
      break;
    }
    --room;
  }
  for (std::size_t i = end; i < row.entries.size(); ++i) {
    Entry& entry = row.entries[i];
    if (entry.fixed()) continue;
    cold |= entry.context.mask;
    if (entry.slot == kNoWarp) continue;
    core_.remove(entry.slot);
    seconds_.erase(entry.slot);
    entry.slot = kNoWarp;
  }
  for (std::size_t i = 0; i < end; ++i) {
    if (row.entries[i].slot == kNoWarp) show(row, row.entries[i], index, vacant);
  }
  if (vacant != kNoWarp) {
    seconds_.erase(vacant);
    core_.remove(vacant);
  }
  set_cold(row, cold);
  if (rules_.hot != 1) pair_up(row);
}

void RowContexts::show(Row& row, Entry& entry, unsigned index, WarpId& vacant) {
  const Pc pc = order_.pc(entry.context);
  if ((entry.context.mask & row.cold) != 0) ++turns_;
  if (vacant == kNoWarp) {
    entry.slot = core_.insert(Warp::of_row(pc, static_cast<std::uint16_t>(index), entry.context.mask),
                              core_.scheduler_of_row(index));
    return;
  }
  entry.slot = vacant;
  // In place, what others of the row have issued in this warp may still be in flight.
  entry.issued = rules_.hot == 1;
  Warp& warp = core_.warp(vacant);
  warp.pc = pc;
  warp.mask = entry.context.mask;
  vacant = kNoWarp;
}

void RowContexts::pair_up(const Row& row) {
  WarpId first = kNoWarp;
  for (const Entry& entry : row.entries) {
    if (entry.slot == kNoWarp) continue;
    others_[entry.slot] = first;
    if (first == kNoWarp) {
      first = entry.slot;
      seconds_.erase(first);
      continue;
    }
    others_[first] = entry.slot;
    seconds_.insert(entry.slot);
    return;
  }
}

void RowContexts::set_cold(Row& row, LaneMask lanes) {
  if ((lanes | row.cold) == 0) {
    row.met = 0;
    return;
  }
  const LaneMask met = row.met & lanes;
  const LaneMask met_before = row.counted_met;
  parked_.inactive += count_in(lanes & ~met);
  parked_.inactive -= count_in(row.cold & ~met_before);
  parked_.reconverging += count_in(met);
  parked_.reconverging -= count_in(met_before);
  row.cold = lanes;
  row.met = row.counted_met = met;
}

}  // namespace warpfold::divergence
