// SPDX-License-Identifier: Apache-2.0
// `warpfold compare`: programs under several mechanisms, a process per point.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tb/sim/commands.h"
#include "tb/sim/point.h"
#include "tb/sim/runner.h"
#include "tb/sim/setup.h"
#include "tb/sim/table.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
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

Point point_of(const CompareCommand& command, const Program& program, const std::string& mechanism,
               const std::string& packing) {
  Point point;
  point.program = program;
  point.packing = packing;
  point.options = RunOptions::resolve(command.machine, mechanism, with_packing(command.sets, packing));
  apply_timing(point.options, command.timing, command.detail);
  apply_code(point.options, command.code);
  apply_rtl(point.options, command.rtl, command.rtl_check, "");
  file_under_key(point, command.out);
  point.reason = why_not(point.options);
  if (!point.reason.empty()) point.state = Point::State::kNotApplicable;
  return point;
}

// Programs of one name are shown as they were given.
void tell_apart(std::vector<Program>& programs, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto alike = [&](const Program& other) { return other.name == programs[i].name; };
    if (std::count_if(programs.begin(), programs.end(), alike) > 1) programs[i].title = texts[i];
  }
}

std::vector<Program> programs_to_run(const CompareCommand& command) {
  const std::vector<std::string> texts = programs_of(command);
  std::vector<Program> programs;
  for (const std::string& text : texts) programs.push_back(find_program(text, command.size));
  tell_apart(programs, texts);
  return programs;
}

// Everything is resolved and checked before the first process starts.
std::vector<Point> points_of(const CompareCommand& command, const std::vector<std::string>& mechanisms,
                             const std::vector<std::string>& packings) {
  std::vector<Point> points;
  std::map<std::string, std::string> taken;  // directory → program
  for (const Program& program : programs_to_run(command)) {
    for (const std::string& mechanism : mechanisms) {
      for (const std::string& packing : packings) {
        points.push_back(point_of(command, program, mechanism, packing));
        const auto [other, fresh] = taken.try_emplace(points.back().directory(), program.shown());
        if (!fresh) user_error("{} and {} are one and the same run: give it once", other->second, program.shown());
      }
    }
  }
  return points;
}

void print_tables(const std::vector<Point>& points, std::size_t variants, const CompareCommand& command) {
  std::vector<std::vector<const Point*>> by_program;
  for (std::size_t i = 0; i < points.size(); i += variants) {
    by_program.emplace_back();
    for (std::size_t k = 0; k < variants; ++k) by_program.back().push_back(&points[i + k]);
    fmt::print("{} on {}\n{}{}{}{}\n", points[i].program.shown(), points[i].options.machine_name,
               comparison_table(by_program.back()), filling_warning(by_program.back()),
               threads_warning(by_program.back()), refusals_warning(by_program.back()));
  }
  const bool functional = command.timing == Choices<Timing>::names[static_cast<std::size_t>(Timing::kFunctional)];
  if (by_program.size() > 1) fmt::print("{}\n", functional ? savings_table(by_program) : speedup_table(by_program));
  std::string places;  // that could be made
  for (const Point& point : points) {
    const bool ran = point.state != Point::State::kNotApplicable;
    if (ran && std::filesystem::is_directory(point.place)) places += fmt::format("  {}/\n", point.place);
  }
  if (!places.empty()) fmt::print("results in\n{}", places);
}

}  // namespace

int compare(const CompareCommand& command) {
  if (command.programs.empty()) user_error("no program given: warpfold compare [options] WORKLOAD…");
  const std::vector<std::string> mechanisms = mechanisms_of(command);
  const std::vector<std::string> packings = packings_in(command.simd);
  std::vector<Point> points = points_of(command, mechanisms, packings);
  stop_on_signals();
  Runner(points, command.jobs).run_all();
  print_tables(points, mechanisms.size() * packings.size(), command);
  for (const Point& point : points) {
    if (point.state != Point::State::kDone && point.state != Point::State::kNotApplicable) return 1;
  }
  return 0;
}

}  // namespace warpfold::sim
