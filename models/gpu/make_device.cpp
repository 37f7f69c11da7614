// SPDX-License-Identifier: Apache-2.0
// The device of a program: the modelled GPU. Apart from the simulator, so that tests of the runtime can bring their
// own.
#include "models/gpu/simulator.h"

namespace warpfold::host {

std::unique_ptr<Device> make_device() { return std::make_unique<Simulator>(RunOptions::from_environment()); }

}  // namespace warpfold::host

// libsystemc has a main() that wants this; programs bring their own main().
extern "C" int sc_main(int, char**) { return 0; }
