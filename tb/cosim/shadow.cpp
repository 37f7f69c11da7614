// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadow.h"

#include <fmt/format.h>

#include <bit>

#include "warpfold/common/error.h"

namespace warpfold::cosim {

Shadow::Shadow(Session& session, const ClockDomain& clock, std::string_view block, unsigned core,
               const RtlParameters& parameters, const std::string& part)
    : model_(session, block, core, parameters, part),
      clock_(clock),
      handshake_{model_.pin("op_valid_i"), model_.pin("op_ready_o"), model_.pin("done_valid_o")},
      op_kind_(model_.pin("op_kind_i")) {
  model_.record.coverage.cannot("operations_back_to_back", Coverage::kOneAtATime);
}

unsigned Shadow::operate(unsigned kind, const char* name, std::uint64_t block, std::uint64_t pc) {
  while (kinds_.size() <= kind) kinds_.push_back(model_.record.coverage.event(name));
  model_.record.coverage.count(kinds_[kind]);
  model_.asks(name, block, pc);
  op_kind_.set(kind);
  const std::uint64_t before = model_.rtl().clocks();
  model_.operate(clock_.edge_ps(clock_.current()), handshake_, name);
  return static_cast<unsigned>(model_.rtl().clocks() - before);
}

void Shadow::took(const char* name, unsigned clocks_of_model, unsigned clocks) {
  if (clocks == clocks_of_model) return;
  if (model_.session.cycle_exact()) {
    model_.session.differs(model_.rtl(), name, fmt::format("it done in {} clocks", clocks_of_model),
                           fmt::format("in {}", clocks));
  }
  model_.record.late_cycles += clocks > clocks_of_model ? clocks - clocks_of_model : 0;
}

void Shadow::set_pc(Pin& pin, isa::Pc pc, unsigned lsb) {
  if (pc >> kPcBits != 0) {
    user_error("{}: pc {} does not fit the RTL's {} bits: run a smaller kernel, or without --rtl {}",
               model_.rtl().instance(), pc, kPcBits, model_.record.name);
  }
  pin.set_field(lsb, kPcBits, pc);
}

void Shadow::set_rows(Pin& pin, unsigned row_bits, const divergence::Warp& warp, isa::LaneMask lanes) {
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    pin.set_field(lane * row_bits, row_bits, warp.row[lane]);
  }
}

void Shadow::get_rows(const Pin& pin, unsigned row_bits, divergence::Warp& warp) {
  for (isa::LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    warp.row[lane] = static_cast<std::uint16_t>(pin.field(lane * row_bits, row_bits));
  }
}

void Shadow::same_rows(const char* operation, const Pin& pin, unsigned row_bits, const divergence::Warp& warp) {
  for (isa::LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    same(operation, "row of a thread", warp.row[lane], pin.field(lane * row_bits, row_bits));
  }
}

}  // namespace warpfold::cosim
