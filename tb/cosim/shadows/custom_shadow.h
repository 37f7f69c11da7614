// SPDX-License-Identifier: Apache-2.0
// The RTL of a plug-in's unit: a lane of it executes what the lanes of all cores do, and its results are held against
// the plug-in's function (docs/plug-ins.md).
#pragma once

#include <vector>

#include "tb/cosim/session.h"
#include "warpfold/core/core_params.h"
#include "warpfold/isa/execute/custom_instructions.h"

namespace warpfold::cosim {

// Ports: clk_i, rst_ni; op_valid_i and the operands op_a_i to op_d_i; res_valid_o and the results res_o, res_second_o.
// It takes an operation every interval_cycles of its unit, and answers in their order.
std::vector<RtlPort> custom_ports(unsigned place);

class CustomShadow final : public isa::CustomWatch {
 public:
  // Listens from then on, where the run asks for instructions of plug-ins.
  CustomShadow(Session& session, const ClockDomain& clock, const CoreParams& params);
  ~CustomShadow() override;
  void executed(unsigned place, std::span<const Lane> lanes) override;

 private:
  struct Unit;
  const ClockDomain& clock_;
  std::vector<std::unique_ptr<Unit>> units_;  // by place; null: not asked for
};

}  // namespace warpfold::cosim
