// SPDX-License-Identifier: Apache-2.0
// A profile for the eye: of each kernel the branches that part threads and the lines that take the time.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/sim/profile_data.h"

namespace warpfold::sim {

// `lines`: the most that are shown of each kernel, and of its branches.
std::string profile_text(const std::vector<KernelProfile>& kernels, unsigned lines);

// The same for programs, and every instruction of every kernel.
nlohmann::ordered_json profile_report(const std::vector<KernelProfile>& kernels);

}  // namespace warpfold::sim
