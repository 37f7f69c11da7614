// SPDX-License-Identifier: Apache-2.0
// Instructions by warp and by active lane, and what lane packing makes of them: counted alike by the issue stage and by
// functional execution.
#pragma once

#include <vector>

#include "warpfold/common/results/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"

namespace warpfold {

// Every packing's cycles are counted in every run: they are a function of the execution mask alone (the trace-based
// profiling of Intra-warp §5.1). Register accesses and moved lanes are those of the packing that the core has.
class LaneStatistics {
 public:
  LaneStatistics(StatGroup& stats, const CoreParams& params);

  // What an instruction of a kernel has whatever its masks: lanes of its warp, of its unit and of one of the SIMD
  // width, 8 bits each, and registers that it reads and writes.
  struct Widths {
    std::uint32_t lanes = 0;
    std::uint16_t operands = 0, results = 0;
  };
  Widths widths_of(const isa::MicroOp& op, unsigned width) const;

  // Instructions are counted by their masks, and added to the counters by settle().
  void count(const Widths& widths, isa::LaneMask active, isa::LaneMask executing) {
    Kept& kept = kept_for({executing, active, widths.lanes});
    kept.sums.add({1, widths.operands, widths.results}, 1);
  }
  void count(const isa::MicroOp& op, isa::LaneMask active, isa::LaneMask executing, unsigned width) {
    if (op.spill) [[unlikely]]
      ++spilled(op);
    count(widths_of(op, width), active, executing);
  }
  void count(const Instruction& instruction);
  Counter& spilled(const isa::MicroOp& op);
  void settle();

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
  // While the kernel runs: at its end, well or not, all is added to the counters.
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

  // The masks of an instruction, and its Widths::lanes.
  struct Lanes {
    isa::LaneMask executing = 0, active = 0;
    std::uint32_t widths = 0;
    bool operator==(const Lanes&) const = default;
  };
  // What such an instruction adds.
  struct Shares {
    unsigned thread_instructions = 0, simd_cycles = 0, swizzled_lanes = 0;
    unsigned eighth = 0;  // as executed_
    std::array<unsigned, divergence::kPackings.size()> packed{};
    unsigned quads = 0;  // of the register file's accesses, as the next
    divergence::QuadAccesses accesses;
  };
  // Instructions, and their operands and results.
  struct Sums {
    std::uint64_t instructions = 0, operands = 0, results = 0;
    void add(const Sums& others, std::uint64_t times) {
      instructions += times * others.instructions;
      operands += times * others.operands;
      results += times * others.results;
    }
  };
  // Those that have come.
  struct Kept {
    Lanes of;
    Sums sums;
  };

  struct Run {
    isa::Pc begin = 0, end = 0;
    isa::LaneMask active = 0;
    std::uint64_t times = 0;
  };
  static constexpr unsigned kKeptRuns = 2048;  // a power of two

  Kept& kept_for(const Lanes& lanes) {
    constexpr std::uint64_t kSpread = 0x9e37'79b9'7f4a'7c15;
    const std::uint64_t place = (lanes.executing + 3 * lanes.active) * kSpread >> 32 ^ lanes.widths >> 8;
    Kept& kept = kept_[place & (kept_.size() - 1)];
    if (kept.of != lanes) [[unlikely]] {
      add(kept);
      kept = {lanes, {}};
    }
    return kept;
  }
  void kernel_started(const isa::Kernel& kernel);
  void kernel_ended();
  void add(const Kept& kept);
  void add(const Run& run);
  void make_room(const Run& run);
  void sum_up(const isa::MicroOp& op);
  Shares shares_of(const Lanes& lanes) const;

  const CoreParams& params_;
  std::vector<Run> runs_;
  std::vector<unsigned> filled_;  // of runs_
  // Of the kernel: [pc × units + u] what the instructions before pc come to that runs count and have units_[u].
  std::vector<Sums> before_;
  std::vector<std::uint32_t> units_;                         // Widths::lanes
  std::vector<std::array<std::uint64_t, 2>> spills_before_;  // [pc] loads and stores of spill code among them
  std::vector<Kept> kept_;                                   // masks come again and again
  Counter &warp_instructions_, &thread_instructions_, &spill_loads_, &spill_stores_, &simd_cycles_;
  std::array<Counter*, divergence::kPackings.size()> packed_;
  std::array<Counter*, kEighths + 1> executed_{};  // one that executes in no lane is in none of them
  Counter in_no_lane_;
  Counter &swizzled_lanes_, &fetched_, &fetches_suppressed_, &written_, &writes_suppressed_;
};

}  // namespace warpfold
