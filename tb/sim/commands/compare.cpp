// SPDX-License-Identifier: Apache-2.0
// `warpfold compare`: programs under several mechanisms, a process per point.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "tb/sim/commands/commands.h"
#include "tb/sim/console/output.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/runs/runner.h"
#include "tb/sim/runs/sampled.h"
#include "tb/sim/runs/setup.h"
#include "tb/sim/tables/table.h"
#include "tb/study/store.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {
namespace {

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
  axes.push_back(axis("workload", programs_of(command.programs)));
  axes.push_back(axis("mechanism", mechanisms));
  axes.push_back(axis("simd", packings));
  axes.push_back(axis("seed", seeds));

  study::Choice base;
  base.size = command.size;
  base.timing = command.timing;
  base.detail = command.detail;
  base.sample = command.sample;
  base.code = command.code;
  base.rtl = command.rtl;
  base.rtl_check = command.rtl_check;
  base.both_orders = base.bound = true;
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

struct Scenario {
  std::string name;
  std::vector<Table> tables;  // by program
};

// Points that differ in the mechanism alone are a table.
std::vector<Scenario> scenarios_of(const std::vector<study::Planned>& points) {
  std::vector<Scenario> scenarios;
  std::string program;
  for (const study::Planned& planned : points) {
    if (!planned.choice.part.empty()) continue;  // it is there for others
    const std::string name = scenario_of(planned);
    const bool fresh = scenarios.empty() || scenarios.back().name != name;
    if (fresh) scenarios.push_back({name, {}});
    auto& tables = scenarios.back().tables;
    if (fresh || program != planned.choice.workload) tables.emplace_back();
    program = planned.choice.workload;
    tables.back().push_back(&planned.point);
  }
  return scenarios;
}

// Under every mechanism the same launches are timed, those that the baseline has chosen: so it runs first.
void run_sampled(const CompareCommand& command, const study::Study& study, std::vector<study::Planned>& points) {
  std::vector<Point*> baselines, others;
  std::map<const Point*, const Point*> baseline_of;
  for (study::Planned& planned : points) {
    const bool baseline =
        planned.choice.mechanism == study.baseline_mechanism && planned.choice.packing == study.baseline_packing;
    (baseline ? baselines : others).push_back(&planned.point);
    baseline_of[&planned.point] = baselines.back();
  }
  Runner(baselines, command.jobs, Finished::kRunAgain).run_all();
  for (Point* const point : others) {
    const std::string timed = timed_launches(baseline_of[point]->stats);
    if (timed.empty() || point->state != Point::State::kWaiting) continue;
    point->options.sample = SampleChoice::parse(timed, "--sample");
    file_under_key(*point, command.out);
  }
  Runner(others, command.jobs, Finished::kRunAgain).run_all();
}

Beside beside_of(const std::vector<study::Planned>& points) {
  Beside beside;
  for (const study::Planned& planned : points) {
    if (planned.others) {
      beside.orders[&planned.point] = {&points[planned.others->baseline].point, &points[planned.others->own].point};
    }
    if (planned.bound) beside.bounds[&planned.point] = &points[*planned.bound].point;
  }
  return beside;
}

// What is left of a difference where warps of neither side drain: both run once more.
void run_undrained(const CompareCommand& command, const study::Study& study, const std::vector<study::Planned>& points,
                   Beside& beside) {
  std::map<const Point*, const study::Choice*> choices;
  for (const study::Planned& planned : points) choices[&planned.point] = &planned.choice;
  study::Study both = study;
  both.choices.clear();
  std::vector<const Point*> drained;
  for (const Scenario& scenario : scenarios_of(points)) {
    for (const Table& table : scenario.tables) {
      for (const Point* point : table) {
        if (!drains_much(*point) || !speedup(table.front(), point) || point == table.front()) continue;
        drained.push_back(point);
        for (const Point* side : {table.front(), point}) {
          study::Choice& choice = both.choices.emplace_back(*choices.at(side));
          choice.both_orders = choice.bound = false;
          study::set(choice.settings, "core.scoreboard", "per_thread");
        }
      }
    }
  }
  if (drained.empty()) return;
  std::vector<study::Planned> again = study::plan(both, command.out, command.sets);
  std::vector<Point*> runs;  // a baseline is there once for each that is compared with it
  for (study::Planned& planned : again) runs.push_back(&planned.point);
  run_each_once(runs, command.jobs, Finished::kTake);
  for (std::size_t i = 0; i < drained.size(); ++i) {
    if (const auto value = speedup(runs[2 * i], runs[2 * i + 1])) beside.undrained[drained[i]] = *value;
  }
}

// All programs' rows in one, with what the columns of `scenarios` say: for programs.
ReportTable rows_of(const std::vector<Scenario>& scenarios, const Beside& beside) {
  ReportTable all;
  for (const Scenario& scenario : scenarios) {
    for (const Table& points : scenario.tables) {
      ReportTable table = comparison_table(points, beside);
      if (all.columns.empty()) {
        all.name = table.name;
        all.columns = table.columns;
        if (scenarios.size() > 1) all.columns.insert(all.columns.begin(), {"scenario", ""});
      }
      for (Row& row : table.rows) {
        if (scenarios.size() > 1) row.cells.insert(row.cells.begin(), scenario.name);
        all.rows.push_back(std::move(row));
      }
    }
  }
  all.audience = kPrograms;
  return all;
}

Report report_of(const std::vector<study::Planned>& points, const Beside& beside, const CompareCommand& command) {
  Report report;
  const bool functional = command.timing == Choices<Timing>::names[static_cast<std::size_t>(Timing::kFunctional)];
  const std::vector<Scenario> scenarios = scenarios_of(points);
  std::vector<ReportTable> of_all;  // programs of a scenario
  for (const auto& [name, by_program] : scenarios) {
    for (const Table& own : by_program) {
      ReportTable table = comparison_table(own, beside);
      table.audience = kPeople;
      table.title = fmt::format("{} on {}", own.front()->program.shown(), name);
      table.footer = filling_warning(own) + order_warning(own, beside) + draining_warning(own, beside) +
                     threads_warning(own) + refusals_warning(own);
      report.tables.push_back(std::move(table));
    }
    if (by_program.size() == 1) continue;
    std::vector<ReportTable> means =
        functional ? savings_tables(by_program) : std::vector{speedup_table(by_program, beside)};
    for (ReportTable& table : means) {
      if (scenarios.size() > 1) table.title = table.title.empty() ? name : fmt::format("{}, {}", table.title, name);
      of_all.push_back(std::move(table));
    }
  }
  report.tables.push_back(rows_of(scenarios, beside));
  for (ReportTable& table : of_all) report.tables.push_back(std::move(table));
  return report;
}

// Over seeds: means with their intervals, and a verdict where they allow one.
Report verdicts_of(const study::Study& study, const std::vector<study::Planned>& points,
                   const CompareCommand& command) {
  study::Store store = study::Store::in_memory(command.out);
  store.put(study, points);
  Report report;
  for (const study::Planned& planned : points) {
    if (planned.point.state == Point::State::kDone) store.take(planned);
    if (planned.point.state == Point::State::kWrong) {
      report.notes.push_back(fmt::format("{}: WRONG: {}", planned.point.label(), planned.point.reason));
    }
  }
  const auto number = [](const study::Rows::Cell& cell) {
    return cell ? std::optional(std::strtod(cell->c_str(), nullptr)) : std::nullopt;
  };
  const auto add = [&](const char* name, const char* of) {
    const study::Rows rows =
        store.query(fmt::format("SELECT machine, machine_settings, {}, variant, n, speedup, low, "
                                "high, verdict, caution FROM {} WHERE part = '' ORDER BY machine, machine_settings",
                                of, name),
                    name);
    ReportTable table{name,
                      "",
                      {{"machine", "machine"},
                       {"settings", "settings", kAll, true},
                       {of, of, kAll, true},
                       {"variant", "variant", kAll, true},
                       {"seeds", "seeds"},
                       {"speed_up", "speed-up"},
                       {"low", "95% from"},
                       {"high", "to"},
                       {"verdict", "verdict", kAll, true},
                       {"caution", "caution", kAll, true}},
                      {}};
    for (const auto& row : rows.rows) {
      const std::string settings = *row[1] == "{}" ? "" : *row[1];
      table.rows.push_back(
          {{*row[0], settings, parsed(*row[2]), *row[3], count(number(row[4])), decimal(number(row[5])),
            decimal(number(row[6])), decimal(number(row[7])), *row[8], row[9].value_or("")}});
    }
    report.tables.push_back(std::move(table));
  };
  add("verdict", "workload");
  add("mean", "workloads");
  const study::Rows rows = store.query(
      "SELECT machine, machine_settings, workload, variant, base_policy, policy, count(*), exp(avg(ln(by_order))), "
      "exp(avg(ln(by_mechanism))), exp(avg(ln(in_own_order))) FROM orders "
      "GROUP BY machine, machine_settings, workload, variant ORDER BY min(number)",
      "orders");
  if (rows.rows.empty()) return report;
  ReportTable table{"orders",
                    "",
                    {{"machine", "machine"},
                     {"settings", "settings", kAll, true},
                     {"workload", "workload", kAll, true},
                     {"variant", "variant", kAll, true},
                     {"base_policy", "order of the baseline", kAll, true},
                     {"policy", "order", kAll, true},
                     {"seeds", "seeds"},
                     {"by_order", "by order"},
                     {"by_mechanism", "by mechanism"},
                     {"in_own_order", "in own order"}},
                    {}};
  for (const auto& row : rows.rows) {
    const std::string settings = *row[1] == "{}" ? "" : *row[1];
    table.rows.push_back({{*row[0], settings, *row[2], *row[3], *row[4], *row[5], count(number(row[6])),
                           decimal(number(row[7])), decimal(number(row[8])), decimal(number(row[9]))}});
  }
  report.tables.push_back(std::move(table));
  return report;
}

// Of those that could be made; many are found below the folder of all.
void print_places(const std::vector<study::Planned>& points, const std::string& folder) {
  constexpr std::size_t kMostPlaces = 20;
  std::vector<std::string> places;
  for (const study::Planned& planned : points) {
    const bool ran = planned.point.state != Point::State::kNotApplicable;
    if (ran && std::filesystem::is_directory(planned.point.place)) places.push_back(planned.point.place);
  }
  if (places.size() > kMostPlaces) places = {folder};
  if (!places.empty()) fmt::print("\nresults in\n");
  for (const std::string& place : places) fmt::print("  {}/\n", place);
}

}  // namespace

