// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/execute/custom_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "warpfold/isa/decode/instruction_table.h"

namespace warpfold::isa {
namespace {

struct Registered {
  std::vector<CustomUnitOf> units;
  std::vector<OpInfo> ops;
  std::string refused;
};
Registered& registered() {
  static Registered all;
  return all;
}

constexpr std::size_t kMost = std::numeric_limits<decltype(OpInfo::custom)>::max();
constexpr unsigned kMostCycles = 1000;  // as machines may say

std::string why_not(const std::string& opcode, const CustomUnit& unit) {
  const auto is_part_of_a_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  const std::string name = opcode.substr(0, opcode.find('.'));
  if (name.empty() ||
      !std::all_of(opcode.begin(), opcode.end(), [&](char c) { return c == '.' || is_part_of_a_name(c); }))
    return fmt::format("instruction '{}': write it as PTX does, in small letters: popacc.u32", opcode);
  const std::vector<InstructionRow> table = instruction_table();
  if (std::any_of(table.begin(), table.end(), [&](const InstructionRow& row) { return row.name == name; }))
    return fmt::format("instruction '{}': PTX has '{}'; give it another name", opcode, name);
  if (find_custom_op(opcode)) return fmt::format("instruction '{}' is there already; give it another name", opcode);
  if (!unit.rtl.empty() && std::any_of(custom_units().begin(), custom_units().end(),
                                       [&](const CustomUnitOf& of) { return of.unit.rtl == unit.rtl; }))
    return fmt::format("instruction '{}': its RTL, {}, is another's", opcode, unit.rtl);
  if (unit.latency_cycles == 0 || unit.interval_cycles == 0 ||
      std::max(unit.latency_cycles, unit.interval_cycles) > kMostCycles)
    return fmt::format("instruction '{}': its unit takes 1 to {} cycles", opcode, kMostCycles);
  return registered().ops.size() == kMost ? fmt::format("instruction '{}': there are {} already", opcode, kMost) : "";
}

std::uint64_t value_of(const OpInfo::Operand& shape, std::uint32_t low, std::uint32_t high) {
  if (shape.kind == 'p') return low != 0 ? 1 : 0;
  return shape.bits == 64 ? std::uint64_t{high} << 32 | low : low & (~std::uint64_t{0} >> (64 - shape.bits));
}

}  // namespace

void RegisterInstruction::add(std::string opcode, CustomUnit unit, OpInfo info) {
  const std::string refused = why_not(opcode, unit);
  if (!refused.empty()) {
    registered().refused = refused;
    return;
  }
  info.custom = static_cast<std::uint8_t>(registered().ops.size() + 1);
  info.row_compute = nullptr;  // lane by lane, so that somebody may watch
  registered().ops.push_back(info);
  registered().units.push_back({std::move(opcode), std::move(unit)});
}

std::optional<OpInfo> find_custom_op(const std::string& opcode) {
  const std::vector<CustomUnitOf>& units = registered().units;
  const auto found = std::find_if(units.begin(), units.end(), [&](const auto& of) { return of.opcode == opcode; });
  if (found == units.end()) return std::nullopt;
  return registered().ops[static_cast<std::size_t>(found - units.begin())];
}

const OpInfo& custom_op(unsigned place) { return registered().ops[place]; }

const std::string& refused_instruction() { return registered().refused; }

CustomWatch*& custom_watch() {
  static CustomWatch* watch = nullptr;
  return watch;
}

// Results may lie where sources are.
void compute_watched(const MicroOp& op, const LaneArrays& arrays, unsigned lanes, LaneMask active) {
  const unsigned place = op.custom - 1;
  const OpInfo& info = custom_op(place);
  const auto at = [](const auto& words, const OpInfo::Operand& shape, unsigned lane) {
    return value_of(shape, words[0][lane], shape.bits == 64 ? words[1][lane] : 0);
  };
  std::vector<CustomWatch::Lane> seen;
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    CustomWatch::Lane& one = seen.emplace_back();
    for (unsigned k = 0; k < info.s_count; ++k) one.sources[k] = at(arrays.s[k], info.s[k], lane);
  }
  op.compute(arrays, lanes);
  auto one = seen.begin();
  for (LaneMask rest = active; rest != 0; rest &= rest - 1, ++one) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    for (unsigned k = 0; k < op.d_count; ++k) {
      if (arrays.d[k][0] != nullptr) one->results[k] = at(arrays.d[k], info.d[k], lane);
    }
  }
  custom_watch()->executed(place, seen);
}

const std::vector<CustomUnitOf>& custom_units() { return registered().units; }

}  // namespace warpfold::isa
