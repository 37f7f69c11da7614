// SPDX-License-Identifier: Apache-2.0
// rtl/barrier_table.sv beside a scheduler's Re-convergence Barriers of HARP: every operation goes to both, their
// results are compared.
#pragma once

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/harp_barriers.h"

namespace warpfold::cosim {

class BarrierShadow final : public divergence::BarrierObserver, Shadow {
 public:
  using Shadow::kPcBits;

  // Of warps of `lanes` of a core of `rows`.
  BarrierShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, unsigned lanes,
                unsigned rows, const divergence::BarrierTableShape& table);

  void reserved(const divergence::ReconvergenceBarriers& after, const divergence::Warp& warp, isa::Pc rpc,
                bool all_or_none, const divergence::ReconvergenceBarriers::Reserved& result) override;
  void searched(const divergence::ReconvergenceBarriers& table, const divergence::Warp& warp, isa::Pc pc,
                isa::LaneMask held) override;
  void reached(const divergence::ReconvergenceBarriers& after, const divergence::Warp& warp, isa::LaneMask lanes,
               isa::Pc pc) override;
  void left(const divergence::ReconvergenceBarriers& after, const divergence::Warp& warp, isa::LaneMask lanes,
            unsigned given_up) override;
  void taken(const divergence::ReconvergenceBarriers& after, const divergence::Warp& warp) override;

 private:
  enum class Op : unsigned { kReserve, kReach, kLeave, kHeld, kTake };

  void operate(Op op, const divergence::ReconvergenceBarriers& after, const divergence::Warp& warp, isa::LaneMask lanes,
               isa::Pc pc);
  void same(Op op, const char* what, std::uint64_t expected, std::uint64_t got);

  unsigned row_bits_, entries_;
  Coverage::Index used_points_, full_, misses_, complete_points_, all_or_none_;
  Pin op_mask_, op_row_, op_pc_, op_all_or_none_;
  Pin res_lanes_, res_count_, complete_, used_, warp_mask_, warp_row_, warp_pc_;
};

}  // namespace warpfold::cosim
