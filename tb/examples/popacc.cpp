// SPDX-License-Identifier: Apache-2.0
// A plug-in with an instruction of its own: popacc.u32 d, a, c adds the bits that are set in a to c. A lane's RTL is
// rtl/examples/popacc_lane.sv.
#include <bit>

#include "warpfold/isa/execute/custom_instructions.h"

namespace {

const warpfold::isa::RegisterInstruction popacc("popacc.u32",
                                                {.latency_cycles = 3, .interval_cycles = 1, .rtl = "popacc_lane"},
                                                [](std::uint32_t a, std::uint32_t c) {
                                                  return c + static_cast<std::uint32_t>(std::popcount(a));
                                                });

}  // namespace
