// SPDX-License-Identifier: Apache-2.0
// Tables of runs, from the figures in stats.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tb/sim/runs/point.h"
#include "tb/sim/tables/report.h"

namespace warpfold::sim {

// Lanes of the warps under all of the points' mechanisms; 0: they are not the same.
unsigned warp_size(const std::vector<const Point*>& points);

// What every table of points begins with: program, machine, mechanism, lane packing and state, and why there are no
// figures.
std::vector<Column> point_columns();
Row row_of(const Point& point);

// A mechanism that issues warps in another order than the baseline: the baseline's run in its order, and its own in the
// baseline's. By the point of the table.
struct OtherOrders {
  const Point *baseline = nullptr, *own = nullptr;
};
inline constexpr double kMuchInteraction = 0.02;  // between the mechanism's speed-ups in the two orders
// What is run beside a table's points, by the point; `bounds`: the oracle's of the mechanism's scope.
struct Beside {
  std::map<const Point*, OtherOrders> orders;
  std::map<const Point*, const Point*> bounds;
  std::map<const Point*, double> undrained;  // speed-ups where warps of neither side drain
};

// One row per point of one program; speed-up against the first. People see no cycles of functional runs: the cycles of
// the SIMD units under each lane packing stand in their place.
// With orders, what of the speed-up is the order's and what the mechanism's in either order; with bounds, what the best
// regrouping would save of the instructions, and the share of slots that issue, without which it says nothing.
ReportTable comparison_table(const std::vector<const Point*>& points, const Beside& beside = {});

// From these shares on, cycles say more of how blocks fill the cores than of the mechanism: TBC's mechanisms differ by
// about as much. The last is of cycles in launches of less than two waves.
inline constexpr double kMuchTail = 0.25, kMuchImbalance = 0.25, kMuchInFewWaves = 0.5;
// Of all slots, those in which a scheduler issues nothing since warps drain.
inline constexpr double kMuchDraining = 0.02;

// One line that names the rows of a program's table whose cycles say more of how its blocks fill the cores than of the
// mechanism, and why (docs/statistics.md); empty when there is none.
std::string filling_warning(const std::vector<const Point*>& points);

// One line that names the rows of programs that launched from several host threads, whose order is the host's; empty
// when there is none.
std::string threads_warning(const std::vector<const Point*>& points);

// A line if launches of some were refused, of which their figures know nothing; otherwise empty.
std::string refusals_warning(const std::vector<const Point*>& points);

// A line that names the mechanisms whose gain hangs on the order of warps; empty when there is none.
std::string order_warning(const std::vector<const Point*>& points, const Beside& beside);

// A line that names those whose warps lose much to draining, and what is left of the difference without; empty when
// there is none.
std::string draining_warning(const std::vector<const Point*>& points, const Beside& beside);
bool drains_much(const Point& point);

// Speed-ups of several programs and their geometric mean; `points` by program, then mechanism.
ReportTable speedup_table(const std::vector<std::vector<const Point*>>& points, const Beside& beside = {});

// Speed-up over `base`; nothing where one of them has no time.
std::optional<double> speedup(const Point* base, const Point* point);

// Functional runs: SIMD efficiency and what each lane packing saves, by program, with maximum and mean; a table per
// variant. `points` as above.
std::vector<ReportTable> savings_tables(const std::vector<std::vector<const Point*>>& points);

// Adds the maximum and the mean of what lane packings save over totals as in stats.json, and over those of divergent
// programs.
void add_savings_of_all(ReportTable& table, const std::vector<nlohmann::json>& totals);

// One row per kernel and its launches' resources: registers, spill code, shared memory, blocks per core and their
// limit.
ReportTable resource_table(const nlohmann::json& stats);

// One row per kernel over all of its launches, and the total.
ReportTable kernel_table(const nlohmann::json& stats, unsigned warp_size);

}  // namespace warpfold::sim
