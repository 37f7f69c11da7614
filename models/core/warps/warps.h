// SPDX-License-Identifier: Apache-2.0
// The warps of a core: what state each is in, where its threads wait, and the conversation with the divergence
// mechanism, which nobody else talks to.
//
// Plain C++ without time, used alike by the timed core and by functional execution. Both issue and commit instructions
// here; what that does to warps they learn through Warps::Pipeline.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpfold/common/results/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"
#include "warpfold/core/issue/spin_watch.h"
#include "warpfold/core/warps/block_barriers.h"
#include "warpfold/core/warps/named_barriers.h"
#include "warpfold/core/warps/rendezvous.h"

namespace warpfold {

class Warps final : public divergence::Core {
 public:
  // Those who run the warps.
  class Pipeline {
   public:
    virtual ~Pipeline() = default;
    virtual void entered(divergence::WarpId warp) = 0;                // may issue from its pc
    virtual void goes_on(divergence::WarpId warp) = 0;                // the same, after it issued or waited
    virtual void left(divergence::WarpId warp) = 0;                   // its slot is free
    virtual void held(divergence::WarpId warp, unsigned cycles) = 0;  // kUntilReleased: until it goes on
    virtual bool spill(const divergence::Spill& part) = 0;            // as divergence::Core::spill
    virtual void compact(divergence::CompactionRequest request) = 0;
    virtual void block_finished(const divergence::Block& block) = 0;  // its last thread has exited
    // Lanes of a warp that have all data of the loads that it waits for, while others have not.
    virtual isa::LaneMask loaded(divergence::WarpId /*warp*/) { return 0; }
    virtual Cycle now() const = 0;  // for traces
  };

  Warps(const CoreParams& params, const CoreContext& context, const divergence::Configured& mechanism,
        Pipeline& pipeline, StatGroup& stats);

  void kernel_started(const isa::Kernel& kernel, isa::Executor& executor);
  void kernel_ended() { mechanism_->kernel_ended(); }
  void start_block(const divergence::Block& block);

  // --- State of a warp ---
  bool live(divergence::WarpId id) const { return slots_[id].state != State::kFree; }
  bool may_issue(divergence::WarpId id) const { return slots_[id].state == State::kMayIssue; }
  // At a barrier, at a collective, or for others of its mechanism.
  bool waits(divergence::WarpId id) const { return slots_[id].state >= State::kAtBarrier; }
  bool waits_for_mechanism(divergence::WarpId id) const { return slots_[id].state == State::kHeld; }
  bool waits_for_others(divergence::WarpId id) const { return waits(id) && !waits_for_mechanism(id); }
  const divergence::Warp& warp(divergence::WarpId id) const { return slots_[id].warp; }

