// SPDX-License-Identifier: Apache-2.0
#include "tb/study/timeline.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <vector>

namespace warpfold::study {
namespace {

using Json = nlohmann::ordered_json;

// From `at` on, until the next one of its counter.
struct Value {
  double at, value;
};

// By series, in the order of time.
using Counter = std::map<std::string, std::vector<Value>>;

struct Trace {
  std::map<std::string, Counter> machine;                    // by the counter's name
  std::map<unsigned, std::map<std::string, Counter>> cores;  // by number and name
  double from = 0, until = 0;
};

constexpr unsigned kMachine = 1, kFirstCore = 1000;  // processes of the trace

void take(Trace& trace, const Json& event) {
  const auto process = event.value("pid", 0U);
  const double at = event.value("ts", 0.0);
  const std::string name = event.value("name", "");
  if (process != kMachine && process < kFirstCore) return;
  auto& counters = process == kMachine ? trace.machine : trace.cores[process - kFirstCore];
  const Json series_of = event.value("args", Json::object());
  for (const auto& [series, value] : series_of.items()) {
    if (value.is_number()) counters[name][series].push_back({at, value.get<double>()});
  }
  trace.from = std::min(trace.from, at);
  trace.until = std::max(trace.until, at);
}

// An event stands on a line of its own.
Trace read(const std::string& file) {
  Trace trace;
  trace.from = HUGE_VAL;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"ph\":\"C\"") == std::string::npos) continue;
    line.erase(line.find_last_of('}') + 1);  // a comma, or the bracket of the file
    const Json event = Json::parse(line, nullptr, false);
    if (event.is_object()) take(trace, event);
  }
  return trace;
}

// Means over stretches, to two places.
Json means(const std::vector<Value>& values, const Trace& trace, unsigned bins) {
  const double length = (trace.until - trace.from) / bins;
  std::vector<double> sums(bins, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double end = i + 1 < values.size() ? values[i + 1].at : trace.until;
    double at = values[i].at;
    while (at < end) {
      const auto bin = std::min<std::size_t>(bins - 1, static_cast<std::size_t>((at - trace.from) / length));
      const double border = bin + 1 == bins ? end : trace.from + length * static_cast<double>(bin + 1);
      const double until = std::max(std::nextafter(at, end), std::min(end, border));
      sums[bin] += values[i].value * (until - at);
      at = until;
    }
  }
  Json list = Json::array();
  for (const double sum : sums) list.push_back(std::round(sum / length * 100) / 100);
  return list;
}

}  // namespace

std::optional<Json> read_timeline(const std::string& file, unsigned bins) {
  const Trace trace = read(file);
  const auto blocks = trace.machine.find("blocks");
  if (blocks == trace.machine.end() || trace.until <= trace.from) return std::nullopt;
  Json timeline{{"from", trace.from}, {"cycles", (trace.until - trace.from) / bins}};
  timeline["blocks"] = Json::array();
  std::vector<std::string> names;
  timeline["slots"] = Json::array();
  for (std::size_t core = 0; core < blocks->second.size(); ++core) {
    const auto series = blocks->second.find("core " + std::to_string(core));
    if (series == blocks->second.end()) return std::nullopt;
    timeline["blocks"].push_back(means(series->second, trace, bins));
    Json slots = Json::object();
    const auto counters = trace.cores.find(static_cast<unsigned>(core));
    const auto issue = counters == trace.cores.end() ? Counter{} : [&] {
      const auto found = counters->second.find("issue slots");
      return found == counters->second.end() ? Counter{} : found->second;
    }();
    for (const auto& [name, values] : issue) slots[name] = means(values, trace, bins);
    timeline["slots"].push_back(std::move(slots));
  }
  return timeline;
}

}  // namespace warpfold::study
