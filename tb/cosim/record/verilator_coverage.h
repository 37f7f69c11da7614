// SPDX-License-Identifier: Apache-2.0
// What Verilator's coverage counts: lines, toggles, and the `cover property` of a design.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpfold::cosim {

// Counts of the points of one kind, "line", "toggle" or "user", in a file of Verilator's, by "file.sv:17 row_q[3]"; the
// instances of a module count together. `instance`: only what is in that model; empty: all.
std::map<std::string, std::uint64_t> coverage_counts(const std::string& file, const std::string& kind,
                                                     const std::string& instance = "");

// Has a design properties of its own to cover?
bool has_covers(const std::vector<std::string>& sources);

}  // namespace warpfold::cosim
