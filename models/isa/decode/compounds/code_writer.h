// SPDX-License-Identifier: Apache-2.0
// Rewrites the code of a PTX function: instructions that become several, and labels that stay with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

using Operands = std::vector<ptx::Operand>;

ptx::Operand register_operand(std::uint32_t reg);
ptx::Operand label_operand(std::size_t label);
ptx::Operand integer_operand(std::uint64_t value);
// [register + offset] or [variable + offset].
ptx::Operand address_operand(ptx::Refers refers, std::uint32_t index, std::int64_t offset);
ptx::Operand vector_operand(Operands elements);
// The elements of a vector; of anything else itself.
Operands parts_of(const ptx::Operand& operand);
// The components of a register that is a whole vector; of anything else itself.
Operands components_of(const std::vector<ptx::Register>& registers, const ptx::Operand& operand);

class CodeWriter {
 public:
  // Takes the instructions out of `function`, to which finish() gives the new ones.
  explicit CodeWriter(ptx::Function& function);

  // Goes on to the next instruction of the old code; false behind the last one. Labels in front of it stay in front of
  // what is written until the next call.
  bool next();
  const ptx::Instruction& old() const { return old_[at_]; }
  std::size_t old_index() const { return at_; }
  void keep() { code_.push_back(old_[at_]); }

  // Where the next instruction that is written will stand.
  std::size_t position() const { return code_.size(); }
  // Forgets what was written from there on.
  void withdraw(std::size_t position) { code_.resize(position); }
  // In the line of old().
  ptx::Instruction& write(std::string name, std::vector<std::string> modifiers, std::vector<ptx::Operand> operands);
  // Gives what was written from there on the guard of old().
  void guard_from(std::size_t position);
  // `bra label` for threads whose `predicate` is not `negated`.
  void branch_if(std::uint32_t predicate, bool negated, std::size_t label);
  void branch(std::size_t label) { write("bra", {}, {label_operand(label)}); }

  std::uint32_t new_register(ptx::Type type);
  // Of what is no register, and is yet to be refused where it is one that is needed: a word's.
  ptx::Type type_of(const ptx::Operand& operand) const {
    return operand.refers == ptx::Refers::kRegister ? function_.registers[operand.index].type : ptx::Type::kB32;
  }
  // What a vector in braces or in a register consists of, or a special register with more than one component.
  Operands components(const ptx::Operand& operand) const;
  std::size_t new_label();  // place() says where
  void place(std::size_t label) { function_.labels[label].instruction = position(); }

  void finish();

 private:
  ptx::Function& function_;
  std::vector<ptx::Instruction> old_, code_;
  std::vector<std::size_t> moved_;  // by old index
  std::size_t old_labels_;
  std::size_t at_ = 0;
};

}  // namespace warpfold::isa
