// SPDX-License-Identifier: Apache-2.0
// Looks an opcode up; only decoding does, so a string key is good enough.
#include "warpfold/isa/execute/ops/op_table.h"

#include <algorithm>

#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {

void OpRegistry::add(std::string opcode, const OpInfo& info) { ops_.insert_or_assign(std::move(opcode), info); }

void OpRegistry::add_on(Unit unit, std::string opcode, OpInfo info) {
  info.unit = unit;
  add(std::move(opcode), info);
}

namespace {

OpRegistry build() {
  OpRegistry ops;
  add_integer_ops(ops);
  add_bit_ops(ops);
  add_compare_ops(ops);
  add_move_ops(ops);
  add_integer_conversions(ops);
  add_float_conversions(ops);
  add_float_ops(ops);
  add_float_division_ops(ops);
  add_approximate_ops(ops);
  add_half_ops(ops);
  add_narrow_float_ops(ops);
  add_narrow_conversions(ops);
  add_narrow_compare_ops(ops);
  add_minifloat_ops(ops);
  add_carry_ops(ops);
  add_packed_ops(ops);
  add_video_ops(ops);
  return ops;
}

const OpRegistry& registry() {
  static const OpRegistry ops = build();
  return ops;
}

bool is_bits(std::string_view modifier) { return modifier == "b16" || modifier == "b32" || modifier == "b64"; }

}  // namespace

std::optional<OpInfo> find_op(std::string_view name, std::span<const std::string> modifiers) {
  std::string opcode(name);
  for (const std::string& modifier : modifiers) opcode.append(".").append(modifier);
  const OpInfo* const found = registry().find(opcode);
  if (found == nullptr) return std::nullopt;
  OpInfo info = *found;
  const auto as_bits = [](OpInfo::Operand& operand) {
    if (operand.kind == 'u') operand.kind = 'b';  // a function of bits takes them as a number
  };
  if (std::any_of(modifiers.begin(), modifiers.end(), is_bits)) {
    std::for_each(info.d.begin(), info.d.end(), as_bits);
    std::for_each(info.s.begin(), info.s.end(), as_bits);
  }
  return info;
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const auto& entry : registry().ops()) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace warpfold::isa
