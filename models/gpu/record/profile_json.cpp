// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/profile_json.h"

#include <nlohmann/json.hpp>

#include "warpfold/isa/analysis/branch_region.h"
#include "warpfold/ptx/source_lines.h"

namespace warpfold {
namespace {

using Json = nlohmann::ordered_json;
using isa::Kind;
using isa::MicroOp;
using isa::Pc;

const char* name_of(isa::Space space) {
  switch (space) {
    case isa::Space::kGlobal:
      return "global";
    case isa::Space::kShared:
      return "shared";
    case isa::Space::kLocal:
      return "local";
    case isa::Space::kConst:
      return "constant";
    case isa::Space::kParam:
      return "parameter";
    case isa::Space::kTexture:
      return "texture";
    case isa::Space::kGeneric:
      break;
  }
  return "generic";
}

const char* name_of(isa::BranchKind kind) {
  switch (kind) {
    case isa::BranchKind::kLoop:
      return "loop";
    case isa::BranchKind::kLateIf:
      return "late if";
    case isa::BranchKind::kIf:
      break;
  }
  return "if";
}

// Where threads meet only at the kernel's end there is no such instruction.
Json pc_or_end(const PcProfile::Kernel& kernel, Pc pc) {
  if (pc >= kernel.code.end()) return "end";
  return pc;
}

Json branch_of(const PcProfile::Kernel& kernel, Pc pc) {
  const MicroOp& op = kernel.code.ops[pc];
  const PcCounts& counts = kernel.counts[pc];
  Json json = Json::object();
  json["target"] = pc_or_end(kernel, op.target);
  json["reconvergence"] = pc_or_end(kernel, op.reconvergence);
  json["may_diverge"] = op.may_diverge;
  if (op.guard == isa::kNoWord) return json;
  const isa::BranchRegion region = isa::region_of(kernel.code, pc);
  std::uint64_t lost = 0;
  for (const Pc inside : region.inside) lost += kernel.counts[inside].lost;
  json["kind"] = name_of(region.kind);
  json["divergent"] = counts.divergent;
  json["taken_lanes"] = counts.taken;
  json["lanes_lost_behind"] = lost;
  return json;
}

Json memory_of(const MicroOp& op, const PcCounts& counts) {
  return {{"space", name_of(op.space)},
          {"accesses", counts.accesses},
          {"lines", counts.lines},
          {"bank_conflict_cycles", counts.conflicts}};
}

Json waits_of(const PcCounts& counts) {
  Json json = Json::object();
  for (std::size_t why = 0; why < kWaits; ++why) {
    if (counts.waits[why] != 0) json[kWaitNames[why]] = counts.waits[why];
  }
  return json;
}

Json instruction_of(const PcProfile::Kernel& kernel, Pc pc) {
  const MicroOp& op = kernel.code.ops[pc];
  const PcCounts& counts = kernel.counts[pc];
  Json json = Json::object();
  json["pc"] = pc;
  json["ptx_line"] = op.line;
  json["opcode"] = kernel.code.opcodes[op.text];
  if (op.spill) json["spill"] = true;
  if (op.guard != isa::kNoWord) json["guarded"] = true;
  const ptx::SourceLine source = kernel.code.sources != nullptr ? kernel.code.sources->at(op.line) : ptx::SourceLine{};
  if (source.line != 0) {
    json["source_file"] = source.file;
    json["source_line"] = source.line;
  }
  json["issued"] = counts.issued;
  json["lanes"] = counts.lanes;
  json["lanes_executed"] = counts.executed;
  json["lanes_lost"] = counts.lost;
  json["issue_cycles"] = counts.issue_cycles;
  if (op.kind == Kind::kBranch) json["branch"] = branch_of(kernel, pc);
  if (op.kind == Kind::kExit) json["ends"] = "thread";
  if (op.kind == Kind::kTrap) json["ends"] = "kernel";
  if (accesses_memory(op)) json["memory"] = memory_of(op, counts);
  if (Json waits = waits_of(counts); !waits.empty()) json["waits"] = std::move(waits);
  return json;
}

}  // namespace

// An instruction a line: such a file can be read, and compared by diff.
std::string profile_json(const PcProfile& profile) {
  constexpr auto kReplace = Json::error_handler_t::replace;  // names are the program's, and may hold any bytes
  const auto text = [](const Json& json) { return json.dump(-1, ' ', false, kReplace); };
  std::string out = "{\"kernels\": [";
  const char* comma = "\n";
  for (const PcProfile::Kernel& kernel : profile.kernels()) {
    out += std::string(comma) + " {\"name\": " + text(kernel.code.name) + ", \"ptx_file\": " + text(kernel.code.file) +
           ", \"launches\": " + std::to_string(kernel.launches) + ", \"cycles\": " + std::to_string(kernel.cycles) +
           ",\n  \"instructions\": [";
    for (Pc pc = 0; pc < kernel.code.end(); ++pc) {
      out += (pc == 0 ? "\n   " : ",\n   ") + text(instruction_of(kernel, pc));
    }
    out += "\n  ]}";
    comma = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace warpfold
