// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadow.h"

#include <fmt/format.h>

#include "warpfold/common/error.h"

namespace warpfold::cosim {

Shadow::Shadow(Session& session, const ClockDomain& clock, std::string_view block, unsigned core,
               const RtlParameters& parameters, const std::string& part)
    : model_(session, block, core, parameters, part),
      clock_(clock),
      op_valid_(model_.pin("op_valid_i")),
      op_ready_(model_.pin("op_ready_o")),
      op_kind_(model_.pin("op_kind_i")),
      done_valid_(model_.pin("done_valid_o")) {}

void Shadow::operate(unsigned kind, const char* name) {
  const std::uint64_t now_ps = clock_.edge_ps(clock_.current());
  RtlModel& rtl = model_.rtl();
  op_kind_.set(kind);
  op_valid_.set(1);
  rtl.eval();
  model_.clock_until(now_ps, op_ready_, name);
  model_.clock(now_ps);
  op_valid_.set(0);
  rtl.eval();
  model_.clock_until(now_ps, done_valid_, name);
  ++model_.record.operations;
}

void Shadow::same(const char* operation, const char* what, std::uint64_t expected, std::uint64_t got) {
  if (expected == got) return;
  model_.session.differs(model_.rtl(), fmt::format("{}: {}", operation, what), fmt::format("0x{:x}", expected),
                         fmt::format("0x{:x}", got));
}

void Shadow::set_pc(Pin& pin, isa::Pc pc) {
  if (pc >> kPcBits != 0) {
    user_error("{}: pc {} does not fit the RTL's {} bits: run a smaller kernel, or without --rtl {}",
               model_.rtl().instance(), pc, kPcBits, model_.record.name);
  }
  pin.set(pc);
}

}  // namespace warpfold::cosim
