// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/run/run_options.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/plugins.h"

namespace warpfold {
namespace {

namespace fs = std::filesystem;

using config_detail::quoted;

std::string read_decided_by(const ConfigNode& node) {
  if (!nlohmann::json::parse(node.scalar(), nullptr, false).is_object()) node.reject("must be an object of JSON");
  return node.scalar();
}

unsigned thread_count(const ConfigNode& node) {
  return static_cast<unsigned>(config_detail::read_unsigned(node, 1, RunOptions::kMostThreads, false, "threads"));
}

// The parameters of a mechanism with their effective values, as a table for a run file.
std::string mechanism_table(const RunOptions& options) {
  const auto configured = divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters);
  std::vector<FieldView> fields = configured.parameters;
  if (fields.empty()) return "mechanism: {}\n";
  for (FieldView& field : fields) field.path = "mechanism." + field.path;
  return "mechanism:\n" + dump(fields);
}

template <class Enum>
Enum read_choice(const ConfigNode& node) {
  const auto& names = Choices<Enum>::names;
  return static_cast<Enum>(config_detail::read_choice(node, names.data(), names.size()));
}

std::string rtl_table(const RtlOptions& rtl) {
  if (rtl.blocks.empty()) return "";
  return fmt::format("rtl:\n  blocks: {}\n  check: {}\n  waves: {}\n  out: {}\n", quoted(rtl.text()),
                     Choices<RtlCheck>::names[config_detail::choice_index(rtl.check)], quoted(rtl.waves),
                     quoted(rtl.out));
}

// No block has such a name.
bool names_a_file(const std::string& word) { return word.find_first_of("./") != std::string::npos; }

RtlOptions load_rtl(const ConfigNode& node) {
  node.only({"blocks", "check", "waves", "out"});
  RtlOptions rtl;
  rtl.blocks = RtlOptions::parse(node.value("blocks").scalar(), node.value("blocks").place());
  rtl.check = read_choice<RtlCheck>(node.value("check"));
  rtl.waves = node.value("waves").scalar();
  if (node.find("out") != nullptr) rtl.out = node.value("out").scalar();  // files of older versions have none
  return rtl;
}

// Of the library that this is part of, if it was installed: PREFIX/share/warpfold and PREFIX/lib/libwarpfold.so,
// PREFIX/lib/<architecture>, or what lies in PREFIX/lib/warpfold/bin and lib.
fs::path installed_configs() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&config_directory), &own) == 0) return {};
  std::error_code ignored;
  const std::string file = own.dli_fname;  // of a program, the word by which it was started
  const fs::path folder = fs::canonical(file.find('/') == file.npos ? "/proc/self/exe" : file, ignored).parent_path();
  fs::path prefix = folder;
  for (int level = 0; level < 3; ++level) {
    prefix = prefix.parent_path();
    const fs::path configs = prefix / "share/warpfold/configs";
    if (fs::is_directory(configs, ignored)) return configs;
  }
  return {};
}

}  // namespace

std::vector<RtlOptions::Block> RtlOptions::parse(const std::string& text, const std::string& place) {
  std::vector<Block> blocks;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    const auto equals = item.find('=');
    const bool option = item.starts_with('+') || item.starts_with('-');  // of a list of files
    const bool more = option || (equals == std::string::npos && names_a_file(item));
    if (more && !blocks.empty() && !blocks.back().files.empty()) {
      blocks.back().files.push_back(item);
      continue;
    }
    Block block{item.substr(0, equals), {}};
    if (equals != std::string::npos) block.files.push_back(item.substr(equals + 1));
    const auto same = [&](const Block& other) { return other.name == block.name; };
    if (block.name.empty() || (equals != std::string::npos && block.files[0].empty())) {
      user_error("{}: {}: must be blocks such as compactor,adequacy=my.sv", place, text);
    }
    if (std::any_of(blocks.begin(), blocks.end(), same)) user_error("{}: {} is given twice", place, block.name);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string RtlOptions::text() const {
  std::string text;
  for (const Block& block : blocks) {
    if (!text.empty()) text.push_back(',');
    text.append(block.name);
    char before = '=';
    for (const std::string& file : block.files) {
      text.push_back(before);
      text.append(file);
      before = ',';
    }
  }
  return text;
}

std::string config_directory() {
  const char* const variable = std::getenv("WARPFOLD_CONFIGS");
  if (variable != nullptr) return variable;
  const fs::path installed = installed_configs();
  return installed.empty() ? WARPFOLD_CONFIG_DIRECTORY : installed.string();
}

std::vector<std::string> config_names(const std::string& kind) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::path(config_directory()) / kind, ignored)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_config(const std::string& kind, const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml")) return name_or_path;
  const fs::path path = fs::path(config_directory()) / kind / (name_or_path + ".yaml");
  if (fs::exists(path)) return path;
  for (const std::string& plugin : plugins()) {
    if (const fs::path beside = fs::path(plugin).replace_filename(name_or_path + ".yaml"); fs::exists(beside))
      return beside;
  }
  user_error("{}: no such configuration in {}/{}; {}", name_or_path, config_directory(), kind,
             suggestion(name_or_path, config_names(kind)));
}

