// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/profile_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/isa/analysis/likely_from_profile.h"

namespace warpfold::sim {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
T optional_of(const Json& object, const char* name, T otherwise) {
  const auto found = object.find(name);
  return found == object.end() ? otherwise : found->get<T>();
}

std::uint64_t count_of(const Json& object, const char* name) { return object.at(name).get<std::uint64_t>(); }

isa::Pc pc_of(const Json& value, std::size_t instructions) {
  return value.is_string() ? static_cast<isa::Pc>(instructions) : value.get<isa::Pc>();
}

void read_branch(const Json& json, std::size_t instructions, ProfiledInstruction& to) {
  to.is_branch = true;
  to.branch.target = pc_of(json.at("target"), instructions);
  to.branch.reconvergence = pc_of(json.at("reconvergence"), instructions);
  to.branch.may_diverge = json.at("may_diverge").get<bool>();
  to.branch.kind = optional_of(json, "kind", std::string());
  to.branch.lanes_lost_behind = optional_of(json, "lanes_lost_behind", std::uint64_t{0});
  to.counts.divergent = optional_of(json, "divergent", std::uint64_t{0});
  to.counts.taken = optional_of(json, "taken_lanes", std::uint64_t{0});
}

ProfiledInstruction read_instruction(const Json& json, std::size_t pc, std::size_t instructions) {
  ProfiledInstruction instruction;
  instruction.pc = static_cast<isa::Pc>(pc);
  instruction.ptx_line = json.at("ptx_line").get<unsigned>();
  instruction.opcode = json.at("opcode").get<std::string>();
  instruction.source_file = optional_of(json, "source_file", std::string());
  instruction.source_line = optional_of(json, "source_line", 0U);
  instruction.guarded = optional_of(json, "guarded", false);
  const std::string ends = optional_of(json, "ends", std::string());
  instruction.ends_thread = ends == "thread";
  instruction.ends_kernel = ends == "kernel";
  PcCounts& counts = instruction.counts;
  counts.issued = count_of(json, "issued");
  counts.lanes = count_of(json, "lanes");
  counts.executed = count_of(json, "lanes_executed");
  counts.lost = count_of(json, "lanes_lost");
  counts.issue_cycles = count_of(json, "issue_cycles");
  if (json.contains("branch")) read_branch(json.at("branch"), instructions, instruction);
  if (json.contains("memory")) {
    instruction.is_access = true;
    counts.accesses = count_of(json.at("memory"), "accesses");
    counts.lines = count_of(json.at("memory"), "lines");
    counts.conflicts = count_of(json.at("memory"), "bank_conflict_cycles");
  }
  const Json waits = json.value("waits", Json::object());
  for (std::size_t why = 0; why < kWaits; ++why) {
    counts.waits[why] = optional_of(waits, kWaitNames[why], std::uint64_t{0});
  }
  return instruction;
}

KernelProfile read_kernel(const Json& json) {
  KernelProfile kernel;
  kernel.name = json.at("name").get<std::string>();
  kernel.ptx_file = json.at("ptx_file").get<std::string>();
  kernel.launches = count_of(json, "launches");
  kernel.cycles = count_of(json, "cycles");
  const Json& instructions = json.at("instructions");
  for (std::size_t pc = 0; pc < instructions.size(); ++pc) {
    kernel.instructions.push_back(read_instruction(instructions.at(pc), pc, instructions.size()));
  }
  kernel.as_read = json;
  return kernel;
}

isa::ProfiledOp op_of(const ProfiledInstruction& instruction) {
  isa::ProfiledOp op;
  op.flow.flow = instruction.is_branch     ? isa::Flow::kBranch
                 : instruction.ends_thread ? isa::Flow::kExit
                 : instruction.ends_kernel ? isa::Flow::kTrap
                                           : isa::Flow::kNext;
  op.flow.target = instruction.branch.target;
  if (instruction.guarded) op.flow.guard = 0;
  op.threads = instruction.counts.lanes;
  op.went = instruction.is_branch ? instruction.counts.taken : instruction.counts.executed;
  op.may_diverge = instruction.branch.may_diverge;
  op.reconvergence = instruction.branch.reconvergence;
  return op;
}

// By PTX line, as the file has them. What is called from several places has its lines several times: a line then names
// no instruction.
std::map<unsigned, unsigned> likely_lines(const KernelProfile& kernel) {
  std::vector<isa::ProfiledOp> ops;
  std::map<unsigned, unsigned> branches;  // how many there are of a line
  std::map<unsigned, isa::Pc> first;
  for (const ProfiledInstruction& instruction : kernel.instructions) {
    ops.push_back(op_of(instruction));
    if (instruction.branch.may_diverge) ++branches[instruction.ptx_line];
    first.try_emplace(instruction.ptx_line, instruction.pc);
  }
  std::map<unsigned, unsigned> lines;
  for (const isa::LikelyPoint& found : isa::likely_points_of(ops)) {
    const unsigned branch = kernel.instructions[found.branch].ptx_line;
    const unsigned point = kernel.instructions[found.point].ptx_line;
    if (branches[branch] == 1 && first[point] == found.point) lines[branch] = point;
  }
  return lines;
}

}  // namespace

