// SPDX-License-Identifier: Apache-2.0
// `warpfold list`: one line each, from the code's own tables.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "models/common/error.h"
#include "models/common/nearest.h"
#include "models/divergence/registry.h"
#include "models/gpu/gpu.h"
#include "models/gpu/run_options.h"
#include "tb/sim/catalog.h"
#include "tb/sim/commands.h"

namespace warpfold::sim {
namespace {

using Line = std::pair<std::string, std::string>;  // name, meaning

void print(const std::vector<Line>& lines) {
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.first.size());
  for (const auto& [name, meaning] : lines) fmt::print("{:<{}}  {}\n", name, width, meaning);
}

int list_mechanisms(bool /*markdown*/) {
  std::vector<Line> lines;
  for (const auto& info : divergence::mechanisms())
    lines.emplace_back(info.name, fmt::format("{} [{}]", info.description, info.source));
  print(lines);
  return 0;
}

// A machine file says in its first line, a comment, what it is.
int list_machines(bool /*markdown*/) {
  std::vector<Line> lines;
  for (const std::string& name : config_names("machines")) {
    std::ifstream in(find_config("machines", name));
    std::string first;
    std::getline(in, first);
    lines.emplace_back(name, first.starts_with("# ") ? first.substr(2) : "");
  }
  print(lines);
  return 0;
}

int list_workloads(bool /*markdown*/) {
  std::vector<Line> lines;
  for (const Workload& workload : find_workloads()) {
    lines.emplace_back(workload.name, fmt::format("{}: {}", workload.set, workload.description));
  }
  if (lines.empty()) user_error("no workloads in {}/workloads: build them first (cmake --build)", program_directory());
  print(lines);
  return 0;
}

// Keys of a machine file, with the default machine's values.
int list_parameters(bool markdown) {
  const std::vector<FieldView> fields = fields_of(RunOptions::resolve("tbc2011", "pdom", {}).machine);
  if (markdown) {
    fmt::print("{}", markdown_table(fields));
    return 0;
  }
  std::vector<Line> lines;
  for (const FieldView& field : fields) {
    if (!field.section)
      lines.emplace_back(field.path, fmt::format("{} ({}): {}", field.value, field.legal, field.meaning));
  }
  print(lines);
  return 0;
}

// What the default machine counts: every module declares its statistics when it is made.
int list_statistics(bool markdown) {
  const RunOptions options = RunOptions::resolve("tbc2011", "pdom", {});
  const auto mechanism = divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters);
  StatRegistry registry;
  const Gpu gpu("gpu", options.machine, mechanism, registry);
  derive_statistics(registry, options.machine);
  std::vector<StatInfo> all;
  const auto add = [&](const StatInfo& info) {
    const auto same = [&](const StatInfo& known) { return known.name == info.name; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(info);
  };
  for (const StatGroup& group : registry.groups()) {
    for (const StatGroup::Entry& entry : group.entries()) add(entry.info);
  }
  for (const DerivedStat& derived : registry.derived()) add(derived.info);
  if (markdown) fmt::print("| Statistic | Unit | Over objects | Meaning |\n|---|---|---|---|\n");
  std::vector<Line> lines;
  for (const StatInfo& info : all) {
    const char* const combined = info.combine == Combine::kMax ? "maximum" : "sum";
    if (markdown) fmt::print("| `{}` | {} | {} | {} |\n", info.name, info.unit, combined, info.meaning);
    lines.emplace_back(info.name, fmt::format("{}{}", info.unit.empty() ? "" : "[" + info.unit + "] ", info.meaning));
  }
  if (!markdown) print(lines);
  return 0;
}

struct Listing {
  const char* name;
  int (*print)(bool markdown);
};

constexpr Listing kListings[] = {
    {"mechanisms", list_mechanisms}, {"machines", list_machines},     {"workloads", list_workloads},
    {"statistics", list_statistics}, {"parameters", list_parameters},
};

}  // namespace

const std::vector<std::string>& listable() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Listing& listing : kListings) all.emplace_back(listing.name);
    return all;
  }();
  return names;
}

int list(const ListCommand& command) {
  for (const Listing& listing : kListings) {
    if (command.what == listing.name) return listing.print(command.markdown);
  }
  user_error("list {}: {}", command.what, suggestion(command.what, listable()));
}

}  // namespace warpfold::sim
