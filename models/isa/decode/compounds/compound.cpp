// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/decode/compounds/compound.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "warpfold/isa/decode/compounds/code_writer.h"

namespace warpfold::isa {
namespace {

// mov.b64 {a, b, c, d}, e, of half-words, and mov.b32, of bytes
bool parts_in_four(const ptx::Instruction& instruction) {
  return instruction.name == "mov" && instruction.operands.size() == 2 &&
         instruction.operands[0].kind == ptx::OperandKind::kVector && instruction.operands[0].elements.size() == 4 &&
         instruction.modifiers.size() == 1 && (instruction.modifiers[0] == "b64" || instruction.modifiers[0] == "b32");
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
  const bool wide = instruction.modifiers[0] == "b64";
  const ptx::Type half = wide ? ptx::Type::kB32 : ptx::Type::kB16;
  const std::string half_type = wide ? "b32" : "b16";
  const auto low = register_operand(code.new_register(half)), high = register_operand(code.new_register(half));
  code.write("mov", instruction.modifiers, {pair_of(low, high), instruction.operands[1]});
  code.write("mov", {half_type}, {pair_of(parts[0], parts[1]), low});
  code.write("mov", {half_type}, {pair_of(parts[2], parts[3]), high});
  return true;
}

// How many elements an atomic on a vector has; 0: it is none.
unsigned atomic_elements(const ptx::Instruction& instruction) {
  if (instruction.name != "atom" && instruction.name != "red") return 0;
  return instruction.has("v2") ? 2 : instruction.has("v4") ? 4 : instruction.has("v8") ? 8 : 0;
}

// An atomic for each element: PTX promises no more of the vector.
bool lower_vector_atomic(CodeWriter& code) {
  const ptx::Instruction instruction = code.old();
  const unsigned count = atomic_elements(instruction);
  const std::size_t address = instruction.name == "atom" ? 1 : 0;
  if (count == 0 || instruction.operands.size() < address + 2) return false;
  const unsigned bytes = instruction.has("f16") || instruction.has("bf16") ? 2 : 4;
  const bool extremes = instruction.has("min") || instruction.has("max");
  if (extremes && bytes != 2 && !instruction.has("f16x2") && !instruction.has("bf16x2")) return false;
  const Operands values = parts_of(instruction.operands[address + 1]);
  const Operands results = address == 1 ? parts_of(instruction.operands[0]) : values;
  if (values.size() != count || results.size() != count) return false;
  std::vector<std::string> modifiers = instruction.modifiers;
  std::erase_if(modifiers, [](const std::string& word) { return word == "v2" || word == "v4" || word == "v8"; });
  if (extremes) modifiers.emplace_back(kOfVector);
  // A result may be the address that the next element wants.
  Operands fresh;
  for (unsigned k = 0; k < count; ++k) {
    Operands operands = instruction.operands;
    operands[address].offset += k * bytes;
    operands[address + 1] = values[k];
    if (address == 1) {
      const auto result = register_operand(code.new_register(code.type_of(results[k])));
      operands[0] = result;
      fresh.push_back(result);
    }
    code.write(instruction.name, modifiers, operands);
  }
  for (std::size_t k = 0; k < fresh.size(); ++k) {
    if (results[k].refers == ptx::Refers::kRegister)
      code.write("mov", {bytes == 2 ? "b16" : "b32"}, {results[k], fresh[k]});
  }
  return true;
}

bool is_compound(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 8> kNames{"cp",       "mbarrier",  "createpolicy", "ldmatrix",
                                                   "stmatrix", "movmatrix", "wmma",         "mma"};
  return std::find(kNames.begin(), kNames.end(), instruction.name) != kNames.end() || parts_in_four(instruction) ||
         atomic_elements(instruction) != 0;
}

bool lower(CodeWriter& code) {
  return lower_parts(code) || lower_vector_atomic(code) || lower_asynchronous(code) || lower_policy(code) ||
         lower_matrix_memory(code) || lower_matrix_product(code);
}

bool becomes_forms(const ptx::Instruction& instruction) { return is_form(instruction) || is_video(instruction); }

// Into others with the guard of the instruction, which may be forms in turn: true if there were any.
bool lower_to_forms(ptx::Function& function) {
  if (std::none_of(function.instructions.begin(), function.instructions.end(), becomes_forms)) return false;
  bool lowered = false;
  CodeWriter code(function);
  while (code.next()) {
    const std::size_t begin = code.position();
    if (becomes_forms(code.old()) && (lower_form(code) || lower_video(code))) {
      code.guard_from(begin);
      lowered = true;
    } else {
      code.withdraw(begin);
      code.keep();
    }
  }
  code.finish();
  return lowered;
}

// Into code that a thread without the guard jumps over.
void lower_behind_branch(CodeWriter& code) {
  const std::size_t begin = code.position();
  const ptx::Guard guard = code.old().guard;
  const std::size_t behind = code.new_label();
  if (guard.present) code.branch_if(guard.reg, !guard.negated, behind);
  if (!lower(code)) {
    code.withdraw(begin);
    code.keep();
  }
  code.place(behind);
}

}  // namespace

bool has_compounds(const ptx::Function& function) {
  return std::any_of(
      function.instructions.begin(), function.instructions.end(),
      [](const ptx::Instruction& instruction) { return is_compound(instruction) || becomes_forms(instruction); });
}

void lower_compounds(ptx::Function& function) {
  while (lower_to_forms(function)) {
  }
  CodeWriter code(function);
  while (code.next()) {
    if (is_compound(code.old())) {
      lower_behind_branch(code);
    } else {
      code.keep();
    }
  }
  code.finish();
}

}  // namespace warpfold::isa
