// SPDX-License-Identifier: Apache-2.0
// An executor that knows nothing of warps: one thread at a time, each with a pc of its own.
#pragma once

#include "tests/gpu/contract/thread_sequences.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold {

// Runs the launch on `memory`, block after block, each thread in turn to its next barrier or its end. Right for every
// kernel whose result does not depend on the order in which threads race. Throws UserError for faults, barriers that
// never fill, and threads that run for more than `step_limit` instructions.
ThreadSequences run_scalar(const isa::Launch& launch, DeviceMemory& memory, std::uint64_t step_limit = 10'000'000);

}  // namespace warpfold