namespace {

void lay_over(ConfigNode& under, const ConfigNode& table) {
  for (const auto& [key, value] : table.children()) {
    if (value.is_table()) {
      lay_over(under, value);
    } else if (value.path() != kMachineBase) {
      under.set(value.path(), value);
    }
  }
}

// "simd_width=8" for "core.simd_width=8".
void refuse_short_key(const std::string& assignment) {
  const std::string key = assignment.substr(0, assignment.find('='));
  std::vector<std::string> ends_so;
  for (const FieldView& field : fields_of(MachineConfig{})) {
    if (field.path == key || field.path.starts_with(key + ".")) return;
    if (field.path.ends_with("." + key)) ends_so.push_back(field.path);
  }
  if (ends_so.empty()) return;
  user_error("--set: {}: unknown key; {}", key, suggestion(ends_so.size() == 1 ? ends_so.front() : "", ends_so));
}

}  // namespace

MachineFile::MachineFile(const std::string& name) : path(find_config("machines", name)) {
  own = values = ConfigNode::from_file(path);
  if (own.find(kMachineBase) == nullptr) return;
  const ConfigNode& said = own.value(kMachineBase);
  if (fs::path(said.scalar()).stem() == fs::path(path).stem()) said.reject("must be another machine");
  base = find_config("machines", said.scalar());
  values = ConfigNode::from_file(base);
  if (values.find(kMachineBase) != nullptr) said.reject("must be a machine that is complete, with no base of its own");
  lay_over(values, own);
}

RunOptions RunOptions::resolve(const std::string& machine, const std::string& asked,
                               const std::vector<std::string>& sets) {
  RunOptions options;
  options.machine_name = fs::path(machine).stem();
  MachineFile machine_file(machine);
  ConfigNode& machine_node = machine_file.values;
  const ConfigNode* const defaults = machine_node.find("defaults");
  const std::string mechanism = !asked.empty()        ? asked
                                : defaults != nullptr ? defaults->value("mechanism").scalar()
                                                      : DefaultParams().mechanism;
  options.mechanism = divergence::find_mechanism(mechanism).name;
  ConfigNode mechanism_node = ConfigNode::from_text("mechanism: {}\n", "");
  // A mechanism's file may want values of the core, such as its paper's order of warps: in the machine's place.
  const ConfigNode mechanism_file = ConfigNode::from_file(find_config("mechanisms", mechanism));
  for (const auto& [key, value] : mechanism_file.children()) {
    if (key != "core") mechanism_node.set("mechanism." + key, value);
  }
  if (mechanism_file.find("core") != nullptr) {
    for (const auto& [key, value] : mechanism_file.table("core").children()) machine_node.set("core." + key, value);
  }
  for (const std::string& assignment : sets) {
    if (assignment.starts_with("defaults.")) {
      user_error("'{}': only a machine's file says so; name a run's mechanism itself: --mechanism NAME", assignment);
    }
    refuse_short_key(assignment);
    (assignment.starts_with("mechanism.") ? mechanism_node : machine_node).set(assignment);
  }
  load(options.machine, machine_node);
  const bool as_it_is = sets.empty();
  check_consistency(options.machine, as_it_is ? machine_file.path : fmt::format("{} with --set", options.machine_name));
  options.mechanism_parameters = mechanism_node.table("mechanism");
  divergence::find_mechanism(mechanism).configure(options.mechanism_parameters);
  return options;
}

