// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/record/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

namespace warpfold::cosim {

Coverage::Index Coverage::index(std::vector<Point>& points, std::string_view name) {
  const auto same = [&](const Point& point) { return point.name == name; };
  const auto found = std::find_if(points.begin(), points.end(), same);
  if (found == points.end()) points.push_back({std::string(name), {0}, ""});
  return static_cast<Index>(std::find_if(points.begin(), points.end(), same) - points.begin());
}

Coverage::Index Coverage::sizes(std::string_view name, unsigned least, unsigned most) {
  const std::size_t before = sizes_.size();
  const Index found = index(sizes_, name);
  Point& point = sizes_[found];
  point.least = sizes_.size() != before ? least : std::min(point.least, least);
  point.counts.resize(std::max<std::size_t>(point.counts.size(), most + 1));
  return found;
}

void Coverage::cannot(std::string_view name, std::string_view why) { events_[event(name)].why = why; }

template <class Visit>
void Coverage::for_each_size(const Point& point, Visit visit) {
  const std::vector<std::uint64_t>& counts = point.counts;
  for (std::size_t size = 0; size < counts.size(); ++size) {
    if (counts[size] == 0 && size < point.least) continue;
    std::size_t last = size;
    while (counts[size] == 0 && last + 1 < counts.size() && counts[last + 1] == 0) ++last;
    visit(last == size ? std::to_string(size) : fmt::format("{}-{}", size, last), counts[size]);
    size = last;
  }
}

void Coverage::size(Index sizes, unsigned value, std::uint64_t times) {
  std::vector<std::uint64_t>& counts = sizes_[sizes].counts;
  if (value >= counts.size()) counts.resize(value + 1);
  counts[value] += times;
}

void Coverage::each(Index sizes, std::uint64_t bits) {
  for (; bits != 0; bits &= bits - 1) size(sizes, static_cast<unsigned>(std::countr_zero(bits)));
}

nlohmann::ordered_json Coverage::json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Point& point : sizes_) {
    nlohmann::ordered_json& out = json[point.name] = nlohmann::ordered_json::object();
    for_each_size(point, [&](const std::string& size, std::uint64_t times) { out[size] = times; });
  }
  for (const Point& point : events_) json[point.name] = point.counts[0];
  return json;
}

nlohmann::ordered_json Coverage::unreachable() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Point& point : events_) {
    if (!point.why.empty()) json[point.name] = point.why;
  }
  return json;
}

std::vector<std::string> Coverage::not_exercised() const {
  std::vector<std::string> names;
  for (const Point& point : sizes_) {
    for_each_size(point, [&](const std::string& size, std::uint64_t times) {
      if (times == 0) names.push_back(point.name + " " + size);
    });
  }
  for (const Point& point : events_) {
    if (point.counts[0] == 0 && point.why.empty()) names.push_back(point.name);
  }
  return names;
}

}  // namespace warpfold::cosim
