// SPDX-License-Identifier: Apache-2.0
// A register file whose lanes have addresses of their own: its banks, and the logic that addresses them and chooses who
// is served (TBC §7, HARP §8).
#pragma once

#include "warpfold/divergence/hardware.h"

namespace warpfold::divergence {

inline constexpr unsigned kReadOperands = 3;  // of an instruction

// For the instruction whose operands a scheduler collects; each further operand collector would take the logic again.
inline void add_lane_registers(Hardware& hardware, const HardwareGeometry& geometry) {
  hardware.storage.push_back(lane_addressed_registers(geometry));
  if (!geometry.lane_addresses) return;
  const unsigned lanes = geometry.core.simd_width, schedulers = geometry.core.schedulers;
  const unsigned words = geometry.registers / (kRegisterBanks * schedulers * lanes);
  hardware.logic.push_back({"lane_register_access",
                            {{"Lanes", lanes},
                             {"Banks", kRegisterBanks},
                             {"Operands", kReadOperands},
                             {"Rows", geometry.core.max_threads / lanes},
                             {"Words", words > 1 ? words : 1}},
                            schedulers});
}

}  // namespace warpfold::divergence
