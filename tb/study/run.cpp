// SPDX-License-Identifier: Apache-2.0
// `warpfold study plan`, `run` and `status`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "tb/sim/area/area_subject.h"
#include "tb/sim/area/hardware_cost.h"
#include "tb/sim/console/output.h"
#include "tb/sim/runs/runner.h"
#include "tb/sim/tables/report.h"
#include "tb/study/commands.h"
#include "tb/study/slurm.h"
#include "tb/study/store.h"
#include "warpfold/common/error.h"
#include "warpfold/common/results/results.h"

namespace warpfold::study {
namespace {

using State = sim::Point::State;

constexpr std::size_t kMostListed = 20;
constexpr unsigned kNsPerInstruction = 1000;  // of a warp with cycles: 300 to 1,500 by machine, mechanism and host

struct Opened {
  Study study;
  std::vector<Planned> points;
};

Opened open(const StudyCommand& command) {
  Opened opened{load_study(command.study, command.quick), {}};
  opened.points = plan(opened.study, command.store);
  return opened;
}

// What there is of a study's points, each run once; and what there is not, by reason.
struct Standing {
  std::size_t points = 0, runs = 0, done = 0, failed = 0, missing = 0, not_applicable = 0;
  struct Lack {
    std::size_t points = 0;
    std::string example;
  };
  std::map<std::pair<std::string, std::string>, Lack> lacks;  // by state and reason

  void lack(const std::string& state, const std::string& reason, const sim::Point& point) {
    Lack& one = lacks[{state, reason}];
    if (one.points++ == 0) one.example = point.label();
  }
  std::string text() const {
    return fmt::format("{} points, {} runs: {} done, {} failed, {} missing; {} points not applicable", points, runs,
                       done, failed, missing, not_applicable);
  }
  sim::ReportTable table() const {
    sim::ReportTable table{"lacking",
                           "",
                           {{"state", "state"},
                            {"points", "points"},
                            {"reason", "reason", sim::kAll, true},
                            {"example", "for example", sim::kAll, true}},
                           {}};
    table.most_rows = kMostListed;
    if (lacks.empty()) table.audience = sim::kPrograms;
    for (const auto& [why, one] : lacks) {
      table.rows.push_back({{why.first, sim::count(static_cast<double>(one.points)), why.second, one.example}});
    }
    return table;
  }
};

Standing standing_of(Store& store, const std::vector<Planned>& points) {
  Standing standing;
  std::set<std::string> seen;
  for (const Planned& planned : points) {
    ++standing.points;
    if (planned.key.empty()) {
      ++standing.not_applicable;
      standing.lack("n/a", planned.point.reason, planned.point);
    }
    if (planned.key.empty() || !seen.insert(planned.key).second) continue;
    ++standing.runs;
    const auto kept = store.find(planned.key);
    if (!kept) {
      ++standing.missing;
      standing.lack("missing", "", planned.point);
    } else if (kept->good) {
      ++standing.done;
    } else {
      ++standing.failed;
      standing.lack("failed", kept->reason, planned.point);
    }
  }
  return standing;
}

void tell_standing(const Study& study, const Standing& standing, const sim::OutputOptions& output) {
  sim::Report report;
  report.single = true;
  report.notes.push_back(fmt::format("{}: {}", study.name, standing.text()));
  report.tables.push_back(standing.table());
  deliver(report, output);
}

// Those that are to be run now. What other runs have left on disk is taken first.
std::vector<Planned*> wanted_of(Store& store, Opened& opened, const RunStudyCommand& command) {
  std::vector<Planned*> wanted;
  std::set<std::string> seen;
  for (Planned& planned : opened.points) {
    if (planned.key.empty() || !seen.insert(planned.key).second) continue;
    const auto kept = store.find(planned.key);
    if (kept && (kept->good || !command.retry)) continue;
    if (kept || !store.take(planned)) wanted.push_back(&planned);
  }
  return wanted;
}

// Of a run that is made again, unless somebody is making it.
void clear_failed(Store& store, const Planned& planned) {
  if (!store.find(planned.key)) return;
  store.forget(planned.key);
  if (const auto lock = FileLock::take(sim::lock_file(planned.point))) clear_results(planned.point.directory());
}

// A store that cannot be written keeps no point from being run: what is run lies on disk.
class Taker {
 public:
  explicit Taker(Store& store) : store_(store) {}
  void take(const Planned& planned) {
    try {
      store_.take(planned);
    } catch (const UserError& error) {
      if (trouble_.empty()) sim::tell("warpfold: {}\n", error.what());
      trouble_ = error.what();
    }
  }
  const std::string& trouble() const { return trouble_; }

