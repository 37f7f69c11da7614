// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/branch_unit.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "warpfold/common/error.h"
#include "warpfold/core/core_blocks.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {

using divergence::WarpId;
using isa::Kind;
using isa::LaneMask;
using isa::Pc;

namespace {

unsigned count(LaneMask lanes) { return static_cast<unsigned>(std::popcount(lanes)); }

// Of its lowest thread.
unsigned row_of(const divergence::Warp& warp) { return warp.row[static_cast<unsigned>(std::countr_zero(warp.mask))]; }

}  // namespace

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
      incomplete_(params.max_blocks),
      passed_by_(params.rows(), 0),
      passed_at_(params.max_blocks, 0),
      rendezvous_(params),
      divergent_branches_(
          stats.counter("divergent_branches", "warp instructions", "branches whose warp went both ways")),
      branches_(stats.counter("branches", "warp instructions", "branches, jumps included")),
      barriers_passed_(stats.counter("barriers", "events", "barriers that opened for a block")),
      max_stack_(
          stats.counter("max_stack_entries", "entries", "deepest reconvergence stack (TBC Table 3)", Combine::kMax)),
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
  for (WarpId id = 0; id < warps_.size(); ++id) free_[id % params.schedulers].insert(id);
}

void BranchUnit::kernel_started(const isa::Kernel& kernel, isa::Executor& executor) {
  kernel_ = &kernel;
  executor_ = &executor;
  rendezvous_.kernel_started(kernel, executor);
  mechanism_->kernel_started(kernel);
}

void BranchUnit::start_block(const divergence::Block& block) {
  unsigned threads = 0;
  for (LaneMask row : block.threads) threads += count(row);
  blocks_[block.slot] = block;
  for (unsigned row = 0; row < block.rows(); ++row) row_block_[block.first_row + row] = block.slot;
  barriers_.block_started(block.slot, threads);
  rendezvous_.block_started(block);
  std::fill_n(passed_by_.begin() + block.first_row, block.rows(), LaneMask{0});
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
  entry.meeting = 0;
  ++entry.generation;
  trace(TraceEvent::kWarpInsert, id, warp.mask);
  tell(WarpUpdate::Kind::kInsert, id);
  return id;
}

void BranchUnit::remove(WarpId id) {
  check(warps_[id].live, "a warp is removed that is not there");
  trace(TraceEvent::kWarpRemove, id, warps_[id].warp.mask);
  moved_ = true;
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
  context_.census->at_barrier = barriers_.arrived() + rendezvous_.threads();
}

void BranchUnit::trace(TraceEvent event, WarpId id, std::uint64_t mask, std::uint64_t other) const {
  if (context_.trace == nullptr) return;
  const Entry& entry = warps_[id];
  context_.trace->record(
      {clock_.current(), event, context_.core, blocks_[entry.block].id, id, entry.warp.pc, mask, other});
}

isa::Lanes BranchUnit::lanes_of(const divergence::Warp& warp) const {
  return {warp.row.data(), warp.mask, params_.warp_size, warp.one_row};
}

unsigned BranchUnit::block_of_lowest(const divergence::Warp& warp) const { return row_block_[row_of(warp)]; }

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
      warp, lanes, [this](unsigned row) { return row_block_[row]; }, visit);
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
      if (instruction.meets) {
        arrive_at_rendezvous(instruction);
      } else {
        advance(id, [&] { mechanism_->committed(id, instruction.pc + 1); });
      }
  }
  if (!rendezvous_.empty()) settle_rendezvous();
  if (!incomplete_.empty()) settle_barriers();
  return tlm::TLM_COMPLETED;
}

