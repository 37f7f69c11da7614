// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/warps/warps.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {

namespace {

divergence::Branch branch_of(const isa::MicroOp& op, isa::Pc pc, isa::LaneMask taken) {
  return {pc, taken, op.target, op.reconvergence, op.likely, op.may_diverge};
}

}  // namespace

using divergence::WarpId;
using isa::Kind;
using isa::LaneMask;
using isa::Pc;

Warps::Warps(const CoreParams& params, const CoreContext& context, const divergence::Configured& mechanism,
             Pipeline& pipeline, StatGroup& stats)
    : params_(params),
      context_(context),
      pipeline_(pipeline),
      stats_(stats),
      mechanism_(mechanism.make(params.geometry(), *this)),
      slots_(params.slots()),
      free_(params.schedulers, divergence::WarpSet(params.slots())),
      at_barrier_(params.schedulers, divergence::WarpSet(params.slots())),
      held_(params.schedulers, divergence::WarpSet(params.slots())),
      live_of_(params.schedulers, 0),
      blocks_(params.max_blocks),
      row_block_(params.rows(), 0),
      scheduler_of_block_(params.max_blocks, 0),
      blocks_of_scheduler_(params.schedulers, 0),
      barriers_(params.max_blocks, params.rows()),
      incomplete_(params.max_blocks),
      rendezvous_(params),
      kept_back_([this](const WaitingThreads& waiting, unsigned row) {
        return mechanism_->kept_back(waiting.warp, waiting.threads, row);
      }),
      divergent_branches_(
          stats.counter("divergent_branches", "warp instructions", "branches whose warp went both ways")),
      branches_(stats.counter("branches", "warp instructions", "branches, jumps included")),
      barriers_passed_(stats.counter("barriers", "events", "barriers that opened for a block")),
      max_stack_(
          stats.counter("max_stack_entries", "entries", "deepest reconvergence stack (TBC Table 3)", Combine::kMax)),
      spilled_bytes_(stats.counter("spilled_bytes", "bytes",
                                   "of the mechanism's structures that went to memory for want of room")),
      reloaded_bytes_(stats.counter("reloaded_bytes", "bytes", "of them that came back")),
      barriers_left_out_(
          stats.counter("barriers_left_out", "threads",
                        "that a stack kept back at a barrier until the others had gone on: it opened without them")),
      rendezvous_met_(
          stats.counter("rendezvous", "events",
                        "collectives of an architectural warp whose threads several warps carried, or whose "
                        "members were not all in one place")),
      rendezvous_waits_(
          stats.counter("rendezvous_waits", "warp instructions", "collectives at which a warp waited for such others")),
      rendezvous_left_out_(stats.counter(
          "rendezvous_left_out", "threads",
          "of a membermask that a stack kept back until the others had gone on: these went on without them")) {
  for (WarpId id = 0; id < slots_.size(); ++id) free_[id % params.schedulers].insert(id);
}

void Warps::kernel_started(const isa::Kernel& kernel, isa::Executor& executor) {
  kernel_ = &kernel;
  executor_ = &executor;
  rendezvous_.kernel_started(kernel, executor);
  mechanism_->kernel_started(kernel);
}

void Warps::start_block(const divergence::Block& block) {
  unsigned threads = 0;
  for (LaneMask row : block.threads) threads += isa::count_lanes(row);
  blocks_[block.slot] = block;
  for (unsigned row = 0; row < block.rows(); ++row) row_block_[block.first_row + row] = block.slot;
  whole_blocks_ = params_.deals_whole(block.rows());
  const auto fewest = std::min_element(blocks_of_scheduler_.begin(), blocks_of_scheduler_.end());
  ++*fewest;
  scheduler_of_block_[block.slot] = static_cast<unsigned>(fewest - blocks_of_scheduler_.begin());
  barriers_.block_started(block, threads);
  named_.block_started(block.slot);
  rendezvous_.block_started(block);
  live_threads_ += threads;
  trace_block(TraceEvent::kBlockStart, block, threads);
  mechanism_->block_started(blocks_[block.slot]);
}

