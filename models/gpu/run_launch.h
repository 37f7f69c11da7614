// SPDX-License-Identifier: Apache-2.0
// For programs that are about the GPU alone: simulates until a launch has ended.
#pragma once

#include <systemc>

#include "warpfold/common/error.h"
#include "warpfold/gpu/gpu.h"

namespace warpfold {

// Returns at the instant of the launch's end, whatever else goes on in the simulation. Throws what Gpu::start() and
// Gpu::rethrow() throw.
inline void run_launch(Gpu& gpu, const isa::Launch& launch, DeviceMemory& memory) {
  gpu.start(launch, memory, Gpu::AtEnd::kPause);
  sc_core::sc_start();
  gpu.rethrow();
  if (gpu.running()) user_error("kernel '{}': the simulation stopped before its end", launch.kernel->name);
}

}  // namespace warpfold
