// SPDX-License-Identifier: Apache-2.0
// `warpfold coverage`: what RTL blocks came across, summed over kept runs (docs/co-simulation.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "tb/sim/commands/commands.h"
#include "tb/sim/runs/kept_run.h"
#include "tb/study/report_data.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const KeptRun& run) {
  return fmt::format("{} {}", run.decided_by.value("program", "?"), run.decided_by.value("mechanism", "?"));
}

// What runs did with one block: an event has one state, of size 0, and sizes one each.
class Block {
 public:
  explicit Block(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  void add(const std::string& run, const Json& did) {
    ++runs_[run];
    if (did.contains("unreachable")) why_.update(did["unreachable"]);
    for (const auto& [point, value] : did["exercised"].items()) {
      const auto at = std::find(points_.begin(), points_.end(), point);
      const std::size_t index = at - points_.begin();
      if (at == points_.end()) points_.push_back(point);
      if (value.is_number()) add(run, {index, 0}, point, value);
      if (!value.is_object()) continue;
      for (const auto& [sizes, times] : value.items()) {
        const auto [least, most] = span(sizes);
        for (std::size_t size = least; size <= most; ++size)
          add(run, {index, size}, fmt::format("{} {}", point, size), times);
      }
    }
  }

  void rows(ReportTable& table) const {
    double runs = 0;
    for (const auto& [_, of_name] : runs_) runs += of_name;
    for (const State& state : shown()) {
      const auto most = std::max_element(state.times.begin(), state.times.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      table.rows.push_back({{name_, state.name, count(state.all()), count(state.runs), count(runs),
                             state.runs > 0 ? Cell(most->first) : Cell(nullptr, never(state.name))}});
    }
  }

  // By state and run the decimal digits of the count: some states come in thousands, others once.
  Json figure() const {
    Json rows = Json::array();
    for (const State& state : shown()) {
      for (const auto& [run, _] : runs_) {
        const auto at = state.times.find(run);
        const double times = at == state.times.end() ? 0 : at->second;
        rows.push_back({state.name, run, times == 0 ? 0 : 1 + std::floor(std::log10(times)), times});
      }
    }
    return {{"name", name_},
            {"title", fmt::format("States of {}", name_)},
            {"notes", "Decimal digits of how often a run was in a state: 0 is never."},
            {"columns", {"state", "run", "digits", "times"}},
            {"rows", rows},
            {"chart", {{"kind", "heatmap"}, {"x", "run"}, {"y", "state"}, {"value", "digits"}, {"format", "d"}}}};
  }

 private:
  using Place = std::pair<std::size_t, std::size_t>;  // point, as the block lists them, and size

  void add(const std::string& run, Place place, const std::string& name, double times) {
    State& state = states_[place];
    state.name = name;
    state.runs += times > 0 ? 1 : 0;
    state.times[run] += times;
  }

  struct State {
    std::string name;
    double runs = 0;                      // in which it came
    std::map<std::string, double> times;  // by run's name

    double all() const {
      double all = 0;
      for (const auto& [_, of_run] : times) all += of_run;
      return all;
    }
  };

  // "17", or "9-32" of sizes that a run did not come to.
  static std::pair<std::size_t, std::size_t> span(const std::string& sizes) {
    std::size_t least = 0, most = 0;
    const int found = std::sscanf(sizes.c_str(), "%zu-%zu", &least, &most);
    return {least, found == 2 ? most : least};
  }

  // As they are told: sizes that no run came to and that are neighbours are one state.
  std::vector<State> shown() const {
    std::vector<State> all;
    Place last;
    std::size_t first = 0;  // of the sizes that the last state has
    for (const auto& [place, state] : states_) {
      const bool goes_on = !all.empty() && place.first == last.first && place.second == last.second + 1 &&
                           state.runs == 0 && all.back().runs == 0;
      last = place;
      if (goes_on) {
        all.back().name = fmt::format("{} {}-{}", points_[place.first], first, place.second);
        continue;
      }
      first = place.second;
      all.push_back(state);
    }
    return all;
  }
  std::string name_;
  std::vector<std::string> points_;
  std::map<Place, State> states_;
  std::string never(const std::string& state) const {
    return why_.contains(state) ? "never: " + why_[state].get<std::string>() : "never";
  }

  Json why_ = Json::object();             // of states that no run can come to
  std::map<std::string, unsigned> runs_;  // of one name: a program may have run more than once
};

class Coverage {
 public:
  void add(const KeptRun& run) {
    for (const auto& [name, did] : run.rtl.items()) {
      if (!did.contains("exercised")) continue;
      const auto is_it = [&wanted = name](const Block& block) { return block.name() == wanted; };
      auto at = std::find_if(blocks_.begin(), blocks_.end(), is_it);
      if (at == blocks_.end()) at = blocks_.emplace(at, name);
      at->add(name_of(run), did);
    }
  }

  bool empty() const { return blocks_.empty(); }

  ReportTable table() const {
    ReportTable table{"states",
                      "",
                      {{"block", "block"},
                       {"state", "state", kAll, true},
                       {"times", "times"},
                       {"runs", "runs"},
                       {"of_runs", "of"},
                       {"most_in", "most often in", kAll, true}},
                      {}};
    for (const Block& block : blocks_) block.rows(table);
    return table;
  }

  Json figures() const {
    Json figures = Json::array();
    for (const Block& block : blocks_) figures.push_back(block.figure());
    figures.push_back(page_figure(table(), "States"));
    return figures;
  }

 private:
  std::vector<Block> blocks_;
};

}  // namespace

int coverage(const CoverageCommand& command) {
  Coverage all;
  std::size_t runs = 0, left = 0;
  for (const std::string& folder : command.results) {
    for (const auto& directory : runs_in(folder)) {
      const KeptRun run = read_run(directory);
      // What a failed run came across was not passed.
      if (run.trouble.empty())
        all.add(run), ++runs;
      else
        ++left;
    }
  }
  if (all.empty())
    user_error("{}: no run with RTL is in it: warpfold run --rtl BLOCKS --out FOLDER makes one",
               fmt::join(command.results, ", "));
  std::string note = fmt::format("Runs: {}", runs);
  if (left != 0) note += fmt::format("; left out, as they failed or did not end: {}", left);
  const Report report{{note}, {all.table()}};
  deliver(report, command.output);
  if (command.page.asked()) {
    const Json page = study::page_without_points("coverage", "What RTL blocks came across", note, all.figures());
    fmt::print("{}", study::write_page(page, command.page));
  }
  return 0;
}

}  // namespace warpfold::sim