// --- divergence::Core ------------------------------------------------------------------------------

WarpId Warps::insert(const divergence::Warp& warp, unsigned scheduler) {
  if (scheduler == divergence::kAnyScheduler && whole_blocks_) {
    scheduler = scheduler_of_row(warp.row[static_cast<unsigned>(std::countr_zero(warp.mask))]);
  }
  WarpId id = divergence::kNoWarp;
  for (unsigned s = 0; s < free_.size(); ++s) {
    if (scheduler == divergence::kAnyScheduler || scheduler == s) id = std::min(id, free_[s].next(0));
  }
  if (id == divergence::kNoWarp) throw InternalError("the warp buffer overflows");
  free_[id % params_.schedulers].erase(id);
  ++live_of_[id % params_.schedulers];
  Slot& slot = slots_[id];
  slot.warp = warp;
  slot.block = block_of_lowest(warp);
  slot.state = State::kMayIssue;
  trace(TraceEvent::kWarpInsert, id, warp.mask);
  pipeline_.entered(id);
  return id;
}

void Warps::remove(WarpId id) {
  check(live(id), "a warp is removed that is not there");
  trace(TraceEvent::kWarpRemove, id, slots_[id].warp.mask);
  moved_ = true;
  slots_[id].state = State::kFree;
  free_[id % params_.schedulers].insert(id);
  --live_of_[id % params_.schedulers];
  pipeline_.left(id);
}

void Warps::hold(WarpId id, unsigned cycles) {
  check(live(id), "a warp is held that is not there");
  if (cycles == divergence::kUntilReleased) {
    const bool could_issue = may_issue(id);
    waits_now(id, State::kHeld);
    if (could_issue) pipeline_.held(id, cycles);
  } else if (cycles != 0) {
    pipeline_.held(id, cycles);
  }
}

void Warps::release(WarpId id) {
  check(slots_[id].state == State::kHeld, "a warp is released that is held");
  slots_[id].state = State::kMayIssue;
  pipeline_.goes_on(id);
}

unsigned Warps::occupy(divergence::Unit unit, unsigned index, unsigned clocks) {
  if (!counts_clocks(params_.logic.clocks, context_.taps, unit)) return 0;
  std::vector<Cycle>& free_at = units_free_at_[static_cast<unsigned>(unit)];
  if (index >= free_at.size()) free_at.resize(index + 1);
  const Cycle now = pipeline_.now();
  free_at[index] = std::max(free_at[index], now) + clocks;
  return static_cast<unsigned>(free_at[index] - now);
}

void Warps::compact(divergence::CompactionRequest request) {
  if (context_.trace != nullptr) {
    context_.trace->record(
        {pipeline_.now(), TraceEvent::kCompact, context_.core, request.block_id, 0, request.pc, 0, 0});
  }
  ++compacting_;
  pipeline_.compact(std::move(request));
}

bool Warps::has_room() const {
  return std::any_of(free_.begin(), free_.end(),
                     [](const divergence::WarpSet& free) { return free.next(0) != divergence::kNoWarp; });
}

void Warps::compacted(const CompactedWarp& made) {
  if (context_.trace != nullptr) {
    context_.trace->record({pipeline_.now(), TraceEvent::kCompacted, context_.core, blocks_[made.block_slot].id, 0,
                            made.warp.pc, made.warp.mask, made.last ? 1U : 0U});
  }
  if (made.last) --compacting_;
  mechanism_->compacted(made.block_slot, made.tag, made.warp, made.last);
}

bool Warps::spill(const divergence::Spill& part) {
  (part.way == divergence::Spill::Way::kOut ? spilled_bytes_ : reloaded_bytes_) += part.bytes;
  return pipeline_.spill(part);
}

divergence::Divided Warps::divide(WarpId id) {
  const LaneMask lanes = pipeline_.loaded(id);
  if (lanes == 0) return {};
  Slot& slot = slots_[id];
  check((slot.warp.mask & ~lanes) != 0, "a load that divides stays in flight for some lanes");
  divergence::narrow(slot.warp, ~lanes);
  slot.block = block_of_lowest(slot.warp);
  moved_ = true;
  // A warp that has gone on waits behind its loads, another one at its load.
  return {lanes, slot.state == State::kMayIssue ? slot.warp.pc : slot.warp.pc + 1};
}