RunOptions RunOptions::load_file(const std::string& path) {
  const ConfigNode file = ConfigNode::from_file(path);
  file.only({"run", "mechanism", "machine", "rtl"});
  const ConfigNode& run = file.table("run");
  run.only({"machine", "mechanism", "timing", "detail", "sample", "code", "profile", "out", "mask_trace", "trace",
            "token_stack", "threads", "pace", "decided_by"});
  RunOptions options;
  options.machine_name = run.value("machine").scalar();
  options.mechanism = divergence::find_mechanism(run.value("mechanism").scalar()).name;
  options.timing = read_choice<Timing>(run.value("timing"));
  options.detail = Detail::parse(run.value("detail").scalar(), run.value("detail").place());
  if (run.find("sample") != nullptr) {
    options.sample = SampleChoice::parse(run.value("sample").scalar(), run.value("sample").place() + ": sample");
  }
  options.code = read_choice<Code>(run.value("code"));
  if (run.find("profile") != nullptr) options.profile = config_detail::read_flag(run.value("profile"));
  if (run.find("out") != nullptr) options.out = run.value("out").scalar();
  if (run.find("mask_trace") != nullptr) options.mask_trace = run.value("mask_trace").scalar();
  if (run.find("trace") != nullptr) options.trace = TimeTraceOptions::load(run.table("trace"));
  if (run.find("token_stack") != nullptr) options.token_stack = config_detail::read_flag(run.value("token_stack"));
  if (run.find("threads") != nullptr) options.threads = thread_count(run.value("threads"));
  if (run.find("pace") != nullptr) options.pace = read_choice<Pace::Rule>(run.value("pace"));
  if (run.find("decided_by") != nullptr) options.decided_by = read_decided_by(run.value("decided_by"));
  if (file.find("rtl") != nullptr) options.rtl = load_rtl(file.table("rtl"));
  options.mechanism_parameters = file.table("mechanism");
  load(options.machine, file.table("machine"));
  check_consistency(options.machine, path);
  return options;
}

std::string RunOptions::text(bool with_directory) const {
  std::string text =
      "# Everything that this run was configured with. The same again: WARPFOLD_RUN=<this file> <program>\n";
  text += "run:\n";
  text += fmt::format("  machine: {}\n", quoted(machine_name));
  text += fmt::format("  mechanism: {}\n", mechanism);
  text += fmt::format("  timing: {}\n", Choices<Timing>::names[config_detail::choice_index(timing)]);
  text += fmt::format("  detail: {}  # launches that are timed; empty: all\n", quoted(detail.text()));
  if (sample.on())
    text += fmt::format("  sample: {}  # launches are timed until the interval is so narrow, or these\n",
                        quoted(sample.text()));
  text += fmt::format("  code: {}\n", Choices<Code>::names[config_detail::choice_index(code)]);
  if (with_directory && profile) text += "  profile: true\n";
  if (with_directory && !out.empty()) text += fmt::format("  out: {}\n", quoted(out));
  if (with_directory && !mask_trace.empty()) text += fmt::format("  mask_trace: {}\n", quoted(mask_trace));
  if (with_directory && trace.on) text += trace.run_file();
  if (with_directory && token_stack) text += "  token_stack: true\n";
  if (with_directory && threads != 1) text += fmt::format("  threads: {}\n", threads);
  if (with_directory && pace != Pace::Rule::kAsItPays)
    text += fmt::format("  pace: {}\n", Choices<Pace::Rule>::names[config_detail::choice_index(pace)]);
  if (with_directory && !decided_by.empty()) text += fmt::format("  decided_by: {}\n", quoted(decided_by));
  text += mechanism_table(*this);
  text += rtl_table(rtl);
  text += "machine:\n" + dump(fields_of(machine, "machine."));
  return text;
}

RunOptions RunOptions::from_environment() {
  const char* const path = std::getenv(kRunVariable);
  if (path != nullptr && *path != 0) return load_file(path);
  const RunOptions defaults;
  return resolve(defaults.machine_name, defaults.mechanism, {});
}

}  // namespace warpfold
