// SPDX-License-Identifier: Apache-2.0
// A run of which some launches are timed and the others run without time (docs/sampling.md).
#pragma once

#include <memory>
#include <random>
#include <string>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/run/functional_engine.h"
#include "warpfold/gpu/sampling/cache_warmer.h"
#include "warpfold/gpu/sampling/launch_sampler.h"

namespace warpfold {

// A launch runs once: through the machine's pipeline, if it is chosen before it runs, or without time, and then it
// warms the memory system of the machine. Without time it runs under the plain reconvergence stack, which is the
// fastest and has the same values, or, if it has collectives of warps, under the run's mechanism, on which values may
// depend then.
class SampledRun {
 public:
  // `plain`: the machine before the mechanism shapes its cores' rows of lanes.
  SampledRun(const MachineConfig& plain, const MachineConfig& machine, divergence::Configured mechanism,
             GpuOptions options, SampleChoice choice);
  ~SampledRun();

  // Where is counted what is known of all launches, and of those that were timed.
  void count_in(StatRegistry& stats);
  void run(const isa::Launch& launch, DeviceMemory& memory);
  // Before the next launch: the L2 has these bytes.
  void fill_l2(Address to, std::uint64_t bytes);
  // A launch has failed. The next finds another machine; this one stays as it stands for as long as it is kept.
  std::shared_ptr<void> put_aside();
  void make_machine();

  // By the estimate; it never goes back.
  double simulated_seconds();
  // What is known of cycles so far, an object of JSON, with what paired_half_width() asks of two runs.
  std::string json() const;

 private:
  struct Machine;
  struct Untimed;

  void time(const isa::Launch& launch, DeviceMemory& memory);
  void pass(const isa::Launch& launch, DeviceMemory& memory);
  std::uint64_t pass_under_mechanism(const isa::Launch& launch, DeviceMemory& memory);
  std::uint64_t pass_under_pdom(const isa::Launch& launch, DeviceMemory& memory);

  const MachineConfig plain_, config_;
  const divergence::Configured mechanism_;
  const GpuOptions options_;
  std::unique_ptr<Machine> machine_;
  LaunchSampler sampler_;
  bool passed_ = false;  // the last launch ran without time
  std::mt19937_64 phases_;
  struct Counters {
    Counter *thread_instructions, *launches, *cycles, *timed_thread_instructions, *timed_warp_instructions,
        *under_mechanism;
  };
  Counters counters_{};
  double seconds_ = 0;
};

}  // namespace warpfold
