// SPDX-License-Identifier: Apache-2.0
// How far the launches of a program are, told by the process that simulates them: it knows when the program is about to
// print something itself.
#pragma once

#include <optional>
#include <string>

#include "tb/sim/console/progress.h"
#include "warpfold/gpu/run/launch_watch.h"

namespace warpfold::sim {

// Set in the environment of a program whose terminal, or log, is to have it.
inline constexpr const char* kProgressVariable = "WARPFOLD_PROGRESS";

// On a terminal, a line about the launch for as long as it runs; and everywhere, now and then a line that stays.
class LaunchProgress final : public LaunchWatch {
 public:
  explicit LaunchProgress(Progress::Stage stage = Progress::standard_error());
  void launch_started(const std::string& kernel, std::uint64_t blocks) override;
  void launch_goes_on(std::uint64_t blocks_finished, std::uint64_t cycles) override;
  void launch_ended() override;

 private:
  Progress::Stage stage_;
  Progress launches_;
  std::optional<Progress> blocks_;  // of the launch that runs
  Progress::Clock::time_point begin_;
  std::string kernel_;
};

}  // namespace warpfold::sim
