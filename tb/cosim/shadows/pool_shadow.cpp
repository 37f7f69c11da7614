// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/pool_shadow.h"

#include <fmt/format.h>

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
      res_freed_(model_.pin("res_freed_o")) {}

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
  operate(Op::kEnter);
  same(Op::kEnter, "threads that join", joined.lanes, res_join_.get());
  if (joined.lanes != 0) same(Op::kEnter, "the warp that they join", joined.warp, res_slot_.get());
  same(Op::kEnter, "the table is full", alone ? 1 : 0, res_alone_.get());
  if (hit) same(Op::kEnter, "entry of the pc", tag->second, res_entry_.get());
  if (!hit && !alone) tags_.emplace(pc, res_entry_.get());
}

void PoolShadow::issued(WarpId id, const divergence::Warp& warp, bool last) {
  op_mask_.set(warp.mask);
  op_slot_.set(id);
  op_entry_.set(entry_of(warp.pc));
  operate(Op::kIssue);
  same(Op::kIssue, "the pc leaves the table", last ? 1 : 0, res_freed_.get());
  if (last) tags_.erase(warp.pc);
  if (tags_.empty()) model_.rtl().forget();
}

void PoolShadow::selected(const std::vector<Pc>& ready, Pc majority) {
  op_ready_.clear();
  for (const Pc pc : ready) op_ready_.set_field(static_cast<unsigned>(entry_of(pc)), 1, 1);
  operate(Op::kSelect);
  same(Op::kSelect, "a pc is ready", ready.empty() ? 0 : 1, res_found_.get());
  if (!ready.empty()) same(Op::kSelect, "entry of the majority's pc", entry_of(majority), res_entry_.get());
}

}  // namespace warpfold::cosim
