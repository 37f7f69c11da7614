// SPDX-License-Identifier: Apache-2.0
// `warpfold list`: one line each, from the code's own tables.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "tb/cosim/blocks.h"
#include "tb/sim/commands/commands.h"
#include "tb/sim/runs/catalog.h"
#include "tb/sim/runs/modules.h"
#include "tb/sim/tables/known_statistics.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"
#include "warpfold/isa/decode/instruction_table.h"
#include "warpfold/isa/program.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::sim {
namespace {

// What is not a line of words for the console, but of the same things.
constexpr unsigned kApart = kMarkdown | kPrograms;

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// A list whose lines on the console are names and words; `columns` are those of the other formats.
ReportTable listing(const char* name, const char* title, std::vector<Column> columns) {
  ReportTable table{name, "", {{"name", title, kAll, true, true}, {"line", "", kConsole, true}}, {}};
  for (Column& column : columns) table.columns.push_back(std::move(column));
  table.listing = true;
  return table;
}

ReportTable statistics_table(const std::vector<StatInfo>& infos) {
  ReportTable table =
      listing("statistics", "Statistic",
              {{"unit", "Unit", kApart}, {"combine", "Over objects", kApart}, {"meaning", "Meaning", kApart}});
  for (const StatInfo& info : infos) {
    const char* const combined = info.combine == Combine::kMax ? "maximum" : "sum";
    const std::string unit = info.unit.empty() ? "" : "[" + info.unit + "] ";
    table.rows.push_back({{info.name, unit + info.meaning, info.unit, combined, info.meaning}});
  }
  return table;
}

ReportTable parameter_table(const std::vector<FieldView>& fields) {
  ReportTable table = listing("parameters", "Key",
                              {{"unit", "", kPrograms},
                               {"default", "Default", kApart},
                               {"legal", "Legal", kApart},
                               {"meaning", "Meaning", kApart}});
  for (const FieldView& field : fields) {
    if (field.section()) continue;
    table.rows.push_back({{field.path, fmt::format("{} ({}): {}", field.value, field.legal(), field.meaning),
                           field.unit, parsed(field.value), field.legal(), field.meaning}});
  }
  return table;
}

// The part of docs/mechanisms.md that the code knows.
void describe_mechanisms() {
  for (const auto& info : divergence::mechanisms()) {
    const RunOptions options = RunOptions::resolve("tbc2011", info.name, {});
    const auto configured = info.configure(options.mechanism_parameters);
    fmt::print("## {}\n\n{}. Source: {}. Adds to a core: {}.\n\n", info.name, sentence(info.description), info.source,
               configured.hardware(options.machine.core.hardware_geometry()).text());
    OutputOptions markdown;
    markdown.markdown = true;
    fmt::print("{}\n", text_of({{}, {parameter_table(configured.parameters)}}, markdown, 0));
    const std::vector<StatInfo> infos = mechanism_statistics(info.name);
    if (!infos.empty()) fmt::print("{}\n", text_of({{}, {statistics_table(infos)}}, markdown, 0));
  }
}

ReportTable list_mechanisms() {
  ReportTable table =
      listing("mechanisms", "Mechanism", {{"description", "Description", kApart}, {"source", "Source", kApart}});
  for (const auto& info : divergence::mechanisms()) {
    table.rows.push_back(
        {{info.name, fmt::format("{} [{}]", info.description, info.source), info.description, info.source}});
  }
  return table;
}

// A machine file says in its first line, a comment, what it is.
ReportTable list_machines() {
  ReportTable table = listing("machines", "Machine", {{"description", "Description", kApart}, {"file", "", kPrograms}});
  for (const std::string& name : config_names("machines")) {
    const std::string file = find_config("machines", name);
    std::ifstream in(file);
    std::string first;
    std::getline(in, first);
    const std::string text = first.starts_with("# ") ? first.substr(2) : "";
    table.rows.push_back({{name, text, text, file}});
  }
  return table;
}

ReportTable list_workloads() {
  ReportTable table = listing("workloads", "Workload",
                              {{"set", "Set", kApart},
                               {"description", "Description", kApart},
                               {"papers", "Papers' sets", kApart},
                               {"sizes", "Sizes", kApart}});
  std::vector<Workload> workloads = find_workloads();
  for (Workload& original : find_originals()) workloads.push_back(std::move(original));
  for (const Workload& workload : workloads) {
    std::string sets, sizes;
    for (const auto& [paper, set] : workload.papers)
      sets += fmt::format("{}{}:{}", sets.empty() ? "" : " ", paper, set);
    for (const auto& [size, unused] : workload.arguments) sizes += (sizes.empty() ? "" : " ") + size;
    table.rows.push_back({{workload.name, fmt::format("{}: {} [{}]", workload.set, workload.description, sets),
                           workload.set, workload.description, sets, sizes}});
  }
  return table;
}

// Keys of a machine file, with the default machine's values.
ReportTable list_parameters() { return parameter_table(fields_of(RunOptions::resolve("tbc2011", "pdom", {}).machine)); }

ReportTable list_statistics() { return statistics_table(known_statistics()); }

ReportTable list_rtl() {
  ReportTable table = listing("rtl", "Block", {{"file", "File", kApart}, {"twin", "Twin of", kApart}});
  for (const cosim::RtlBlock& block : cosim::rtl_blocks()) {
    const std::string file = fmt::format("rtl/{}.sv", block.top);
    table.rows.push_back({{block.name, fmt::format("{}; twin of {}", file, block.twin), file, block.twin}});
  }
  return table;
}

ReportTable list_simd() {
  ReportTable table = listing("simd", "Packing", {{"description", "Description", kApart}});
  for (const divergence::PackingInfo& packing : divergence::kPackings) {
    table.rows.push_back({{packing.name, packing.description, packing.description}});
  }
  return table;
}

// The boxes of the smallest machine that has one of each, and where their sockets lead.
ReportTable list_modules() {
  ReportTable table = listing("modules", "Box", {{"sends_to", "Sends to (by socket)", kApart}});
  for (const Binding& binding : bindings_of(kUsualMachine)) {
    const auto same = [&](const Row& row) { return row.cells[0].shown == binding.from; };
    const auto known = std::find_if(table.rows.begin(), table.rows.end(), same);
    const std::string to = fmt::format("{} ({})", binding.to, binding.socket);
    if (known == table.rows.end()) {
      table.rows.push_back({{binding.from, to, to}});
    } else {
      const std::string all = known->cells[1].shown + ", " + to;
      known->cells[1] = known->cells[2] = all;
    }
  }
  return table;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all.append(all.empty() ? "" : "; ").append(part);
  return all;
}

// What of PTX kernels may use.
ReportTable list_instructions() {
  ReportTable table = listing("instructions", "Instruction",
                              {{"", "Forms", kMarkdown}, {"forms", "", kPrograms}, {"remarks", "", kPrograms}});
  for (const isa::InstructionRow& row : isa::instruction_table()) {
    const std::string forms = joined(row.forms), remarks = joined(row.remarks);
    const std::string line = remarks.empty() ? forms : fmt::format("{} ({})", forms, remarks);
    table.rows.push_back({{row.name, line, line, forms, remarks}});
  }
  return table;
}

// What kernels of PTX files take of a core. A file with anything that cannot be decoded is an error.
ReportTable list_kernels(const std::vector<std::string>& files) {
  ReportTable table = listing("kernels", "Kernel",
                              {{"file", "File", kApart},
                               {"registers", "Registers", kApart},
                               {"shared_bytes", "Shared [B]", kApart},
                               {"local_bytes", "Local [B]", kApart},
                               {"instructions", "Instructions", kApart}});
  for (const std::string& file : files) {
    ptx::Module module = ptx::parse(read_input(file, "PTX file"), file);
    DeviceMemory memory(std::uint64_t{1} << 30, module.narrow ? DeviceMemory::kBase32 : DeviceMemory::kBase);
    isa::DecodeOptions options;
    options.address_bits = module.narrow ? 32 : 64;
    isa::Program program(std::move(module), memory, options);
    for (const std::string& name : program.kernel_names()) {
      const isa::Kernel& kernel = program.kernel(name);
      const std::size_t instructions = kernel.ops.size();
      const std::string line =
          fmt::format("{} registers, {} B of shared memory, {} B of local memory, {} instructions ({})",
                      kernel.registers, kernel.static_shared_bytes, kernel.local_bytes, instructions, file);
      table.rows.push_back({{name, line, file, count(kernel.registers), count(kernel.static_shared_bytes),
                             count(kernel.local_bytes), count(static_cast<double>(instructions))}});
    }
  }
  return table;
}

struct Listing {
  const char* name;
  ReportTable (*table)();
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
    all.emplace_back("kernels");
    return all;
  }();
  return names;
}

int list(const ListCommand& command) {
  const bool markdown = command.output.format() == ReportFormat::kMarkdown;
  if (markdown && command.what == "mechanisms") {
    describe_mechanisms();
    return 0;
  }
  if (command.what == "kernels") {
    if (command.files.empty()) user_error("list kernels: name PTX files: warpfold list kernels FILE.ptx");
    deliver({{}, {list_kernels(command.files)}, true}, command.output);
    return 0;
  }
  if (!command.files.empty()) user_error("list {}: takes no file; only list kernels does", command.what);
  for (const Listing& listing : kListings) {
    if (command.what != listing.name) continue;
    // What mechanisms count stands with each of them in the documentation.
    const bool documented = markdown && command.what == "statistics";
    deliver({{}, {documented ? statistics_table(machine_statistics()) : listing.table()}, true}, command.output);
    return 0;
  }
  user_error("list {}: {}", command.what, suggestion(command.what, listable()));
}

}  // namespace warpfold::sim
