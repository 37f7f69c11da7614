// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/lane_statistics.h"

#include <algorithm>
#include <bit>

#include "warpfold/divergence/packing/mask_totals.h"

namespace warpfold {

using divergence::kPackings;
using divergence::LanesOnUnit;
using divergence::Quads;

namespace {

std::array<Counter*, kPackings.size()> counters_of(StatGroup& stats) {
  std::array<Counter*, kPackings.size()> counters{};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] = &stats.counter(std::string("simd_cycles_") + kPackings[i].name, "cycles", kPackings[i].statistic);
  }
  return counters;
}

// Each scheme's cycles, added without a call through a pointer: this is done for every instruction.
template <class... Scheme>
void add_cycles(const std::tuple<Scheme...>& /*schemes*/, const std::array<Counter*, sizeof...(Scheme)>& counters,
                const LanesOnUnit& lanes, const Quads& quads) {
  std::size_t place = 0;
  ((*counters[place++] += Scheme::cycles(lanes, quads)), ...);
}

}  // namespace

LaneStatistics::LaneStatistics(StatGroup& stats, const CoreParams& params)
    : params_(params),
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
  const isa::MicroOp& op = *instruction.op;
  ++warp_instructions_;
  if (op.spill) [[unlikely]]
    ++(op.kind == isa::Kind::kLoad ? spill_loads_ : spill_stores_);
  thread_instructions_ += static_cast<std::uint64_t>(std::popcount(instruction.active));
  const isa::LaneMask mask = execution_mask(instruction);
  const unsigned width = instruction.width, unit_lanes = params_.unit_lanes(op), simd_lanes = params_.simd_lanes(op);
  // As the issue port's cycles, by eighths of a warp; one that executes in no lane is in none of them.
  if (mask != 0) ++*executed_[(static_cast<unsigned>(std::popcount(mask)) * kEighths - 1) / width];
  const LanesOnUnit lanes{mask, width, unit_lanes};
  const Quads quads = divergence::quads_of(lanes);
  add_cycles(divergence::PackingSchemes{}, packed_, lanes, quads);
  // Most instructions execute in all active lanes of a unit of the SIMD width.
  const bool as_issued = mask == instruction.active && unit_lanes == params_.simd_width;
  simd_cycles_ += as_issued ? quads.active : divergence::active_quads(instruction.active, params_.simd_width);
  const divergence::PackingInfo& packing = divergence::info_of(params_.lane_packing);
  if (packing.swizzles) swizzled_lanes_ += packing.moved_lanes(lanes);
  if (simd_lanes == unit_lanes) {
    count_registers(op, quads, packing.accesses(lanes, quads));
  } else {
    const LanesOnUnit on_simd{mask, width, simd_lanes};
    const Quads of_simd = divergence::quads_of(on_simd);
    count_registers(op, of_simd, packing.accesses(on_simd, of_simd));
  }
}

// Registers are 32 bits; where lanes are grouped by type, an access brings both words of a wider operand.
void LaneStatistics::count_registers(const isa::MicroOp& op, const Quads& quads,
                                     const divergence::QuadAccesses& accesses) {
  const unsigned pairs = params_.lanes_by_type && op.bits > 32 ? 1 : 0;
  const unsigned operands = (op.register_reads + pairs) >> pairs;
  const unsigned results = (op.register_writes + pairs) >> pairs;
  fetched_ += std::uint64_t{operands} * accesses.fetched;
  fetches_suppressed_ += std::uint64_t{operands} * (quads.all - accesses.fetched);
  written_ += std::uint64_t{results} * accesses.written;
  writes_suppressed_ += std::uint64_t{results} * (quads.all - accesses.written);
}

}  // namespace warpfold
