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
  static constexpr const char* kOneAtATime = "the machine asks again when the answer has come";
  static constexpr const char* kTakesAtOnce = "the machine takes answers at once";
  // Something that may happen, or that has a size, which a block's specification lets be from `least` to `most`: each
  // is a state that a run may miss. One of a name is made once, whoever asks; of several ranges it has all.
  Index event(std::string_view name) { return index(events_, name); }
  Index sizes(std::string_view name, unsigned least, unsigned most);
  // A state of the specification that no machine brings about, and why: another bench has to.
  void cannot(std::string_view name, std::string_view why);

  void count(Index event, std::uint64_t times = 1) { events_[event].counts[0] += times; }
  void count_if(bool happens, Index event) { events_[event].counts[0] += happens ? 1 : 0; }
  void size(Index sizes, unsigned value, std::uint64_t times = 1);
  void each(Index sizes, std::uint64_t bits);  // of every bit that is set its number

  bool empty() const { return events_.empty() && sizes_.empty(); }
  // Numbers of events, and how often each size came; sizes that did not and are neighbours are one: "9-32".
  nlohmann::ordered_json json() const;
  nlohmann::ordered_json unreachable() const;      // why, by name
  std::vector<std::string> not_exercised() const;  // what did not happen at all: "entries 9-32"

 private:
  struct Point {
    std::string name;
    std::vector<std::uint64_t> counts;
    std::string why;     // it cannot happen in a machine
    unsigned least = 0;  // of sizes; counts of those below are there, but no states
  };
  // Calls visit(name, times) for each size that came, and for each span of those that did not.
  template <class Visit>
  static void for_each_size(const Point& point, Visit visit);
  static Index index(std::vector<Point>& points, std::string_view name);

  std::vector<Point> events_, sizes_;
};

}  // namespace warpfold::cosim
