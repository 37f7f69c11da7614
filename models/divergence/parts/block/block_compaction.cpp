// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/block/block_compaction.h"

#include <algorithm>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {
BlockCompaction::BlockCompaction(const BlockCompactionParams& params, const Geometry& geometry, Core& core,
                                 unsigned field_bytes)
    : Mechanism({.keeps_back = true, .any_order = true}),
      params_(params),
      core_(core),
      validity_(core.stats()),
      spills_(params.stack_entries, field_bytes, geometry, core) {
  // RTL has room for so many where the model has for all.
  const unsigned entries = params.stack_entries != 0 ? params.stack_entries : BlockStackSpills::kEntries;
  blocks_.assign(geometry.max_blocks, Resident(geometry.max_warps, params.stack_stages));
  for (unsigned slot = 0; slot < blocks_.size(); ++slot) {
    blocks_[slot].stack.played_by(core.taps().stack_player(slot, {entries, params.stack_stages}));
  }
}

void BlockCompaction::kernel_ended() {
  check(live_ == 0 && in_warps_ == 0 && inactive_ == 0, "no block outlives its kernel");
}

void BlockCompaction::block_started(const Block& block) {
  Resident& resident = blocks_[block.slot];
  resident.block = block;
  resident.stack.start(block, end_);
  spills_.start(block);
  core_.stack_depth(1);
  const unsigned wait = stack_wait(block.slot);
  for (unsigned row = 0; row < block.rows(); ++row) {
    live_ += isa::count_lanes(block.threads[row]);
    const WarpId id =
        insert(Warp::of_row(0, static_cast<std::uint16_t>(block.first_row + row), block.threads[row]), block.slot);
    core_.hold(id, wait);
  }
}

void BlockCompaction::committed(WarpId warp, Pc next) { go_on(warp, next); }

void BlockCompaction::branch_resolved(WarpId id, const Branch& branch) {
  const Warp& warp = core_.warp(id);
  if (!branch.may_diverge) {
    go_on(id, (warp.mask & branch.taken) != 0 ? branch.target : branch.pc + 1);
    return;
  }
  const unsigned slot = core_.block_of(id);
  BlockStack& stack = blocks_[slot].stack;
  meet(blocks_[slot], warp, branch);
  stack.arrive_at_branch(warp, branch);
  core_.stack_depth(stack.depth());
  spills_.grow(slot, stack.size());
  remove(id, slot);
  advance_if_settled(slot);
}

// For the classes of TSTBC Fig. 7: would those that diverge have been worth the wait?
void BlockCompaction::meet(Resident& resident, const Warp& warp, const Branch& branch) {
  if (!resident.meeting_open) resident.meeting.open(branch, params_.branch_order);
  resident.meeting_open = true;
  const LaneMask taken = warp.mask & branch.taken;
  const bool diverges = taken != 0 && taken != warp.mask && branch.target != branch.pc + 1;
  if (diverges) resident.meeting.all.add(resident.block, warp, warp.mask, taken);
}

void BlockCompaction::exited(WarpId id, LaneMask lanes, Pc next) {
  Warp& warp = core_.warp(id);
  const unsigned slot = core_.block_of(id);
  const bool emptied = (warp.mask & ~lanes) == 0;
  blocks_[slot].stack.exit(warp, lanes, emptied);
  warp.mask &= ~lanes;
  live_ -= isa::count_lanes(lanes);
  in_warps_ -= isa::count_lanes(lanes);
  if (!emptied) {
    core_.hold(id, stack_wait(slot));
    go_on(id, next);
    return;
  }
  remove(id, slot);
  advance_if_settled(slot);
}

// A compactor of another policy may make more warps than the threads need: never are all of them gone before it is
// done.
void BlockCompaction::compacted(unsigned slot, unsigned /*tag*/, const Warp& warp, bool last) {
  Resident& resident = blocks_[slot];
  if (--resident.coming == 0 && !last) {
    ++resident.coming;
    resident.stack.expect_another();
  }
  insert(warp, slot);
}

// Whoever of the block is in no warp waits for those that are, once the compactor has delivered them all.
LaneMask BlockCompaction::kept_back(WarpId carrier, const Warp& /*waiting*/, unsigned row) const {
  const unsigned slot = core_.block_of(carrier);
  const Resident& resident = blocks_[slot];
  if (core_.block_of_row(row) != slot || resident.warps.size() != resident.stack.top().warps) return 0;
  const auto& running = resident.running.of(resident.block, [&](const auto& runs) {
    for (WarpId id = resident.warps.next(0); id != kNoWarp; id = resident.warps.next(id + 1)) runs(core_.warp(id));
    return true;
  });
  return ~running[row - resident.block.first_row];
}

std::string BlockCompaction::waiting(unsigned slot) const {
  const BlockStack& stack = blocks_[slot].stack;
  return fmt::format("block-wide stack of {} entries, the top (pc {}, rpc {}) waits for {} warps{}", stack.size(),
                     stack.top().pc, stack.top().rpc, stack.top().warps,
                     blocks_[slot].due ? " and for entries from memory" : "");
}

WarpId BlockCompaction::insert(const Warp& warp, unsigned slot) {
  const WarpId id = core_.insert(warp);
  blocks_[slot].warps.insert(id);
  blocks_[slot].running.changed();
  in_warps_ += isa::count_lanes(warp.mask);
  return id;
}

// The unit of this block is asked for what its stack has just done, and until when that takes.
unsigned BlockCompaction::stack_wait(unsigned slot) {
  return core_.occupy(Unit::kStack, slot, blocks_[slot].stack.clocks.take());
}

void BlockCompaction::remove(WarpId id, unsigned slot) {
  in_warps_ -= isa::count_lanes(core_.warp(id).mask);
  blocks_[slot].warps.erase(id);
  blocks_[slot].running.changed();
  core_.remove(id);
}

void BlockCompaction::go_on(WarpId id, Pc next) {
  const unsigned slot = core_.block_of(id);
  BlockStack& stack = blocks_[slot].stack;
  if (!stack.meets_at(next)) {
    core_.warp(id).pc = next;
    return;
  }
  stack.arrive(next);
  remove(id, slot);
  advance_if_settled(slot);
}

void BlockCompaction::advance_if_settled(unsigned slot) {
  Resident& resident = blocks_[slot];
  BlockStack& stack = resident.stack;
  if (!stack.settled()) {
    stack_wait(slot);
    return;
  }
  if (resident.meeting_open) validity_.count(regroups_, compaction_helps(resident.meeting));
  resident.meeting_open = false;
  inactive_ -= stack.inactive();
  const BlockStack::Entry* entry = stack.advance(params_.branch_order, regroups_);
  inactive_ += stack.inactive();
  stack_wait(slot);
  if (entry == nullptr) return;
  // Threads that leave for a likely-convergence entry in memory join it there.
  for (const unsigned merged : stack.merged()) spills_.change(slot, merged);
  spills_.use(slot, stack.size());
  resident.due = spills_.waits(slot);
  if (!resident.due) compact(slot);
}

void BlockCompaction::spilled(unsigned slot) {
  spills_.spilled(slot);
  if (std::exchange(blocks_[slot].due, false)) compact(slot);
}

// Once the stack has found what runs next: that may take it a while yet.
void BlockCompaction::compact(unsigned slot) {
  Resident& resident = blocks_[slot];
  const BlockStack::Entry& top = resident.stack.top();
  resident.coming = top.warps;
  core_.compact(
      {slot, resident.block.id, resident.block.first_row, top.pc, regroups_, top.threads, 0, stack_wait(slot)});
}

}  // namespace warpfold::divergence
