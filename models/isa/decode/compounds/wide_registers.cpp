// SPDX-License-Identifier: Apache-2.0
// Registers of 128 bits (PTX ISA §5.2.1, .b128) as two of 64 bits each.
#include <algorithm>
#include <map>

#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"

namespace warpfold::isa {
namespace {

class Splitter {
 public:
  explicit Splitter(ptx::Function& function) : code_(function) {
    const std::size_t count = function.registers.size();
    for (std::uint32_t reg = 0; reg < count; ++reg) {
      if (function.registers[reg].type != ptx::Type::kB128) continue;
      halves_[reg] = {register_operand(code_.new_register(ptx::Type::kB64)),
                      register_operand(code_.new_register(ptx::Type::kB64))};
    }
  }

  void run() {
    while (code_.next()) {
      const std::size_t begin = code_.position();
      if (!code_.old().has("b128") || !(move() || access() || atomic()))
        code_.keep();
      else
        code_.guard_from(begin);
    }
    code_.finish();
  }

 private:
  // The halves of a register, or the two numbers in braces; empty for anything else.
  Operands halves_of(const ptx::Operand& operand) const {
    if (operand.kind == ptx::OperandKind::kVector) return operand.elements;
    const auto found = operand.kind == ptx::OperandKind::kRegister ? halves_.find(operand.index) : halves_.end();
    return found == halves_.end() ? Operands() : found->second;
  }

  bool move() {
    const ptx::Instruction i = code_.old();
    if (i.name != "mov" || i.operands.size() != 2) return false;
    const Operands to = halves_of(i.operands[0]), from = halves_of(i.operands[1]);
    if (to.size() != 2 || from.size() != 2) return false;
    code_.write("mov", {"v2", "b64"}, {vector_operand(to), vector_operand(from)});
    return true;
  }

  bool access() {
    const ptx::Instruction i = code_.old();
    if ((i.name != "ld" && i.name != "st") || i.operands.size() < 2) return false;
    const std::size_t value = i.name == "ld" ? 0 : 1;
    Operands halves;
    for (const ptx::Operand& element : parts_of(i.operands[value])) {
      const Operands of_one = element.kind == ptx::OperandKind::kRegister ? halves_of(element) : Operands();
      if (of_one.empty()) return false;
      halves.insert(halves.end(), of_one.begin(), of_one.end());
    }
    std::vector<std::string> words = i.modifiers;
    std::erase(words, "v2");
    words.back() = halves.size() == 2 ? "v2" : "v4";
    words.emplace_back("b64");
    Operands operands = i.operands;
    operands[value] = vector_operand(std::move(halves));
    code_.write(i.name, std::move(words), std::move(operands));
    return true;
  }

  bool atomic() {
    const ptx::Instruction i = code_.old();
    if (i.name != "atom") return false;
    Operands operands = i.operands;
    for (ptx::Operand& operand : operands) {
      const Operands halves = operand.kind == ptx::OperandKind::kRegister ? halves_of(operand) : Operands();
      if (!halves.empty()) operand = vector_operand(halves);
    }
    code_.write(i.name, i.modifiers, std::move(operands));
    return true;
  }

  CodeWriter code_;
  std::map<std::uint32_t, Operands> halves_;
};

}  // namespace

void split_wide_registers(ptx::Function& function) {
  const bool any = std::any_of(function.registers.begin(), function.registers.end(),
                               [](const ptx::Register& reg) { return reg.type == ptx::Type::kB128; });
  if (any) Splitter(function).run();
}

}  // namespace warpfold::isa
