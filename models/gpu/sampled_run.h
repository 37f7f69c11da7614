// SPDX-License-Identifier: Apache-2.0
// A run of which some launches are timed and all run without time (docs/sampling.md).
#pragma once

#include <random>
#include <string>

#include "warpfold/common/device_memory.h"
#include "warpfold/common/stats.h"
#include "warpfold/gpu/cache_warmer.h"
#include "warpfold/gpu/functional_engine.h"
#include "warpfold/gpu/gpu.h"
#include "warpfold/gpu/launch_sampler.h"

namespace warpfold {

// Every launch runs without time in this process and warms the memory system of a machine that never runs here: a
// launch is timed in a copy of the process, made before the launch, so that it finds memory and caches as they are then
// and changes nothing. Copies run beside this process.
class SampledRun {
 public:
  SampledRun(const MachineConfig& machine, const divergence::Configured& mechanism, double aim);

  // Where launches are counted that were timed, and their cycles.
  void count_in(StatRegistry& stats);
  void run(const isa::Launch& launch, DeviceMemory& memory, FunctionalEngine& engine);
  // Before the next launch: the L2 has these bytes.
  void fill_l2(Address to, std::uint64_t bytes) { gpu_.fill_l2(to, bytes); }

  // By the estimate; it never goes back.
  double simulated_seconds();
  // What is known of cycles so far, an object of JSON.
  std::string json() const;

 private:
  std::string time_here(const isa::Launch& launch, DeviceMemory& memory);

  const MachineConfig machine_;
  StatRegistry timed_stats_;
  Gpu gpu_;
  CacheWarmer warmer_;
  LaunchSampler sampler_;
  const double aim_;
  std::mt19937_64 phases_;
  Counter* timed_launches_ = nullptr;
  Counter* timed_cycles_ = nullptr;
  double seconds_ = 0;
};

}  // namespace warpfold