int compare(const CompareCommand& command) {
  if (command.programs.empty()) user_error("no program given: warpfold compare [options] WORKLOAD…");
  command.output.format();  // before anything runs
  if (!command.sample.empty() && command.seeds != 0) {
    user_error("--sample {}: cannot stand with --seeds: means are of whole runs", command.sample);
  }
  const study::Study study = study_of(command);
  std::vector<study::Planned> planned = points_of(command, study);
  stop_on_signals();
  std::vector<Point*> points;
  for (study::Planned& one : planned) points.push_back(&one.point);
  if (command.sample.empty()) {
    Runner(points, command.jobs, Finished::kRunAgain).run_all();
  } else {
    run_sampled(command, study, planned);
  }
  Beside beside = beside_of(planned);
  if (command.seeds == 0) run_undrained(command, study, planned, beside);
  deliver(command.seeds == 0 ? report_of(planned, beside, command) : verdicts_of(study, planned, command),
          command.output);
  if (!quiet() && !command.output.asked()) print_places(planned, command.out);
  bool fine = true;
  for (const Point* point : points) {
    if (point->state == Point::State::kDone || point->state == Point::State::kNotApplicable) continue;
    fine = false;
    if (quiet()) tell("warpfold: error: {}: {}\n", point->label(), point->reason);
  }
  return fine ? 0 : 1;
}

}  // namespace warpfold::sim
