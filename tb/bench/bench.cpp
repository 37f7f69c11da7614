// SPDX-License-Identifier: Apache-2.0
// warpfold-bench: simulated thread-instructions and cycles per host CPU second of every bundled workload, one process
// at a time. A run of seconds is what users wait for, so whole runs are measured, not Google Benchmark's repeated
// loops. --instructions counts host instructions instead (instructions.h).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tb/bench/instructions.h"
#include "tb/sim/runs/bundled.h"
#include "tb/sim/runs/child.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/tables/text_table.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::string machine = "gt200", size = "default", out = "results/bench";
  std::vector<std::string> mechanisms, workloads;
  unsigned repeats = 1;
};

struct Measured {
  std::string name, set;
  double instructions = 0, warp_instructions = 0, cycles = 0, seconds = 0, megabytes = 0;
  double rate() const { return instructions / seconds / 1e6; }
  double nanoseconds() const { return seconds / warp_instructions * 1e9; }
};

// The fastest of several runs: what disturbs a run only ever makes it slower.
Measured measure(const Workload& workload, const std::string& mechanism, const Settings& settings) {
  Point point;
  point.program = ready(find_program(workload.name, settings.size));
  point.options = RunOptions::resolve(settings.machine, mechanism, {});
  point.options.out = fs::absolute(fs::path(settings.out) / workload.name / mechanism);
  Measured best;
  for (unsigned i = 0; i < settings.repeats; ++i) {
    const std::string run_file = prepare(point);
    const Ending ending = wait_for(start(point.program.command, run_file, fs::path(point.directory()) / "program.out"));
    if (ending.ok()) collect(point);
    if (!ending.ok() || point.state != Point::State::kDone) user_error("{}: {}", workload.name, ending.text());
    std::ifstream in(fs::path(point.directory()) / "run.json");
    const auto host = nlohmann::json::parse(in)["host"];
    const auto& total = point.stats["total"];
    const Measured run{workload.name,
                       workload.set,
                       total["thread_instructions"],
                       total["warp_instructions"],
                       total["cycles"],
                       host["cpu_seconds"],
                       host["peak_rss_bytes"].get<double>() / 1e6};
    if (i == 0 || run.seconds < best.seconds) best = run;
  }
  return best;
}

std::string mean_of(const std::vector<Measured>& all, const std::string& set) {
  double logarithms = 0;
  unsigned count = 0;
  for (const Measured& m : all) {
    if (!set.empty() && m.set != set) continue;
    logarithms += std::log(m.rate());
    ++count;
  }
  return count == 0 ? "-" : fmt::format("{:.2f}", std::exp(logarithms / count));
}

void print_rates(const std::vector<Measured>& all, const std::string& mechanism, const Settings& settings) {
  std::vector<std::vector<std::string>> rows;
  for (const Measured& m : all) {
    rows.push_back({m.name, m.set, fmt::format("{:.1f}", m.instructions / 1e6), fmt::format("{:.0f}", m.cycles / 1e3),
                    fmt::format("{:.2f}", m.seconds), fmt::format("{:.2f}", m.rate()),
                    fmt::format("{:.0f}", m.cycles / m.seconds / 1e3), fmt::format("{:.0f}", m.megabytes)});
  }
  for (const char* set : {"divergent", "coherent", ""}) {
    rows.push_back({"geometric mean", *set == 0 ? "all" : set, "", "", "", mean_of(all, set), "", ""});
  }
  fmt::print(
      "{} under {}, size {}: active-lane PTX instructions and core cycles per CPU second of the whole process\n\n{}\n",
      settings.machine, mechanism, settings.size,
      TextTable{{"workload", "set", "M instr.", "K cycles", "CPU s", "M instr./s", "K cycles/s", "RSS MB"}, {}, rows}
          .as_columns());
}

