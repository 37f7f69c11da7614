// SPDX-License-Identifier: Apache-2.0
#include "models/core/lane_statistics.h"

#include <algorithm>
#include <bit>

namespace warpfold {

using divergence::LanesOnUnit;
using divergence::Packing;

LaneStatistics::LaneStatistics(StatGroup& stats, const CoreParams& params)
    : params_(params),
      warp_instructions_(stats.counter("warp_instructions", "warp instructions", "instructions issued, per warp")),
      thread_instructions_(
          stats.counter("thread_instructions", "thread instructions", "instructions issued, per active lane")),
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
  thread_instructions_ += static_cast<std::uint64_t>(std::popcount(instruction.active));
  simd_cycles_ += divergence::active_quads(instruction.active, params_.simd_width);
  const LanesOnUnit lanes{execution_mask(instruction), instruction.width, params_.unit_lanes(op)};
  if (lanes != last_) counts_ = divergence::packed_counts(last_ = lanes);
  for (std::size_t i = 0; i < packed_.size(); ++i) *packed_[i] += counts_.cycles(divergence::kPackings[i]);
  if (params_.lane_packing == Packing::kScc) swizzled_lanes_ += divergence::swizzled_lanes(lanes);
  const unsigned simd_lanes = params_.simd_lanes(op);
  const bool full_width = simd_lanes == lanes.unit_width;
  count_registers(op, full_width ? counts_ : divergence::packed_counts({lanes.mask, lanes.width, simd_lanes}));
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
