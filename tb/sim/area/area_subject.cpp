// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/area_subject.h"

#include <algorithm>
#include <sstream>

#include "tb/sim/commands/commands.h"
#include "tb/sim/runs/setup.h"
#include "warpfold/common/error.h"
#include "warpfold/core/core_hardware.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kDefaultMachine = "tbc2011";

// --set area.KEY=VALUE: sizes that no machine or mechanism has.
struct AreaSizes {
  unsigned block_warps = 0;
  unsigned stack_entries = divergence::HardwareGeometry().stack_entries;
  static constexpr auto fields() {
    return std::tuple{
        field("block_warps", "warps", &AreaSizes::block_warps, 0, 4096,
              "of the largest block; 0: those of 1024 threads"),
        field("stack_entries", "entries", &AreaSizes::stack_entries, 3, 4096, "of a warp's reconvergence stack")};
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

// "core.warp_size=16,32" as an assignment for every value.
Words assignments_of(const std::string& sweep) {
  const std::size_t equals = sweep.find('=');
  if (equals == std::string::npos || equals + 1 == sweep.size() || equals == 0) {
    user_error("--sweep {}: wanted KEY=VALUE,VALUE,…, such as core.warp_size=16,32", sweep);
  }
  Words all;
  std::istringstream values(sweep.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');) all.push_back(sweep.substr(0, equals + 1) + value);
  return all;
}

// Every combination of all sweeps' values; one empty one without any.
std::vector<Words> combinations_of(const Words& sweeps) {
  std::vector<Words> all{{}};
  for (const std::string& sweep : sweeps) {
    std::vector<Words> longer;
    for (const Words& before : all) {
      for (const std::string& assignment : assignments_of(sweep)) {
        longer.push_back(before);
        longer.back().push_back(assignment);
      }
    }
    all = std::move(longer);
  }
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
  for (const Words& assignments : combinations_of(command.sweeps)) {
    Words all = command.sets;
    all.insert(all.end(), assignments.begin(), assignments.end());
    Words sets;
    std::copy_if(all.begin(), all.end(), std::back_inserter(sets), [](const auto& one) { return !is_size(one); });
    for (const std::string& mechanism : mechanisms) {
      for (const std::string& packing : packings) {
        subjects.push_back(area_subject(RunOptions::resolve(machine, mechanism, with_packing(sets, packing)), all));
        for (const std::string& assignment : assignments) subjects.back().label += " " + assignment;
      }
    }
  }
  return subjects;
}

std::vector<AreaSubject> of_results(const AreaCommand& command) {
  if (!command.sweeps.empty()) user_error("--sweep: runs have the sizes that they were run with; leave --results out");
  for (const std::string& one : command.sets) {
    if (!is_size(one)) user_error("--set {}: runs have their own configuration; only area.KEY may be set", one);
  }
  if (!command.simd.empty()) user_error("--simd: runs have the lane packing that they were run with");
  const Words wanted = command.mechanisms.empty() ? Words() : mechanism_names(command.mechanisms);
  return area_runs(command, wanted);
}

}  // namespace

AreaSubject area_subject(RunOptions options, const std::vector<std::string>& sets) {
  const AreaSizes sizes = sizes_of(sets);
  AreaSubject subject;
  subject.options = std::move(options);
  const CoreParams& core = subject.options.machine.core;
  subject.label = subject.options.mechanism;
  if (core.lane_packing != divergence::Packing::kNone) {
    subject.label += std::string("+") + divergence::info_of(core.lane_packing).name;
  }
  subject.not_applicable = why_not(subject.options);
  if (!subject.not_applicable.empty()) return subject;
  subject.sizes = core.hardware_geometry();
  if (sizes.block_warps != 0) subject.sizes.block_warps = sizes.block_warps;
  subject.sizes.stack_entries = sizes.stack_entries;
  const auto& info = divergence::find_mechanism(subject.options.mechanism);
  subject.hardware = info.configure(subject.options.mechanism_parameters).hardware(subject.sizes);
  subject.hardware.add(divergence::info_of(core.lane_packing).hardware(subject.sizes));
  const MachineConfig& machine = subject.options.machine;
  subject.core = core_hardware(core, {{"L1 data cache", machine.l1d},
                                      {"texture cache", machine.texture_cache},
                                      {"constant cache", machine.constant_cache},
                                      {"instruction cache", machine.instruction_cache}});
  return subject;
}

std::vector<AreaSubject> area_subjects(const AreaCommand& command) {
  return command.results.empty() ? of_machine(command) : of_results(command);
}

}  // namespace warpfold::sim
