// SPDX-License-Identifier: Apache-2.0
// Warps at barriers that a program names or counts.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/core/warps/warps.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {

using divergence::WarpId;
using isa::kArchitecturalWarp;
using isa::LaneMask;

namespace {

constexpr unsigned kBarrierOperand = 1, kThreadsOperand = 2;

}  // namespace

std::string Warps::place_of(isa::Pc pc) const {
  return fmt::format("kernel '{}', {}:{}", kernel_->name, kernel_->file, kernel_->ops[pc].line);
}

// Threads of some lanes of the rows of a block, by architectural warp.
template <class LanesOf>
NamedBarriers::Threads Warps::by_architectural_warp(const divergence::Block& block, LanesOf lanes_of) const {
  NamedBarriers::Threads bits((block.rows() * params_.warp_size + kArchitecturalWarp - 1) / kArchitecturalWarp, 0);
  const isa::ThreadStore& threads = executor_->threads();
  for (unsigned row = block.first_row; row < block.first_row + block.rows(); ++row) {
    const LaneMask places = isa::flipped(lanes_of(row), threads.flip_of(row));
    const unsigned first = threads.thread_of(row, threads.flip_of(row));
    for (unsigned at = 0; at < params_.warp_size; at += kArchitecturalWarp) {
      const auto chunk = static_cast<std::uint32_t>(places >> at);
      bits[(first + at) / kArchitecturalWarp] |= chunk << (first + at) % kArchitecturalWarp;
    }
  }
  return bits;
}

// Lanes that name the same barrier of the same block; threads of several may share a warp.
std::vector<Warps::AtBarrier> Warps::named_by(const divergence::Warp& warp, LaneMask lanes) const {
  const isa::MicroOp& op = kernel_->ops[warp.pc];
  const auto barrier = executor_->values_of(warp.pc, lanes_of(warp), kBarrierOperand);
  const bool counted = op.s_count > kThreadsOperand;
  const auto threads = counted ? executor_->values_of(warp.pc, lanes_of(warp), kThreadsOperand) : decltype(barrier){};
  std::vector<AtBarrier> named;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const NamedBarriers::Name name{row_block_[warp.row[lane]], barrier[lane], threads[lane]};
    if (name.barrier >= isa::kBlockBarriers || name.threads % kArchitecturalWarp != 0 ||
        (counted && name.threads == 0)) {
      user_error("{}: barrier {} of {} threads: a block has barriers 0 to {}, of a multiple of {} threads",
                 place_of(warp.pc), name.barrier, name.threads, isa::kBlockBarriers - 1, kArchitecturalWarp);
    }
    auto found = std::find_if(named.begin(), named.end(), [&](const AtBarrier& at) { return at.name == name; });
    if (found == named.end()) found = named.insert(found, AtBarrier{name, 0});
    found->lanes |= LaneMask{1} << lane;
  }
  return named;
}

void Warps::arrive_at_named(const Instruction& instruction) {
  const WarpId id = instruction.warp;
  const divergence::Warp warp = slots_[id].warp;
  check_not_passed_by(warp, instruction.executed);
  const bool waits = instruction.op->element_type != 'v', reduces = instruction.op->d_count != 0;
  const LaneMask holding = reduces ? executor_->holding(warp.pc, lanes_of(warp)) : 0;
  const std::vector<AtBarrier> named = named_by(warp, instruction.active);
  trace(TraceEvent::kBarrierWait, id, instruction.active);
  const bool stays = waits && !mechanism_->gives_up(id);
  if (stays) {
    waits_now(id, State::kAtBarrier);
    slots_[id].meeting = instruction.active;
  }
  for (const AtBarrier& at : named) {
    divergence::Warp arriving = warp;
    divergence::narrow(arriving, at.lanes);
    const auto threads = by_architectural_warp(blocks_[at.name.block],
                                               [&](unsigned row) { return divergence::lanes_of_row(arriving, row); });
    named_.arrive(at.name, threads, reduces ? std::optional(isa::count_lanes(at.lanes & holding)) : std::nullopt,
                  place_of(warp.pc));
    if (waits) named_.wait(at.name, {stays ? id : divergence::kNoWarp, arriving});
  }
  moved_ = true;
  if (!waits) committed(id, instruction.pc + 1);
  for (const AtBarrier& at : named) open_named_if_full(at.name.block);
}

