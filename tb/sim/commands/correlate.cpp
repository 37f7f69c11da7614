// SPDX-License-Identifier: Apache-2.0
// `warpfold correlate`: programs on a machine beside what a GPU was measured to do with them (docs/correlate.md).
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tb/sim/commands/commands.h"
#include "tb/sim/console/output.h"
#include "tb/sim/correlate/correlation_report.h"
#include "tb/sim/correlate/measured.h"
#include "tb/sim/runs/runner.h"
#include "tb/sim/runs/setup.h"
#include "tb/sim/tables/table.h"
#include "tb/study/plan.h"
#include "tb/study/report_data.h"
#include "tb/study/report_libraries.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

// "25%" as 0.25.
double share_in(const std::string& text) {
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || (*end != '\0' && std::string(end) != "%") || !(percent >= 0 && percent < 1e9)) {
    user_error("--at-most {}: must be a percentage, such as 25%", text);
  }
  return percent / 100;
}

// A word is a program if all are: bundled ones, sets of them, commands in quotation marks. Else they are one's
// arguments.
std::vector<std::string> programs_behind(const std::vector<std::string>& words) {
  const bool several = std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return names_a_set(word) || word.find(' ') != std::string::npos || find_workload(word).has_value();
  });
  return several ? programs_of(words) : std::vector{text_of(words)};
}

std::vector<study::Planned> correlated_points(const CorrelateCommand& command) {
  study::Study study;
  study.name = "correlate";
  study.baseline_mechanism = command.mechanism;
  for (const std::string& program : programs_behind(command.program)) {
    study::Choice& choice = study.choices.emplace_back();
    choice.machine = command.machine;
    choice.mechanism = command.mechanism;
    choice.workload = program;
    choice.size = command.size;
    choice.code = command.code;
    choice.detail = command.detail;
  }
  std::vector<study::Planned> points = study::plan(study, command.out, command.sets);
  std::set<std::string> taken;
  for (const study::Planned& planned : points) {
    if (planned.key.empty()) user_error("{} on {}: {}", command.mechanism, command.machine, planned.point.reason);
    if (!taken.insert(planned.point.directory()).second)
      user_error("{}: it is given twice, as one and the same run: give it once", planned.choice.workload);
  }
  return points;
}

// Whether the bound holds, which nobody can say of figures that do not fit what ran.
bool within(const CorrelateCommand& command, const Correlation& correlation) {
  const double most = share_in(command.at_most);
  const auto all = agreements_of(correlation);
  const auto cycles = std::find_if(all.begin(), all.end(), [](const auto& one) { return one.first == "cycles"; });
  if (cycles == all.end())
    user_error("--at-most {}: {} has no cycles of these programs", command.at_most, command.measured);
  const double error = *cycles->second.error;
  if (error > most) {
    tell("warpfold: error: {}: the mean absolute error of cycles is {:.1f}%, at most {} is asked for\n",
         command.measured, 100 * error, command.at_most);
    return false;
  }
  for (const NotCompared& left : correlation.left) {
    if (!left.mismatch) continue;
    tell("warpfold: error: {}:{}: {}: {}\n", command.measured, left.line, left.what, left.why);
    return false;
  }
  return true;
}

}  // namespace

int correlate(const CorrelateCommand& command) {
  command.output.format();  // before anything runs
  if (command.program.empty()) user_error("no program given: warpfold correlate [options] MEASURED.csv -- PROGRAM…");
  if (!command.at_most.empty()) share_in(command.at_most);
  const MeasuredTable measured = read_measured(command.measured, command.clock_mhz);
  std::vector<study::Planned> planned = correlated_points(command);
  if (command.page.asked()) study::report_libraries();  // brought before long runs, not after them
  stop_on_signals();
  std::vector<Point*> points;
  for (study::Planned& one : planned) points.push_back(&one.point);
  run_each_once(points, command.jobs, Finished::kTake);
  std::vector<RanProgram> programs;
  std::vector<std::string> names;
  bool fine = true;
  for (const Point* point : points) {
    programs.push_back(read_launches(*point));
    names.push_back(point->program.name);
    if (programs.back().trouble.empty()) continue;
    tell("warpfold: error: {}: {}\n", point->label(), programs.back().trouble);
    fine = false;
  }
  const Correlation correlation = join(measured, programs);
  Report report =
      correlation_report(correlation, measured,
                         fmt::format("{} on {} under {} beside {} ({})", fmt::join(names, ", "), command.machine,
                                     command.mechanism, command.measured, measured.source));
  const std::vector<const Point*> ran(points.begin(), points.end());
  report.tables.front().footer = threads_warning(ran) + refusals_warning(ran);
  deliver(report, command.output);
  if (command.page.asked()) study::write_page(correlation_page(report), command.page);
  if (!fine) return 1;
  if (correlation.figures.empty())
    user_error("{}: none of its rows has anything of these programs beside it", command.measured);
  return command.at_most.empty() || within(command, correlation) ? 0 : 1;
}

}  // namespace warpfold::sim
