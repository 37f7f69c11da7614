// SPDX-License-Identifier: Apache-2.0
// The subjects of `warpfold area --results`: runs, those that differ in their mechanism alone beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tb/sim/area/area_subject.h"
#include "tb/sim/commands/commands.h"
#include "tb/sim/console/labels.h"
#include "tb/sim/runs/identity.h"
#include "tb/sim/runs/kept_run.h"
#include "tb/sim/runs/setup.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kNoPacking = "none";

// What of decided_by is the mechanism, as is its order of warps. All the rest must be the same in runs that are
// compared.
constexpr const char* kOfMechanism[] = {"mechanism", "mechanism_values", "packing", "rtl", "rtl_check"};

struct Run {
  KeptRun kept;
  std::string program, mechanism;  // as in decided_by; the latter with its lane packing
  std::string group;               // text of what else decided it
  std::string group_label;         // what tells its group from the program's others
  std::string label;               // the mechanism, and what tells it from others in its group
};

std::string as_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string joined(const Json& list) {
  std::string text;
  for (const Json& one : list) {
    if (!text.empty()) text += " ";
    text += as_text(one);
  }
  return text;
}

std::string text_of(const KeptRun& kept, const char* name) { return as_text(kept.decided_by.value(name, Json(""))); }

void add_values(Facts& facts, const std::vector<FieldView>& fields) {
  for (const FieldView& field : fields) {
    // The lane packing and the order of warps are told with the mechanism.
    const bool told = field.path == kPackingKey || field.path == kPolicyKey;
    if (!field.section() && !told) facts.emplace_back(field.path, field.path + "=" + field.value);
  }
}

void add_machine_values(Facts& facts, const KeptRun& kept) {
  if (kept.options) add_values(facts, fields_of(kept.options->machine));
}

Facts mechanism_facts(const KeptRun& kept) {
  Facts facts;
  if (kept.options) {
    const RunOptions& options = *kept.options;
    add_values(facts, divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters).parameters);
    facts.emplace_back(kPolicyKey, fmt::format("{}={}", kPolicyKey, policy_of(options)));
  }
  const Json rtl = kept.decided_by.value("rtl", Json::array());
  if (!rtl.empty()) facts.emplace_back("rtl", "rtl " + joined(rtl));
  return facts;
}

// What two rows of one mechanism differ in where only its hardware is shown.
Facts hardware_facts(const KeptRun& kept) {
  Facts facts{{"machine", text_of(kept, "machine")}};
  add_machine_values(facts, kept);
  for (const auto& fact : mechanism_facts(kept)) facts.push_back(fact);
  return facts;
}

// What a reader knows a run by, before digests, which tell only that something is not the same.
Facts group_facts(const KeptRun& kept) {
  constexpr std::size_t kDigits = 8;
  // A size stands for the arguments that it has.
  const std::string size = text_of(kept, "size"), arguments = joined(kept.decided_by.value("arguments", Json::array()));
  Facts facts{{"machine", text_of(kept, "machine")}, {"size", size.empty() ? arguments : size}};
  facts.emplace_back("arguments", arguments);
  add_machine_values(facts, kept);
  for (const char* name : {"code", "detail", "timing"}) {
    facts.emplace_back(name, fmt::format("{} {}", name, text_of(kept, name)));
  }
  const Json inputs = kept.decided_by.value("inputs", Json::object());
  for (const auto& [file, digest] : inputs.items()) {
    facts.emplace_back("input " + file, file + " " + as_text(digest).substr(0, kDigits));
  }
  for (const char* name : {"program_file", "machine_values", "warpfold", "simulator"}) {
    facts.emplace_back(name, fmt::format("{} {}", name, text_of(kept, name).substr(0, kDigits)));
  }
  return facts;
}

Run run_of(KeptRun kept) {
  Run run;
  Json rest = kept.decided_by;
  run.program = text_of(kept, "program");
  run.mechanism = text_of(kept, "mechanism");
  const std::string packing = text_of(kept, "packing");
  if (packing != kNoPacking) run.mechanism += "+" + packing;
  for (const char* name : kOfMechanism) rest.erase(name);
  if (kept.options) {
    MachineConfig machine = kept.options->machine;
    machine.core.warp_policy = WarpPolicy::kLrr;
    rest["machine_values"] = dump(machine);
  }
  run.group = nlohmann::json(rest).dump();  // in the order of names, whoever wrote it
  run.kept = std::move(kept);
  return run;
}

