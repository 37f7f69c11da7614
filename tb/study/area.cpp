// SPDX-License-Identifier: Apache-2.0
#include "tb/study/area.h"

#include <set>
#include <tuple>

#include "tb/sim/area/area_subject.h"
#include "tb/sim/area/hardware_cost.h"

namespace warpfold::study {
namespace {

// What the figure leaves out.
std::string bound_of(const sim::HardwareCost& cost) {
  return cost.bound() ? "a bound: logic without " + cost.unknown_names() : "";
}

}  // namespace

std::vector<AreaRow> areas_of(const std::vector<Planned>& points) {
  std::vector<AreaRow> rows;
  std::vector<divergence::Hardware> hardware;
  std::vector<std::string> labels;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const Planned& planned : points) {
    const std::string& machine = planned.point.options.machine_name;
    const std::string name = variant(planned.choice.mechanism, planned.choice.packing);
    if (planned.key.empty() || !seen.insert({machine, planned.settings, name}).second) continue;
    rows.push_back({machine, planned.settings, name, 0, ""});
    hardware.push_back(sim::area_subject(planned.point.options, {}).hardware);
    labels.push_back(name);
  }
  const std::vector<sim::HardwareCost> costs = sim::cost_of(hardware, labels, {});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].mm2 = costs[i].total_mm2().middle();
    rows[i].note = bound_of(costs[i]);
  }
  return rows;
}

}  // namespace warpfold::study
