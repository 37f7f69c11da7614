// SPDX-License-Identifier: Apache-2.0
// A SIMT core: its boxes (docs/architecture.md) and the threads of the blocks that it holds.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "warpfold/core/fetch/instruction_fetch.h"
#include "warpfold/core/issue/issue_stage.h"
#include "warpfold/core/issue/warp_scheduler.h"
#include "warpfold/core/memory/load_store_unit.h"
#include "warpfold/core/operands/register_file.h"
#include "warpfold/core/operands/spill_unit.h"
#include "warpfold/core/operands/write_back.h"
#include "warpfold/core/stand_ins.h"
#include "warpfold/core/warps/block_protocol.h"
#include "warpfold/core/warps/resident_blocks.h"
#include "warpfold/core/warps/warp_unit.h"
#include "warpfold/isa/address_space.h"
#include "warpfold/memory/l1/l1_cache.h"
#include "warpfold/memory/network/core_port.h"

namespace warpfold {

struct CoreCaches {
  L1Params data, texture, constant, instruction;
  bool byte_masks = false;  // who answers them asks which bytes of a line a request is for
  PacketParams packet;      // in which they speak to the network
};

// A core's place in its machine.
struct CorePlace {
  unsigned core, cores;
  ClockDomain& clock;
  unsigned port_index;   // clock slot of its port to the network
  unsigned first_index;  // of SimtCore::kClockSlots others
  TraceSink* trace = nullptr;
  PcProfile* profile = nullptr;
  CoreWatch* watch = nullptr;
};

class SimtCore : public sc_core::sc_module {
 public:
  // Clock slots that a core takes besides its port's, back of the pipeline first. The port's comes before them.
  static constexpr unsigned kClockSlots = 11;

  TargetPort<SimtCore, BlockProtocol> block_socket{"block_socket", *this, &SimtCore::start_block};

  SimtCore(sc_core::sc_module_name name, const CorePlace& place, const CoreParams& params, const CoreCaches& caches,
           const divergence::Configured& mechanism, StatGroup& stats,
           std::unique_ptr<StandIns> stand_ins = std::make_unique<StandIns>());

  InitiatorPort<CorePort>& network_socket() { return port_.network_socket; }

  // A launch whose blocks take `rows` rows each, at most `blocks` of them at a time, and whose instructions lie from
  // `code` on.
  void kernel_started(const isa::Launch& launch, DeviceMemory& memory, unsigned rows, unsigned blocks, Cycle start,
                      Address code = isa::kCodeBacking);
  void kernel_ended(Cycle end);
  // All that it counts is in its counters, also of a kernel that has failed.
  void settle() { issue_.settle(); }
  // Nothing in flight, stores acknowledged.
  bool idle() const;
  // While the core may be ahead of the dispatcher and of other cores (IslandRules), it keeps for finished() which
  // blocks have ended, and for the executor's settle() what its threads do to memory.
  void run_apart(bool apart) {
    apart_ = apart;
    if (executor_ != nullptr) executor_->put_shared_memory_off(apart);
  }
  struct FinishedBlock {
    BlockMessage block;
    std::uint64_t at_ps;
  };
  const std::deque<FinishedBlock>& finished() const { return finished_; }
  void tell_finished();                                  // the oldest of them, to the dispatcher
  isa::Executor* executor() { return executor_.get(); }  // null: no block of the launch has come
  // May something that the executor has put off be used at `next`, an instant of this clock? From so many cycles after
  // its issue on, or since the network has answered.
  bool needs_values(const ClockDomain& cores, std::uint64_t next, Cycle use_latency) const {
    const std::uint64_t oldest = executor_ != nullptr ? executor_->oldest() : isa::Executor::kNothing;
    if (oldest == isa::Executor::kNothing) return false;
    const Cycle answered = load_store_.last_answered();
    return start_ + oldest + use_latency <= cores.edge_from(next) ||
           (answered >= start_ && oldest <= answered - start_);
  }
  bool would_send() const { return port_.would_send(); }
  // Of its caches, to the network, that have not come back.
  std::size_t requests_out() const { return pool_.in_use(); }
  // The last cycle in which something was written back or acknowledged.
  Cycle last_activity() const;
  std::uint64_t issued() const { return issue_.issued(); }
  IssueSlots issue_slots(Cycle until) const { return issue_.slots(until); }

  // What it holds at this instant; runnable: warps that wait neither at a barrier nor for others.
  struct Load {
    unsigned warps = 0, runnable = 0, blocks = 0;
  };
  Load load() const;

  // Watches for warps that repeat themselves, from now on or no more.
  void watch_spinning(bool on);
  // With the watch on: does every warp that can run repeat itself or never get a turn?
  bool only_spins() const;
  std::uint64_t memory_changes() const { return executor_ != nullptr ? executor_->memory_changes() : 0; }

  // One line per live warp: slot, block, pc, PTX line, what it waits for; and per block what its other threads wait
  // for.
  std::vector<std::string> report() const;

 private:
  void make_instruction_fetch(const L1Params& cache, unsigned first_index);
  void make_spill_unit(const L1Params& cache, unsigned first_index);
  void prepare();
  tlm::tlm_sync_enum start_block(unsigned port, BlockMessage& message, tlm::tlm_phase& phase);
  void finish_block(const divergence::Block& block);

  const CoreParams& params_;
  const L1Params data_params_;
  unsigned cores_;
  std::unique_ptr<StandIns> stand_ins_;
  CoreContext context_;
  StatGroup& stats_;
  std::unique_ptr<divergence::LanePacking> packing_;
  ClockDomain& clock_;
  PayloadPool pool_;
  CorePort port_;
  L1Cache data_cache_, texture_cache_, constant_cache_;
  LoadStoreUnit load_store_;
  WriteBack write_back_;
  std::unique_ptr<ThreadCompactor> compactor_;
  WarpUnit warp_unit_;
  IssueStage issue_;
  std::deque<WarpScheduler> schedulers_;
  RegisterFile registers_;
  std::unique_ptr<L1Cache> instruction_cache_;  // null: fetch always hits
  std::unique_ptr<InstructionFetch> fetch_;
  std::unique_ptr<SpillUnit> spills_;  // null: this mechanism's structures have room

  // Of the kernel that runs
  const isa::Launch* launch_ = nullptr;
  DeviceMemory* memory_ = nullptr;
  unsigned rows_of_block_ = 0, most_blocks_ = 0;
  Cycle start_ = 0;
  Address code_ = 0;
  std::unique_ptr<ResidentBlocks> blocks_;  // null: no block has come yet
  std::unique_ptr<isa::Executor> executor_;

  bool apart_ = false;
  std::deque<FinishedBlock> finished_;
};

}  // namespace warpfold