 private:
  Store& store_;
  std::string trouble_;
};

void run_here(const Study& study, const std::vector<Planned*>& wanted, unsigned jobs, Taker& taker) {
  std::vector<sim::Point*> points;
  std::map<const sim::Point*, const Planned*> planned_of;
  for (Planned* const planned : wanted) {
    points.push_back(&planned->point);
    planned_of[&planned->point] = planned;
  }
  sim::Runner runner(points, jobs, sim::Finished::kTake, study.limits);
  runner.on_end([&](sim::Point& point) {
    if (point.state == State::kWrong) sim::tell("  {}\n", point.reason);
    taker.take(*planned_of.at(&point));
    point.stats = nullptr;  // of thousands of points
  });
  runner.run_all();
}

// What the figure leaves out.
std::string bound_of(const sim::HardwareCost& cost) {
  return cost.bound() ? "a bound: logic without " + cost.unknown_names() : "";
}

// At 40 nm, a row for each machine, its settings and variant. UserError: logic that cannot be synthesised.
std::vector<AreaRow> areas_of(const std::vector<Planned>& points) {
  std::vector<AreaRow> rows;
  std::vector<divergence::Hardware> hardware;
  std::vector<std::string> labels;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const Planned& planned : points) {
    const std::string& machine = planned.point.options.machine_name;
    const std::string name = variant(planned.choice.mechanism, planned.choice.packing);
    if (planned.key.empty() || !seen.insert({machine, planned.settings, name}).second) continue;
    rows.push_back({machine, planned.settings, name, 0, ""});
    hardware.push_back(sim::area_subject(planned.point.options, {}).hardware);
    labels.push_back(name);
  }
  const std::vector<sim::HardwareCost> costs = sim::cost_of(hardware, labels, {});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].mm2 = costs[i].total_mm2().middle();
    rows[i].note = bound_of(costs[i]);
  }
  return rows;
}

// Points count without it.
void put_areas(Store& store, const Opened& opened) {
  try {
    sim::end_on_signals();  // nothing is lost any more
    sim::tell("{}: area of its variants\n", opened.study.name);
    store.put_areas(opened.study, areas_of(opened.points));
  } catch (const UserError& error) {
    sim::tell("warpfold: no area: {}\n", error.what());
  }
}

// Warp instructions of these runs: each program runs once without time on each of its machines, as the machine comes.
double instructions_of(const Study& study, const std::vector<const Planned*>& runs, const PlanCommand& command) {
  Study untimed = study;
  untimed.choices.clear();
  std::map<std::array<std::string, 5>, std::size_t> known;
  std::vector<std::size_t> which;
  for (const Planned* const run : runs) {
    Choice choice = run->choice;
    const auto [of, fresh] = known.try_emplace(
        {choice.machine, choice.workload, choice.input, choice.size, choice.seed}, untimed.choices.size());
    which.push_back(of->second);
    if (!fresh) continue;
    choice.mechanism = "pdom";
    choice.timing = "functional";
    choice.packing = choice.detail = choice.sample = choice.rtl = "";
    choice.both_orders = choice.bound = false;
    choice.settings.clear();
    untimed.choices.push_back(std::move(choice));
  }
  std::vector<Planned> points = plan(untimed, command.store);
  std::vector<sim::Point*> waiting;
  for (Planned& planned : points) waiting.push_back(&planned.point);
  sim::run_each_once(waiting, command.jobs, sim::Finished::kTake);
  double instructions = 0;
  for (const std::size_t point : which) {
    const sim::Point& ended = points[point].point;
    if (ended.state != State::kDone) user_error("{} without time: {}", ended.label(), ended.reason);
    instructions += ended.stats.at("total").at("warp_instructions").get<double>();
  }
  return instructions;
}

}  // namespace