// For the checker.
void Warps::tell_of_opened(const NamedBarriers::Entry& full, const NamedBarriers::Threads& live) {
  const divergence::Block& block = blocks_[full.name.block];
  NamedBarriers::Threads waited(live.size(), 0);
  for (const WaitingThreads& waiting : full.waited) {
    const auto some =
        by_architectural_warp(block, [&](unsigned row) { return divergence::lanes_of_row(waiting.threads, row); });
    for (std::size_t warp = 0; warp < some.size(); ++warp) waited[warp] |= some[warp];
  }
  bool all = true;
  for (std::size_t warp = 0; warp < live.size(); ++warp) all &= (live[warp] & ~waited[warp]) == 0;
  if (all) return executor_->barrier_opened(block.first_row);
  executor_->barrier_opened(block.first_row, full.arrived, waited);
}

void Warps::open_named_if_full(unsigned block_slot) {
  if (named_.empty()) return;
  const auto live = [&] {
    return by_architectural_warp(blocks_[block_slot], [this](unsigned row) { return rendezvous_.live_in(row); });
  };
  while (const auto full = named_.take_full(block_slot, live())) open_named(*full, live());
}

void Warps::open_named(const NamedBarriers::Entry& full, const NamedBarriers::Threads& live) {
  ++barriers_passed_;
  trace_block(TraceEvent::kBarrierOpen, blocks_[full.name.block]);
  if (executor_->checked()) tell_of_opened(full, live);
  give_results(full.waited, full.holding, full.threads());
  for (const WaitingThreads& waited : full.waited) {
    if (!waited.in_warp()) continue;
    Slot& slot = slots_[waited.warp];
    slot.meeting &= ~waited.threads.mask;
    if (slot.meeting == 0) committed(waited.warp, waited.threads.pc + 1);
  }
  for (const WaitingThreads& waited : full.waited) {
    if (waited.in_warp()) continue;
    divergence::Warp threads = waited.threads;
    ++threads.pc;
    mechanism_->together(threads);
  }
}

// Does everybody whom a barrier lacks stand behind those who wait there, on a stack? Then nobody will ever come: one of
// all threads opens without them, as a block's other barrier does.
void Warps::settle_named() {
  for (const NamedBarriers::Entry& entry : named_.open()) {
    const divergence::Block& block = blocks_[entry.name.block];
    if (entry.waited.empty()) continue;
    std::vector<LaneMask> behind(block.rows(), 0);
    bool comes = false;
    for (unsigned row = 0; row < block.rows() && !comes; ++row) {
      LaneMask lacks =
          rendezvous_.live_in(block.first_row + row) & ~waiting_in(entry.name.block, block.first_row + row);
      for (const NamedBarriers::Entry& other : named_.open()) {
        if (other.name.block != entry.name.block) continue;
        for (const WaitingThreads& waited : other.waited) {
          if (lacks == 0) break;
          const LaneMask kept = kept_back_(waited, block.first_row + row);
          behind[row] |= lacks & kept;
          lacks &= ~kept;
        }
      }
      comes = lacks != 0;
    }
    unsigned left_out = 0;
    for (const LaneMask lanes : behind) left_out += isa::count_lanes(lanes);
    if (comes || left_out == 0) continue;
    if (entry.name.threads == 0 && entry.threads() + left_out == barriers_.live(entry.name.block)) {
      barriers_.pass_by(block, behind, entry.waited.front().threads.pc);
      barriers_left_out_ += left_out;
      const NamedBarriers::Entry opened = *named_.take_full(entry.name.block, entry.arrived);
      return open_named(opened, opened.arrived);
    }
    user_error(
        "{}: threads wait at barrier {} for others of their block that the mechanism's stack keeps back until these "
        "have gone on; run code in which warps of a block take different roles under a mechanism that lets them",
        place_of(entry.waited.front().threads.pc), entry.name.barrier);
  }
}

// Lanes of a row whose threads wait at barriers that are named.
LaneMask Warps::waiting_in(unsigned block_slot, unsigned row) const {
  LaneMask lanes = 0;
  for (const NamedBarriers::Entry& entry : named_.open()) {
    if (entry.name.block != block_slot) continue;
    for (const WaitingThreads& waited : entry.waited) lanes |= divergence::lanes_of_row(waited.threads, row);
  }
  return lanes;
}

}  // namespace warpfold