isa::Lanes Warps::lanes_of(const divergence::Warp& warp) const {
  return {warp.row.data(), warp.mask, params_.warp_size, warp.one_row};
}

unsigned Warps::block_of_lowest(const divergence::Warp& warp) const { return row_block_[divergence::lowest_row(warp)]; }

unsigned Warps::oldest_block_of(const divergence::Warp& warp) const {
  unsigned oldest = block_of_lowest(warp);
  divergence::for_each_row(warp, warp.mask, [&](unsigned row, LaneMask /*lanes*/) {
    if (age_of_block(row_block_[row]) < age_of_block(oldest)) oldest = row_block_[row];
  });
  return oldest;
}

// --- Issue -----------------------------------------------------------------------------------------

bool Warps::must_drain(WarpId id) {
  const divergence::Warp& warp = slots_[id].warp;
  const isa::MicroOp& op = kernel_->ops[warp.pc];
  switch (op.kind) {
    case Kind::kBarrier:
    case Kind::kExit:
      return true;
    default:
      return op.collective && rendezvous_.must_wait(warp);
  }
}

bool Warps::leaves_by(const Instruction& branch) const {
  const isa::MicroOp& op = *branch.op;
  const bool some_take = branch.taken != 0, some_fall_through = (branch.active & ~branch.taken) != 0;
  return (some_take && mechanism_->leaves_at(branch.warp, op.target)) ||
         (some_fall_through && mechanism_->leaves_at(branch.warp, branch.pc + 1)) ||
         mechanism_->leaves_by(branch.warp, branch_of(op, branch.pc, branch.taken), some_take && some_fall_through);
}

Instruction Warps::issue(WarpId id, Cycle now, Cycle of_kernel, isa::Outcome& outcome) {
  Slot& slot = slots_[id];
  const divergence::Warp& warp = slot.warp;
  Instruction instruction;
  instruction.warp = id;
  instruction.pc = warp.pc;
  instruction.op = &kernel_->ops[warp.pc];
  instruction.active = warp.mask;
  instruction.width = params_.warp_size;
  instruction.issued_at = now;
  instruction.outcome = &outcome;
  instruction.threads = &warp;
  instruction.meets = instruction.op->collective && rendezvous_.must_wait(warp);
  if (instruction.meets) {
    outcome.executed = rendezvous_.executing();
    outcome.taken = 0;
  } else {
    executor_->execute(warp.pc, lanes_of(warp), of_kernel, outcome);
  }
  instruction.executed = outcome.executed;
  instruction.taken = outcome.taken;
  slot.state = State::kIssued;
  mechanism_->issued(id, now);
  if (context_.trace != nullptr) {
    context_.trace->record({pipeline_.now(), TraceEvent::kIssue, context_.core, 0, id, warp.pc, outcome.executed,
                            warp.mask, warp.row.data(), mechanism_->entries_on_stack(id)});
  }
  return instruction;
}

// --- Commit ----------------------------------------------------------------------------------------

template <class Tell>
void Warps::advance(WarpId id, Tell tell) {
  slots_[id].state = State::kBeingTold;
  tell();
  if (told(id)) pipeline_.goes_on(id);
}

void Warps::committed(WarpId id, Pc next) {
  advance(id, [&] { mechanism_->committed(id, next); });
}

template <class Visit>
void Warps::for_each_block(const divergence::Warp& warp, LaneMask lanes, Visit visit) {
  divergence::for_each_group(
      warp, lanes, [this](unsigned row) { return row_block_[row]; }, visit);
}

void Warps::go_on_early(WarpId id) {
  committed(id, slots_[id].warp.pc + 1);
  settle();
}

