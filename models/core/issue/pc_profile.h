// SPDX-License-Identifier: Apache-2.0
// What each instruction of a kernel did in all warps, cores and launches: how many lanes it had, where branches parted
// threads, what accesses cost, and what warps waited for there. Off unless somebody hands the machine one
// (GpuOptions::profile).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "warpfold/common/clock/cycle.h"
#include "warpfold/core/core_watch.h"
#include "warpfold/core/instruction.h"
#include "warpfold/isa/kernel.h"

namespace warpfold {

// By what they wait for, but for their turn: that costs nothing, another one issues.
inline constexpr std::size_t kWaits = kWaitNames.size() - 1;
static_assert(static_cast<std::size_t>(Wait::kTurn) == kWaits);

struct PcCounts {
  std::uint64_t issued = 0;        // warp instructions
  std::uint64_t lanes = 0;         // active ones, summed over those
  std::uint64_t executed = 0;      // of them, whose guard held
  std::uint64_t lost = 0;          // lanes of the warps that were not active
  std::uint64_t issue_cycles = 0;  // for which they held the issue port
  std::uint64_t divergent = 0;     // branches: warp instructions that went both ways
  std::uint64_t taken = 0;         // branches: lanes that went to the target
  std::uint64_t accesses = 0;      // memory: warp instructions in which a lane executed
  std::uint64_t lines = 0;         // that these asked for after coalescing, or distinct words of the constant bank
  std::uint64_t conflicts = 0;     // cycles that bank conflicts in shared memory added
  std::array<std::uint64_t, kWaits> waits{};  // warp cycles

  PcCounts& operator+=(const PcCounts& other);
  bool operator==(const PcCounts&) const = default;
};

class PcProfile {
 public:
  struct Kernel {
    isa::Kernel code;  // a copy: the program may unload its own
    std::uint64_t launches = 0, cycles = 0;
    std::vector<PcCounts> counts;  // by pc
  };

  // What a launch counts becomes part of its kernel when it ends; of one that has failed nothing does.
  void launch_started(const isa::Kernel& kernel);
  void launch_ended(Cycle cycles);

  // `port_cycles`: for which it holds the issue port; 0 where there is no time.
  void issued(const Instruction& instruction, Cycle port_cycles);
  void waited(isa::Pc pc, Wait why, Cycle cycles) { now_[pc].waits[static_cast<std::size_t>(why)] += cycles; }

  // In the order of their first launches.
  const std::deque<Kernel>& kernels() const { return kernels_; }

 private:
  Kernel& entry_of(const isa::Kernel& kernel);

  std::deque<Kernel> kernels_;
  const isa::Kernel* running_ = nullptr;
  std::vector<PcCounts> now_;  // of the launch that runs
};

}  // namespace warpfold