// all[m][w]: mechanism m, workload w.
void print_costs(const std::vector<std::vector<Measured>>& all, const Settings& settings) {
  std::vector<std::string> head{"CPU ns"};
  std::vector<std::vector<std::string>> rows;
  for (const Measured& base : all.front()) rows.push_back({base.name});
  rows.push_back({"geometric mean"});
  for (std::size_t m = 0; m < all.size(); ++m) {
    head.push_back(settings.mechanisms[m]);
    double logarithms = 0;
    for (std::size_t w = 0; w < all[m].size(); ++w) {
      const double ratio = all[m][w].nanoseconds() / all[0][w].nanoseconds();
      rows[w].push_back(m == 0 ? fmt::format("{:.0f}", all[0][w].nanoseconds()) : fmt::format("{:.2f}", ratio));
      logarithms += std::log(ratio);
    }
    rows.back().push_back(fmt::format("{:.2f}", std::exp(logarithms / static_cast<double>(all[m].size()))));
  }
  fmt::print("{}, size {}: CPU time per issued warp instruction, in ns under {} and relative to it\n\n{}",
             settings.machine, settings.size, settings.mechanisms.front(), TextTable{head, {}, rows}.as_columns());
}

void bench(Settings settings) {
  if (settings.mechanisms.empty()) settings.mechanisms = {"pdom"};
  std::vector<std::vector<Measured>> all(settings.mechanisms.size());
  for (const Workload& workload : find_workloads()) {
    const auto& asked = settings.workloads;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), workload.name) == asked.end()) continue;
    for (std::size_t m = 0; m < all.size(); ++m) {
      all[m].push_back(measure(workload, settings.mechanisms[m], settings));
      fmt::print(stderr, "{} under {}: {:.1f} s\n", workload.name, settings.mechanisms[m], all[m].back().seconds);
    }
  }
  if (all.front().empty()) user_error("none of the named is a bundled workload (warpfold list workloads)");
  for (std::size_t m = 0; m < all.size(); ++m) print_rates(all[m], settings.mechanisms[m], settings);
  if (all.size() > 1) print_costs(all, settings);
}

}  // namespace
}  // namespace warpfold::sim

int main(int argc, char** argv) {
  warpfold::sim::Settings settings;
  warpfold::bench::CountSettings count;
  CLI::App app{"How fast the simulator is: simulated work per host CPU second, or host instructions by part of it"};
  app.add_option("--machine", settings.machine, "Name in configs/machines, or a path");
  app.add_option("--mechanisms", settings.mechanisms,
                 "Divergence mechanisms (pdom; with --instructions four); several are also compared per instruction")
      ->delimiter(',')
      ->allow_extra_args(false);
  auto* const size = app.add_option("--size", settings.size, "Of the workloads (default; with --instructions small)")
                         ->check(CLI::IsMember({"small", "default", "large"}));
  app.add_option("--out", settings.out, "Result directory");
  app.add_option("--repeats", settings.repeats, "Runs of each workload, of which the fastest counts")
      ->check(CLI::Range(1, 100));
  bool counting = false;
  auto* const instructions = app.add_flag(
      "--instructions", counting, "Count host instructions per warp instruction under valgrind (docs/measuring.md)");
  app.add_option("--baseline", count.baseline,
                 "An earlier count's instructions.json: fails where 3 % more are needed, or 10 % more misses")
      ->needs(instructions);
  app.add_option("-j,--jobs", count.jobs, "Processes at a time, while counting")
      ->check(CLI::Range(1, 4096))
      ->needs(instructions);
  app.add_option("workloads", settings.workloads, "Which ones; when none is named all, or the counted eight");
  CLI11_PARSE(app, argc, argv);
  try {
    if (counting) {
      count.machine = settings.machine;
      count.size = *size ? settings.size : "small";
      count.out = settings.out;
      count.mechanisms = settings.mechanisms;
      count.workloads = settings.workloads;
      return warpfold::bench::count_instructions(count) ? 0 : 1;
    }
    warpfold::sim::bench(settings);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "warpfold-bench: error: {}\n", error.what());
    return 2;
  }
}

// libsystemc has a main of its own, which asks for this.
extern "C" int sc_main(int, char**) { return 0; }
