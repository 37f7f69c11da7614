// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/decode/compounds/compound.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "warpfold/isa/decode/compounds/code_writer.h"

namespace warpfold::isa {
namespace {

// mov.b64 {a, b, c, d}, e
bool parts_in_four(const ptx::Instruction& instruction) {
  return instruction.name == "mov" && instruction.operands.size() == 2 &&
         instruction.operands[0].kind == ptx::OperandKind::kVector && instruction.operands[0].elements.size() == 4 &&
         instruction.modifiers.size() == 1 && instruction.modifiers[0] == "b64";
}

ptx::Operand pair_of(const ptx::Operand& low, const ptx::Operand& high) {
  ptx::Operand pair;
  pair.kind = ptx::OperandKind::kVector;
  pair.elements = {low, high};
  return pair;
}

// In halves, and these in halves.
bool lower_parts(CodeWriter& code) {
  const ptx::Instruction instruction = code.old();
  if (!parts_in_four(instruction)) return false;
  const auto& parts = instruction.operands[0].elements;
  const auto low = register_operand(code.new_register(ptx::Type::kB32));
  const auto high = register_operand(code.new_register(ptx::Type::kB32));
  code.write("mov", {"b64"}, {pair_of(low, high), instruction.operands[1]});
  code.write("mov", {"b32"}, {pair_of(parts[0], parts[1]), low});
  code.write("mov", {"b32"}, {pair_of(parts[2], parts[3]), high});
  return true;
}

bool is_compound(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 6> kNames{"cp", "mbarrier", "createpolicy", "ldmatrix", "wmma", "mma"};
  return std::find(kNames.begin(), kNames.end(), instruction.name) != kNames.end() || parts_in_four(instruction);
}

bool lower(CodeWriter& code) {
  return lower_parts(code) || lower_asynchronous(code) || lower_policy(code) || lower_matrix_memory(code) ||
         lower_matrix_product(code);
}

}  // namespace

bool has_compounds(const ptx::Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(), is_compound);
}

void lower_compounds(ptx::Function& function) {
  CodeWriter code(function);
  while (code.next()) {
    if (!is_compound(code.old())) {
      code.keep();
      continue;
    }
    const ptx::Guard guard = code.old().guard;
    const std::size_t begin = code.position();
    const std::size_t behind = code.new_label();
    if (guard.present) code.branch_if(guard.reg, !guard.negated, behind);
    if (!lower(code)) {
      code.withdraw(begin);
      code.keep();
    }
    code.place(behind);
  }
  code.finish();
}

}  // namespace warpfold::isa
