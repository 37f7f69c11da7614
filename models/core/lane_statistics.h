// SPDX-License-Identifier: Apache-2.0
// Instructions by warp and by active lane, and what lane packing makes of them: counted alike by the issue stage and by
// functional execution.
#pragma once

#include <vector>

#include "warpfold/common/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"

namespace warpfold {

// Every packing's cycles are counted in every run: they are a function of the execution mask alone (the trace-based
// profiling of Intra-warp §5.1). Register accesses and moved lanes are those of the packing that the core has.
class LaneStatistics {
 public:
  LaneStatistics(StatGroup& stats, const CoreParams& params);
  void count(const Instruction& instruction);

  // Runs of instructions that the same lanes execute are counted when they are asked for, each run once with the number
  // of times that it came.
  // [begin, end) in the lanes `active`, all of which execute what has no guard. What has one counts elsewhere, but for
  // branches, which read the guards of all.
  void count_run(isa::Pc begin, isa::Pc end, isa::LaneMask active) {
    constexpr std::uint64_t kSpread = 0x9e37'79b9'7f4a'7c15;
    Run& run = runs_[((active ^ std::uint64_t{begin} << 40 ^ std::uint64_t{end} << 20) * kSpread >> 32) % kKeptRuns];
    if (run.begin != begin || run.end != end || run.active != active) [[unlikely]] {
      make_room(run);
      run = {begin, end, active, 0};
    }
    ++run.times;
  }
  void count(const isa::MicroOp& op, isa::LaneMask active, isa::LaneMask executing, unsigned width);
  // While the kernel runs: at its end, well or not, its runs are added to the counters.
  class Runs {
   public:
    Runs(LaneStatistics& lanes, const isa::Kernel& kernel) : lanes_(lanes) { lanes_.kernel_started(kernel); }
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;
    ~Runs() { lanes_.kernel_ended(); }

   private:
    LaneStatistics& lanes_;
  };

 private:
  static constexpr unsigned kEighths = 8;                    // of a warp
  static constexpr unsigned kKept = 64, kKeptOfRuns = 1024;  // powers of two

  // The masks of an instruction and its units.
  struct Lanes {
    isa::LaneMask executing = 0, active = 0;
    unsigned width = 0, unit_lanes = 0, simd_lanes = 0;
    bool operator==(const Lanes&) const = default;
  };
  // What such an instruction adds.
  struct Shares {
    Lanes of;
    unsigned thread_instructions = 0, simd_cycles = 0, swizzled_lanes = 0;
    unsigned eighth = 0;  // as executed_
    std::array<unsigned, divergence::kPackings.size()> packed{};
    unsigned quads = 0;  // of the register file's accesses, as the next
    divergence::QuadAccesses accesses;
  };

  struct Run {
    isa::Pc begin = 0, end = 0;
    isa::LaneMask active = 0;
    std::uint64_t times = 0;
  };
  static constexpr unsigned kKeptRuns = 2048;  // a power of two

  // Instructions on units of the same width, and their operands and results.
  struct Alike {
    unsigned unit_lanes = 0, simd_lanes = 0;
    std::uint64_t instructions = 0, operands = 0, results = 0;
    bool same_unit(const Alike& other) const {
      return unit_lanes == other.unit_lanes && simd_lanes == other.simd_lanes;
    }
    void add(const Alike& others, std::uint64_t times) {
      instructions += times * others.instructions;
      operands += times * others.operands;
      results += times * others.results;
    }
  };

  void kernel_started(const isa::Kernel& kernel);
  void kernel_ended();
  Alike alike_with(const isa::MicroOp& op) const;
  Counter& spilled(const isa::MicroOp& op);
  void add(const Lanes& lanes, const Alike& alike);
  void add(const Run& run);
  void make_room(const Run& run);
  void sum_up(const isa::MicroOp& op);
  Shares shares_of(const Lanes& lanes) const;

  const CoreParams& params_;
  std::vector<Run> runs_;
  std::vector<unsigned> filled_;  // of runs_
  // Of the kernel: [pc × units + u] what the instructions before pc come to that runs count and go to units_[u].
  std::vector<Alike> units_, before_;
  std::vector<std::array<std::uint64_t, 2>> spills_before_;  // [pc] loads and stores of spill code among them
  std::vector<Shares> kept_;                                 // masks come again and again
  Counter &warp_instructions_, &thread_instructions_, &spill_loads_, &spill_stores_, &simd_cycles_;
  std::array<Counter*, divergence::kPackings.size()> packed_;
  std::array<Counter*, kEighths + 1> executed_{};  // one that executes in no lane is in none of them
  Counter in_no_lane_;
  Counter &swizzled_lanes_, &fetched_, &fetches_suppressed_, &written_, &writes_suppressed_;
};

}  // namespace warpfold