int plan(const PlanCommand& command) {
  const Opened opened = open(command);
  Store store = Store::as_it_is(command.store);
  store.check(opened.study);
  std::set<std::string> runs;
  std::vector<const Planned*> missing;
  std::size_t not_applicable = 0;
  sim::ReportTable table{
      "points", "", {{"part", "part"}, {"point", "point", sim::kAll, true}, {"run", "run", sim::kAll, true}}, {}};
  for (const Planned& planned : opened.points) {
    if (planned.key.empty()) ++not_applicable;
    const bool fresh = !planned.key.empty() && runs.insert(planned.key).second;
    if (command.cost && fresh && !store.find(planned.key)) missing.push_back(&planned);
    if (command.commands && fresh) {
      fmt::print("{}\n", command_of(command, {planned.key}));
    } else if (command.points) {
      table.rows.push_back({{planned.choice.part, planned.point.label(),
                             planned.key.empty() ? "n/a: " + planned.point.reason : planned.key}});
    }
  }
  if (command.commands) return 0;
  sim::Report report;
  report.single = true;
  report.notes.push_back(fmt::format("{}: {} points, {} runs; {} points not applicable", opened.study.name,
                                     opened.points.size(), runs.size(), not_applicable));
  if (command.cost) {
    const double instructions = instructions_of(opened.study, missing, command);
    report.notes.push_back(
        fmt::format("{} missing: {:.1f} million warp instructions, {:.1f} hours of a host core at {} ns each",
                    missing.size(), instructions / 1e6, instructions * kNsPerInstruction / 3.6e12, kNsPerInstruction));
  }
  if (!command.points) table.audience = 0;
  report.tables.push_back(std::move(table));
  deliver(report, command.output);
  return 0;
}

int run(const RunStudyCommand& command) {
  Opened opened = open(command);
  Store store(command.store, Store::Access::kWrite);
  const FileLock at_it = FileLock::share(std::filesystem::path(command.store) / kStudyLock);  // for `watch`
  store.put(opened.study, opened.points);
  const std::vector<Planned*> wanted = wanted_of(store, opened, command);
  if (!sim::quiet() && !command.output.asked()) {
    fmt::print("{}: {} to run\n", opened.study.name, wanted.size());
    std::fflush(stdout);
  }
  for (const Planned* const planned : wanted) clear_failed(store, *planned);
  Taker taker(store);
  sim::stop_on_signals();
  if (command.engine == "slurm") {
    run_on_slurm(command, {wanted.begin(), wanted.end()}, [&](const Planned& planned) { taker.take(planned); });
  } else {
    run_here(opened.study, wanted, command.jobs, taker);
  }
  if (opened.study.area && !sim::was_stopped()) put_areas(store, opened);
  const Standing standing = standing_of(store, opened.points);
  tell_standing(opened.study, standing, command.output);
  if (!taker.trouble().empty()) user_error("{}", taker.trouble());
  return standing.failed == 0 && standing.missing == 0 ? 0 : 1;
}

int work(const WorkCommand& command) {
  Opened opened = open(command);
  std::vector<sim::Point*> points;
  for (const std::string& key : command.keys) {
    const auto found = std::find_if(opened.points.begin(), opened.points.end(),
                                    [&](const Planned& planned) { return planned.key == key; });
    if (found == opened.points.end()) {
      user_error("{}: no run {} is in this study: its file, a program or the simulator has changed", opened.study.file,
                 key);
    }
    points.push_back(&found->point);
  }
  sim::stop_on_signals();
  sim::Runner(points, command.jobs, sim::Finished::kTake, opened.study.limits).run_all();
  const bool all =
      std::all_of(points.begin(), points.end(), [](const sim::Point* p) { return p->state == State::kDone; });
  return all ? 0 : 1;
}

int status(const StudyCommand& command) {
  const Opened opened = open(command);
  Store store(command.store, Store::Access::kRead);
  const Standing standing = standing_of(store, opened.points);
  tell_standing(opened.study, standing, command.output);
  return standing.failed == 0 && standing.missing == 0 ? 0 : 1;
}

}  // namespace warpfold::study
