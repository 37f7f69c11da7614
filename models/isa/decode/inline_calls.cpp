// SPDX-License-Identifier: Apache-2.0
// Calls of device functions become branches to a copy of the function's body.
#include "warpfold/isa/decode/inline_calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/isa/decode/decode_system_calls.h"
#include "warpfold/isa/decode/operands.h"

namespace warpfold::isa {
namespace {

using FunctionIndex = std::uint32_t;

// Functions that each call the next one twice double with every level.
constexpr std::size_t kMostInstructions = 1 << 18, kMostRegisters = 1 << 18;

ptx::Operand label_operand(std::size_t label) {
  ptx::Operand operand;
  operand.kind = ptx::OperandKind::kSymbol;
  operand.refers = ptx::Refers::kLabel;
  operand.index = static_cast<std::uint32_t>(label);
  return operand;
}

// Code must not run into what is appended behind it: a body that does not end with a jump gets the `ret` that its end
// means.
void end_with_return(ptx::Function& function) {
  auto& code = function.instructions;
  const auto is_jump = [](const ptx::Instruction& i) {
    return !i.guard.present && (i.name == "ret" || i.name == "exit" || i.name == "bra" || i.name == "trap");
  };
  const bool label_at_end = std::any_of(function.labels.begin(), function.labels.end(),
                                        [&](const ptx::Label& label) { return label.instruction == code.size(); });
  if (!code.empty() && is_jump(code.back()) && !label_at_end) return;
  ptx::Instruction end;
  end.name = "ret";
  end.where = code.empty() ? function.where : code.back().where;
  code.push_back(std::move(end));
}

class Inliner {
 public:
  Inliner(const ptx::Module& module, const ptx::Function& entry) : module_(module), result_(entry) {
    end_with_return(result_);
    chain_.resize(result_.instructions.size(), 0);
  }

  ptx::Function run() {
    for (std::size_t i = 0; i < result_.instructions.size(); ++i) {
      if (result_.instructions[i].name == "call" && !is_system_call(module_, result_.instructions[i])) expand(i);
    }
    return std::move(result_);
  }

 private:
  // What a copy of a body replaces in its operands.
  struct Bindings {
    std::uint32_t registers = 0, labels = 0, variables = 0;  // what to add to an index
    std::vector<std::uint32_t> parameters, returns;          // Function::variables of the caller
    std::size_t back = 0;                                    // label behind the call
  };

  [[noreturn]] void unsupported(std::size_t call, std::string_view reason) const {
    unsupported_instruction(result_.name, module_.file, result_.instructions[call], reason);
  }

  FunctionIndex callee_of(std::size_t call, Bindings& bindings) const {
    const ptx::Operand* callee = nullptr;
    for (const ptx::Operand& operand : result_.instructions[call].operands) {
      if (operand.kind == ptx::OperandKind::kList) {
        auto& variables = callee == nullptr ? bindings.returns : bindings.parameters;
        for (const ptx::Operand& element : operand.elements) variables.push_back(variable_of(call, element));
      } else if (callee == nullptr) {
        callee = &operand;
      } else {
        unsupported(call, "an indirect call");
      }
    }
    if (callee == nullptr || callee->refers != ptx::Refers::kFunction) unsupported(call, "an indirect call");
    const ptx::Function& function = module_.functions[callee->index];
    if (!function.has_body) unsupported(call, fmt::format("'{}' has no body in this module", function.name));
    if (function.params.size() != bindings.parameters.size() || function.returns.size() != bindings.returns.size()) {
      unsupported(call, fmt::format("'{}' takes another number of parameters", function.name));
    }
    return callee->index;
  }

  std::uint32_t variable_of(std::size_t call, const ptx::Operand& argument) const {
    if (argument.refers != ptx::Refers::kLocalVariable) unsupported(call, "arguments must be .param variables");
    return argument.index;
  }

