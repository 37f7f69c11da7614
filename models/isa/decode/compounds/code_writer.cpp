// SPDX-License-Identifier: Apache-2.0
// Rewrites the code of a PTX function: instructions that become several, and labels that stay with them.
#include "warpfold/isa/decode/compounds/code_writer.h"

#include <fmt/format.h>

#include <utility>

#include "warpfold/common/error.h"

namespace warpfold::isa {

ptx::Operand register_operand(std::uint32_t reg) {
  ptx::Operand operand;
  operand.kind = ptx::OperandKind::kRegister;
  operand.refers = ptx::Refers::kRegister;
  operand.index = reg;
  return operand;
}

ptx::Operand label_operand(std::size_t label) {
  ptx::Operand operand;
  operand.kind = ptx::OperandKind::kSymbol;
  operand.refers = ptx::Refers::kLabel;
  operand.index = static_cast<std::uint32_t>(label);
  return operand;
}

ptx::Operand integer_operand(std::uint64_t value) {
  ptx::Operand operand;
  operand.kind = ptx::OperandKind::kInteger;
  operand.bits = value;
  return operand;
}

ptx::Operand address_operand(ptx::Refers refers, std::uint32_t index, std::int64_t offset) {
  ptx::Operand operand;
  operand.kind = ptx::OperandKind::kAddress;
  operand.refers = refers;
  operand.index = index;
  operand.offset = offset;
  return operand;
}

ptx::Operand vector_operand(Operands elements) {
  ptx::Operand vector;
  vector.kind = ptx::OperandKind::kVector;
  vector.elements = std::move(elements);
  return vector;
}

Operands parts_of(const ptx::Operand& operand) {
  return operand.kind == ptx::OperandKind::kVector ? operand.elements : Operands{operand};
}

Operands components_of(const std::vector<ptx::Register>& registers, const ptx::Operand& operand) {
  const bool whole_vector = operand.kind == ptx::OperandKind::kRegister && operand.component == 0;
  Operands parts(whole_vector ? registers[operand.index].vector_width : 1, operand);
  for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) parts[k].component = "xyzw"[k];
  return parts;
}

CodeWriter::CodeWriter(ptx::Function& function)
    : function_(function), old_(std::move(function.instructions)), old_labels_(function.labels.size()) {
  code_.reserve(old_.size());
}

bool CodeWriter::next() {
  at_ = moved_.size();
  moved_.push_back(position());
  return at_ < old_.size();
}

ptx::Instruction& CodeWriter::write(std::string name, std::vector<std::string> modifiers,
                                    std::vector<ptx::Operand> operands) {
  ptx::Instruction& instruction = code_.emplace_back();
  instruction.name = std::move(name);
  instruction.modifiers = std::move(modifiers);
  instruction.operands = std::move(operands);
  instruction.where = old_[at_].where;
  return instruction;
}

void CodeWriter::branch_if(std::uint32_t predicate, bool negated, std::size_t label) {
  write("bra", {}, {label_operand(label)}).guard = {true, negated, predicate};
}

void CodeWriter::guard_from(std::size_t position) {
  for (; position < code_.size(); ++position) code_[position].guard = old_[at_].guard;
}

Operands CodeWriter::components(const ptx::Operand& operand) const {
  const bool is_special =
      operand.kind == ptx::OperandKind::kSpecialRegister && operand.name.find('.') == std::string::npos;
  if (!is_special) {
    return operand.kind == ptx::OperandKind::kVector ? operand.elements : components_of(function_.registers, operand);
  }
  Operands parts(4, operand);
  for (unsigned k = 0; k < parts.size(); ++k) parts[k].name = fmt::format("{}.{}", operand.name, "xyzw"[k]);
  return parts;
}

std::uint32_t CodeWriter::new_register(ptx::Type type) {
  ptx::Register reg;
  reg.type = type;
  function_.registers.push_back(std::move(reg));
  return static_cast<std::uint32_t>(function_.registers.size() - 1);
}

std::size_t CodeWriter::new_label() {
  function_.labels.emplace_back();
  return function_.labels.size() - 1;
}

void CodeWriter::finish() {
  check(moved_.size() == old_.size() + 1, "all of the old code has been gone through");
  for (std::size_t i = 0; i < old_labels_; ++i) {
    function_.labels[i].instruction = moved_[function_.labels[i].instruction];
  }
  function_.instructions = std::move(code_);
}

}  // namespace warpfold::isa
