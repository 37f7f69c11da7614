// SPDX-License-Identifier: Apache-2.0
// The device of a program: the modelled GPU, with RTL blocks where the run asks for them. Apart from the simulator, so
// that tests of the runtime can bring their own.
#include "models/gpu/simulator.h"
#include "tb/cosim/co_simulation.h"
#include "tb/cudart/lifetime.h"

namespace warpfold::host {

std::unique_ptr<Device> make_device() {
  keep_what_is_made();
  const RunOptions options = RunOptions::from_environment();
  GpuOptions gpu;
  gpu.core_blocks = cosim::core_blocks(options.rtl);
  return std::make_unique<Simulator>(options, gpu);
}

}  // namespace warpfold::host

// libsystemc has a main() that wants this; programs bring their own main().
extern "C" int sc_main(int, char**) { return 0; }
