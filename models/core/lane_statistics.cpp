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
  const auto cycles = divergence::all_packed_cycles(lanes);
  for (std::size_t i = 0; i < cycles.size(); ++i) *packed_[i] += cycles[i];
  if (params_.lane_packing == Packing::kScc) swizzled_lanes_ += divergence::swizzled_lanes(lanes);
  count_registers(op, {lanes.mask, lanes.width, params_.simd_lanes(op)});
}

// Registers are 32 bits; where lanes are grouped by type, an access brings all words of a wider operand.
void LaneStatistics::count_registers(const isa::MicroOp& op, const LanesOnUnit& lanes) {
  const unsigned words = params_.lanes_by_type ? std::max(op.bits / 32U, 1U) : 1;
  const unsigned operands = (op.register_reads + words - 1) / words;
  const unsigned results = (op.register_writes + words - 1) / words;
  const divergence::QuadAccesses quads = divergence::quad_accesses(params_.lane_packing, lanes);
  fetched_ += std::uint64_t{operands} * quads.fetched;
  fetches_suppressed_ += std::uint64_t{operands} * (lanes.quads() - quads.fetched);
  written_ += std::uint64_t{results} * quads.written;
  writes_suppressed_ += std::uint64_t{results} * (lanes.quads() - quads.written);
}

}  // namespace warpfold
