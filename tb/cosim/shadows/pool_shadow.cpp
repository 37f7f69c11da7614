// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/pool_shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"

namespace warpfold::cosim {

using divergence::WarpId;
using divergence::WarpPool;
using isa::LaneMask;
using isa::Pc;

namespace {

constexpr const char* kPoolOps[] = {"enter", "issue", "select"};

}  // namespace

RtlParameters PoolShadow::parameters(const Size& size) {
  return {{"Lanes", size.lanes},
          {"Entries", size.entries},
          {"Slots", size.slots},
          {"Threads", size.threads},
          {"PcWidth", kPcBits}};
}

PoolShadow::PoolShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, const Size& size)
    : Shadow(session, clock, "pool", core, parameters(size), fmt::format("_scheduler{}", scheduler)),
      size_(size.entries),
      op_mask_(model_.pin("op_mask_i")),
      op_slot_(model_.pin("op_slot_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_hit_(model_.pin("op_hit_i")),
      op_entry_(model_.pin("op_entry_i")),
      op_closed_(model_.pin("op_closed_i")),
      op_ready_(model_.pin("op_ready_i")),
      res_join_(model_.pin("res_join_o")),
      res_slot_(model_.pin("res_slot_o")),
      res_alone_(model_.pin("res_alone_o")),
      res_entry_(model_.pin("res_entry_o")),
      res_found_(model_.pin("res_found_o")),
      res_freed_(model_.pin("res_freed_o")) {
  operations(kPoolOps);
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("entries_in_use", 0, size.entries),
             coverage.event("tables_filled"),
             coverage.event("warps_that_find_it_full"),
             coverage.sizes("entries_entered", 0, size.entries - 1),
             coverage.sizes("slots_of_warps", 0, size.slots - 1),
             coverage.sizes("bits_of_threads_of_a_pc", 1, static_cast<unsigned>(std::bit_width(size.threads))),
             coverage.sizes("pcs_that_are_ready", 0, size.entries),
             coverage.event("pcs_in_the_table"),
             coverage.event("all_threads_join"),
             coverage.event("some_threads_join"),
             coverage.event("no_lane_is_free"),
             coverage.event("warps_that_nobody_joins"),
             coverage.event("pcs_that_leave_the_table"),
             coverage.event("no_pc_is_ready"),
             coverage.event("the_majority_stays"),
             coverage.event("the_majority_changes"),
             coverage.event("pcs_of_as_many_threads")};
}

std::uint64_t PoolShadow::entry_of(Pc pc) const {
  const auto found = tags_.find(pc);
  check(found != tags_.end(), "a pc of the pool is in the RTL's lookup table");
  return found->second;
}

void PoolShadow::operate(Op op) { Shadow::operate(static_cast<unsigned>(op), kPoolOps[static_cast<unsigned>(op)]); }

void PoolShadow::same(Op op, const char* what, std::uint64_t expected, std::uint64_t got) {
  Shadow::same(kPoolOps[static_cast<unsigned>(op)], what, expected, got);
}

void PoolShadow::entered(Pc pc, LaneMask threads, WarpId warp, const WarpPool::Joined& joined, bool alone) {
  enter(pc, threads, warp, false, joined, alone);
}

void PoolShadow::entered_closed(Pc pc, LaneMask threads, WarpId warp, bool alone) {
  enter(pc, threads, warp, true, {}, alone);
}

void PoolShadow::enter(Pc pc, LaneMask threads, WarpId warp, bool closed, const WarpPool::Joined& joined, bool alone) {
  const auto tag = tags_.find(pc);
  const bool hit = tag != tags_.end();
  op_mask_.set(threads);
  op_slot_.set(warp != divergence::kNoWarp ? warp : 0);
  set_pc(op_pc_, pc);
  op_hit_.set(hit ? 1 : 0);
  op_entry_.set(hit ? tag->second : 0);
  op_closed_.set(closed ? 1 : 0);
  Coverage& coverage = model_.record.coverage;
  coverage.count_if(hit, points_.hits);
  coverage.count_if(alone, points_.alone);
  coverage.count_if(closed, points_.closed);
  if (hit && !closed) {
    coverage.count(joined.lanes == threads ? points_.join_all
                   : joined.lanes != 0     ? points_.join_some
                                           : points_.join_none);
  }
  if (warp != divergence::kNoWarp) coverage.size(points_.slots, warp);
  if (!alone) {
    unsigned& of_pc = threads_[pc];
    of_pc += isa::count_lanes(threads);
    coverage.size(points_.threads, static_cast<unsigned>(std::bit_width(of_pc)));
  }
  operate(Op::kEnter);
  same(Op::kEnter, "threads that join", joined.lanes, res_join_.get());
  if (joined.lanes != 0) same(Op::kEnter, "the warp that they join", joined.warp, res_slot_.get());
  same(Op::kEnter, "the table is full", alone ? 1 : 0, res_alone_.get());
  if (hit) same(Op::kEnter, "entry of the pc", tag->second, res_entry_.get());
  if (!hit && !alone) {
    tags_.emplace(pc, res_entry_.get());
    coverage.size(points_.entries, static_cast<unsigned>(res_entry_.get()));
  }
  coverage.size(points_.used, static_cast<unsigned>(tags_.size()));
  coverage.count_if(tags_.size() == size_, points_.filled);
}

void PoolShadow::issued(WarpId id, const divergence::Warp& warp, bool last) {
  op_mask_.set(warp.mask);
  op_slot_.set(id);
  op_entry_.set(entry_of(warp.pc));
  operate(Op::kIssue);
  same(Op::kIssue, "the pc leaves the table", last ? 1 : 0, res_freed_.get());
  model_.record.coverage.count_if(last, points_.leaves);
  threads_[warp.pc] -= isa::count_lanes(warp.mask);
  if (last) tags_.erase(warp.pc);
  model_.record.coverage.size(points_.used, static_cast<unsigned>(tags_.size()));
  if (tags_.empty()) model_.rtl().forget();
}

void PoolShadow::selected(const std::vector<Pc>& ready, Pc majority) {
  op_ready_.clear();
  for (const Pc pc : ready) op_ready_.set_field(static_cast<unsigned>(entry_of(pc)), 1, 1);
  Coverage& coverage = model_.record.coverage;
  coverage.size(points_.ready, static_cast<unsigned>(ready.size()));
  coverage.count_if(ready.empty(), points_.none_ready);
  if (!ready.empty()) {
    coverage.count(majority == majority_ ? points_.stays : points_.changes);
    const auto as_many = [&](Pc pc) { return pc != majority && threads_[pc] == threads_[majority]; };
    coverage.count_if(std::any_of(ready.begin(), ready.end(), as_many), points_.ties);
    majority_ = majority;
  }
  operate(Op::kSelect);
  same(Op::kSelect, "a pc is ready", ready.empty() ? 0 : 1, res_found_.get());
  if (!ready.empty()) same(Op::kSelect, "entry of the majority's pc", entry_of(majority), res_entry_.get());
}

}  // namespace warpfold::cosim