  void expand(std::size_t call) {
    Bindings bindings;
    const FunctionIndex callee = callee_of(call, bindings);
    for (std::size_t c = chain_[call]; c != 0; c = calls_[c].caller) {
      if (calls_[c].function == callee) {
        unsupported(call, fmt::format("'{}' is recursive", module_.functions[callee].name));
      }
    }
    calls_.push_back({callee, chain_[call]});
    ptx::Function body = module_.functions[callee];
    end_with_return(body);
    if (body.instructions.size() + result_.instructions.size() > kMostInstructions ||
        body.registers.size() + result_.registers.size() > kMostRegisters) {
      unsupported(call, fmt::format("with the functions that it calls the kernel has more than {} instructions or {} "
                                    "registers",
                                    kMostInstructions, kMostRegisters));
    }

    bindings.registers = static_cast<std::uint32_t>(result_.registers.size());
    bindings.variables = static_cast<std::uint32_t>(result_.variables.size());
    bindings.labels = static_cast<std::uint32_t>(result_.labels.size());
    result_.registers.insert(result_.registers.end(), body.registers.begin(), body.registers.end());
    result_.variables.insert(result_.variables.end(), body.variables.begin(), body.variables.end());
    const std::size_t begin = result_.instructions.size();
    for (ptx::Label& label : body.labels) {
      label.instruction += begin;
      result_.labels.push_back(std::move(label));
    }
    const std::size_t entry = add_label(begin);
    bindings.back = add_label(call + 1);
    for (ptx::Instruction& instruction : body.instructions) {
      rebind(instruction, bindings);
      result_.instructions.push_back(std::move(instruction));
    }
    chain_.resize(result_.instructions.size(), calls_.size() - 1);
    result_.instructions[call].operands = {label_operand(entry)};
  }

  std::size_t add_label(std::size_t instruction) {
    ptx::Label label;
    label.instruction = instruction;
    result_.labels.push_back(std::move(label));
    return result_.labels.size() - 1;
  }

  static void rebind(ptx::Instruction& instruction, const Bindings& bindings) {
    if (instruction.guard.present) instruction.guard.reg += bindings.registers;
    for (ptx::Operand& operand : instruction.operands) {
      // Parameters of a call that are addressed through a register lie in the thread's local memory.
      if (operand.kind == ptx::OperandKind::kAddress && operand.refers == ptx::Refers::kRegister) {
        std::replace(instruction.modifiers.begin(), instruction.modifiers.end(), std::string("param"),
                     std::string("local"));
      }
      rebind(operand, bindings);
    }
    if (instruction.name == "ret") instruction.operands = {label_operand(bindings.back)};
  }

  static void rebind(ptx::Operand& operand, const Bindings& bindings) {
    for (ptx::Operand& element : operand.elements) rebind(element, bindings);
    switch (operand.refers) {
      case ptx::Refers::kRegister:
        operand.index += bindings.registers;
        break;
      case ptx::Refers::kLabel:
        operand.index += bindings.labels;
        break;
      case ptx::Refers::kLocalVariable:
        operand.index += bindings.variables;
        break;
      case ptx::Refers::kParameter:
        operand.refers = ptx::Refers::kLocalVariable;
        operand.index = bindings.parameters[operand.index];
        break;
      case ptx::Refers::kReturnParameter:
        operand.refers = ptx::Refers::kLocalVariable;
        operand.index = bindings.returns[operand.index];
        break;
      default:
        break;
    }
  }

  struct Call {
    FunctionIndex function = 0;
    std::size_t caller = 0;  // index into calls_
  };
  const ptx::Module& module_;
  ptx::Function result_;
  std::vector<Call> calls_{{}};     // the first stands for the kernel itself
  std::vector<std::size_t> chain_;  // by instruction: the call (index into calls_) whose copy it belongs to
};

}  // namespace

ptx::Function inline_calls(const ptx::Module& module, const ptx::Function& entry) {
  return Inliner(module, entry).run();
}

}  // namespace warpfold::isa
