// SPDX-License-Identifier: Apache-2.0
// Looks an opcode up; only decoding does, so a string key is good enough.
#include "warpfold/isa/execute/ops/op_table.h"

#include <algorithm>
#include <array>

#include "warpfold/isa/execute/custom_instructions.h"
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

// PTX's grammar has one order of what may be said of an operation, assemblers take any: rounding, .ftz, …
std::size_t rank_of(const std::string& modifier) {
  constexpr std::array<std::string_view, 20> kOrder{"rn",  "rz",      "rm",  "rp",   "rna",       "rs",  "rni",
                                                    "rzi", "rmi",     "rpi", "full", "approx",    "ftz", "oob",
                                                    "NaN", "xorsign", "abs", "relu", "satfinite", "sat"};
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), modifier) - kOrder.begin());
}
constexpr std::size_t kNoRank = 20;

// In the places where they stand.
std::vector<std::string> in_order(std::span<const std::string> modifiers) {
  std::vector<std::string> ranked;
  for (const std::string& modifier : modifiers) {
    if (rank_of(modifier) < kNoRank) ranked.push_back(modifier);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const std::string& a, const std::string& b) { return rank_of(a) < rank_of(b); });
  std::vector<std::string> ordered(modifiers.begin(), modifiers.end());
  auto next = ranked.begin();
  for (std::string& modifier : ordered) {
    if (rank_of(modifier) < kNoRank) modifier = *next++;
  }
  return ordered;
}

std::string opcode_of(std::string_view name, std::span<const std::string> modifiers) {
  std::string opcode(name);
  for (const std::string& modifier : modifiers) opcode.append(".").append(modifier);
  return opcode;
}

}  // namespace

std::optional<OpInfo> find_op(std::string_view name, std::span<const std::string> modifiers) {
  const std::string opcode = opcode_of(name, modifiers);
  const OpInfo* found = registry().find(opcode);
  if (found == nullptr) found = registry().find(opcode_of(name, in_order(modifiers)));
  if (found == nullptr) return find_custom_op(opcode);
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