void BranchUnit::resolve(const Instruction& instruction) {
  const isa::MicroOp& op = *instruction.op;
  const LaneMask fall_through = instruction.active & ~instruction.taken;
  ++branches_;
  moved_ = true;
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
  rendezvous_.exited(warp, lanes);
  moved_ = true;
  advance(id, [&] { mechanism_->exited(id, lanes, instruction.pc + 1); });
  for_each_block(warp, lanes, [this](unsigned slot, LaneMask of_block) {
    const unsigned threads = count(of_block);
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
  check_not_passed_by(warp, instruction.executed);
  const bool reduces = instruction.op->d_count != 0;
  const LaneMask holding = reduces ? executor_->holding(warp.pc, lanes_of(warp)) : 0;
  const bool stays = !mechanism_->gives_up(id);
  if (stays) warps_[id].at_barrier = true;
  for_each_block(warp, instruction.active, [&](unsigned slot, LaneMask of_block) {
    WaitingThreads waiting{stays ? id : divergence::kNoWarp, warp};
    divergence::narrow(waiting.threads, of_block);
    barriers_.arrive(slot, waiting, reduces ? std::optional(count(of_block & holding)) : std::nullopt);
    keep_census(0);
    open_barrier_if_full(slot);
    if (mechanism_->keeps_back() && barriers_.arrived(slot) != 0) incomplete_.insert(slot);
    moved_ = true;
  });
}

// As chips that count warps at a barrier, one opens without threads that cannot come before those who wait have gone
// on: a stack holds threads that return early behind others where compilers merge all returns into one.
void BranchUnit::settle_barriers() {
  const divergence::Parked parked = mechanism_->parked();
  const std::uint64_t threads = parked.inactive + parked.reconverging;
  const bool same = threads == parked_ && !moved_;
  parked_ = threads;
  moved_ = false;
  if (same || threads == 0) return;
  for (unsigned slot = incomplete_.next(0); slot != divergence::kNoWarp; slot = incomplete_.next(slot + 1)) {
    const unsigned missing = barriers_.live(slot) - barriers_.arrived(slot);
    if (missing > threads || !all_missing_are_kept_back(slot)) continue;
    const divergence::Block& block = blocks_[slot];
    for (unsigned row = block.first_row; row < block.first_row + block.rows(); ++row) {
      passed_by_[row] |= missing_at_barrier(slot, row);
    }
    passed_at_[slot] = barriers_.at(slot).waited.front().threads.pc;
    barriers_left_out_ += missing;
    open_barrier_if_full(slot, missing);
  }
}

// Live threads of a row that have not arrived.
LaneMask BranchUnit::missing_at_barrier(unsigned slot, unsigned row) const {
  LaneMask lanes = rendezvous_.live_in(row);
  for (const WaitingThreads& waited : barriers_.at(slot).waited) {
    lanes &= ~divergence::lanes_of_row(waited.threads, row);
  }
  return lanes;
}

bool BranchUnit::all_missing_are_kept_back(unsigned slot) const {
  const divergence::Block& block = blocks_[slot];
  for (unsigned row = block.first_row; row < block.first_row + block.rows(); ++row) {
    LaneMask lacks = missing_at_barrier(slot, row);
    for (const WaitingThreads& waited : barriers_.at(slot).waited) {
      if (lacks == 0) break;
      lacks &= ~mechanism_->kept_back(waited.warp, waited.threads, row);
    }
    if (lacks != 0) return false;
  }
  return true;
}

void BranchUnit::check_not_passed_by(const divergence::Warp& warp, LaneMask lanes) const {
  divergence::for_each_row(warp, lanes, [&](unsigned row, LaneMask of_row) {
    if ((of_row & passed_by_[row]) == 0) return;
    const unsigned slot = row_block_[row];
    user_error(
        "kernel '{}', {}:{}: threads of block {} come to a barrier after others have passed the one at {}:{} without "
        "them: in divergent code all threads of a block must come to the same barriers, or return",
        kernel_->name, kernel_->file, kernel_->ops[warp.pc].line, blocks_[slot].id, kernel_->file,
        kernel_->ops[passed_at_[slot]].line);
  });
}

void BranchUnit::open_barrier_if_full(unsigned slot, unsigned left_out) {
  if (!barriers_.open(slot, left_out)) return;
  incomplete_.erase(slot);
  keep_census(0);
  ++barriers_passed_;
  if (context_.trace != nullptr) {
    context_.trace->record({clock_.current(), TraceEvent::kBarrierOpen, context_.core, blocks_[slot].id, 0, 0, 0, 0});
  }
  const BarrierTable::Opened& opened = barriers_.opened();
  give_results(opened);
  for (const WaitingThreads& waited : opened.waited) {
    if (!waited.in_warp()) continue;
    warps_[waited.warp].at_barrier = false;
    advance(waited.warp, [&] { mechanism_->committed(waited.warp, waited.threads.pc + 1); });
  }
  for (const WaitingThreads& waited : opened.waited) {
    if (waited.in_warp()) continue;
    divergence::Warp threads = waited.threads;
    ++threads.pc;
    mechanism_->together(threads);
  }
}

// bar.red: how many threads' predicates hold, whether all do, whether any does.
void BranchUnit::give_results(const BarrierTable::Opened& opened) {
  if (!opened.holding) return;
  const bool all = *opened.holding == opened.threads, any = *opened.holding != 0;
  for (const WaitingThreads& waited : opened.waited) {
    const Pc pc = waited.threads.pc;
    const char mode = static_cast<char>(kernel_->ops[pc].element_type);
    executor_->give(pc, lanes_of(waited.threads), mode == 'p' ? *opened.holding : (mode == 'a' ? all : any));
  }
}

void BranchUnit::arrive_at_rendezvous(const Instruction& instruction) {
  const WarpId id = instruction.warp;
  const divergence::Warp warp = warps_[id].warp;
  ++rendezvous_waits_;
  const bool stays = !mechanism_->gives_up(id);
  rendezvous_.arrive(stays ? id : divergence::kNoWarp, warp);
  keep_census(0);
  if (stays) {
    warps_[id].meeting = instruction.executed;
    return;
  }
  divergence::Warp others = warp;  // whose guard does not hold
  divergence::narrow(others, ~instruction.executed);
  ++others.pc;
  if (others.mask != 0) mechanism_->together(others);
}

// Whatever a warp does may let others meet: it arrives, exits, or comes where its mechanism keeps it back.
void BranchUnit::settle_rendezvous() {
  const auto kept_back = [this](const WaitingThreads& waiting, unsigned row) {
    return mechanism_->kept_back(waiting.warp, waiting.threads, row);
  };
  while (const auto met = rendezvous_.take_complete(kept_back)) {
    keep_census(0);
    ++rendezvous_met_;
    rendezvous_left_out_ += count(met->left_out);
    resume(met->waiting);
  }
}

// Warps go on once all their lanes have met their others. Threads that left theirs form one of each row and pc.
void BranchUnit::resume(const std::vector<WaitingThreads>& met) {
  std::vector<divergence::Warp> formed;
  for (const WaitingThreads& waited : met) {
    if (!waited.in_warp()) {
      divergence::for_each_row(waited.threads, waited.threads.mask, [&](unsigned row, LaneMask lanes) {
        const auto same = std::find_if(formed.begin(), formed.end(), [&](const divergence::Warp& warp) {
          return warp.row[0] == row && warp.pc == waited.threads.pc + 1;
        });
        if (same != formed.end()) {
          same->mask |= lanes;
        } else {
          formed.push_back(divergence::Warp::of_row(waited.threads.pc + 1, static_cast<std::uint16_t>(row), lanes));
        }
      });
      continue;
    }
    Entry& entry = warps_[waited.warp];
    entry.meeting &= ~waited.threads.mask;
    if (entry.meeting == 0) advance(waited.warp, [&] { mechanism_->committed(waited.warp, waited.threads.pc + 1); });
  }
  for (const divergence::Warp& warp : formed) mechanism_->together(warp);
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
  for (const std::string& text :
       rendezvous_.report([&](unsigned row, unsigned lane) { return whereabouts(row, lane); })) {
    lines.push_back(fmt::format("core {}: {}", context_.core, text));
  }
  std::vector<unsigned> in_warps(blocks_.size(), 0);  // of the threads at a barrier, by block
  const auto barrier_of = [this](unsigned slot) {
    return fmt::format("a barrier that {} of {} live threads have reached", barriers_.arrived(slot),
                       barriers_.live(slot));
  };
  for (WarpId id = 0; id < warps_.size(); ++id) {
    const Entry& entry = warps_[id];
    if (!entry.live) continue;
    if (entry.at_barrier) in_warps[entry.block] += count(entry.warp.mask);
    const std::string waits = entry.at_barrier     ? barrier_of(entry.block)
                              : entry.meeting != 0 ? std::string("threads of its lanes' architectural warps")
                              : entry.waits        ? std::string("other warps of its mechanism")
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

// For the report: where a thread that others wait for is.
std::string BranchUnit::whereabouts(unsigned row, unsigned lane) const {
  for (const Entry& entry : warps_) {
    if (!entry.live || (entry.warp.mask >> lane & 1) == 0 || entry.warp.row[lane] != row) continue;
    return fmt::format("is at {}:{}", kernel_->file, kernel_->ops[entry.warp.pc].line);
  }
  return "is in no warp";
}

}  // namespace warpfold
