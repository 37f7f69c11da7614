// SPDX-License-Identifier: Apache-2.0
#include "models/core/branch_unit.h"

#include <bit>

#include "models/common/error.h"

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
      mechanism_(mechanism.make(params.geometry(), *this)),
      warps_(params.rows()),
      blocks_(params.max_blocks),
      barriers_(params.max_blocks),
      divergent_branches_(
          stats.counter("divergent_branches", "warp instructions", "branches whose warp went both ways")),
      branches_(stats.counter("branches", "warp instructions", "branches, jumps included")),
      barriers_passed_(stats.counter("barriers", "events", "barriers that opened for a block")),
      max_stack_(
          stats.counter("max_stack_entries", "entries", "deepest reconvergence stack (TBC Table 3)", Combine::kMax)) {}

void BranchUnit::kernel_started(const isa::Kernel& kernel) {
  mechanism_->kernel_started(static_cast<isa::Pc>(kernel.ops.size()));
}

void BranchUnit::start_block(const divergence::Block& block) {
  unsigned threads = 0;
  for (LaneMask row : block.threads) threads += static_cast<unsigned>(std::popcount(row));
  blocks_[block.slot] = block;
  barriers_.block_started(block.slot, threads);
  if (context_.trace != nullptr) {
    context_.trace->record(
        {clock_.current(), TraceEvent::kBlockStart, context_.core, block.id, 0, 0, 0, block.first_row, nullptr});
  }
  mechanism_->block_started(blocks_[block.slot]);
}

WarpId BranchUnit::insert(const divergence::Warp& warp, unsigned block_slot) {
  for (WarpId id = 0; id < warps_.size(); ++id) {
    Entry& entry = warps_[id];
    if (entry.live) continue;
    entry.warp = warp;
    entry.block = block_slot;
    entry.live = true;
    entry.at_barrier = false;
    ++entry.generation;
    trace(TraceEvent::kWarpInsert, id, warp.mask);
    tell(WarpUpdate::Kind::kInsert, id);
    return id;
  }
  throw InternalError("the warp buffer overflows");
}

void BranchUnit::remove(WarpId id) {
  check(warps_[id].live, "a warp is removed that is not there");
  trace(TraceEvent::kWarpRemove, id, warps_[id].warp.mask);
  warps_[id].live = false;
  tell(WarpUpdate::Kind::kRemove, id);
}

void BranchUnit::compact(divergence::CompactionRequest compaction) {
  if (context_.trace != nullptr) {
    context_.trace->record(
        {clock_.current(), TraceEvent::kCompact, context_.core, compaction.block_id, 0, compaction.pc, 0, 0});
  }
  request(compact_socket, compaction);
}

void BranchUnit::stack_depth(unsigned entries) { max_stack_.raise_to(entries); }

void BranchUnit::tell(WarpUpdate::Kind kind, WarpId id) {
  WarpUpdate update{kind, id, &warps_[id].warp};
  request(warp_socket, update);
}

void BranchUnit::trace(TraceEvent event, WarpId id, std::uint64_t mask, std::uint64_t other) const {
  if (context_.trace == nullptr) return;
  const Entry& entry = warps_[id];
  context_.trace->record(
      {clock_.current(), event, context_.core, blocks_[entry.block].id, id, entry.warp.pc, mask, other});
}

template <class Change>
void BranchUnit::advance(WarpId id, Change change) {
  const std::uint64_t generation = warps_[id].generation;
  change();
  if (warps_[id].live && warps_[id].generation == generation) tell(WarpUpdate::Kind::kGoOn, id);
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
    context_.spin->looped(instruction.warp, instruction.pc, warps_[instruction.warp].warp);
  }
  const divergence::Branch branch{instruction.pc,   instruction.taken, op.target,
                                  op.reconvergence, op.likely,         op.may_diverge};
  check(op.may_diverge || instruction.taken == 0 || fall_through == 0, "a branch proved uniform does not diverge");
  advance(instruction.warp, [&] { mechanism_->branch_resolved(instruction.warp, branch); });
}

void BranchUnit::exit(const Instruction& instruction) {
  const WarpId id = instruction.warp;
  const unsigned slot = warps_[id].block;
  const LaneMask lanes = instruction.executed;
  if (lanes == 0) {
    advance(id, [&] { mechanism_->committed(id, instruction.pc + 1); });
    return;
  }
  advance(id, [&] { mechanism_->exited(id, lanes, instruction.pc + 1); });
  barriers_.exit(slot, static_cast<unsigned>(std::popcount(lanes)));
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
  Entry& entry = warps_[id];
  entry.at_barrier = true;
  trace(TraceEvent::kBarrierWait, id, instruction.active);
  barriers_.arrive(entry.block, id, static_cast<unsigned>(std::popcount(instruction.active)));
  open_barrier_if_full(entry.block);
}

void BranchUnit::open_barrier_if_full(unsigned slot) {
  const std::vector<WarpId>& warps = barriers_.open(slot);
  if (warps.empty()) return;
  ++barriers_passed_;
  if (context_.trace != nullptr) {
    context_.trace->record({clock_.current(), TraceEvent::kBarrierOpen, context_.core, blocks_[slot].id, 0, 0, 0, 0});
  }
  for (const WarpId id : warps) {
    warps_[id].at_barrier = false;
    advance(id, [&] { mechanism_->committed(id, warps_[id].warp.pc + 1); });
  }
}

tlm::tlm_sync_enum BranchUnit::take_compacted(unsigned /*port*/, CompactedWarp& compacted, tlm::tlm_phase& /*phase*/) {
  mechanism_->compacted(compacted.block_slot, compacted.warp, compacted.last);
  return tlm::TLM_COMPLETED;
}

std::vector<std::string> BranchUnit::report(const isa::Kernel& kernel,
                                            const std::function<std::string(WarpId)>& waits_for) const {
  std::vector<std::string> lines;
  for (WarpId id = 0; id < warps_.size(); ++id) {
    const Entry& entry = warps_[id];
    if (!entry.live) continue;
    const std::string waits = entry.at_barrier
                                  ? fmt::format("a barrier that {} of {} live threads have reached",
                                                barriers_.arrived(entry.block), barriers_.live(entry.block))
                                  : waits_for(id);
    lines.push_back(fmt::format("core {} block {} warp {} ({} threads at {}:{}) waits for {}", context_.core,
                                blocks_[entry.block].id, id, std::popcount(entry.warp.mask), kernel.file,
                                kernel.ops[entry.warp.pc].line, waits));
  }
  for (unsigned slot = 0; slot < blocks_.size(); ++slot) {
    if (barriers_.live(slot) == 0) continue;
    lines.push_back(fmt::format("core {} block {}, threads in no warp: {}", context_.core, blocks_[slot].id,
                                mechanism_->waiting(slot)));
  }
  return lines;
}

}  // namespace warpfold
