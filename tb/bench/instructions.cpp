// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "tb/bench/baseline.h"
#include "tb/bench/callgrind.h"
#include "tb/sim/runs/bundled.h"
#include "tb/sim/runs/child.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/tables/text_table.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// From a launch to its results, which leaves out what a process does once: loading, parsing, decoding, building the
// machine. Each of these is the only way into its file and is called from another one, so it is never inlined.
constexpr const char* kCounted[] = {"warpfold::run_launch(*", "warpfold::FunctionalEngine::run(*",
                                    "warpfold::ResultWriter::kernel_begin(*", "warpfold::ResultWriter::kernel_end(*"};

// Programs of every kind in the tables of the papers, among them many short launches (bfs, needle), small enough for
// valgrind.
constexpr const char* kWorkloads[] = {"matmul", "fwt", "lps", "aes", "mummer", "bfs", "nqueens-divergent", "needle"};
constexpr const char* kMechanisms[] = {"pdom", "tbc", "dwf-wb", "harp"};

struct Counted {
  sim::Point point;
  pid_t child = 0;
  PartCosts instructions = {}, misses = {};  // per warp instruction
  std::string workload() const { return point.program.name; }
  std::string mechanism() const { return point.options.mechanism; }
  fs::path file(const char* name) const { return fs::path(point.directory()) / name; }
  std::uint64_t total(const char* statistic) const { return point.stats["total"][statistic]; }
};

// All parts but the results: how often intermediate ones are written hangs on the clock, and a count must not.
double all(const PartCosts& costs) { return sum(costs) - costs[kResults]; }

Counted point_of(const std::string& workload, const std::string& mechanism, const CountSettings& settings) {
  Counted counted;
  counted.point.program = sim::ready(sim::find_program(workload, settings.size));
  counted.point.options = RunOptions::resolve(settings.machine, mechanism, {});
  counted.point.options.pace = Pace::Rule::kTogether;  // else it goes by the host's time
  counted.point.options.out = fs::absolute(fs::path(settings.out) / workload / mechanism);
  return counted;
}

void start(Counted& counted) {
  const std::string run_file = sim::prepare(counted.point);
  // Caches as a core of a server has them: 32 KiB of 8 ways, then its megabyte of 16.
  std::vector<std::string> command{
      "valgrind",        "--tool=callgrind",   "--cache-sim=yes",
      "--D1=32768,8,64", "--LL=1048576,16,64", "--callgrind-out-file=" + counted.file("callgrind.out").string()};
  for (const char* function : kCounted) command.push_back(fmt::format("--toggle-collect={}", function));
  const auto& program = counted.point.program.command;
  command.insert(command.end(), program.begin(), program.end());
  counted.child = sim::start(command, run_file, counted.file("program.out"));
}

void finish(Counted& counted, const sim::Ending& ending) {
  if (ending.ok()) sim::collect(counted.point);
  if (counted.point.state != sim::Point::State::kDone) {
    user_error("{}: {} under valgrind; is this the preset `counting`? See {}", counted.point.label(), ending.text(),
               counted.file("program.out").string());
  }
  const std::string path = counted.file("callgrind.out");
  const auto per_warp_instruction = [&](const std::vector<std::string_view>& events) {
    std::ifstream in(path);
    PartCosts costs = part_costs(in, path, events);
    for (double& cost : costs) cost /= static_cast<double>(counted.total("warp_instructions"));
    return costs;
  };
  counted.instructions = per_warp_instruction({"Ir"});
  counted.misses = per_warp_instruction({"D1mr", "D1mw"});
  if (all(counted.instructions) < 1) {
    user_error("{}: next to nothing was counted: do the counted functions still exist?", path);
  }
}