bool KernelProfile::has_source_lines() const {
  return std::any_of(instructions.begin(), instructions.end(), [](const auto& i) { return i.source_line != 0; });
}

PcCounts KernelProfile::total() const {
  PcCounts sum;
  for (const ProfiledInstruction& instruction : instructions) sum += instruction.counts;
  return sum;
}

std::uint64_t heat(const PcCounts& counts) {
  std::uint64_t cycles = counts.issue_cycles;
  for (const std::uint64_t waited : counts.waits) cycles += waited;
  return cycles == 0 ? counts.issued : cycles;
}

std::vector<KernelProfile> read_profile(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) user_error("{}: there is no profile: the program launched no kernel that ended", file.string());
  std::vector<KernelProfile> kernels;
  try {
    const Json json = Json::parse(in);
    for (const Json& kernel : json.at("kernels")) kernels.push_back(read_kernel(kernel));
  } catch (const Json::exception& error) {
    user_error("{}: not as a run leaves it ({}): run it again", file.string(), error.what());
  }
  std::stable_sort(kernels.begin(), kernels.end(), [](const KernelProfile& a, const KernelProfile& b) {
    return std::pair(a.cycles, a.total().issued) > std::pair(b.cycles, b.total().issued);
  });
  return kernels;
}

std::vector<LineProfile> lines_of(const KernelProfile& kernel) {
  const bool source = kernel.has_source_lines();
  std::map<std::pair<std::string, unsigned>, LineProfile> lines;
  for (const ProfiledInstruction& instruction : kernel.instructions) {
    if (heat(instruction.counts) == 0) continue;
    const std::string& file = source ? instruction.source_file : kernel.ptx_file;
    const unsigned number = source ? instruction.source_line : instruction.ptx_line;
    LineProfile& line = lines[{file, number}];
    line.file = file;
    line.line = number;
    if (!source && line.opcodes.find(instruction.opcode) == std::string::npos) {
      line.opcodes += (line.opcodes.empty() ? "" : ", ") + instruction.opcode;
    }
    line.branches |= instruction.is_branch;
    line.accesses |= instruction.is_access;
    line.counts += instruction.counts;
  }
  std::vector<LineProfile> all;
  for (auto& [place, line] : lines) all.push_back(std::move(line));
  return all;
}

std::string likely_convergence_file(const std::vector<KernelProfile>& kernels) {
  std::map<std::string, std::map<unsigned, unsigned>> points;  // of several codes of a kernel, the hottest one's first
  for (const KernelProfile& kernel : kernels) points[kernel.name].merge(likely_lines(kernel));
  std::string text =
      "# Likely-convergence points that a profile gave: of each kernel, PTX line of a branch: PTX line of its point\n";
  for (const auto& [kernel, lines] : points) {
    text += kernel + (lines.empty() ? ": {}\n" : ":\n");
    for (const auto& [branch, point] : lines) text += fmt::format("  {}: {}\n", branch, point);
  }
  return text;
}

}  // namespace warpfold::sim
