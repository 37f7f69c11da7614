// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area_subject.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/common/error.h"
#include "models/divergence/registry.h"
#include "tb/sim/setup.h"
#include "tb/sim/stats_shape.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kBaseline = "pdom";
constexpr const char* kDefaultMachine = "tbc2011";

// --set area.KEY=VALUE: sizes that no machine or mechanism has.
struct AreaSizes {
  unsigned block_warps = 0;
  unsigned stack_entries = divergence::HardwareGeometry().stack_entries;
  static constexpr auto fields() {
    return std::tuple{
        field("block_warps", "warps", &AreaSizes::block_warps, 0, 4096,
              "of the largest block; 0: those of 1024 threads"),
        field("stack_entries", "entries", &AreaSizes::stack_entries, 3, 4096, "of a reconvergence stack")};
  }
};

bool is_size(const std::string& assignment) { return assignment.starts_with("area."); }

AreaSizes sizes_of(const Words& sets) {
  ConfigNode node;
  AreaSizes sizes;
  for (const std::string& one : sets) {
    if (is_size(one)) node.set(one);
  }
  if (node.find("area") != nullptr) load_optional(sizes, node.table("area"));
  return sizes;
}

// The hardware of a configured machine and mechanism.
AreaSubject subject_of(RunOptions options, const AreaSizes& sizes) {
  AreaSubject subject;
  subject.options = std::move(options);
  const CoreParams& core = subject.options.machine.core;
  subject.label = subject.options.mechanism;
  if (core.lane_packing != divergence::Packing::kNone) {
    subject.label += std::string("+") + Choices<divergence::Packing>::names[static_cast<unsigned>(core.lane_packing)];
  }
  subject.not_applicable = why_not(subject.options);
  if (!subject.not_applicable.empty()) return subject;
  subject.sizes = core.hardware_geometry();
  if (sizes.block_warps != 0) subject.sizes.block_warps = sizes.block_warps;
  subject.sizes.stack_entries = sizes.stack_entries;
  const auto& info = divergence::find_mechanism(subject.options.mechanism);
  subject.hardware = info.configure(subject.options.mechanism_parameters).hardware(subject.sizes);
  const divergence::Hardware packing = divergence::packing_hardware(core.lane_packing, subject.sizes);
  auto& [storage, logic] = subject.hardware;
  storage.insert(storage.end(), packing.storage.begin(), packing.storage.end());
  logic.insert(logic.end(), packing.logic.begin(), packing.logic.end());
  return subject;
}

