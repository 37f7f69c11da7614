// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/barrier_shadow.h"

#include <fmt/format.h>

#include <bit>

#include "models/common/error.h"

namespace warpfold::cosim {

using divergence::ReconvergenceBarriers;
using divergence::Warp;
using isa::LaneMask;
using isa::Pc;

namespace {

constexpr const char* kOpNames[] = {"reserve", "reach", "leave", "search", "take"};

}  // namespace

BarrierShadow::BarrierShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler,
                             unsigned lanes, unsigned rows, const divergence::BarrierTableShape& table)
    : model_(session, "barriers", core,
             {{"Lanes", lanes},
              {"Entries", table.entries},
              {"Ways", table.ways},
              {"Schedulers", table.schedulers},
              {"Rows", rows},
              {"PcWidth", kPcBits}},
             fmt::format("_scheduler{}", scheduler)),
      clock_(clock),
      row_bits_(index_width(rows)),
      op_valid_(model_.pin("op_valid_i")),
      op_ready_(model_.pin("op_ready_o")),
      op_kind_(model_.pin("op_kind_i")),
      op_mask_(model_.pin("op_mask_i")),
      op_row_(model_.pin("op_row_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_all_or_none_(model_.pin("op_all_or_none_i")),
      done_valid_(model_.pin("done_valid_o")),
      res_lanes_(model_.pin("res_lanes_o")),
      res_count_(model_.pin("res_count_o")),
      complete_(model_.pin("complete_o")),
      used_(model_.pin("used_o")),
      warp_mask_(model_.pin("warp_mask_o")),
      warp_row_(model_.pin("warp_row_o")),
      warp_pc_(model_.pin("warp_pc_o")) {}

void BarrierShadow::operate(Op op, const ReconvergenceBarriers& after, const Warp& warp, LaneMask lanes, Pc pc) {
  if (pc >> kPcBits != 0) {
    user_error("{}: pc {} does not fit the RTL's {} bits: run a smaller kernel, or without --rtl barriers",
               model_.rtl().instance(), pc, kPcBits);
  }
  const std::uint64_t now_ps = clock_.edge_ps(clock_.current());
  const char* const name = kOpNames[static_cast<unsigned>(op)];
  RtlModel& rtl = model_.rtl();
  op_mask_.set(lanes);
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    op_row_.set_field(lane * row_bits_, row_bits_, warp.row[lane]);
  }
  op_pc_.set(pc);
  op_kind_.set(static_cast<unsigned>(op));
  op_valid_.set(1);
  rtl.eval();
  model_.clock_until(now_ps, op_ready_, name);
  model_.clock(now_ps);
  op_valid_.set(0);
  rtl.eval();
  model_.clock_until(now_ps, done_valid_, name);
  ++model_.record.operations;
  same(op, "entries in use", after.used(), used_.get());
  same(op, "a barrier is complete", after.complete() ? 1 : 0, complete_.get());
  if (after.used() == 0) rtl.forget();
}

void BarrierShadow::same(Op op, const char* what, std::uint64_t expected, std::uint64_t got) {
  if (expected == got) return;
  model_.session.differs(model_.rtl(), fmt::format("{}: {}", kOpNames[static_cast<unsigned>(op)], what),
                         fmt::format("0x{:x}", expected), fmt::format("0x{:x}", got));
}

void BarrierShadow::reserved(const ReconvergenceBarriers& after, const Warp& warp, Pc rpc, bool all_or_none,
                             const ReconvergenceBarriers::Reserved& result) {
  op_all_or_none_.set(all_or_none ? 1 : 0);
  operate(Op::kReserve, after, warp, warp.mask, rpc);
  same(Op::kReserve, "lanes that miss", result.misses, res_lanes_.get());
  same(Op::kReserve, "entries taken", result.entries, res_count_.get());
}

void BarrierShadow::searched(const ReconvergenceBarriers& table, const Warp& warp, Pc pc, LaneMask held) {
  operate(Op::kHeld, table, warp, warp.mask, pc);
  same(Op::kHeld, "lanes that hold a barrier", held, res_lanes_.get());
}

void BarrierShadow::reached(const ReconvergenceBarriers& after, const Warp& warp, LaneMask lanes, Pc pc) {
  operate(Op::kReach, after, warp, lanes, pc);
}

void BarrierShadow::left(const ReconvergenceBarriers& after, const Warp& warp, LaneMask lanes, unsigned given_up) {
  operate(Op::kLeave, after, warp, lanes, 0);
  same(Op::kLeave, "barriers given up", given_up, res_count_.get());
}

void BarrierShadow::taken(const ReconvergenceBarriers& after, const Warp& warp) {
  operate(Op::kTake, after, warp, 0, 0);
  same(Op::kTake, "lanes of the warp", warp.mask, warp_mask_.get());
  same(Op::kTake, "pc of the warp", warp.pc, warp_pc_.get());
  for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    same(Op::kTake, "row of a thread", warp.row[lane], warp_row_.field(lane * row_bits_, row_bits_));
  }
}

}  // namespace warpfold::cosim