// The runs in all directories that are asked for, each once. What `compare` runs without time beside them, the oracle, is
// left out.
std::vector<Run> runs_of(const AreaCommand& command, const std::vector<std::string>& mechanisms) {
  std::vector<Run> runs;
  std::set<std::string> known;
  std::string without_time;
  const std::string machine = fs::path(command.machine).stem();
  for (const std::string& path : command.results) {
    for (const fs::path& directory : runs_in(path)) {
      Run run = run_of(read_run(directory));
      const std::string mechanism = text_of(run.kept, "mechanism");
      const bool wanted =
          mechanisms.empty() || std::find(mechanisms.begin(), mechanisms.end(), mechanism) != mechanisms.end();
      const bool there = machine.empty() || text_of(run.kept, "machine") == machine;
      if (!wanted || !there || !known.insert(run.kept.key).second) continue;
      if (run.kept.trouble.empty() && !run.kept.total.contains("cycles")) {
        without_time = directory;
      } else {
        runs.push_back(std::move(run));
      }
    }
  }
  if (runs.empty() && !without_time.empty())
    user_error("--results {}: no cycles in it: was it run with --timing cycle?", without_time);
  return runs;
}

// Sets a label of those that are alike in `same` to what tells them apart by `facts`.
template <class Things, class Same, class Label>
void label_each(Things& things, Same same, Facts (*facts)(const KeptRun&), Label label) {
  using Thing = typename Things::value_type;
  std::map<decltype(same(things.front())), std::vector<Thing*>> alike;
  for (Thing& thing : things) alike[same(thing)].push_back(&thing);
  for (const auto& [unused, members] : alike) {
    std::vector<Facts> all;
    for (const Thing* member : members) all.push_back(facts(member->kept));
    const std::vector<std::string> told = told_apart(all);
    for (std::size_t i = 0; i < members.size(); ++i) label(*members[i], told[i]);
  }
}

std::string with(const std::string& name, const std::string& what) { return what.empty() ? name : name + " " + what; }

void label_runs(std::vector<Run>& runs) {
  label_each(
      runs, [](const Run& run) { return run.program; }, group_facts,
      [](Run& run, const std::string& told) { run.group_label = told; });
  label_each(
      runs, [](const Run& run) { return std::tuple(run.program, run.group, run.mechanism); }, mechanism_facts,
      [](Run& run, const std::string& told) { run.label = with(run.mechanism, told); });
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    const auto order = [](const Run& run) {
      return std::tuple(run.program, run.group_label, run.group, run.mechanism != kBaseline, run.label);
    };
    return order(a) < order(b);
  });
}

}  // namespace

std::vector<AreaSubject> area_runs(const AreaCommand& command, const std::vector<std::string>& mechanisms) {
  std::vector<Run> runs = runs_of(command, mechanisms);
  if (runs.empty()) {
    const std::string of = mechanisms.empty() ? "" : " of " + command.mechanisms;
    const std::string on = command.machine.empty() ? "" : " on " + command.machine;
    user_error("--results {}: no run{}{} in it", command.results.front(), of, on);
  }
  label_runs(runs);
  std::vector<AreaSubject> subjects;
  for (const Run& run : runs) {
    AreaSubject subject;
    if (run.kept.trouble.empty()) subject = area_subject(*run.kept.options, command.sets);
    subject.program = run.program;
    subject.group = run.group;
    subject.group_label = run.group_label;
    subject.run_label = run.label;
    subject.trouble = run.kept.trouble;
    if (run.kept.trouble.empty()) subject.total = run.kept.total;
    subject.rtl = run.kept.rtl;
    subjects.push_back(std::move(subject));
  }
  label_each(
      runs, [](const Run& run) { return run.mechanism; }, hardware_facts,
      [&](Run& run, const std::string& told) {
        subjects[static_cast<std::size_t>(&run - runs.data())].label = with(run.mechanism, told);
      });
  return subjects;
}

}  // namespace warpfold::sim
