// SPDX-License-Identifier: Apache-2.0
// Who wants to know how far a launch is, while it runs.
#pragma once

#include <cstdint>
#include <string>

namespace warpfold {

class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  virtual void launch_started(const std::string& kernel, std::uint64_t blocks) = 0;
  // Now and then. `cycles` is 0 where nothing is timed.
  virtual void launch_goes_on(std::uint64_t blocks_finished, std::uint64_t cycles) = 0;
  virtual void launch_ended() = 0;  // well or not
};

}  // namespace warpfold
