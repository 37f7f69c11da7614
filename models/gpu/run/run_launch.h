// SPDX-License-Identifier: Apache-2.0
// For programs that are about the GPU alone: simulates until a launch has ended.
#pragma once

#include "warpfold/gpu/machine/gpu.h"

namespace warpfold {

// Returns at the instant of the launch's end, whatever else goes on in the simulation. Throws what Gpu::start() and
// Gpu::rethrow() throw. Not inlined: warpfold-bench counts instructions by its name.
[[gnu::noinline]] void run_launch(Gpu& gpu, const isa::Launch& launch, DeviceMemory& memory);

}  // namespace warpfold
