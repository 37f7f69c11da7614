// SPDX-License-Identifier: Apache-2.0
// The device of a program: the modelled GPU, with RTL blocks where the run asks for them. Apart from the simulator, so
// that tests of the runtime can bring their own.
#include <dlfcn.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tb/cosim/co_simulation.h"
#include "tb/cudart/lifetime.h"
#include "tb/sim/console/launch_progress.h"
#include "warpfold/common/error.h"
#include "warpfold/common/results/build_id.h"
#include "warpfold/gpu/run/plugins.h"
#include "warpfold/gpu/run/simulator.h"

namespace warpfold::host {
namespace {

// `warpfold` has filed the results under the simulator that it knows.
void check_simulator(const RunOptions& options) {
  if (options.decided_by.empty()) return;
  Dl_info own{};
  check(dladdr(reinterpret_cast<const void*>(&make_device), &own) != 0, "this function lies in a library");
  const std::string wanted = nlohmann::json::parse(options.decided_by).value("simulator", "");
  if (build_id(own.dli_fname) == wanted) return;
  user_error(
      "this program runs on {}, which is not of the warpfold that started it: compile it with that one's warpfold-cc",
      own.dli_fname);
}

}  // namespace

std::unique_ptr<Device> make_device() {
  keep_what_is_made();
  load_plugins();
  const RunOptions options = RunOptions::from_environment();
  check_simulator(options);
  GpuOptions gpu;
  gpu.bind = plugged_memory();
  gpu.stand_ins = cosim::stand_ins(options.rtl);
  if (std::getenv(sim::kProgressVariable) != nullptr) gpu.watch = std::make_shared<sim::LaunchProgress>();
  return std::make_unique<Simulator>(options, gpu);
}

}  // namespace warpfold::host

// libsystemc has a main() that wants this; programs bring their own main().
extern "C" int sc_main(int, char**) { return 0; }
