// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/issue/lane_statistics.h"

#include <algorithm>
#include <bit>

#include "warpfold/divergence/packing/mask_totals.h"

namespace warpfold {

using divergence::kPackings;
using divergence::LanesOnUnit;
using divergence::Quads;
using isa::LaneMask;
using isa::Pc;

namespace {

std::array<Counter*, kPackings.size()> counters_of(StatGroup& stats) {
  std::array<Counter*, kPackings.size()> counters{};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] = &stats.counter(std::string("simd_cycles_") + kPackings[i].name, "cycles", kPackings[i].statistic);
  }
  return counters;
}

// Each scheme's cycles.
template <class... Scheme>
std::array<unsigned, sizeof...(Scheme)> cycles_of(const std::tuple<Scheme...>& /*schemes*/, const LanesOnUnit& lanes,
                                                  const Quads& quads) {
  return {Scheme::cycles(lanes, quads)...};
}

}  // namespace

LaneStatistics::LaneStatistics(StatGroup& stats, const CoreParams& params)
    : params_(params),
      kept_(kKept),
      warp_instructions_(stats.counter("warp_instructions", "warp instructions", "instructions issued, per warp")),
      thread_instructions_(
          stats.counter("thread_instructions", "thread instructions", "instructions issued, per active lane")),
      spill_loads_(stats.counter("spill_loads", "warp instructions", "of spill code, among warp_instructions")),
      spill_stores_(stats.counter("spill_stores", "warp instructions", "of spill code, among warp_instructions")),
      simd_cycles_(stats.counter("simd_active_cycles", "cycles",
                                 "SIMD cycles with an active lane, were every unit as wide as the SIMD pipeline")),
      packed_(counters_of(stats)),
      swizzled_lanes_(
          stats.counter("swizzled_lanes", "lanes", "moved to another lane of the unit by scc (Intra-warp Fig. 6)")),
      fetched_(stats.counter("operand_quads_fetched", "accesses",
                             "register reads of one SIMD width of lanes, per operand (Intra-warp §4.1)")),
      fetches_suppressed_(stats.counter("operand_quads_suppressed", "accesses",
                                        "register reads that lane packing none would do beyond those")),
      written_(stats.counter("result_quads_written", "accesses",
                             "register writes of one SIMD width of lanes, per result (Intra-warp §4.1)")),
      writes_suppressed_(stats.counter("result_quads_suppressed", "accesses",
                                       "register writes that lane packing none would do beyond those")) {
  for (unsigned i = 0; i < kEighths; ++i) {
    executed_[i] =
        &stats.counter(fmt::format("executed_w{}_{}", 4 * i + 1, 4 * i + 4), "warp instructions",
                       fmt::format("that execute in {} to {} of 32 lanes (Intra-warp Fig. 9)", 4 * i + 1, 4 * i + 4));
  }
  executed_[kEighths] = &in_no_lane_;
  stats.ratio("simd_efficiency", "active lanes per issued warp instruction, of the warp's width (TBC §1)",
              "thread_instructions", "warp_instructions", params.warp_size);
  stats.ratio("lane_activity", "active lanes per SIMD cycle that has one, of the SIMD width (HARP eq. 2)",
              "thread_instructions", "simd_active_cycles", params.simd_width);
  for (const char* const packed : {"bcc", "scc"}) {
    stats.derive(fmt::format("{}_saving", packed), "",
                 fmt::format("SIMD cycles that {} saves beyond ivb, of those with ivb (Intra-warp Fig. 10)", packed),
                 [cycles = fmt::format("simd_cycles_{}", packed)](const StatValues& v) {
                   return divergence::saving_beyond_ivb(value_of(v, cycles), value_of(v, "simd_cycles_ivb"));
                 });
  }
}

void LaneStatistics::count(const Instruction& instruction) {
  count(*instruction.op, instruction.active, execution_mask(instruction), instruction.width);
}

Counter& LaneStatistics::spilled(const isa::MicroOp& op) {
  return op.kind == isa::Kind::kLoad ? spill_loads_ : spill_stores_;
}

// Registers are 32 bits; where lanes are grouped by type, an access brings both words of a wider operand.
LaneStatistics::Widths LaneStatistics::widths_of(const isa::MicroOp& op, unsigned width) const {
  const unsigned pairs = params_.lanes_by_type && op.bits > 32 ? 1 : 0;
  return {width | params_.unit_lanes(op) << 8 | params_.simd_lanes(op) << 16,
          static_cast<std::uint16_t>((op.register_reads + pairs) >> pairs),
          static_cast<std::uint16_t>((op.register_writes + pairs) >> pairs)};
}

