// SPDX-License-Identifier: Apache-2.0
// What a stack per warp and its control add to a core, with likely-convergence points or without, and with tokens.
#pragma once

#include <utility>
#include <vector>

#include "warpfold/divergence/hardware.h"

namespace warpfold::divergence {

// The threads of every static warp that have not exited: masks on its stack are read through it.
inline Structure live_threads(const HardwareGeometry& geometry, std::vector<Access> accesses) {
  return {"live threads", table(geometry.rows(), geometry.core.warp_size), 1, std::move(accesses)};
}

// Every instruction is followed by a look at the top: has the warp come to where it waits for others? With
// likely-convergence points an entry has a pc and a stack position more (TBC §4).
inline Hardware warp_stack_hardware(const HardwareGeometry& geometry, bool likely_points) {
  Structure stacks = warp_stacks(geometry, likely_points ? kPcBits + index_bits(geometry.stack_entries) : 0);
  stacks.accesses.push_back({"warp_instructions"});
  return {{std::move(stacks), live_threads(geometry, {{"warp_instructions"}})},
          {{"warp_stack",
            {{"Warps", geometry.rows()},
             {"Lanes", geometry.core.warp_size},
             {"Depth", geometry.stack_entries},
             {"PcWidth", kPcBits},
             {"Likely", likely_points ? 1U : 0U}}}},
          {}};
}

}  // namespace warpfold::divergence
