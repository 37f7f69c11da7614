// SPDX-License-Identifier: Apache-2.0
// Tables on the console, from the figures in stats.json.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tb/sim/point.h"

namespace warpfold::sim {

// Right-aligned columns but for the first; a row shorter than the header lets its last cell run on.
std::string format_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

// One row per point of one program; speed-up against the first. Functional runs have no cycles: the cycles of the SIMD
// units under each lane packing stand in their place.
std::string comparison_table(const std::vector<const Point*>& points);

// From these shares on, cycles say more of how blocks fill the cores than of the mechanism: TBC's mechanisms differ by
// about as much. The last is of cycles in launches of less than two waves.
inline constexpr double kMuchTail = 0.25, kMuchImbalance = 0.25, kMuchInFewWaves = 0.5;

// One line that names the rows of a program's table whose cycles say more of how its blocks fill the cores than of the
// mechanism, and why (docs/statistics.md); empty when there is none.
std::string filling_warning(const std::vector<const Point*>& points);

// One line that names the rows of programs that launched from several host threads, whose order is the host's; empty
// when there is none.
std::string threads_warning(const std::vector<const Point*>& points);

// A line if launches of some were refused, of which their figures know nothing; otherwise empty.
std::string refusals_warning(const std::vector<const Point*>& points);

// Speed-ups of several programs and their geometric mean; `points` by program, then mechanism.
std::string speedup_table(const std::vector<std::vector<const Point*>>& points);

// Functional runs: SIMD efficiency and what each lane packing saves, by program, with maximum and mean; a table per
// variant. `points` as above.
std::string savings_table(const std::vector<std::vector<const Point*>>& points);

// The same of totals by name, as in the stats.json of functional runs; `first` heads the column of names.
using NamedTotals = std::vector<std::pair<std::string, nlohmann::json>>;
std::string savings_table(const std::string& first, const NamedTotals& totals);

// One row per kernel and its launches' resources: registers, spill code, shared memory, blocks per core and their
// limit.
std::string resource_table(const nlohmann::json& stats);

// One row per launch (the first few, when there are many) and the total.
std::string kernel_table(const nlohmann::json& stats);

}  // namespace warpfold::sim
