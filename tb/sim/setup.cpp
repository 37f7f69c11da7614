// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/setup.h"

#include "models/common/error.h"
#include "models/divergence/registry.h"

namespace warpfold::sim {

void apply_timing(RunOptions& options, const std::string& timing, const std::string& detail) {
  const auto& names = Choices<Timing>::names;
  std::size_t choice = 0;
  while (choice < names.size() && timing != names[choice]) ++choice;
  if (choice == names.size()) {
    user_error("--timing {}: must be {}", timing, config_detail::choices_text(names.data(), names.size()));
  }
  options.timing = static_cast<Timing>(choice);
  options.detail = Detail::parse(detail, "--detail");
}

std::string why_not(const RunOptions& options) {
  const auto& info = divergence::find_mechanism(options.mechanism);
  return info.configure(options.mechanism_parameters).why_not(options.machine.core.geometry());
}

}  // namespace warpfold::sim