void Warps::commit(const Instruction& instruction) {
  switch (instruction.op->kind) {
    case Kind::kBranch:
      resolve(instruction.warp, {instruction.op, instruction.pc, instruction.active, instruction.taken});
      break;
    case Kind::kExit:
      exit(instruction);
      break;
    case Kind::kBarrier:
      arrive_at_barrier(instruction);
      break;
    default:
      if (instruction.meets) {
        arrive_at_rendezvous(instruction);
      } else {
        committed(instruction.warp, instruction.pc + 1);
      }
  }
  settle();
}

void Warps::went_straight(WarpId id, Pc next) {
  committed(id, next);
  settle();
}

void Warps::went_to_branch(WarpId id, Pc pc, LaneMask taken) {
  slots_[id].warp.pc = pc;
  resolve(id, {&kernel_->ops[pc], pc, slots_[id].warp.mask, taken});
  settle();
}

void Warps::resolve(WarpId id, const Resolved& resolved) {
  if (goes_on_behind(id, resolved)) pipeline_.goes_on(id);
}

bool Warps::commit_branch(const Instruction& instruction) {
  return goes_on_behind(instruction.warp, {instruction.op, instruction.pc, instruction.active, instruction.taken});
}

// The warp is where it was when it issued the branch.
bool Warps::goes_on_behind(WarpId id, const Resolved& resolved) {
  const auto& [op_of_kernel, pc, active, taken] = resolved;
  const isa::MicroOp& op = *op_of_kernel;
  const LaneMask fall_through = active & ~taken;
  ++branches_;
  moved_ = true;
  if (taken != 0 && fall_through != 0) ++divergent_branches_;
  trace(TraceEvent::kBranch, id, taken);
  if (spin_.on() && taken != 0 && op.target <= pc) spin_.looped(pc, slots_[id].warp);
  check(
      op.may_diverge || taken == 0 || fall_through == 0 || mechanism_->traits.mixes_paths,
      "a branch proved uniform does not diverge: a mechanism whose warps hold threads of several blocks or rounds of a "
      "loop has the trait mixes_paths");
  slots_[id].state = State::kBeingTold;
  mechanism_->branch_resolved(id, branch_of(op, pc, taken));
  return told(id);
}

void Warps::exit(const Instruction& instruction) {
  const WarpId id = instruction.warp;
  const LaneMask lanes = instruction.executed;
  if (lanes == 0) {
    committed(id, instruction.pc + 1);
    return;
  }
  const divergence::Warp warp = slots_[id].warp;  // its slot may be another warp's soon
  rendezvous_.exited(warp, lanes);
  moved_ = true;
  advance(id, [&] { mechanism_->exited(id, lanes, instruction.pc + 1); });
  for_each_block(warp, lanes, [this](unsigned block_slot, LaneMask of_block) {
    barriers_.exit(block_slot, isa::count_lanes(of_block));
    fewest_missing_ = std::min(fewest_missing_, barriers_.missing(block_slot));
    live_threads_ -= isa::count_lanes(of_block);
    finish_if_empty(block_slot);
  });
}

void Warps::finish_if_empty(unsigned block_slot) {
  if (barriers_.live(block_slot) > 0) {
    open_barrier_if_full(block_slot);
    open_named_if_full(block_slot);
    return;
  }
  const divergence::Block& block = blocks_[block_slot];
  trace_block(TraceEvent::kBlockEnd, block);
  --blocks_of_scheduler_[scheduler_of_block_[block_slot]];
  mechanism_->block_finished(block);
  pipeline_.block_finished(block);
}

// --- Barriers --------------------------------------------------------------------------------------

