// SPDX-License-Identifier: Apache-2.0
// The branch unit: holds the divergence mechanism and the warps' pcs and masks, and carries out what the mechanism asks
// for.
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "warpfold/common/port_socket.h"
#include "warpfold/common/stats.h"
#include "warpfold/compaction/thread_compactor.h"
#include "warpfold/core/barrier_table.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"
#include "warpfold/core/rendezvous.h"

namespace warpfold {

class BranchUnit : public sc_core::sc_module, public divergence::Core {
 public:
  TargetPort<BranchUnit, InstructionProtocol> commit_socket{"commit_socket", *this, &BranchUnit::commit};
  TargetPort<BranchUnit, InstructionProtocol> advance_socket{"advance_socket", *this, &BranchUnit::commit};
  OneWayPort<WarpUpdate> warp_socket{"warp_socket"};
  OneWayPort<divergence::CompactionRequest> compact_socket{"compact_socket"};
  TargetPort<BranchUnit, TypedProtocol<CompactedWarp>> compacted_socket{"compacted_socket", *this,
                                                                        &BranchUnit::take_compacted};

  BranchUnit(sc_core::sc_module_name name, const CoreParams& params, const CoreContext& context,
             const divergence::Configured& mechanism, ClockDomain& core_clock, StatGroup& stats);

  divergence::Mechanism& mechanism() { return *mechanism_; }
  const divergence::Mechanism& mechanism() const { return *mechanism_; }
  Rendezvous& rendezvous() { return rendezvous_; }
  void kernel_started(const isa::Kernel& kernel, isa::Executor& executor);
  void kernel_ended() { mechanism_->kernel_ended(); }
  void start_block(const divergence::Block& block);
  // Called when the last thread of a block has exited.
  std::function<void(const divergence::Block&)> block_finished;

  // divergence::Core
  divergence::WarpId insert(const divergence::Warp& warp, unsigned scheduler = divergence::kAnyScheduler) override;
  void remove(divergence::WarpId warp) override;
  divergence::Warp& warp(divergence::WarpId warp) override { return warps_[warp].warp; }
  const divergence::Warp& warp(divergence::WarpId warp) const { return warps_[warp].warp; }
  unsigned block_of(divergence::WarpId warp) const override { return warps_[warp].block; }
  unsigned block_of_row(unsigned row) const override { return row_block_[row]; }
  void wait(divergence::WarpId warp) override { warps_[warp].waits = true; }
  void go_on(divergence::WarpId warp) override;
  void hold(divergence::WarpId warp, unsigned cycles) override;
  void compact(divergence::CompactionRequest request) override;
  void stack_depth(unsigned entries) override;
  StatGroup& stats() override { return stats_; }
  divergence::AdequacyUnit& adequacy_unit() override;
  divergence::StackObserver* stack_observer(unsigned block_slot) override;
  divergence::BarrierObserver* barrier_observer(unsigned scheduler,
                                                const divergence::BarrierTableShape& shape) override;

  bool live(divergence::WarpId id) const { return warps_[id].live; }
  // At a barrier, at a collective, or for others of its mechanism.
  bool waits(divergence::WarpId id) const {
    return warps_[id].at_barrier || warps_[id].meeting != 0 || warps_[id].waits;
  }
  // For a watchdog: one line per live warp with where it is and what it waits for (`waits_for`, unless it is at a
  // barrier), and one per block for the threads that are in no warp.
  std::vector<std::string> report(const isa::Kernel& kernel,
                                  const std::function<std::string(divergence::WarpId)>& waits_for) const;

 private:
  struct Entry {
    divergence::Warp warp;
    unsigned block = 0;  // of one of the warp's threads
    bool live = false;
    bool at_barrier = false;
    isa::LaneMask meeting = 0;     // lanes that wait for others of their architectural warps
    bool waits = false;            // until its mechanism lets it go on
    std::uint64_t generation = 0;  // tells the warps apart that use a slot one after the other
  };

  tlm::tlm_sync_enum commit(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);
  tlm::tlm_sync_enum take_compacted(unsigned port, CompactedWarp& compacted, tlm::tlm_phase& phase);

  void resolve(const Instruction& instruction);
  void exit(const Instruction& instruction);
  void arrive_at_barrier(const Instruction& instruction);
  void open_barrier_if_full(unsigned slot, unsigned left_out = 0);
  void settle_barriers();
  isa::LaneMask missing_at_barrier(unsigned slot, unsigned row) const;
  bool all_missing_are_kept_back(unsigned slot) const;
  void check_not_passed_by(const divergence::Warp& warp, isa::LaneMask lanes) const;
  void give_results(const BarrierTable::Opened& opened);
  void arrive_at_rendezvous(const Instruction& instruction);
  void settle_rendezvous();
  void resume(const std::vector<WaitingThreads>& met);
  void finish_if_empty(unsigned slot);
  isa::Lanes lanes_of(const divergence::Warp& warp) const;
  unsigned block_of_lowest(const divergence::Warp& warp) const;
  void tell(WarpUpdate::Kind kind, divergence::WarpId id, unsigned cycles = 0);
  void keep_census(int live);
  std::string whereabouts(unsigned row, unsigned lane) const;
  void trace(TraceEvent event, divergence::WarpId id, std::uint64_t mask, std::uint64_t other = 0) const;
  // Runs `change`, which lets the mechanism move the warp, and sends the warp on if it is still there.
  template <class Change>
  void advance(divergence::WarpId id, Change change);
  // Calls visit(block slot, its lanes) for each block that has some of the warp's `lanes`.
  template <class Visit>
  void for_each_block(const divergence::Warp& warp, isa::LaneMask lanes, Visit visit);

  const CoreParams& params_;
  const CoreContext& context_;
  ClockDomain& clock_;
  StatGroup& stats_;
  std::unique_ptr<divergence::Mechanism> mechanism_;
  std::vector<Entry> warps_;
  std::vector<divergence::WarpSet> free_;  // slots, by scheduler
  std::vector<divergence::Block> blocks_;
  std::vector<unsigned> row_block_;  // by row: slot of the block that holds it
  const isa::Kernel* kernel_ = nullptr;
  isa::Executor* executor_ = nullptr;
  BarrierTable barriers_;
  divergence::WarpSet incomplete_;  // slots of blocks whose barrier may only lack threads that its mechanism keeps back
  bool moved_ = false;              // since that was looked at, threads may have come where they are kept back
  std::uint64_t parked_ = 0;        // how many there were then
  std::vector<isa::LaneMask> passed_by_;  // by row: threads that a barrier opened without
  std::vector<isa::Pc> passed_at_;        // by slot: the barrier
  Rendezvous rendezvous_;
  Counter &divergent_branches_, &branches_, &barriers_passed_, &max_stack_;
  Counter &barriers_left_out_, &rendezvous_met_, &rendezvous_waits_, &rendezvous_left_out_;
};

}  // namespace warpfold
