// SPDX-License-Identifier: Apache-2.0
// What a block came across in a run, so that a pass says what it passed.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold::cosim {

class Coverage {
 public:
  using Index = unsigned;
  // Something that may happen, or that has a size. One of a name is made once, whoever asks.
  Index event(std::string_view name) { return index(events_, name); }
  Index sizes(std::string_view name) { return index(sizes_, name); }

  void count(Index event, std::uint64_t times = 1) { events_[event].counts[0] += times; }
  void count_if(bool happens, Index event) { events_[event].counts[0] += happens ? 1 : 0; }
  void size(Index sizes, unsigned value);

  bool empty() const { return events_.empty() && sizes_.empty(); }
  // Numbers of events, and how often each size came.
  nlohmann::ordered_json json() const;
  std::vector<std::string> not_exercised() const;  // what did not happen at all

 private:
  struct Point {
    std::string name;
    std::vector<std::uint64_t> counts;
  };
  static Index index(std::vector<Point>& points, std::string_view name);

  std::vector<Point> events_, sizes_;
};

}  // namespace warpfold::cosim
