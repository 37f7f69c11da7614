// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/setup.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tb/cosim/build/design_files.h"
#include "tb/cosim/co_simulation.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {

std::vector<std::string> names_in(const char* option, const std::string& list, const std::vector<std::string>& known,
                                  const std::function<void(const std::string&)>& check) {
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string name; std::getline(words, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name != "all") {
      check(name);
      names.push_back(name);
      continue;
    }
    for (const std::string& one : known) {
      if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
    }
  }
  if (names.empty()) user_error("{}: give at least one, or all", option);
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) user_error("{}: {} is given twice", option, *name);
  }
  return names;
}

std::vector<std::string> packings_in(const std::string& simd) {
  if (simd.empty()) return {""};
  const auto& names = Choices<divergence::Packing>::names;
  const std::vector<std::string> known(names.begin(), names.end());
  return names_in("--simd", simd, known, [&](const std::string& name) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    user_error("--simd {}: no such lane packing; {}", name, suggestion(name, known));
  });
}

std::vector<std::string> with_packing(std::vector<std::string> sets, const std::string& packing) {
  if (!packing.empty()) sets.push_back("core.lane_packing=" + packing);
  return sets;
}

namespace {

template <class Enum>
Enum choice_of(const char* option, const std::string& value) {
  const auto& names = Choices<Enum>::names;
  const auto choice = std::find(names.begin(), names.end(), value);
  if (choice == names.end()) {
    user_error("{} {}: must be {}", option, value, config_detail::choices_text({names.begin(), names.end()}));
  }
  return static_cast<Enum>(choice - names.begin());
}

}  // namespace

void apply_timing(RunOptions& options, const std::string& timing, const std::string& detail) {
  options.timing = choice_of<Timing>("--timing", timing);
  options.detail = Detail::parse(detail, "--detail");
}

void apply_sample(RunOptions& options, const std::string& sample) {
  options.sample = SampleChoice::parse(sample, "--sample");
  if (!options.sample.on()) return;
  const std::pair<bool, const char*> misfits[] = {
      {options.timing == Timing::kFunctional, "--timing functional: it times nothing"},
      {!options.detail.text().empty(), "--detail: it says itself which launches are timed"},
      {options.trace.on, "--trace: not every launch is timed"},
      {!options.mask_trace.empty(), "--mask-trace: masks take no time; use --timing functional"},
      {options.profile, "a profile: use warpfold profile without it"},
      {!options.rtl.blocks.empty(), "--rtl: RTL has a state in every launch"},
      {options.machine.check.any(), "a checker: use warpfold check without it"},
      {options.machine.memory.external(), "an external memory: it would be asked twice"}};
  for (const auto& [misfit, why] : misfits) {
    if (misfit) user_error("--sample {}: cannot stand with {}", sample, why);
  }
}

void apply_code(RunOptions& options, const std::string& code) { options.code = choice_of<Code>("--code", code); }

void apply_rtl(RunOptions& options, const std::string& rtl, const std::string& check, const std::string& waves,
               const std::string& out) {
  options.rtl.blocks = RtlOptions::parse(rtl, "--rtl");
  options.rtl.check = choice_of<RtlCheck>("--rtl-check", check);
  if (!out.empty()) {
    options.rtl.out = std::filesystem::absolute(out);
    std::error_code failed;
    std::filesystem::create_directories(out, failed);
    if (failed) user_error("--rtl-out {}: cannot be made: {}", out, failed.message());
  }
  if (!waves.empty() || !out.empty()) {
    options.rtl.waves = !waves.empty() ? std::filesystem::absolute(waves).string() : options.rtl.out + "/waves.fst";
  }
  if (options.rtl.blocks.empty()) {
    if (!out.empty()) user_error("--rtl-out {}: is of RTL blocks; name them with --rtl", out);
    if (!waves.empty()) user_error("--waves {}: records RTL; name blocks with --rtl", waves);
    return;
  }
  if (options.timing != Timing::kCycle) user_error("--rtl {}: RTL has clocks; use --timing cycle", rtl);
  for (RtlOptions::Block& block : options.rtl.blocks) {
    block.files = cosim::design_files(block.files, "--rtl " + block.name);
  }
  const auto mechanism = divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters);
  if (!mechanism.why_not(options.machine.core.geometry()).empty()) return;  // it will be told
  const CoreParams& core = options.machine.core;
  options.rtl.built =
      cosim::build_blocks(options.rtl, core.shaped_by(mechanism), mechanism.hardware(core.hardware_geometry()));
}

std::string policy_of(const RunOptions& options) {
  return Choices<WarpPolicy>::names[static_cast<std::size_t>(options.machine.core.warp_policy)];
}

std::string why_not(const RunOptions& options) {
  const auto& info = divergence::find_mechanism(options.mechanism);
  return info.configure(options.mechanism_parameters).why_not(options.machine.core.geometry());
}

}  // namespace warpfold::sim