  // --- Issue and commit ---
  // What the mechanism moves by itself; as Mechanism::tick.
  Cycle tick(Cycle now) { return mechanism_->tick(now); }
  bool any_order() const { return mechanism_->traits.any_order; }
  // The warp waits for loads of which some lanes have their data (Mechanism::partly_loaded).
  void partly_loaded(divergence::WarpId id, bool alone) { mechanism_->partly_loaded(id, alone); }
  // As Mechanism::partner, which only those have that issue parts.
  bool issues_parts() const { return mechanism_->traits.issues_parts; }
  divergence::WarpId partner(const divergence::IssuedParts& parts, const divergence::WarpSet& ready, Cycle now) {
    return mechanism_->partner(parts, ready, now);
  }
  // As Mechanism::accessed, which only those have that hear of lines.
  bool hears_of_lines() const { return mechanism_->traits.hears_of_lines; }
  void accessed(divergence::WarpId id, const std::vector<isa::LaneMask>& lines) { mechanism_->accessed(id, lines); }
  // Narrows the warps that could issue to those that the mechanism wants first.
  void prefer(divergence::WarpSet& ready, Cycle now) { mechanism_->prefer(ready, now); }
  // A scheduler finds no warp that it could issue: the mechanism may insert some.
  void running_dry(unsigned scheduler, Cycle now) { mechanism_->running_dry(scheduler, now); }
  // Does the warp's next instruction make threads wait or exit? Then nothing of it may be in flight.
  bool must_drain(divergence::WarpId id);
  // Executes the warp's next instruction, or finds that its threads have to wait for others there.
  Instruction issue(divergence::WarpId id, Cycle now, Cycle of_kernel, isa::Outcome& outcome);
  // Would threads leave the warp behind the instruction that it has issued, which is no branch?
  bool leaves_behind(divergence::WarpId id) const { return mechanism_->leaves_at(id, slots_[id].warp.pc + 1); }
  // Might they by the branch that it has issued?
  bool leaves_by(const Instruction& branch) const;
  // As Mechanism::goes_straight_to.
  isa::Pc goes_straight_to(divergence::WarpId id, isa::Pc end) const { return mechanism_->goes_straight_to(id, end); }
  // It has, by instructions that were executed without issue and commit, none a barrier, exit or collective.
  void went_straight(divergence::WarpId id, isa::Pc next);
  // The branch at `pc`, where the warp is or has come straight to, is resolved.
  void went_to_branch(divergence::WarpId id, isa::Pc pc, isa::LaneMask taken);
  // The warp goes on behind an instruction that may still be in flight.
  void go_on_early(divergence::WarpId id);
  // An instruction is done; where threads may move, nothing of the warp is in flight.
  void commit(const Instruction& instruction);
  // The same in two steps for one that is no branch, barrier or exit and was executed: true, the warp goes on, of which
  // the caller is not told; then settle().
  bool commit_plain(divergence::WarpId id, isa::Pc next) {
    slots_[id].state = State::kBeingTold;
    mechanism_->committed(id, next);
    return told(id);
  }
  bool commit_branch(const Instruction& instruction);  // as commit_plain()
  // Whatever a warp does may let others go on: it arrives, exits, or comes where its mechanism keeps it back.
  void settle() {
    if (!rendezvous_.empty()) settle_rendezvous();
    if (!incomplete_.empty() || (!named_.empty() && mechanism_->traits.keeps_back)) settle_barriers();
  }
  // Has the warp buffer room for another?
  bool has_room() const;
  // The thread compactor made a warp.
  void compacted(const CompactedWarp& made);

  // What parts of the mechanism's structures waited for is done (Mechanism::spilled).
  void spilled(unsigned owner) { mechanism_->spilled(owner); }

  // --- Who waits ---
  std::uint64_t live_threads() const { return live_threads_; }
  std::uint64_t threads_at_barriers() const { return barriers_.threads() + named_.threads() + rendezvous_.threads(); }
  divergence::Parked parked() const { return mechanism_->parked(); }
  // Of a scheduler: how many there are; does one wait, for others at a barrier or a collective, or for its mechanism?
  unsigned live_of(unsigned scheduler) const { return live_of_[scheduler]; }
  bool some_at_barrier(unsigned scheduler) { return some(at_barrier_[scheduler], &Warps::waits_for_others); }
  bool some_held(unsigned scheduler) { return some(held_[scheduler], &Warps::waits_for_mechanism); }
  // Requests to the thread compactor that are not done.
  unsigned compacting() const { return compacting_; }
  // A warp may be made of threads that waited elsewhere than in it.
  bool changes_warps() const { return !mechanism_->traits.keeps_warps; }

  SpinWatch& spin() { return spin_; }
  // In the buffer; runnable: those that wait neither at a barrier nor for others.
  struct Census {
    unsigned live = 0, runnable = 0;
  };
  Census census() const;
  // Does each warp that can run repeat itself, with the watch on, or never get a turn?
  bool all_repeat(const std::function<bool(divergence::WarpId)>& starves) const;

  // For a watchdog: one line per live warp with where it is and what it waits for (`waits_for`, where nothing here
  // keeps it), and one per block for the threads that are in no warp.
  std::vector<std::string> report(const std::function<std::string(divergence::WarpId)>& waits_for) const;

