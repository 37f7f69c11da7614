// SPDX-License-Identifier: Apache-2.0
// Time traces as a viewer reads them, held to the rules of Chrome's trace event format.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpfold {

class TraceEvents {
 public:
  using Json = nlohmann::json;
  struct Slice {
    unsigned process, thread;
    std::uint64_t from, until;
    std::string name, category;
    Json arguments;
  };

  explicit TraceEvents(const std::string& text) : events_(Json::parse(text, nullptr, false)) {
    if (!events_.is_array()) {
      complain("the file is no array of JSON");
      return;
    }
    for (const Json& event : events_) read(event);
    for (const auto& [track, open] : open_) {
      if (!open.empty()) complain("a slice never ends: " + slices_[open.back()].name);
    }
    for (const auto& [key, open] : async_) complain("a slice never ends: " + async_slices_[open].name);
    for (const auto& [process, thread] : used_) {
      if (!named_.contains({process, thread}))
        complain("no name: " + std::to_string(process) + "/" + std::to_string(thread));
    }
  }

  const std::vector<std::string>& problems() const { return problems_; }
  const std::vector<Slice>& slices() const { return slices_; }             // of threads
  const std::vector<Slice>& overlapping() const { return async_slices_; }  // which begin and end apart
  const std::vector<Slice>& instants() const { return instants_; }
  std::size_t count(const std::string& category) const {
    std::size_t number = 0;
    for (const auto* list : {&slices_, &async_slices_, &instants_}) {
      for (const Slice& slice : *list) number += slice.category == category ? 1 : 0;
    }
    return number;
  }
  const Slice* instant(const std::string& name) const {
    for (const Slice& one : instants_) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }
  // Of a counter's series: its values, each from its cycle on.
  using Series = std::vector<std::pair<std::uint64_t, double>>;
  Series series(unsigned process, const std::string& counter, const std::string& name) const {
    Series values;
    for (const Json& event : events_) {
      if (event["ph"] != "C" || event["pid"] != process || event["name"] != counter) continue;
      values.emplace_back(event["ts"], event["args"].at(name));
    }
    return values;
  }
  // Of a series, over all cycles before `end`.
  static double sum(const Series& series, std::uint64_t end) {
    double sum = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
      sum +=
          series[i].second * static_cast<double>((i + 1 < series.size() ? series[i + 1].first : end) - series[i].first);
    }
    return sum;
  }
  std::set<unsigned> processes_of(const std::string& counter) const {
    std::set<unsigned> processes;
    for (const Json& event : events_) {
      if (event["ph"] == "C" && event["name"] == counter) processes.insert(event["pid"].get<unsigned>());
    }
    return processes;
  }

 private:
  using Track = std::pair<unsigned, unsigned>;

  void complain(const std::string& what) { problems_.push_back(what); }

  void read(const Json& event) {
    const std::string phase = event.value("ph", "");
    const bool number = event.contains("ts") && event["ts"].is_number_unsigned() && event.contains("pid") &&
                        event["pid"].is_number_unsigned() && event["pid"] != 0;
    if (!number || phase.size() != 1) return complain("no event: " + event.dump());
    const unsigned process = event["pid"], thread = event.value("tid", 0U);
    const std::uint64_t at = event["ts"];
    if (phase != "M") used_.insert({process, 0});
    switch (phase[0]) {
      case 'M':
        if (event["name"] == "process_name") named_.insert({process, 0});
        if (event["name"] == "thread_name") named_.insert({process, thread});
        return;
      case 'B':
      case 'E':
      case 'X':
      case 'i':
        if (thread == 0) return complain("no thread: " + event.dump());
        used_.insert({process, thread});
        return on_thread({process, thread}, phase[0], at, event);
      case 'b':
      case 'e':
        return apart(phase == "b", process, at, event);
      case 'C':
        return counter(process, at, event);
      default:
        complain("no phase of the format's: " + phase);
    }
  }

  static Slice slice_of(const Track& track, std::uint64_t from, std::uint64_t until, const Json& event) {
    return {track.first,
            track.second,
            from,
            until,
            event.value("name", ""),
            event.value("cat", ""),
            event.value("args", Json::object())};
  }

  // In the order of the file, which is that of time on every thread; a slice lies within the one that is open.
  void on_thread(const Track& track, char phase, std::uint64_t at, const Json& event) {
    std::uint64_t& reached = reached_[track];
    if (at < reached) complain("behind what its thread has: " + event.dump());
    auto& open = open_[track];
    if (phase == 'E') {
      if (open.empty()) return complain("the end of nothing: " + event.dump());
      slices_[open.back()].until = at;
      open.pop_back();
      reached = std::max(reached, at);
      return;
    }
    if (event.value("name", "").empty()) return complain("no name: " + event.dump());
    if (phase == 'i') {
      if (event.value("s", "") != "t") complain("an instant of what: " + event.dump());
      instants_.push_back(slice_of(track, at, at, event));
    } else if (phase == 'B') {
      open.push_back(slices_.size());
      slices_.push_back(slice_of(track, at, at, event));
    } else {
      const std::uint64_t cycles = event.value("dur", std::uint64_t{0});
      if (cycles == 0) complain("a slice of no length: " + event.dump());
      slices_.push_back(slice_of(track, at, at + cycles, event));
      reached = std::max(reached, at + cycles);
      return;
    }
    reached = std::max(reached, at);
  }

  void apart(bool begins, unsigned process, std::uint64_t at, const Json& event) {
    const auto key = std::tuple{process, event.value("cat", ""), event.value("id", "")};
    const auto found = async_.find(key);
    if (event.value("id", "").empty() || event.value("name", "").empty()) return complain("no id: " + event.dump());
    if (begins) {
      if (found != async_.end()) complain("begins twice: " + event.dump());
      if (at < async_until_[key]) complain("begins before the last one has ended: " + event.dump());
      async_[key] = async_slices_.size();
      async_slices_.push_back(slice_of({process, 0}, at, at, event));
      return;
    }
    if (found == async_.end()) return complain("the end of nothing: " + event.dump());
    Slice& slice = async_slices_[found->second];
    if (at < slice.from || slice.name != event.value("name", "")) complain("no end of it: " + event.dump());
    slice.until = async_until_[key] = at;
    slice.arguments.update(event.value("args", Json::object()));
    async_.erase(found);
  }

  void counter(unsigned process, std::uint64_t at, const Json& event) {
    const std::pair key{process, event.value("name", "")};
    if (counted_.contains(key) && at < counted_[key].first) complain("behind the last value: " + event.dump());
    std::set<std::string> names;
    for (const auto& [name, value] : event["args"].items()) {
      names.insert(name);
      if (!value.is_number() || value < 0) complain("no number: " + event.dump());
    }
    if (names.empty() || (counted_.contains(key) && counted_[key].second != names))
      complain("other series: " + event.dump());
    counted_[key] = {at, names};
  }

  Json events_;
  std::vector<std::string> problems_;
  std::vector<Slice> slices_, async_slices_, instants_;
  std::map<Track, std::vector<std::size_t>> open_;
  std::map<Track, std::uint64_t> reached_;
  std::map<std::tuple<unsigned, std::string, std::string>, std::size_t> async_;
  std::map<std::tuple<unsigned, std::string, std::string>, std::uint64_t> async_until_;
  std::map<std::pair<unsigned, std::string>, std::pair<std::uint64_t, std::set<std::string>>> counted_;
  std::set<Track> used_, named_;
};

}  // namespace warpfold
