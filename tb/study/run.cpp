// SPDX-License-Identifier: Apache-2.0
// `warpfold study plan`, `run` and `status`.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tb/sim/output.h"
#include "tb/sim/runner.h"
#include "tb/sim/text_table.h"
#include "tb/study/area.h"
#include "tb/study/commands.h"
#include "tb/study/slurm.h"
#include "tb/study/store.h"
#include "warpfold/common/error.h"
#include "warpfold/common/results.h"

namespace warpfold::study {
namespace {

using State = sim::Point::State;

constexpr std::size_t kMostListed = 20;

struct Opened {
  Study study;
  std::vector<Planned> points;
};

Opened open(const StudyCommand& command) {
  Opened opened{load_study(command.study, command.quick), {}};
  opened.points = plan(opened.study, command.store);
  return opened;
}

// What there is of a study's points, each run once.
struct Standing {
  std::size_t points = 0, runs = 0, done = 0, failed = 0, not_applicable = 0;
  std::vector<const Planned*> missing;

  std::string text() const {
    return fmt::format("{} points, {} runs: {} done, {} failed, {} missing; {} points not applicable", points, runs,
                       done, failed, missing.size(), not_applicable);
  }
};

Standing standing_of(Store& store, const std::vector<Planned>& points) {
  Standing standing;
  std::set<std::string> seen;
  for (const Planned& planned : points) {
    ++standing.points;
    if (planned.key.empty()) ++standing.not_applicable;
    if (planned.key.empty() || !seen.insert(planned.key).second) continue;
    ++standing.runs;
    const auto state = store.state(planned.key);
    if (!state) {
      standing.missing.push_back(&planned);
    } else {
      ++(*state == "ok" ? standing.done : standing.failed);
    }
  }
  return standing;
}

// Those for which something cannot be had, by reason.
void list_reasons(Store& store, const Study& study) {
  const Rows rows = store.query(
      fmt::format(
          "SELECT state, reason, count(*), min(variant || ' ' || workload || ' on ' || machine || ' ' || settings) "
          "FROM result WHERE study = {} AND state IN ('failed', 'n/a') GROUP BY state, reason ORDER BY state, 3 DESC",
          quoted(study.name)),
      study.file);
  std::size_t shown = 0;
  for (const auto& row : rows.rows) {
    if (++shown > kMostListed) {
      fmt::print("... {} more reasons\n", rows.rows.size() - kMostListed);
      return;
    }
    fmt::print("{}: {} ({}{})\n", *row[0], row[1].value_or(""), *row[3],
               *row[2] == "1" ? "" : fmt::format(" and {} more", std::stoul(*row[2]) - 1));
  }
}

// Those that are to be run now. What other runs have left on disk is taken first.
std::vector<Planned*> wanted_of(Store& store, Opened& opened, const RunStudyCommand& command) {
  std::vector<Planned*> wanted;
  std::set<std::string> seen;
  for (Planned& planned : opened.points) {
    if (planned.key.empty() || !seen.insert(planned.key).second) continue;
    const auto state = store.state(planned.key);
    if (state == "ok") continue;
    if (state == "failed" && !command.retry) continue;
    if (state || !store.take(planned)) wanted.push_back(&planned);
  }
  return wanted;
}

// Of a run that is made again, unless somebody is making it.
void clear_failed(Store& store, const Planned& planned) {
  if (!store.state(planned.key)) return;
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

}  // namespace

int plan(const PlanCommand& command) {
  const Opened opened = open(command);
  std::set<std::string> runs;
  std::size_t not_applicable = 0;
  std::vector<std::vector<std::string>> rows;
  for (const Planned& planned : opened.points) {
    if (planned.key.empty()) ++not_applicable;
    const bool fresh = !planned.key.empty() && runs.insert(planned.key).second;
    if (command.commands && fresh) {
      fmt::print("{}\n", command_of(command, {planned.key}));
    } else if (command.points) {
      rows.push_back({planned.choice.part, planned.point.label(),
                      planned.key.empty() ? "n/a: " + planned.point.reason : planned.key});
    }
  }
  if (command.commands) return 0;
  if (command.points) fmt::print("{}", sim::TextTable{{"part", "point", "run"}, {}, rows}.as_columns());
  fmt::print("{}: {} points, {} runs; {} points not applicable\n", opened.study.name, opened.points.size(), runs.size(),
             not_applicable);
  return 0;
}

int run(const RunStudyCommand& command) {
  Opened opened = open(command);
  Store store(command.store, Store::Access::kWrite);
  store.put(opened.study, opened.points);
  const std::vector<Planned*> wanted = wanted_of(store, opened, command);
  fmt::print("{}: {} to run\n", opened.study.name, wanted.size());
  std::fflush(stdout);
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
  fmt::print("{}: {}\n", opened.study.name, standing.text());
  list_reasons(store, opened.study);
  if (!taker.trouble().empty()) user_error("{}", taker.trouble());
  return standing.failed == 0 && standing.missing.empty() ? 0 : 1;
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
  fmt::print("{}: {}\n", opened.study.name, standing.text());
  list_reasons(store, opened.study);
  for (std::size_t i = 0; i < standing.missing.size() && i < kMostListed; ++i) {
    fmt::print("missing: {}\n", standing.missing[i]->point.label());
  }
  if (standing.missing.size() > kMostListed) {
    fmt::print("... {} more missing\n", standing.missing.size() - kMostListed);
  }
  return standing.failed == 0 && standing.missing.empty() ? 0 : 1;
}

}  // namespace warpfold::study
