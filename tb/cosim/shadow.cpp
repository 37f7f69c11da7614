// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadow.h"

#include <fmt/format.h>

#include "warpfold/common/error.h"

namespace warpfold::cosim {

Shadow::Shadow(Session& session, const ClockDomain& clock, std::string_view block, unsigned core,
               const RtlParameters& parameters, const std::string& part)
    : model_(session, block, core, parameters, part),
      clock_(clock),
      handshake_{model_.pin("op_valid_i"), model_.pin("op_ready_o"), model_.pin("done_valid_o")},
      op_kind_(model_.pin("op_kind_i")) {}

void Shadow::operate(unsigned kind, const char* name, std::uint64_t block, std::uint64_t pc) {
  while (kinds_.size() <= kind) kinds_.push_back(model_.record.coverage.event(name));
  model_.record.coverage.count(kinds_[kind]);
  model_.asks(name, block, pc);
  op_kind_.set(kind);
  model_.operate(clock_.edge_ps(clock_.current()), handshake_, name);
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