// "core.warp_size=16,32" as an assignment for every value; one empty one without --sweep.
Words assignments_of(const std::string& sweep) {
  if (sweep.empty()) return {""};
  const std::size_t equals = sweep.find('=');
  if (equals == std::string::npos || equals + 1 == sweep.size() || equals == 0) {
    user_error("--sweep {}: wanted KEY=VALUE,VALUE,…, such as core.warp_size=16,32", sweep);
  }
  Words all;
  std::istringstream values(sweep.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');) all.push_back(sweep.substr(0, equals + 1) + value);
  return all;
}

Words mechanism_names(const std::string& list) {
  Words known{kBaseline};
  for (const auto& info : divergence::mechanisms()) {
    if (info.name != kBaseline) known.push_back(info.name);
  }
  return names_in("--mechanisms", list, known, [](const std::string& name) { divergence::find_mechanism(name); });
}

std::vector<AreaSubject> of_machine(const AreaCommand& command) {
  std::vector<AreaSubject> subjects;
  const std::string machine = command.machine.empty() ? kDefaultMachine : command.machine;
  const Words mechanisms = mechanism_names(command.mechanisms.empty() ? "all" : command.mechanisms);
  const Words packings = packings_in(command.simd);
  for (const std::string& assignment : assignments_of(command.sweep)) {
    Words all = command.sets;
    if (!assignment.empty()) all.push_back(assignment);
    const AreaSizes sizes = sizes_of(all);
    Words sets;
    std::copy_if(all.begin(), all.end(), std::back_inserter(sets), [](const auto& one) { return !is_size(one); });
    for (const std::string& mechanism : mechanisms) {
      for (const std::string& packing : packings) {
        subjects.push_back(subject_of(RunOptions::resolve(machine, mechanism, with_packing(sets, packing)), sizes));
        if (!assignment.empty()) subjects.back().label += " " + assignment;
      }
    }
  }
  return subjects;
}

// Result directories in `path`: itself, or what is below it; PDOM first in each directory.
std::vector<fs::path> runs_in(const std::string& path) {
  if (!fs::is_directory(path)) user_error("--results {}: there is no such directory", path);
  const auto has_results = [](const fs::path& directory) { return fs::exists(directory / "stats.json"); };
  if (has_results(path)) return {fs::absolute(path).lexically_normal()};
  std::vector<fs::path> runs;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_directory() && has_results(entry.path()))
      runs.push_back(fs::absolute(entry.path()).lexically_normal());
  }
  if (runs.empty()) user_error("--results {}: no results (a stats.json) in it", path);
  std::sort(runs.begin(), runs.end(), [](const fs::path& a, const fs::path& b) {
    const auto key = [](const fs::path& run) {
      return std::tuple(run.parent_path(), run.filename() != kBaseline, run.filename());
    };
    return key(a) < key(b);
  });
  return runs;
}

nlohmann::json read_statistics(const fs::path& path) {
  std::ifstream in(path);
  const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  if (json.is_discarded()) user_error("{}: not whole: run it again", path.string());
  const std::string wrong = wrong_in_statistics(json);
  if (!wrong.empty()) user_error("{}: not as a run leaves it: {}: run it again", path.string(), wrong);
  return json;
}

AreaSubject of_run(const fs::path& run, const AreaCommand& command) {
  RunOptions options = RunOptions::load_file(run / "config.effective.yaml");
  const fs::path machine(command.machine);
  if (!machine.empty() && machine.stem() != options.machine_name) {
    user_error("--results {}: a run on {}, not on {}: leave --machine out", run.string(), options.machine_name,
               machine.stem().string());
  }
  AreaSubject subject = subject_of(std::move(options), sizes_of(command.sets));
  subject.program = run.parent_path().filename();
  const nlohmann::json total = read_statistics(run / "stats.json").value("total", nlohmann::json::object());
  if (!total.contains("cycles"))
    user_error("--results {}: no cycles in it: was it run with --timing cycle?", run.string());
  subject.total = total;
  return subject;
}

std::vector<AreaSubject> of_results(const AreaCommand& command) {
  if (!command.sweep.empty()) user_error("--sweep: runs have the sizes that they were run with; leave --results out");
  for (const std::string& one : command.sets) {
    if (!is_size(one)) user_error("--set {}: runs have their own configuration; only area.KEY may be set", one);
  }
  if (!command.simd.empty()) user_error("--simd: runs have the lane packing that they were run with");
  const Words wanted = command.mechanisms.empty() ? Words() : mechanism_names(command.mechanisms);
  std::vector<AreaSubject> subjects;
  for (const std::string& path : command.results) {
    for (const fs::path& run : runs_in(path)) {
      AreaSubject subject = of_run(run, command);
      const bool other =
          !wanted.empty() && std::find(wanted.begin(), wanted.end(), subject.options.mechanism) == wanted.end();
      if (!other) subjects.push_back(std::move(subject));
    }
  }
  if (subjects.empty()) user_error("--results {}: no run of {} in it", command.results.front(), command.mechanisms);
  return subjects;
}

}  // namespace

std::vector<AreaSubject> area_subjects(const AreaCommand& command) {
  return command.results.empty() ? of_machine(command) : of_results(command);
}

}  // namespace warpfold::sim
