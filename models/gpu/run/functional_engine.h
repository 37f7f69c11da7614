// SPDX-License-Identifier: Apache-2.0
// Functional execution: the same decoded kernels under the same mechanism, with nothing between issue and commit.
#pragma once

#include <memory>
#include <vector>

#include "warpfold/core/issue/lane_statistics.h"
#include "warpfold/core/issue/pc_profile.h"
#include "warpfold/core/warps/resident_blocks.h"
#include "warpfold/core/warps/warps.h"
#include "warpfold/gpu/machine/machine_config.h"
#include "warpfold/gpu/run/launch_watch.h"
#include "warpfold/isa/execute/access/access_listener.h"

namespace warpfold {

// The warps of one large core that holds as many blocks as the machine would, without a pipeline around them: they take
// turns, an instruction commits when it is issued, compaction takes no time. Counts instructions and lanes, no cycles.
class FunctionalEngine : private Warps::Pipeline {
 public:
  FunctionalEngine(const MachineConfig& config, const divergence::Configured& mechanism, StatRegistry& stats,
                   TraceSink* trace, PcProfile* profile = nullptr, std::shared_ptr<LaunchWatch> watch = nullptr);

  // Runs the launch to its end, whether a core of the machine has room for its blocks or not. Throws UserError for
  // faults and for kernels that cannot end.
  [[gnu::noinline]] void run(const isa::Launch& launch, DeviceMemory& memory);  // warpfold-bench counts by its name

  // Is told of accesses to memory beyond the cores, from the next launch on; null: nobody.
  void tell_of_accesses(isa::AccessListener* listener) { listener_ = listener; }
  // Warp instructions of the launch that ran last.
  std::uint64_t issued() const { return issued_; }

 private:
  // Warps::Pipeline
  void entered(divergence::WarpId warp) override { runnable_.insert(warp); }
  void goes_on(divergence::WarpId warp) override { runnable_.insert(warp); }
  void left(divergence::WarpId warp) override { runnable_.erase(warp); }
  void held(divergence::WarpId warp, unsigned cycles) override {  // there is no time
    if (cycles == divergence::kUntilReleased) runnable_.erase(warp);
  }
  bool spill(const divergence::Spill& /*part*/) override { return true; }
  void compact(divergence::CompactionRequest request) override { pending_.push_back(std::move(request)); }
  void block_finished(const divergence::Block& block) override;
  Cycle now() const override { return 0; }

  void start_blocks();
  void tick();
  void run_pass();
  void check_limit() const;
  void run_warp(divergence::WarpId id);
  unsigned go_straight(divergence::WarpId id, unsigned most);
  void count_run(const divergence::Warp& warp, isa::Pc begin);
  void step(divergence::WarpId id);
  void hear(const isa::MicroOp& op);
  void compact_pending();
  void check_spinning();
  bool time_helps();
  [[noreturn]] void stuck(const std::string& why) const;

  const MachineConfig config_;
  CoreParams params_;  // of the one large core
  CoreContext context_;
  StatGroup& stats_;
  LaneStatistics lanes_;
  PcProfile* const profile_;
  isa::AccessListener* listener_ = nullptr;
  const std::shared_ptr<LaunchWatch> watch_;
  Counter& kernels_;
  Warps warps_;
  divergence::WarpSet runnable_;
  std::vector<divergence::CompactionRequest> pending_;

  // Of the kernel that runs
  const isa::Launch* launch_ = nullptr;
  std::unique_ptr<ResidentBlocks> blocks_;
  std::unique_ptr<isa::Executor> executor_;
  isa::Outcome outcome_;
  bool in_runs_ = false;    // nobody wants to know about each instruction
  isa::Executor::Run run_;  // in progress
  std::uint64_t next_block_ = 0, finished_ = 0, issued_ = 0;
  std::uint64_t most_issues_ = 0;  // of the running launch: the cycle limit
  Cycle begun_ = 0;                // the launch
  Cycle now_ = 0;  // what clocks read: each instruction takes one, so that whoever waits by the clock sees it move

  // What the last look at its progress saw, and for how many passes nothing of it has moved.
  std::uint64_t seen_changes_ = 0, seen_finished_ = 0, still_passes_ = 0, waits_ = 0;
};

}  // namespace warpfold
