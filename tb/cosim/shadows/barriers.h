// SPDX-License-Identifier: Apache-2.0
// rtl/barrier_table.sv in the place of a scheduler's Re-convergence Barriers of HARP: its results decide.
#pragma once

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/harp/harp_barriers.h"

namespace warpfold::cosim {

class RtlBarriers final : public divergence::BarrierPlayer, Shadow {
 public:
  using Shadow::kPcBits;

  // Of warps of `lanes` of a core of `rows`.
  RtlBarriers(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, unsigned lanes,
              unsigned rows, const divergence::BarrierTableShape& table);

  const Answer& reserve(const Table& after, const divergence::Warp& warp, isa::Pc rpc, bool all_or_none,
                        const Table::Reserved& result, unsigned clocks) override;
  const Answer& search(const Table& table, const divergence::Warp& warp, isa::Pc pc, isa::LaneMask held,
                       unsigned clocks) override;
  const Answer& reach(const Table& after, const divergence::Warp& warp, isa::LaneMask lanes, isa::Pc pc,
                      unsigned clocks) override;
  const Answer& leave(const Table& after, const divergence::Warp& warp, isa::LaneMask lanes, unsigned given_up,
                      unsigned clocks) override;
  const Answer& take(const Table& after, const divergence::Warp& warp, unsigned clocks) override;

 private:
  enum class Op : unsigned { kReserve, kReach, kLeave, kHeld, kTake };

  void operate(Op op, const Table& after, const divergence::Warp& warp, isa::LaneMask lanes, isa::Pc pc,
               unsigned clocks);
  void same(Op op, const char* what, std::uint64_t expected, std::uint64_t got);

  Answer answer_;
  unsigned row_bits_, entries_, rows_of_core_;
  const divergence::BarrierTableShape shape_;
  Coverage::Index rows_, sets_, rows_of_warp_, taken_, given_up_, some_miss_, joins_, holds_, holds_none_,
      another_complete_, leave_completes_, leave_frees_, reach_completes_, reach_waits_, queue_;
  unsigned used_before_ = 0, takes_ = 0;
  bool complete_before_ = false;
  Coverage::Index used_points_, full_, misses_, complete_points_, all_or_none_;
  Pin op_mask_, op_row_, op_pc_, op_all_or_none_;
  Pin res_lanes_, res_count_, complete_, used_, warp_mask_, warp_row_, warp_pc_;
};

}  // namespace warpfold::cosim
