// SPDX-License-Identifier: Apache-2.0
#include "tb/study/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "warpfold/core/core_watch.h"

namespace warpfold::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLatest = 1e15;  // cycle of a run

std::uint64_t number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return 0;
  const auto value = found->get<double>();
  return value > 0 && value <= kLatest ? static_cast<std::uint64_t>(value) : 0;
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Json arguments_of(const Json& event) {
  const auto found = event.find("args");
  return found != event.end() && found->is_object() ? *found : Json::object();
}

// A line of a trace file. What it lacks, or has of another type, is 0 or empty: a file may be anybody's.
struct TraceLine {
  static constexpr std::uint64_t kMachine = 1, kFirstCore = 1000;  // processes
  explicit TraceLine(const Json& event);
  bool of_core() const { return process >= kFirstCore; }
  std::uint64_t number(const char* argument) const;
  std::string text(const char* argument) const;

  std::string phase, name, category;
  std::uint64_t process, thread, at, cycles;
  Json arguments;
};

// Slices by row: launches, blocks, warps, and requests under way.
class TimelineRows {
 public:
  explicit TimelineRows(std::size_t most_slices) : most_(most_slices) {}
  void take(const TraceLine& line);
  // As the header has it. The trace ends at `end`.
  Json json(std::uint64_t end);

 private:
  using Track = std::pair<std::uint64_t, std::uint64_t>;  // process, thread
  // `amount`: lanes of an instruction, requests under way.
  struct Slice {
    std::uint64_t from, until;
    std::size_t what;
    std::uint64_t amount;
  };
  struct Row {
    std::string name;
    std::uint64_t place = 0;  // among those of its process
    std::vector<Slice> slices{};
    std::optional<Slice> open{};
  };
  using Steps = std::vector<std::pair<std::uint64_t, int>>;

  bool room();
  void store(Row& row, const Slice& slice);
  void close(Row& row, std::uint64_t at);
  void take_slice(const TraceLine& line);
  std::size_t what(const std::string& kind, const std::string& text);
  static std::vector<Slice> levels(Steps steps, std::uint64_t end, std::size_t what);
  static Json row_json(std::uint64_t process, Row& row);

  const std::size_t most_;
  std::size_t taken_ = 0;
  bool left_out_ = false;
  std::uint64_t last_ = 0;            // end of those taken
  std::optional<std::uint64_t> cut_;  // where the trace says that its slices end
  std::string title_;
  std::uint64_t lanes_ = 0;  // of a warp
  std::map<Track, Row> rows_;
  std::map<std::pair<std::uint64_t, std::string>, Steps> under_way_;  // by process and name
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  Json whats_ = Json::array();
};

TraceLine::TraceLine(const Json& event)
    : phase(text_in(event, "ph")),
      name(text_in(event, "name")),
      category(text_in(event, "cat")),
      process(number_in(event, "pid")),
      thread(number_in(event, "tid")),
      at(number_in(event, "ts")),
      cycles(number_in(event, "dur")),
      arguments(arguments_of(event)) {}

std::uint64_t TraceLine::number(const char* argument) const { return number_in(arguments, argument); }

std::string TraceLine::text(const char* argument) const { return text_in(arguments, argument); }

void TimelineRows::take(const TraceLine& line) {
  if (!line.of_core() && line.process != TraceLine::kMachine) return;
  if (line.phase == "X") return take_slice(line);
  const Track track{line.process, line.thread};
  if (line.phase == "B" && (line.category == "launch" || line.category == "block")) {
    if (room()) rows_[track].open = Slice{line.at, line.at, what(line.category, line.name), 0};
  } else if (line.phase == "E") {
    close(rows_[track], line.at);
  } else if ((line.phase == "b" || line.phase == "e") && line.of_core() && room()) {
    under_way_[{line.process, line.name}].emplace_back(line.at, line.phase == "b" ? 1 : -1);
    taken_ += line.phase == "b" ? 1 : 0;
  } else if (line.phase == "M" && line.name == "thread_name") {
    rows_[track].name = line.text("name");
  } else if (line.phase == "M" && line.name == "thread_sort_index") {
    rows_[track].place = line.number("sort_index");
  } else if (line.phase == "M" && line.name == "process_name" && !line.of_core()) {
    title_ = line.text("name");
  } else if (line.phase == "i" && line.name == "run") {
    lanes_ = line.number("warp_size");
  } else if (line.phase == "i" && line.name == "end" && line.number("slices_end") < line.number("cycles")) {
    cut_ = line.number("slices_end");
  }
}

void TimelineRows::take_slice(const TraceLine& line) {
  const bool waits = line.category == "wait";
  if (waits ? std::find(kWaitNames.begin(), kWaitNames.end(), line.name) == kWaitNames.end() : line.category != "issue")
    return;
  const std::string source = line.text("source");
  const std::string text =
      fmt::format("{}pc {}{}", waits ? "" : line.name + ", ", line.number("pc"), source.empty() ? "" : ", " + source);
  if (!room()) return;
  store(rows_[{line.process, line.thread}],
        {line.at, line.at + line.cycles, what(waits ? line.name : line.category, text), line.number("lanes")});
}

bool TimelineRows::room() {
  left_out_ = left_out_ || taken_ >= most_;
  return !left_out_;
}

void TimelineRows::store(Row& row, const Slice& slice) {
  if (slice.until <= slice.from) return;
  row.slices.push_back(slice);
  if (!left_out_) last_ = std::max(last_, slice.until);
  ++taken_;
}