void run_all(std::vector<Counted>& points, unsigned jobs) {
  std::size_t next = 0, finished = 0;
  while (finished < points.size()) {
    for (std::size_t i = finished; i < next; ++i) {
      if (points[i].child == 0) continue;
      if (const auto ending = sim::has_ended(points[i].child)) {
        points[i].child = 0;
        finish(points[i], *ending);
        fmt::print(stderr, "{}: {:.0f}\n", points[i].point.label(), all(points[i].instructions));
      }
    }
    while (finished < next && points[finished].child == 0) ++finished;
    const auto running =
        std::count_if(points.begin(), points.end(), [](const Counted& counted) { return counted.child != 0; });
    if (next < points.size() && running < jobs) {
      start(points[next++]);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

std::string compiler() { return fmt::format("gcc {}", __VERSION__); }

Json to_json(const std::vector<Counted>& points, const CountSettings& settings) {
  Json json{{"machine", settings.machine}, {"size", settings.size}, {"compiler", compiler()}};
  for (const Counted& counted : points) {
    const auto rounded = [](double value) { return std::round(value * 10) / 10; };
    Json parts = Json::object();
    for (unsigned p = 0; p < kParts; ++p) parts[kPartNames[p]] = rounded(counted.instructions[p]);
    json["points"].push_back({{"workload", counted.workload()},
                              {"mechanism", counted.mechanism()},
                              {"cycles", counted.total("cycles")},
                              {"warp_instructions", counted.total("warp_instructions")},
                              {kInstructions, rounded(all(counted.instructions))},
                              {kMisses, rounded(all(counted.misses))},
                              {"parts", parts}});
  }
  return json;
}

void print_parts(const std::vector<Counted>& points, const std::string& mechanism) {
  std::vector<std::string> head{"part"};
  std::vector<std::vector<std::string>> rows;
  for (const char* name : kPartNames) rows.push_back({name});
  rows.push_back({"all but results"});
  rows.push_back({"L1 data cache misses"});
  double logarithms = 0;
  for (const Counted& counted : points) {
    if (counted.mechanism() != mechanism) continue;
    head.push_back(counted.workload());
    for (unsigned p = 0; p < kParts; ++p) rows[p].push_back(fmt::format("{:.0f}", counted.instructions[p]));
    rows[kParts].push_back(fmt::format("{:.0f}", all(counted.instructions)));
    rows[kParts + 1].push_back(fmt::format("{:.1f}", all(counted.misses)));
    logarithms += std::log(all(counted.instructions));
  }
  const double mean = std::exp(logarithms / static_cast<double>(head.size() - 1));
  fmt::print("{}: host instructions per warp instruction, geometric mean {:.0f}\n\n{}\n", mechanism, mean,
             sim::TextTable{head, {}, rows}.as_columns());
}

Json read_baseline(const std::string& path) {
  std::ifstream in(path);
  Json baseline = Json::parse(in, nullptr, false);
  if (!baseline.is_object() || !baseline.contains("points"))
    user_error("{}: no baseline; give a file that warpfold-bench --instructions wrote", path);
  return baseline;
}

std::vector<std::string> or_all(const std::vector<std::string>& asked, const auto& all) {
  return asked.empty() ? std::vector<std::string>(std::begin(all), std::end(all)) : asked;
}

}  // namespace

bool count_instructions(const CountSettings& settings) {
  const Json baseline = settings.baseline.empty() ? Json() : read_baseline(settings.baseline);  // its mistakes first
  const auto mechanisms = or_all(settings.mechanisms, kMechanisms);
  std::vector<Counted> points;
  for (const std::string& workload : or_all(settings.workloads, kWorkloads)) {
    for (const std::string& mechanism : mechanisms) points.push_back(point_of(workload, mechanism, settings));
  }
  run_all(points, settings.jobs);
  for (const std::string& mechanism : mechanisms) print_parts(points, mechanism);
  const Json counts = to_json(points, settings);
  const std::string path = fs::path(settings.out) / "instructions.json";
  write_whole_file(path, counts.dump(1) + "\n");
  fmt::print("counts in {}\n", path);
  if (settings.baseline.empty()) return true;
  const Comparison comparison = compare_counts(counts, baseline, settings.baseline);
  fmt::print("{}", comparison.text);
  return comparison.over == 0;
}

}  // namespace warpfold::bench
