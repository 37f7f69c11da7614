// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/run/stuck.h"

#include <algorithm>

#include "warpfold/common/error.h"

namespace warpfold {

void report_stuck(const isa::Kernel& kernel, const std::string& why, std::uint64_t blocks_finished,
                  std::uint64_t blocks, const std::vector<std::string>& warps) {
  constexpr std::size_t kShown = 6;
  std::string text =
      fmt::format("kernel '{}': {} with {} of {} blocks finished", kernel.name, why, blocks_finished, blocks);
  for (std::size_t i = 0; i < std::min(kShown, warps.size()); ++i) text += "; " + warps[i];
  if (warps.size() > kShown) text += fmt::format("; and {} more", warps.size() - kShown);
  user_error("{}", text);
}

}  // namespace warpfold