void LaneStatistics::settle() {
  for (Kept& kept : kept_) {
    add(kept);
    kept.sums = {};
  }
}

void LaneStatistics::add(const Kept& kept) {
  const std::uint64_t times = kept.sums.instructions;
  if (times == 0) return;
  const Shares shares = shares_of(kept.of);
  warp_instructions_ += times;
  thread_instructions_ += times * shares.thread_instructions;
  *executed_[shares.eighth] += times;
  for (std::size_t i = 0; i < packed_.size(); ++i) *packed_[i] += times * shares.packed[i];
  simd_cycles_ += times * shares.simd_cycles;
  swizzled_lanes_ += times * shares.swizzled_lanes;
  fetched_ += kept.sums.operands * shares.accesses.fetched;
  fetches_suppressed_ += kept.sums.operands * (shares.quads - shares.accesses.fetched);
  written_ += kept.sums.results * shares.accesses.written;
  writes_suppressed_ += kept.sums.results * (shares.quads - shares.accesses.written);
}

// --- Runs of instructions --------------------------------------------------------------------------

void LaneStatistics::kernel_started(const isa::Kernel& kernel) {
  runs_.resize(kKeptRuns);
  kept_.resize(kKeptOfRuns);
  units_.clear();
  for (const isa::MicroOp& op : kernel.ops) {
    const std::uint32_t unit = widths_of(op, params_.warp_size).lanes;
    if (std::find(units_.begin(), units_.end(), unit) == units_.end()) units_.push_back(unit);
  }
  before_.assign(units_.size(), {});
  spills_before_.assign(1, {});
  for (const isa::MicroOp& op : kernel.ops) sum_up(op);
}

// Appends what all instructions up to `op` come to.
void LaneStatistics::sum_up(const isa::MicroOp& op) {
  const Widths widths = widths_of(op, params_.warp_size);
  const bool counts = op.guard == isa::kNoWord || op.kind == isa::Kind::kBranch;
  const std::size_t last = before_.size() - units_.size();
  for (std::size_t u = 0; u < units_.size(); ++u) {
    Sums sums = before_[last + u];
    if (counts && units_[u] == widths.lanes) sums.add({1, widths.operands, widths.results}, 1);
    before_.push_back(sums);
  }
  spills_before_.push_back(spills_before_.back());
  if (counts && op.spill) ++spills_before_.back()[op.kind == isa::Kind::kLoad ? 0 : 1];
}

void LaneStatistics::kernel_ended() {
  for (const unsigned place : filled_) {
    add(runs_[place]);
    runs_[place] = {};
  }
  filled_.clear();
  settle();
}

void LaneStatistics::make_room(const Run& run) {
  if (run.times != 0) return add(run);
  filled_.push_back(static_cast<unsigned>(&run - runs_.data()));
}

void LaneStatistics::add(const Run& run) {
  spill_loads_ += run.times * (spills_before_[run.end][0] - spills_before_[run.begin][0]);
  spill_stores_ += run.times * (spills_before_[run.end][1] - spills_before_[run.begin][1]);
  const std::size_t units = units_.size();
  for (std::size_t u = 0; u < units; ++u) {
    const Sums &begin = before_[run.begin * units + u], &end = before_[run.end * units + u];
    if (begin.instructions == end.instructions) continue;
    kept_for({run.active, run.active, units_[u]})
        .sums.add({end.instructions - begin.instructions, end.operands - begin.operands, end.results - begin.results},
                  run.times);
  }
}

LaneStatistics::Shares LaneStatistics::shares_of(const Lanes& lanes) const {
  const unsigned width = lanes.widths & 0xff;
  const LanesOnUnit on_unit{lanes.executing, width, lanes.widths >> 8 & 0xff};
  const LanesOnUnit on_simd{lanes.executing, width, lanes.widths >> 16};
  const Quads of_simd = divergence::quads_of(on_simd);
  const auto executing = static_cast<unsigned>(std::popcount(lanes.executing));
  const divergence::PackingInfo& packing = divergence::info_of(params_.lane_packing);
  Shares shares;
  shares.thread_instructions = static_cast<unsigned>(std::popcount(lanes.active));
  // As the issue port's cycles, by eighths of a warp.
  shares.eighth = executing != 0 ? (executing * kEighths - 1) / width : kEighths;
  shares.packed = cycles_of(divergence::PackingSchemes{}, on_unit, divergence::quads_of(on_unit));
  shares.simd_cycles = divergence::active_quads(lanes.active, params_.simd_width);
  if (packing.swizzles) shares.swizzled_lanes = packing.moved_lanes(on_unit);
  shares.quads = of_simd.all;
  shares.accesses = packing.accesses(on_simd, of_simd);
  return shares;
}

}  // namespace warpfold