  // --- divergence::Core ---
  divergence::WarpId insert(const divergence::Warp& warp, unsigned scheduler = divergence::kAnyScheduler) override;
  void remove(divergence::WarpId id) override;
  divergence::Warp& warp(divergence::WarpId id) override { return slots_[id].warp; }
  unsigned block_of(divergence::WarpId id) const override { return slots_[id].block; }
  // The block by which a scheduler orders the warp: the oldest of those that it has threads of.
  unsigned block_in_order(divergence::WarpId id) const {
    return mechanism_->traits.mixes_paths ? oldest_block_of(slots_[id].warp) : slots_[id].block;
  }
  // Blocks start in the order of their numbers.
  std::uint64_t age_of_block(unsigned slot) const { return blocks_[slot].id; }
  unsigned block_of_row(unsigned row) const override { return row_block_[row]; }
  unsigned scheduler_of_row(unsigned row) const override {
    return whole_blocks_ ? scheduler_of_block_[row_block_[row]] : row % params_.schedulers;
  }
  void hold(divergence::WarpId id, unsigned cycles) override;
  void release(divergence::WarpId id) override;
  void compact(divergence::CompactionRequest request) override;
  bool spill(const divergence::Spill& part) override;
  unsigned occupy(divergence::Unit unit, unsigned index, unsigned clocks) override;
  divergence::Divided divide(divergence::WarpId id) override;
  void stack_depth(unsigned entries) override { max_stack_.raise_to(entries); }
  StatGroup& stats() override { return stats_; }
  divergence::Taps& taps() override { return context_.taps != nullptr ? *context_.taps : Core::taps(); }

 private:
  // The last three: it waits.
  enum class State : std::uint8_t {
    kFree,
    kMayIssue,
    kIssued,     // an instruction after which it has not gone on yet
    kBeingTold,  // its mechanism is, of what the warp did: it goes on unless the mechanism has other plans
    kAtBarrier,
    kAtCollective,
    kHeld,  // until its mechanism releases it
  };
  struct Slot {
    divergence::Warp warp;
    State state = State::kFree;
    unsigned block = 0;         // of one of the warp's threads
    isa::LaneMask meeting = 0;  // kAtCollective, kAtBarrier where it has a name: lanes that wait for others
  };

