// SPDX-License-Identifier: Apache-2.0
// What the reports of studies bundle that is not ours: ECharts and Tabulator, from npm.
#pragma once

#include <filesystem>

namespace warpfold::study {

// The folder of our own parts, and of package.json and package-lock.json, which say what comes from npm.
std::filesystem::path report_parts();

// The folder of what npm brings by package-lock.json, once: echarts.min.js, tabulator.min.js, tabulator.min.css. It is
// kept in the cache. No package runs a script. UserError, one line: npm is not there, or cannot bring them.
std::filesystem::path report_libraries();

}  // namespace warpfold::study
