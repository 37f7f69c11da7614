// SPDX-License-Identifier: Apache-2.0
// The unit that executes an instruction of a plug-in (custom_instructions.h): one for each scheduler, with as many
// lanes as a SIMD unit.
#pragma once

#include <string>
#include <vector>

namespace warpfold::isa {

// A machine's core.operations.custom says otherwise where it is not 0.
struct CustomUnit {
  unsigned latency_cycles = 4;   // from issue to write-back of the first lanes
  unsigned interval_cycles = 1;  // for which an instruction holds the unit at least
  std::string rtl{};             // top module of a lane; empty: nobody knows what the unit costs
};

struct CustomUnitOf {
  std::string opcode;
  CustomUnit unit;
};

// Of all that plug-ins have brought; MicroOp::custom is 1 + a place here.
const std::vector<CustomUnitOf>& custom_units();

}  // namespace warpfold::isa