  struct Resolved {  // a branch
    const isa::MicroOp* op;
    isa::Pc pc;
    isa::LaneMask active, taken;
  };
  void resolve(divergence::WarpId id, const Resolved& resolved);
  bool goes_on_behind(divergence::WarpId id, const Resolved& resolved);
  void exit(const Instruction& instruction);
  void arrive_at_barrier(const Instruction& instruction);
  void open_barrier_if_full(unsigned block_slot, unsigned left_out = 0);
  bool told(divergence::WarpId id) {
    Slot& slot = slots_[id];
    if (slot.state != State::kBeingTold) return false;  // it waits, has left, or another warp has its slot
    slot.state = State::kMayIssue;
    if (!mechanism_->traits.keeps_warps) slot.block = block_of_lowest(slot.warp);
    return true;
  }
  void waits_now(divergence::WarpId id, State how) {
    slots_[id].state = how;
    (how == State::kHeld ? held_ : at_barrier_)[id % params_.schedulers].insert(id);
  }
  // Is it true of one of `among`? Whoever has gone on, which is not told, leaves the set.
  bool some(divergence::WarpSet& among, bool (Warps::*is)(divergence::WarpId) const) const {
    if (among.empty()) return false;
    for (divergence::WarpId id = among.next(0); id != divergence::kNoWarp; id = among.next(id + 1)) {
      if ((this->*is)(id)) return true;
      among.erase(id);
    }
    return false;
  }
  void settle_barriers();
  void open_what_waits_for_parked(std::uint64_t threads);
  void check_not_passed_by(const divergence::Warp& warp, isa::LaneMask lanes) const;
  void give_results(const std::vector<WaitingThreads>& waited, std::optional<unsigned> holding, unsigned threads);
  // warps_named.cpp
  struct AtBarrier {
    NamedBarriers::Name name;
    isa::LaneMask lanes = 0;
  };
  void tell_of_opened(const NamedBarriers::Entry& full, const NamedBarriers::Threads& live);
  template <class LanesOf>
  NamedBarriers::Threads by_architectural_warp(const divergence::Block& block, LanesOf lanes_of) const;
  std::vector<AtBarrier> named_by(const divergence::Warp& warp, isa::LaneMask lanes) const;
  void arrive_at_named(const Instruction& instruction);
  void open_named_if_full(unsigned block_slot);
  void open_named(const NamedBarriers::Entry& full, const NamedBarriers::Threads& live);
  void settle_named();
  isa::LaneMask waiting_in(unsigned block_slot, unsigned row) const;
  std::string place_of(isa::Pc pc) const;
  void arrive_at_rendezvous(const Instruction& instruction);
  void settle_rendezvous();
  void resume(const std::vector<WaitingThreads>& met);
  void finish_if_empty(unsigned block_slot);
  isa::Lanes lanes_of(const divergence::Warp& warp) const;
  unsigned block_of_lowest(const divergence::Warp& warp) const;
  unsigned oldest_block_of(const divergence::Warp& warp) const;
  void trace(TraceEvent event, divergence::WarpId id, std::uint64_t mask) const;
  void trace_block(TraceEvent event, const divergence::Block& block, unsigned threads = 0) const;
  std::string waits_here_for(const Slot& slot) const;
  std::string barrier_text(unsigned block_slot) const;
  std::string whereabouts(unsigned row, unsigned lane) const;
  // The mechanism is told what the warp did; then the warp goes on, if it is still there and does not wait.
  template <class Tell>
  void advance(divergence::WarpId id, Tell tell);
  void committed(divergence::WarpId id, isa::Pc next);
  // Calls visit(block slot, its lanes) for each block that has some of the warp's `lanes`.
  template <class Visit>
  void for_each_block(const divergence::Warp& warp, isa::LaneMask lanes, Visit visit);

  const CoreParams& params_;
  const CoreContext& context_;
  Pipeline& pipeline_;
  StatGroup& stats_;
  std::unique_ptr<divergence::Mechanism> mechanism_;
  std::vector<Slot> slots_;
  std::vector<divergence::WarpSet> free_;               // slots, by scheduler
  std::vector<divergence::WarpSet> at_barrier_, held_;  // by scheduler: whoever waits, and some who did
  std::vector<unsigned> live_of_;                       // by scheduler
  std::vector<divergence::Block> blocks_;
  std::vector<unsigned> row_block_;  // by row: slot of the block that holds it
  // Where schedulers are dealt whole blocks; those of a launch are all of one size.
  std::vector<unsigned> scheduler_of_block_, blocks_of_scheduler_;
  bool whole_blocks_ = false;
  const isa::Kernel* kernel_ = nullptr;
  isa::Executor* executor_ = nullptr;
  std::array<std::vector<Cycle>, divergence::kUnits> units_free_at_;  // by kind and index
  std::uint64_t live_threads_ = 0;
  unsigned compacting_ = 0;
  BlockBarriers barriers_;
  NamedBarriers named_;
  divergence::WarpSet incomplete_;  // blocks whose barrier may only lack threads that the mechanism keeps back
  bool moved_ = false;              // since that was looked at, threads may have come where they are kept back
  std::uint64_t parked_ = 0;        // how many there were then
  unsigned fewest_missing_ = 0;     // at no incomplete barrier are fewer threads missing
  Rendezvous rendezvous_;
  Rendezvous::KeptBack kept_back_;
  SpinWatch spin_;
  Counter &divergent_branches_, &branches_, &barriers_passed_, &max_stack_;
  Counter &spilled_bytes_, &reloaded_bytes_;
  Counter &barriers_left_out_, &rendezvous_met_, &rendezvous_waits_, &rendezvous_left_out_;
};

}  // namespace warpfold
