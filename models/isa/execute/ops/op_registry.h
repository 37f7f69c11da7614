// SPDX-License-Identifier: Apache-2.0
// The table behind find_op: opcodes as written, each family filled in by the file that implements it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "warpfold/isa/execute/ops/lane_function.h"
#include "warpfold/isa/execute/ops/op_table.h"

namespace warpfold::isa {

// add<kSeldom>(…): an instruction that no program spends its time in.
inline constexpr bool kSeldom = true;

class OpRegistry {
 public:
  // `opcode` with its modifiers in the order PTX fixes: "add.rn.ftz.f32". Cold like all that fills the table: it is
  // filled once, and there are thousands of calls to compile.
  [[gnu::cold, gnu::noinline]] void add(std::string opcode, const OpInfo& info);
  [[gnu::cold, gnu::noinline]] void add_on(Unit unit, std::string opcode, OpInfo info);
  template <bool kIsSeldom = false, class F>
  [[gnu::cold]] void add(std::string opcode, F /*function*/, Unit unit = Unit::kAlu) {
    add_on(unit, std::move(opcode), kOpOf<F, kIsSeldom>);
  }
  const OpInfo* find(const std::string& opcode) const {
    const auto it = ops_.find(opcode);
    return it == ops_.end() ? nullptr : &it->second;
  }
  const std::unordered_map<std::string, OpInfo>& ops() const { return ops_; }

 private:
  std::unordered_map<std::string, OpInfo> ops_;
};

// PTX's name of a C++ type as an opcode ends with it: ".s32", ".f64", ".pred".
template <class T>
std::string type_suffix() {
  constexpr OpInfo::Operand operand = operand_of<T>();
  std::string suffix(".");
  if constexpr (operand.kind == 'p') return suffix.append("pred");
  suffix.push_back(operand.kind);
  return suffix.append(std::to_string(operand.bits));
}

// The untyped kind: ".b32".
template <class T>
std::string bits_suffix() {
  return std::string(".b").append(std::to_string(8 * sizeof(T)));
}

// Of arithmetic on floating-point numbers.
template <class F>
constexpr Unit float_unit() {
  return sizeof(F) == 8 ? Unit::kFp64 : Unit::kFloat;
}

void add_integer_ops(OpRegistry& ops);
void add_bit_ops(OpRegistry& ops);
void add_compare_ops(OpRegistry& ops);
void add_move_ops(OpRegistry& ops);
void add_integer_conversions(OpRegistry& ops);
void add_float_conversions(OpRegistry& ops);
void add_float_ops(OpRegistry& ops);
void add_float_division_ops(OpRegistry& ops);
void add_approximate_ops(OpRegistry& ops);
void add_half_ops(OpRegistry& ops);
void add_narrow_float_ops(OpRegistry& ops);
void add_narrow_conversions(OpRegistry& ops);
void add_narrow_compare_ops(OpRegistry& ops);
void add_minifloat_ops(OpRegistry& ops);
void add_carry_ops(OpRegistry& ops);
void add_packed_ops(OpRegistry& ops);
void add_video_ops(OpRegistry& ops);

}  // namespace warpfold::isa