void TimelineRows::close(Row& row, std::uint64_t at) {
  if (!row.open) return;
  row.open->until = at;
  store(row, *row.open);
  row.open.reset();
}

std::size_t TimelineRows::what(const std::string& kind, const std::string& text) {
  const auto [at, fresh] = places_.try_emplace({kind, text}, whats_.size());
  if (fresh) whats_.push_back({kind, text});
  return at->second;
}

// How many have begun and not ended.
std::vector<TimelineRows::Slice> TimelineRows::levels(Steps steps, std::uint64_t end, std::size_t what) {
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Slice> slices;
  std::int64_t level = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    level = std::max<std::int64_t>(0, level + steps[i].second);
    const std::uint64_t until = i + 1 < steps.size() ? steps[i + 1].first : end;
    if (level > 0) slices.push_back({steps[i].first, until, what, static_cast<std::uint64_t>(level)});
  }
  return slices;
}

Json TimelineRows::row_json(std::uint64_t process, Row& row) {
  std::stable_sort(row.slices.begin(), row.slices.end(),
                   [](const Slice& a, const Slice& b) { return a.from < b.from; });
  Json numbers = Json::array();
  std::uint64_t at = 0;
  for (const Slice& slice : row.slices) {
    const std::uint64_t from = std::max(at, slice.from);  // a row shows one thing at a time
    if (slice.until <= from) continue;
    for (const std::uint64_t number : {from - at, slice.until - from, std::uint64_t{slice.what}, slice.amount})
      numbers.push_back(number);
    at = slice.until;
  }
  return {{"core", process == TraceLine::kMachine ? Json() : Json(process - TraceLine::kFirstCore)},
          {"name", row.name},
          {"slices", std::move(numbers)}};
}

Json TimelineRows::json(std::uint64_t end) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::pair<std::uint64_t, Row*>>> in_order;
  for (auto& [track, row] : rows_) {
    close(row, end);
    if (!row.slices.empty()) in_order[{track.first, row.place}].emplace_back(track.first, &row);
  }
  Json rows = Json::array();
  for (const auto& [place, several] : in_order) {
    for (const auto& [process, row] : several) rows.push_back(row_json(process, *row));
  }
  for (const auto& [place, steps] : under_way_) {
    Row row{place.second, 0, levels(steps, left_out_ ? last_ : end, what("requests", place.second))};
    rows.push_back(row_json(place.first, row));
  }
  if (left_out_) cut_ = std::min(cut_.value_or(last_), last_);
  Json json{{"title", title_}, {"lanes", lanes_}, {"whats", whats_}, {"rows", std::move(rows)}};
  if (cut_) json["slices_until"] = *cut_;
  return json;
}

// From `at` on, until the next one of its counter.
struct Value {
  double at, value;
};

// By series, in the order of time.
using Counter = std::map<std::string, std::vector<Value>>;

struct Trace {
  std::map<std::string, Counter> machine;                         // by the counter's name
  std::map<std::uint64_t, std::map<std::string, Counter>> cores;  // by number and name
  double from = 0, until = 0;
};

void take(Trace& trace, const TraceLine& line) {
  if (!line.of_core() && line.process != TraceLine::kMachine) return;
  auto& counters = line.of_core() ? trace.cores[line.process - TraceLine::kFirstCore] : trace.machine;
  const auto at = static_cast<double>(line.at);
  for (const auto& [series, value] : line.arguments.items()) {
    if (value.is_number()) counters[line.name][series].push_back({at, value.get<double>()});
  }
  trace.from = std::min(trace.from, at);
  trace.until = std::max(trace.until, at);
}

// An event stands on a line of its own.
Trace read(const std::string& file, TimelineRows& rows) {
  Trace trace;
  trace.from = HUGE_VAL;
  std::ifstream in(file);
  for (std::string text; std::getline(in, text);) {
    text.erase(text.find_last_of('}') + 1);  // a comma, or the bracket of the file
    const Json event = Json::parse(text, nullptr, false);
    if (!event.is_object()) continue;
    const TraceLine line(event);
    if (line.phase == "C") {
      take(trace, line);
    } else {
      rows.take(line);
    }
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

std::optional<Json> read_timeline(const std::string& file, unsigned bins, std::size_t most_slices) {
  TimelineRows rows(most_slices);
  const Trace trace = read(file, rows);
  const auto blocks = trace.machine.find("blocks");
  if (blocks == trace.machine.end() || trace.until <= trace.from) return std::nullopt;
  Json timeline{{"from", trace.from}, {"cycles", (trace.until - trace.from) / bins}};
  timeline["blocks"] = Json::array();
  timeline["slots"] = Json::array();
  for (std::size_t core = 0; core < blocks->second.size(); ++core) {
    const auto series = blocks->second.find("core " + std::to_string(core));
    if (series == blocks->second.end()) return std::nullopt;
    timeline["blocks"].push_back(means(series->second, trace, bins));
    Json slots = Json::object();
    const auto counters = trace.cores.find(core);
    const auto issue = counters == trace.cores.end() ? Counter{} : [&] {
      const auto found = counters->second.find("issue slots");
      return found == counters->second.end() ? Counter{} : found->second;
    }();
    for (const auto& [name, values] : issue) slots[name] = means(values, trace, bins);
    timeline["slots"].push_back(std::move(slots));
  }
  timeline.update(rows.json(static_cast<std::uint64_t>(trace.until)));
  return timeline;
}

}  // namespace warpfold::study
