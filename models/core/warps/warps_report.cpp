// SPDX-License-Identifier: Apache-2.0
// What watchdogs ask of the warps, and traces are told: does any of them get anywhere, and what does each wait for?
#include <bit>

#include "warpfold/common/error.h"
#include "warpfold/core/warps/warps.h"

namespace warpfold {

using divergence::WarpId;

Warps::Census Warps::census() const {
  Census now;
  for (WarpId id = 0; id < slots_.size(); ++id) {
    if (!live(id)) continue;
    ++now.live;
    if (!waits(id)) ++now.runnable;
  }
  return now;
}

bool Warps::all_repeat(const std::function<bool(WarpId)>& starves) const {
  for (WarpId id = 0; id < slots_.size(); ++id) {
    if (!live(id) || waits(id)) continue;
    if (!spin_.repeats(slots_[id].warp) && !starves(id)) return false;
  }
  return true;
}

std::vector<std::string> Warps::report(const std::function<std::string(WarpId)>& waits_for) const {
  std::vector<std::string> lines;
  for (const std::string& text :
       rendezvous_.report([&](unsigned row, unsigned lane) { return whereabouts(row, lane); })) {
    lines.push_back(fmt::format("core {}: {}", context_.core, text));
  }
  std::vector<unsigned> in_warps(blocks_.size(), 0);  // of the threads at a barrier, by block
  for (WarpId id = 0; id < slots_.size(); ++id) {
    const Slot& slot = slots_[id];
    if (!live(id)) continue;
    const bool named = kernel_->ops[slot.warp.pc].s_count > 1;
    if (slot.state == State::kAtBarrier && !named)
      in_warps[slot.block] += static_cast<unsigned>(std::popcount(slot.warp.mask));
    lines.push_back(fmt::format("core {} block {} warp {} ({} threads at {}:{}) waits for {}", context_.core,
                                blocks_[slot.block].id, id, std::popcount(slot.warp.mask), kernel_->file,
                                kernel_->ops[slot.warp.pc].line, waits(id) ? waits_here_for(slot) : waits_for(id)));
  }
  for (unsigned block_slot = 0; block_slot < blocks_.size(); ++block_slot) {
    if (barriers_.live(block_slot) == 0) continue;
    const unsigned taken = barriers_.arrived(block_slot) - in_warps[block_slot];
    if (taken != 0) {
      lines.push_back(fmt::format("core {} block {}: {} threads in no warp wait for {}", context_.core,
                                  blocks_[block_slot].id, taken, barrier_text(block_slot)));
    }
    lines.push_back(fmt::format("core {} block {}, threads in no warp: {}", context_.core, blocks_[block_slot].id,
                                mechanism_->waiting(block_slot)));
  }
  return lines;
}

std::string Warps::waits_here_for(const Slot& slot) const {
  if (slot.state == State::kAtBarrier) {
    const isa::MicroOp& op = kernel_->ops[slot.warp.pc];
    return op.s_count > 1 ? "a barrier that has a name or a count" : barrier_text(slot.block);
  }
  if (slot.state == State::kAtCollective) return "threads of its lanes' architectural warps";
  return "other warps of its mechanism, or what this has in memory";
}

std::string Warps::barrier_text(unsigned block_slot) const {
  return fmt::format("a barrier that {} of {} live threads have reached", barriers_.arrived(block_slot),
                     barriers_.live(block_slot));
}

// Where a thread is that others wait for.
std::string Warps::whereabouts(unsigned row, unsigned lane) const {
  for (const Slot& slot : slots_) {
    const bool holds = slot.state != State::kFree && (slot.warp.mask >> lane & 1) != 0 && slot.warp.row[lane] == row;
    if (holds) return fmt::format("is at {}:{}", kernel_->file, kernel_->ops[slot.warp.pc].line);
  }
  return "is in no warp";
}

void Warps::trace(TraceEvent event, WarpId id, std::uint64_t mask) const {
  if (context_.trace == nullptr) return;
  const Slot& slot = slots_[id];
  context_.trace->record(
      {pipeline_.now(), event, context_.core, blocks_[slot.block].id, id, slot.warp.pc, mask, slot.warp.mask});
}

void Warps::trace_block(TraceEvent event, const divergence::Block& block, unsigned threads) const {
  if (context_.trace == nullptr) return;
  context_.trace->record({pipeline_.now(), event, context_.core, block.id, 0, 0, threads, block.first_row});
}

}  // namespace warpfold
