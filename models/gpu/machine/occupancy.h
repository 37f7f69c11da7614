// SPDX-License-Identifier: Apache-2.0
// How many blocks of a launch fit a core, and what sets the limit.
#pragma once

#include "warpfold/core/core_params.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold {

struct Occupancy {
  unsigned blocks = 0;     // per core
  const char* limit = "";  // "threads", "blocks", "registers" or "shared memory"; of no blocks too
  unsigned rows = 0;       // static warps of a block
};

// Threads and registers are allocated in whole warps; shared memory to the byte (decision: allocation granules differ
// between parts and the papers name none). Throws LaunchRefused for launches that no machine can run: empty ones, and
// blocks larger than the kernel allows.
Occupancy occupancy(const CoreParams& core, const isa::Launch& launch);

// The same, and throws LaunchRefused when not even one block fits.
Occupancy occupancy_of_fitting(const CoreParams& core, const isa::Launch& launch);

}  // namespace warpfold
