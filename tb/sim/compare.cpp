// SPDX-License-Identifier: Apache-2.0
// `warpfold compare`: programs under several mechanisms, a process per point.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tb/sim/commands.h"
#include "tb/sim/point.h"
#include "tb/sim/runner.h"
#include "tb/sim/setup.h"
#include "tb/sim/table.h"
#include "tb/study/store.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {
namespace {

constexpr const char* kBaseline = "pdom";

std::vector<std::string> mechanisms_of(const CompareCommand& command) {
  if (command.mechanisms.empty()) {
    if (command.simd.empty())
      user_error("--mechanisms is required: a,b,… or all; or --simd, which compares lane packings");
    return {kBaseline};
  }
  std::vector<std::string> known{kBaseline};  // first: speed-ups are against it
  for (const auto& info : divergence::mechanisms()) {
    if (info.name != kBaseline) known.push_back(info.name);
  }
  return names_in("--mechanisms", command.mechanisms, known,
                  [](const std::string& name) { divergence::find_mechanism(name); });
}

bool is_set(const std::string& text) {
  return text.find(':') != std::string::npos && text.find_first_of("/ ") == std::string::npos;
}

// Sets of workloads in the place of their members; a workload of several sets comes once.
std::vector<std::string> programs_of(const CompareCommand& command) {
  std::vector<std::string> programs;
  for (const std::string& text : command.programs) {
    if (!is_set(text)) {
      programs.push_back(text);
      continue;
    }
    for (const std::string& name : workloads_of(text)) {
      if (std::find(programs.begin(), programs.end(), name) == programs.end()) programs.push_back(name);
    }
  }
  return programs;
}

// The command as a study.
study::Study study_of(const CompareCommand& command) {
  std::vector<std::string> seeds(command.seeds == 0 ? 1 : 0);
  for (unsigned seed = 1; seed <= command.seeds; ++seed) seeds.push_back(std::to_string(seed));
  const std::vector<std::string> mechanisms = mechanisms_of(command), packings = packings_in(command.simd);
  const auto axis = [](const char* key, const std::vector<std::string>& values) {
    study::Axis made{{key}, {}};
    for (const std::string& value : values) made.rows.push_back({value});
    return made;
  };
  const auto any = [](const std::string&) {};
  std::vector<study::Axis> axes{axis("machine", names_in("--machine", command.machine, config_names("machines"), any))};
  for (const std::string& sweep : command.sweeps) axes.push_back(study::sweep_of(sweep));
  axes.push_back(axis("workload", programs_of(command)));
  axes.push_back(axis("mechanism", mechanisms));
  axes.push_back(axis("simd", packings));
  axes.push_back(axis("seed", seeds));

  study::Choice base;
  base.size = command.size;
  base.timing = command.timing;
  base.detail = command.detail;
  base.code = command.code;
  base.rtl = command.rtl;
  base.rtl_check = command.rtl_check;
  study::Study study;
  study.name = "compare";
  study.baseline_mechanism = mechanisms.front();
  study.baseline_packing = packings.front();
  for (const study::Values& values : study::product(axes, "warpfold compare")) {
    study.choices.push_back(study::choice_of(base, values));
  }
  return study;
}

// Everything is resolved and checked before the first process starts.
std::vector<study::Planned> points_of(const CompareCommand& command, const study::Study& study) {
  std::vector<study::Planned> points = study::plan(study, command.out, command.sets);
  std::map<std::string, std::string> taken;                // directory → program
  std::map<std::string, std::set<std::string>> of_a_name;  // commands
  for (const study::Planned& planned : points) {
    const auto [other, fresh] = taken.try_emplace(planned.point.directory(), planned.choice.workload);
    if (!fresh) user_error("{} and {} are one and the same run: give it once", other->second, planned.choice.workload);
    of_a_name[planned.point.program.name].insert(planned.choice.workload);
  }
  for (study::Planned& planned : points) {  // programs of one name are shown as they were given
    Program& program = planned.point.program;
    program.title = of_a_name[program.name].size() > 1 ? planned.choice.workload : "";
  }
  return points;
}

// What a table is of, but for the program: "tbc2011, core.warp_size=16".
std::string scenario_of(const study::Planned& planned) {
  std::string text = planned.point.options.machine_name;
  for (const auto& [key, value] : planned.choice.settings) text += fmt::format(", {}={}", key, value);
  return text;
}

using Table = std::vector<const Point*>;

void print_scenario(const std::string& scenario, const std::vector<Table>& by_program, bool functional) {
  for (const Table& points : by_program) {
    fmt::print("{} on {}\n{}{}{}{}\n", points.front()->program.shown(), scenario, comparison_table(points),
               filling_warning(points), threads_warning(points), refusals_warning(points));
  }
  if (by_program.size() > 1) fmt::print("{}\n", functional ? savings_table(by_program) : speedup_table(by_program));
}

// Points that differ in the mechanism alone are a table.
void print_tables(const std::vector<study::Planned>& points, const CompareCommand& command) {
  std::vector<std::pair<std::string, std::vector<Table>>> scenarios;
  std::string program;
  for (const study::Planned& planned : points) {
    const std::string scenario = scenario_of(planned);
    const bool fresh = scenarios.empty() || scenarios.back().first != scenario;
    if (fresh) scenarios.push_back({scenario, {}});
    auto& tables = scenarios.back().second;
    if (fresh || program != planned.choice.workload) tables.emplace_back();
    program = planned.choice.workload;
    tables.back().push_back(&planned.point);
  }
  const bool functional = command.timing == Choices<Timing>::names[static_cast<std::size_t>(Timing::kFunctional)];
  for (const auto& [scenario, tables] : scenarios) print_scenario(scenario, tables, functional);
}

// Over seeds: means with their intervals, and a verdict where they allow one.
void print_verdicts(const study::Study& study, const std::vector<study::Planned>& points,
                    const CompareCommand& command) {
  study::Store store = study::Store::in_memory(command.out);
  store.put(study, points);
  for (const study::Planned& planned : points) {
    if (planned.point.state == Point::State::kDone) store.take(planned);
  }
  const std::string by_seed =
      "format('%.2f', speedup), iif(n > 1, format('%.2f to %.2f', low, high), '-'), verdict, coalesce(caution, '')";
  const auto print = [&](const std::string& of, const std::string& columns, const std::string& from,
                         const char* first) {
    const study::Rows rows = store.query(
        fmt::format("SELECT {}, n, {} FROM {} ORDER BY machine, machine_settings", columns, by_seed, from), of);
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : rows.rows) {
      cells.emplace_back();
      for (const auto& cell : row) cells.back().push_back(cell.value_or(""));
    }
    fmt::print("{}\n", format_table({"machine", "settings", first, "variant", "seeds", "speed-up", "95% interval",
                                     "verdict", "caution"},
                                    cells));
  };
  print("verdict", "machine, machine_settings, workload, variant", "verdict", "program");
  print("mean", "machine, machine_settings, workloads, variant", "mean", "programs");
  for (const study::Planned& planned : points) {
    if (planned.point.state == Point::State::kWrong)
      fmt::print("{}: WRONG: {}\n", planned.point.label(), planned.point.reason);
  }
}

void print_places(const std::vector<study::Planned>& points) {
  std::string places;  // that could be made
  for (const study::Planned& planned : points) {
    const bool ran = planned.point.state != Point::State::kNotApplicable;
    if (ran && std::filesystem::is_directory(planned.point.place))
      places += fmt::format("  {}/\n", planned.point.place);
  }
  if (!places.empty()) fmt::print("results in\n{}", places);
}

}  // namespace

int compare(const CompareCommand& command) {
  if (command.programs.empty()) user_error("no program given: warpfold compare [options] WORKLOAD…");
  const study::Study study = study_of(command);
  std::vector<study::Planned> planned = points_of(command, study);
  stop_on_signals();
  std::vector<Point*> points;
  for (study::Planned& one : planned) points.push_back(&one.point);
  Runner(points, command.jobs, Finished::kRunAgain).run_all();
  if (command.seeds == 0) {
    print_tables(planned, command);
  } else {
    print_verdicts(study, planned, command);
  }
  print_places(planned);
  const auto fine = [](const Point* point) {
    return point->state == Point::State::kDone || point->state == Point::State::kNotApplicable;
  };
  return std::all_of(points.begin(), points.end(), fine) ? 0 : 1;
}

}  // namespace warpfold::sim
