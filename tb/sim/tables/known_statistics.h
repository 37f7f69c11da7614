// SPDX-License-Identifier: Apache-2.0
// Which statistics there are.
#pragma once

#include <string>
#include <vector>

#include "warpfold/common/results/stats.h"

namespace warpfold::sim {

std::vector<StatInfo> machine_statistics();  // that the default machine counts, under PDOM
std::vector<StatInfo> mechanism_statistics(const std::string& mechanism);
std::vector<StatInfo> known_statistics();  // all of them, each once

}  // namespace warpfold::sim
