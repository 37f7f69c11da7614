// SPDX-License-Identifier: Apache-2.0
// `warpfold list`: one line each, from the code's own tables.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "tb/cosim/blocks.h"
#include "tb/sim/catalog.h"
#include "tb/sim/commands.h"
#include "tb/sim/known_statistics.h"
#include "tb/sim/modules.h"
#include "warpfold/common/error.h"
#include "warpfold/common/nearest.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/gpu.h"
#include "warpfold/gpu/run_options.h"
#include "warpfold/isa/decode/instruction_table.h"

namespace warpfold::sim {
namespace {

using Line = std::pair<std::string, std::string>;  // name, meaning

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

void print(const std::vector<Line>& lines) {
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.first.size());
  for (const auto& [name, meaning] : lines) fmt::print("{:<{}}  {}\n", name, width, meaning);
}

void print_statistics(const std::vector<StatInfo>& infos) {
  fmt::print("| Statistic | Unit | Over objects | Meaning |\n|---|---|---|---|\n");
  for (const StatInfo& info : infos) {
    const char* const combined = info.combine == Combine::kMax ? "maximum" : "sum";
    fmt::print("| `{}` | {} | {} | {} |\n", info.name, info.unit, combined, info.meaning);
  }
}

// The part of docs/mechanisms.md that the code knows.
void describe_mechanisms() {
  for (const auto& info : divergence::mechanisms()) {
    const RunOptions options = RunOptions::resolve("tbc2011", info.name, {});
    const auto configured = info.configure(options.mechanism_parameters);
    fmt::print("## {}\n\n{}. Source: {}. Adds to a core: {}.\n\n", info.name, sentence(info.description), info.source,
               configured.hardware(options.machine.core.hardware_geometry()).text());
    fmt::print("{}\n", markdown_table(configured.parameters));
    const std::vector<StatInfo> infos = mechanism_statistics(info.name);
    if (infos.empty()) continue;
    print_statistics(infos);
    fmt::print("\n");
  }
}

int list_mechanisms(bool markdown) {
  if (markdown) {
    describe_mechanisms();
    return 0;
  }
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
    std::string sets;
    for (const auto& [paper, set] : workload.papers)
      sets += fmt::format("{}{}:{}", sets.empty() ? "" : " ", paper, set);
    lines.emplace_back(workload.name, fmt::format("{}: {} [{}]", workload.set, workload.description, sets));
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
  if (markdown) {
    print_statistics(machine_statistics());
    return 0;
  }
  std::vector<Line> lines;
  for (const StatInfo& info : known_statistics())
    lines.emplace_back(info.name, fmt::format("{}{}", info.unit.empty() ? "" : "[" + info.unit + "] ", info.meaning));
  print(lines);
  return 0;
}

int list_rtl(bool /*markdown*/) {
  std::vector<Line> lines;
  for (const cosim::RtlBlock& block : cosim::rtl_blocks()) {
    lines.emplace_back(block.name, fmt::format("rtl/{}.sv; twin of {}", block.top, block.twin));
  }
  print(lines);
  return 0;
}

int list_simd(bool /*markdown*/) {
  std::vector<Line> lines;
  for (const divergence::PackingInfo& packing : divergence::kPackings)
    lines.emplace_back(packing.name, packing.description);
  print(lines);
  return 0;
}

// The boxes of the smallest machine that has one of each, and where their sockets lead.
int list_modules(bool markdown) {
  const std::vector<std::string> smallest{"cores=1", "memory.channels=1", "memory.slices_per_channel=1"};
  const RunOptions options = RunOptions::resolve("gtx480", "tbc", smallest);
  const auto mechanism = divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters);
  StatRegistry registry;
  const Gpu gpu("gpu", options.machine, mechanism, registry);
  std::vector<Line> lines;
  for (const Binding& binding : bindings()) {
    const auto same = [&](const Line& line) { return line.first == binding.from; };
    const auto known = std::find_if(lines.begin(), lines.end(), same);
    const std::string to = fmt::format("{} ({})", binding.to, binding.socket);
    if (known == lines.end()) {
      lines.emplace_back(binding.from, to);
    } else {
      known->second += ", " + to;
    }
  }
  if (!markdown) {
    print(lines);
    return 0;
  }
  fmt::print("| Box | Sends to (by socket) |\n|---|---|\n");
  for (const auto& [from, to] : lines) fmt::print("| `{}` | {} |\n", from, to);
  return 0;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all.append(all.empty() ? "" : "; ").append(part);
  return all;
}

// What of PTX kernels may use.
int list_instructions(bool markdown) {
  std::vector<Line> lines;
  for (const isa::InstructionRow& row : isa::instruction_table()) {
    lines.emplace_back(row.name, joined(row.forms));
    if (!row.remarks.empty()) lines.back().second += fmt::format(" ({})", joined(row.remarks));
  }
  if (!markdown) {
    print(lines);
    return 0;
  }
  fmt::print("| Instruction | Forms |\n|---|---|\n");
  for (const auto& [name, forms] : lines) {
    std::string cell;
    for (const char c : forms) cell += c == '|' ? "\\|" : std::string(1, c);
    fmt::print("| `{}` | {} |\n", name, cell);
  }
  return 0;
}

struct Listing {
  const char* name;
  int (*print)(bool markdown);
};

constexpr Listing kListings[] = {
    {"mechanisms", list_mechanisms},
    {"machines", list_machines},
    {"workloads", list_workloads},
    {"statistics", list_statistics},
    {"parameters", list_parameters},
    {"rtl", list_rtl},
    {"simd", list_simd},
    {"modules", list_modules},
    {"instructions", list_instructions},
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
