// SPDX-License-Identifier: Apache-2.0
// A profile as tables: of each kernel the branches that part threads and the lines that take the time.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/sim/tables/profile_data.h"
#include "tb/sim/tables/report.h"

namespace warpfold::sim {

// `lines`: the most that people are shown of each kernel, and of its branches.
std::vector<ReportTable> profile_tables(const std::vector<KernelProfile>& kernels, unsigned lines);

// Every instruction of every kernel, and its lines.
nlohmann::ordered_json profile_report(const std::vector<KernelProfile>& kernels);

}  // namespace warpfold::sim
