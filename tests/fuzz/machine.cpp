// SPDX-License-Identifier: Apache-2.0
// A machine file to a machine that has been checked, every mechanism's view of it, and what they would cost on it. The
// configuration that a run leaves must load again to the same.
#include "tests/fuzz/harness.h"
#include "warpfold/area/storage.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace {

void expect_same_again(const RunOptions& options, const fuzz::Folder& folder) {
  const std::string effective = options.effective_config();
  const RunOptions again = RunOptions::load_file(folder.write("effective.yaml", effective));
  if (again.effective_config() != effective) fuzz::broken("config.effective.yaml does not load to the same machine");
}

void ask_mechanisms(const CoreParams& core) {
  for (const auto& info : divergence::mechanisms()) {
    const divergence::Configured configured = info.configure(ConfigNode());
    if (!configured.why_not(core.geometry()).empty()) continue;
    core.shaped_by(configured);
    for (const auto& structure : configured.hardware(core.hardware_geometry()).storage) {
      if (area::why_not(structure.storage).empty() && !(area::cost(structure.storage).area_mm2 > 0)) {
        fuzz::broken(fmt::format("{}: {} takes no area", info.name, structure.name));
      }
    }
  }
}

}  // namespace
}  // namespace warpfold

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  static const fuzz::Folder folder;
  const std::string file = folder.write("machine.yaml", fuzz::text_of(data, size));
  RunOptions options;
  if (!fuzz::accepted([&] { options = RunOptions::resolve(file, "pdom", {}); })) return 0;
  if (!fuzz::accepted([&] { expect_same_again(options, folder); })) fuzz::broken("config.effective.yaml is refused");
  ask_mechanisms(options.machine.core);
  return 0;
}
