// SPDX-License-Identifier: Apache-2.0
// Functional execution: the same decoded kernels under the same mechanism, with nothing between issue and commit.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "warpfold/core/branch_unit.h"
#include "warpfold/core/lane_statistics.h"
#include "warpfold/core/resident_blocks.h"
#include "warpfold/gpu/machine_config.h"

namespace warpfold {

// The branch unit of one large core that holds as many blocks as the machine would, without a pipeline around it: warps
// take turns, an instruction commits when it is issued, compaction takes no time. Counts instructions and lanes, no
// cycles.
class FunctionalEngine : public sc_core::sc_module {
 public:
  FunctionalEngine(sc_core::sc_module_name name, const MachineConfig& config, const divergence::Configured& mechanism,
                   StatRegistry& stats, TraceSink* trace);

  // Runs the launch to its end, whether a core of the machine has room for its blocks or not. Throws UserError for
  // faults and for kernels that cannot end.
  void run(const isa::Launch& launch, DeviceMemory& memory);

 private:
  TargetPort<FunctionalEngine, WarpProtocol> warp_socket_{"warp_socket", *this, &FunctionalEngine::update};
  TargetPort<FunctionalEngine, TypedProtocol<divergence::CompactionRequest>> compact_socket_{
      "compact_socket", *this, &FunctionalEngine::compact};
  OneWayPort<Instruction> commit_socket_{"commit_socket"}, advance_socket_{"advance_socket"};
  OneWayPort<CompactedWarp> compacted_socket_{"compacted_socket"};

  tlm::tlm_sync_enum update(unsigned port, WarpUpdate& update, tlm::tlm_phase& phase);
  tlm::tlm_sync_enum compact(unsigned port, divergence::CompactionRequest& request, tlm::tlm_phase& phase);

  void start_blocks();
  void tick();
  void run_pass();
  void check_limit() const;
  void run_warp(divergence::WarpId id);
  void step(divergence::WarpId id, const divergence::Warp& warp);
  void compact_pending();
  void check_spinning();
  [[noreturn]] void stuck(const std::string& why) const;

  const MachineConfig config_;
  CoreParams params_;  // of the one large core
  SpinWatch spin_;
  CoreContext context_;
  StatGroup& stats_;
  ClockTree clocks_;  // never runs: the branch unit stamps trace records with it
  LaneStatistics lanes_;
  Counter& kernels_;
  BranchUnit branch_;

  std::vector<const divergence::Warp*> warps_;  // by slot
  divergence::WarpSet runnable_;
  std::vector<divergence::CompactionRequest> pending_;

  // Of the kernel that runs
  const isa::Launch* launch_ = nullptr;
  std::unique_ptr<ResidentBlocks> blocks_;
  std::unique_ptr<isa::Executor> executor_;
  isa::Outcome outcome_;
  std::uint64_t next_block_ = 0, finished_ = 0, issued_ = 0;
  std::uint64_t most_issues_ = 0;  // of the running launch: the cycle limit
  Cycle passes_ = 0;

  // What the last look at its progress saw, and for how many passes nothing of it has moved.
  std::uint64_t seen_changes_ = 0, seen_finished_ = 0, still_passes_ = 0;
};

}  // namespace warpfold
