// SPDX-License-Identifier: Apache-2.0
#include "models/core/branch_unit.h"

#include <algorithm>
#include <bit>

#include "models/common/error.h"
#include "models/core/core_blocks.h"
#include "models/divergence/mixed_warp.h"

namespace warpfold {

using divergence::WarpId;
using isa::Kind;
using isa::LaneMask;

BranchUnit::BranchUnit(sc_core::sc_module_name name, const CoreParams& params, const CoreContext& context,
                       const divergence::Configured& mechanism, ClockDomain& core_clock, StatGroup& stats)
    : sc_module(name),
      params_(params),
      context_(context),
      clock_(core_clock),
      stats_(stats),
      mechanism_(mechanism.make(params.geometry(), *this)),
      warps_(params.slots()),
      free_(params.schedulers, divergence::WarpSet(params.slots())),
      blocks_(params.max_blocks),
      row_block_(params.rows(), 0),
      barriers_(params.max_blocks),
      divergent_branches_(
          stats.counter("divergent_branches", "warp instructions", "branches whose warp went both ways")),
      branches_(stats.counter("branches", "warp instructions", "branches, jumps included")),
      barriers_passed_(stats.counter("barriers", "events", "barriers that opened for a block")),
      max_stack_(
          stats.counter("max_stack_entries", "entries", "deepest reconvergence stack (TBC Table 3)", Combine::kMax)) {
  for (WarpId id = 0; id < warps_.size(); ++id) free_[id % params.schedulers].insert(id);
}

void BranchUnit::start_block(const divergence::Block& block) {
  unsigned threads = 0;
  for (LaneMask row : block.threads) threads += static_cast<unsigned>(std::popcount(row));
  blocks_[block.slot] = block;
  for (unsigned row = 0; row < block.rows(); ++row) row_block_[block.first_row + row] = block.slot;
  barriers_.block_started(block.slot, threads);
  keep_census(static_cast<int>(threads));
  if (context_.trace != nullptr) {
    context_.trace->record(
        {clock_.current(), TraceEvent::kBlockStart, context_.core, block.id, 0, 0, 0, block.first_row, nullptr});
  }
  mechanism_->block_started(blocks_[block.slot]);
}

WarpId BranchUnit::insert(const divergence::Warp& warp, unsigned scheduler) {
  WarpId id = divergence::kNoWarp;
  for (unsigned s = 0; s < free_.size(); ++s) {
    if (scheduler == divergence::kAnyScheduler || scheduler == s) id = std::min(id, free_[s].next(0));
  }
  if (id == divergence::kNoWarp) throw InternalError("the warp buffer overflows");
  free_[id % params_.schedulers].erase(id);
  Entry& entry = warps_[id];
  entry.warp = warp;
  entry.block = block_of_lowest(warp);
  entry.live = true;
  entry.at_barrier = entry.waits = false;
  ++entry.generation;
  trace(TraceEvent::kWarpInsert, id, warp.mask);
  tell(WarpUpdate::Kind::kInsert, id);
  return id;
}

void BranchUnit::remove(WarpId id) {
  check(warps_[id].live, "a warp is removed that is not there");
  trace(TraceEvent::kWarpRemove, id, warps_[id].warp.mask);
  warps_[id].live = false;
  free_[id % params_.schedulers].insert(id);
  tell(WarpUpdate::Kind::kRemove, id);
}

void BranchUnit::go_on(WarpId id) {
  check(warps_[id].live && warps_[id].waits, "a warp goes on that waits");
  warps_[id].waits = false;
  tell(WarpUpdate::Kind::kGoOn, id);
}

void BranchUnit::hold(WarpId id, unsigned cycles) {
  check(warps_[id].live, "a warp is held that is not there");
  if (cycles != 0) tell(WarpUpdate::Kind::kHold, id, cycles);
}

void BranchUnit::compact(divergence::CompactionRequest compaction) {
  if (context_.trace != nullptr) {
    context_.trace->record(
        {clock_.current(), TraceEvent::kCompact, context_.core, compaction.block_id, 0, compaction.pc, 0, 0});
  }
  request(compact_socket, compaction);
}

void BranchUnit::stack_depth(unsigned entries) { max_stack_.raise_to(entries); }

void BranchUnit::tell(WarpUpdate::Kind kind, WarpId id, unsigned cycles) {
  WarpUpdate update{kind, id, &warps_[id].warp, cycles};
  request(warp_socket, update);
}

// `live`: change of the number of threads that have not exited.
void BranchUnit::keep_census(int live) {
  if (context_.census == nullptr) return;
  context_.census->live += static_cast<std::uint64_t>(static_cast<std::int64_t>(live));
  context_.census->at_barrier = barriers_.arrived();
}

void BranchUnit::trace(TraceEvent event, WarpId id, std::uint64_t mask, std::uint64_t other) const {
  if (context_.trace == nullptr) return;
  const Entry& entry = warps_[id];
  context_.trace->record(
      {clock_.current(), event, context_.core, blocks_[entry.block].id, id, entry.warp.pc, mask, other});
}

unsigned BranchUnit::block_of_lowest(const divergence::Warp& warp) const {
  return row_block_[warp.row[static_cast<unsigned>(std::countr_zero(warp.mask))]];
}

template <class Change>
void BranchUnit::advance(WarpId id, Change change) {
  const std::uint64_t generation = warps_[id].generation;
  change();
  Entry& entry = warps_[id];
  if (!entry.live || entry.waits || entry.generation != generation) return;
  entry.block = block_of_lowest(entry.warp);
  tell(WarpUpdate::Kind::kGoOn, id);
}

template <class Visit>
void BranchUnit::for_each_block(const divergence::Warp& warp, LaneMask lanes, Visit visit) {
  divergence::for_each_group(
      warp, lanes, [this](unsigned row) { return row_block_[row]; },
      [&](unsigned slot, LaneMask of_block) { visit(slot, static_cast<unsigned>(std::popcount(of_block))); });
}

tlm::tlm_sync_enum BranchUnit::commit(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  const WarpId id = instruction.warp;
  switch (instruction.op->kind) {
    case Kind::kBranch:
      resolve(instruction);
      break;
    case Kind::kExit:
      exit(instruction);
      break;
    case Kind::kBarrier:
      arrive_at_barrier(instruction);
      break;
    default:
      advance(id, [&] { mechanism_->committed(id, instruction.pc + 1); });
  }
  return tlm::TLM_COMPLETED;
}

void BranchUnit::resolve(const Instruction& instruction) {
  const isa::MicroOp& op = *instruction.op;
  const LaneMask fall_through = instruction.active & ~instruction.taken;
  ++branches_;
  if (instruction.taken != 0 && fall_through != 0) ++divergent_branches_;
  trace(TraceEvent::kBranch, instruction.warp, instruction.taken);
  if (context_.spin != nullptr && context_.spin->on() && instruction.taken != 0 && op.target <= instruction.pc) {
    context_.spin->looped(instruction.pc, warps_[instruction.warp].warp);
  }
  const divergence::Branch branch{instruction.pc,   instruction.taken, op.target,
                                  op.reconvergence, op.likely,         op.may_diverge};
  check(op.may_diverge || instruction.taken == 0 || fall_through == 0 || mechanism_->mixes_paths(),
        "a branch proved uniform does not diverge");
  advance(instruction.warp, [&] { mechanism_->branch_resolved(instruction.warp, branch); });
}

void BranchUnit::exit(const Instruction& instruction) {
  const WarpId id = instruction.warp;
  const LaneMask lanes = instruction.executed;
  if (lanes == 0) {
    advance(id, [&] { mechanism_->committed(id, instruction.pc + 1); });
    return;
  }
  const divergence::Warp warp = warps_[id].warp;  // its slot may be another warp's soon
  advance(id, [&] { mechanism_->exited(id, lanes, instruction.pc + 1); });
  for_each_block(warp, lanes, [this](unsigned slot, unsigned threads) {
    barriers_.exit(slot, threads);
    keep_census(-static_cast<int>(threads));
    finish_if_empty(slot);
  });
}

void BranchUnit::finish_if_empty(unsigned slot) {
  if (barriers_.live(slot) > 0) {
    open_barrier_if_full(slot);
    return;
  }
  const divergence::Block& block = blocks_[slot];
  if (context_.trace != nullptr) {
    context_.trace->record({clock_.current(), TraceEvent::kBlockEnd, context_.core, block.id, 0, 0, 0, 0});
  }
  mechanism_->block_finished(block);
  block_finished(block);
}

// As the hardware of the time, a warp arrives with all its active threads, if any of them executes the barrier.
void BranchUnit::arrive_at_barrier(const Instruction& instruction) {
  const WarpId id = instruction.warp;
  if (instruction.executed == 0) {
    advance(id, [&] { mechanism_->committed(id, instruction.pc + 1); });
    return;
  }
  trace(TraceEvent::kBarrierWait, id, instruction.active);
  const divergence::Warp warp = warps_[id].warp;
  const bool stays = !mechanism_->takes_at_barrier(id, instruction.pc + 1);
  if (stays) {
    warps_[id].at_barrier = true;
    barriers_.wait(warps_[id].block, id);
  }
  for_each_block(warp, instruction.active, [this](unsigned slot, unsigned threads) {
    barriers_.arrive(slot, threads);
    keep_census(0);
    open_barrier_if_full(slot);
  });
}

void BranchUnit::open_barrier_if_full(unsigned slot) {
  if (!barriers_.open(slot)) return;
  keep_census(0);
  ++barriers_passed_;
  if (context_.trace != nullptr) {
    context_.trace->record({clock_.current(), TraceEvent::kBarrierOpen, context_.core, blocks_[slot].id, 0, 0, 0, 0});
  }
  for (const WarpId id : barriers_.opened()) {
    warps_[id].at_barrier = false;
    advance(id, [&] { mechanism_->committed(id, warps_[id].warp.pc + 1); });
  }
  mechanism_->barrier_opened(slot);
}

divergence::AdequacyUnit& BranchUnit::adequacy_unit() {
  return context_.blocks != nullptr ? context_.blocks->adequacy_unit() : Core::adequacy_unit();
}

divergence::StackObserver* BranchUnit::stack_observer(unsigned block_slot) {
  return context_.blocks != nullptr ? context_.blocks->stack_observer(block_slot) : nullptr;
}

divergence::BarrierObserver* BranchUnit::barrier_observer(unsigned scheduler,
                                                          const divergence::BarrierTableShape& shape) {
  return context_.blocks != nullptr ? context_.blocks->barrier_observer(scheduler, shape) : nullptr;
}

tlm::tlm_sync_enum BranchUnit::take_compacted(unsigned /*port*/, CompactedWarp& compacted, tlm::tlm_phase& /*phase*/) {
  mechanism_->compacted(compacted.block_slot, compacted.tag, compacted.warp, compacted.last);
  return tlm::TLM_COMPLETED;
}

std::vector<std::string> BranchUnit::report(const isa::Kernel& kernel,
                                            const std::function<std::string(WarpId)>& waits_for) const {
  std::vector<std::string> lines;
  std::vector<unsigned> in_warps(blocks_.size(), 0);  // of the threads at a barrier, by block
  const auto barrier_of = [this](unsigned slot) {
    return fmt::format("a barrier that {} of {} live threads have reached", barriers_.arrived(slot),
                       barriers_.live(slot));
  };
  for (WarpId id = 0; id < warps_.size(); ++id) {
    const Entry& entry = warps_[id];
    if (!entry.live) continue;
    if (entry.at_barrier) in_warps[entry.block] += static_cast<unsigned>(std::popcount(entry.warp.mask));
    const std::string waits = entry.at_barrier ? barrier_of(entry.block)
                              : entry.waits    ? std::string("other warps of its mechanism")
                                               : waits_for(id);
    lines.push_back(fmt::format("core {} block {} warp {} ({} threads at {}:{}) waits for {}", context_.core,
                                blocks_[entry.block].id, id, std::popcount(entry.warp.mask), kernel.file,
                                kernel.ops[entry.warp.pc].line, waits));
  }
  for (unsigned slot = 0; slot < blocks_.size(); ++slot) {
    if (barriers_.live(slot) == 0) continue;
    const unsigned taken = barriers_.arrived(slot) - in_warps[slot];
    if (taken != 0) {
      lines.push_back(fmt::format("core {} block {}: {} threads in no warp wait for {}", context_.core,
                                  blocks_[slot].id, taken, barrier_of(slot)));
    }
    lines.push_back(fmt::format("core {} block {}, threads in no warp: {}", context_.core, blocks_[slot].id,
                                mechanism_->waiting(slot)));
  }
  return lines;
}

}  // namespace warpfold
