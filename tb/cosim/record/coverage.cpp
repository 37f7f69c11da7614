// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/record/coverage.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warpfold::cosim {

Coverage::Index Coverage::index(std::vector<Point>& points, std::string_view name) {
  const auto same = [&](const Point& point) { return point.name == name; };
  const auto found = std::find_if(points.begin(), points.end(), same);
  if (found == points.end()) points.push_back({std::string(name), {0}});
  return static_cast<Index>(std::find_if(points.begin(), points.end(), same) - points.begin());
}

void Coverage::size(Index sizes, unsigned value) {
  std::vector<std::uint64_t>& counts = sizes_[sizes].counts;
  if (value >= counts.size()) counts.resize(value + 1);
  ++counts[value];
}

nlohmann::ordered_json Coverage::json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Point& point : sizes_) {
    nlohmann::ordered_json& out = json[point.name] = nlohmann::ordered_json::object();
    for (std::size_t value = 0; value < point.counts.size(); ++value) {
      if (point.counts[value] != 0) out[std::to_string(value)] = point.counts[value];
    }
  }
  for (const Point& point : events_) json[point.name] = point.counts[0];
  return json;
}

std::vector<std::string> Coverage::not_exercised() const {
  std::vector<std::string> names;
  for (const Point& point : events_) {
    if (point.counts[0] == 0) names.push_back(point.name);
  }
  return names;
}

}  // namespace warpfold::cosim
