// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/lane_statistics.h"

#include <algorithm>
#include <bit>

namespace warpfold {

using divergence::Packing;

LaneStatistics::LaneStatistics(StatGroup& stats, const CoreParams& params)
    : params_(params),
      warp_instructions_(stats.counter("warp_instructions", "warp instructions", "instructions issued, per warp")),
      thread_instructions_(
          stats.counter("thread_instructions", "thread instructions", "instructions issued, per active lane")),
      spill_loads_(stats.counter("spill_loads", "warp instructions", "of spill code, among warp_instructions")),
      spill_stores_(stats.counter("spill_stores", "warp instructions", "of spill code, among warp_instructions")),
      simd_cycles_(stats.counter("simd_active_cycles", "cycles",
                                 "SIMD cycles with an active lane, were every unit as wide as the SIMD pipeline")),
      packed_{
          &stats.counter("simd_cycles_none", "cycles", "instructions would hold their units with lane packing none"),
          &stats.counter("simd_cycles_ivb", "cycles", "the same with ivb: empty halves of 16 lanes (Intra-warp §5.2)"),
          &stats.counter("simd_cycles_bcc", "cycles", "the same with bcc: empty quads skipped (Intra-warp §3.1)"),
          &stats.counter("simd_cycles_scc", "cycles", "the same with scc: lanes swizzled together (Intra-warp §3.2)")},
      swizzled_lanes_(
          stats.counter("swizzled_lanes", "lanes", "moved to another lane of the unit by scc (Intra-warp Fig. 6)")),
      fetched_(stats.counter("operand_quads_fetched", "accesses",
                             "register reads of one SIMD width of lanes, per operand (Intra-warp §4.1)")),
      fetches_suppressed_(stats.counter("operand_quads_suppressed", "accesses",
                                        "register reads that lane packing none would do beyond those")),
      written_(stats.counter("result_quads_written", "accesses",
                             "register writes of one SIMD width of lanes, per result (Intra-warp §4.1)")),
      writes_suppressed_(stats.counter("result_quads_suppressed", "accesses",
                                       "register writes that lane packing none would do beyond those")) {}

void LaneStatistics::count(const Instruction& instruction) {
  const isa::MicroOp& op = *instruction.op;
  ++warp_instructions_;
  if (op.spill) [[unlikely]]
    ++(op.kind == isa::Kind::kLoad ? spill_loads_ : spill_stores_);
  thread_instructions_ += static_cast<std::uint64_t>(std::popcount(instruction.active));
  const isa::LaneMask mask = execution_mask(instruction);
  const unsigned width = instruction.width, unit_lanes = params_.unit_lanes(op), simd_lanes = params_.simd_lanes(op);
  const divergence::PackedCounts counts = divergence::packed_counts(mask, width, unit_lanes);
  const auto add = [&](Packing packing) { *packed_[static_cast<std::size_t>(packing)] += counts.cycles(packing); };
  add(Packing::kNone);
  add(Packing::kIvb);
  add(Packing::kBcc);
  add(Packing::kScc);
  // Most instructions execute in all active lanes of a unit of the SIMD width.
  const bool as_issued = mask == instruction.active && unit_lanes == params_.simd_width;
  simd_cycles_ += as_issued ? counts.active_quads : divergence::active_quads(instruction.active, params_.simd_width);
  if (params_.lane_packing == Packing::kScc) {
    swizzled_lanes_ += divergence::swizzled_lanes({mask, width, unit_lanes});
  }
  count_registers(op, simd_lanes == unit_lanes ? counts : divergence::packed_counts(mask, width, simd_lanes));
}

// Registers are 32 bits; where lanes are grouped by type, an access brings both words of a wider operand.
void LaneStatistics::count_registers(const isa::MicroOp& op, const divergence::PackedCounts& counts) {
  const unsigned pairs = params_.lanes_by_type && op.bits > 32 ? 1 : 0;
  const unsigned operands = (op.register_reads + pairs) >> pairs;
  const unsigned results = (op.register_writes + pairs) >> pairs;
  const divergence::QuadAccesses quads = counts.accesses(params_.lane_packing);
  fetched_ += std::uint64_t{operands} * quads.fetched;
  fetches_suppressed_ += std::uint64_t{operands} * (counts.quads - quads.fetched);
  written_ += std::uint64_t{results} * quads.written;
  writes_suppressed_ += std::uint64_t{results} * (counts.quads - quads.written);
}

}  // namespace warpfold