// As the hardware of the time, a warp arrives with all its active threads, if any of them executes the barrier.
void Warps::arrive_at_barrier(const Instruction& instruction) {
  const WarpId id = instruction.warp;
  if (instruction.executed == 0) {
    committed(id, instruction.pc + 1);
    return;
  }
  if (instruction.op->s_count > 1) return arrive_at_named(instruction);
  trace(TraceEvent::kBarrierWait, id, instruction.active);
  const divergence::Warp warp = slots_[id].warp;
  check_not_passed_by(warp, instruction.executed);
  const bool reduces = instruction.op->d_count != 0;
  const LaneMask holding = reduces ? executor_->holding(warp.pc, lanes_of(warp)) : 0;
  const bool stays = !mechanism_->gives_up(id);
  if (stays) waits_now(id, State::kAtBarrier);
  for_each_block(warp, instruction.active, [&](unsigned block_slot, LaneMask of_block) {
    WaitingThreads waiting{stays ? id : divergence::kNoWarp, warp};
    divergence::narrow(waiting.threads, of_block);
    barriers_.arrive(block_slot, waiting, reduces ? std::optional(isa::count_lanes(of_block & holding)) : std::nullopt);
    open_barrier_if_full(block_slot);
    if (mechanism_->traits.keeps_back && barriers_.arrived(block_slot) != 0) {
      incomplete_.insert(block_slot);
      fewest_missing_ = std::min(fewest_missing_, barriers_.missing(block_slot));
    }
    moved_ = true;
  });
}

void Warps::open_barrier_if_full(unsigned block_slot, unsigned left_out) {
  if (!barriers_.open(block_slot, left_out)) return;
  incomplete_.erase(block_slot);
  ++barriers_passed_;
  trace_block(TraceEvent::kBarrierOpen, blocks_[block_slot]);
  executor_->barrier_opened(blocks_[block_slot].first_row);
  const BlockBarriers::Opened& opened = barriers_.opened();
  give_results(opened.waited, opened.holding, opened.threads);
  for (const WaitingThreads& waited : opened.waited) {
    if (waited.in_warp()) committed(waited.warp, waited.threads.pc + 1);
  }
  for (const WaitingThreads& waited : opened.waited) {
    if (waited.in_warp()) continue;
    divergence::Warp threads = waited.threads;
    ++threads.pc;
    mechanism_->together(threads);
  }
}

// bar.red: how many threads' predicates hold, whether all do, whether any does.
void Warps::give_results(const std::vector<WaitingThreads>& waited, std::optional<unsigned> holding, unsigned threads) {
  if (!holding) return;
  const bool all = *holding == threads, any = *holding != 0;
  for (const WaitingThreads& some : waited) {
    const Pc pc = some.threads.pc;
    const char mode = static_cast<char>(kernel_->ops[pc].element_type);
    executor_->give(pc, lanes_of(some.threads), mode == 'p' ? *holding : (mode == 'a' ? all : any));
  }
}

void Warps::check_not_passed_by(const divergence::Warp& warp, LaneMask lanes) const {
  divergence::for_each_row(warp, lanes, [&](unsigned row, LaneMask of_row) {
    if ((of_row & barriers_.passed_by(row)) == 0) return;
    const unsigned block_slot = row_block_[row];
    user_error(
        "kernel '{}', {}:{}: threads of block {} come to a barrier after others have passed the one at {}:{} without "
        "them: in divergent code all threads of a block must come to the same barriers, or return",
        kernel_->name, kernel_->file, kernel_->ops[warp.pc].line, blocks_[block_slot].id, kernel_->file,
        kernel_->ops[barriers_.passed_at(block_slot)].line);
  });
}

void Warps::settle_barriers() {
  const divergence::Parked parked = mechanism_->parked();
  const std::uint64_t threads = parked.inactive + parked.reconverging;
  const bool same = threads == parked_ && !moved_;
  parked_ = threads;
  moved_ = false;
  if (same || threads == 0) return;
  if (threads >= fewest_missing_) open_what_waits_for_parked(threads);
  if (!named_.empty()) settle_named();
}

void Warps::open_what_waits_for_parked(std::uint64_t threads) {
  fewest_missing_ = std::numeric_limits<unsigned>::max();
  for (unsigned slot = incomplete_.next(0); slot != divergence::kNoWarp; slot = incomplete_.next(slot + 1)) {
    const unsigned missing = barriers_.missing(slot);
    if (missing > threads || !barriers_.pass_by(blocks_[slot], rendezvous_, kept_back_)) {
      fewest_missing_ = std::min(fewest_missing_, missing);
      continue;
    }
    barriers_left_out_ += missing;
    open_barrier_if_full(slot, missing);
  }
}

}  // namespace warpfold
