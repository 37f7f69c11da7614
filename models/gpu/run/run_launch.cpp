// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/run/run_launch.h"

#include <systemc>

#include "warpfold/common/error.h"

namespace warpfold {

void run_launch(Gpu& gpu, const isa::Launch& launch, DeviceMemory& memory) {
  gpu.start(launch, memory, Gpu::AtEnd::kPause);
  sc_core::sc_start();
  gpu.rethrow();
  if (gpu.running()) user_error("kernel '{}': the simulation stopped before its end", launch.kernel->name);
}

}  // namespace warpfold
