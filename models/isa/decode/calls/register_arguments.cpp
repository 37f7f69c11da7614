// SPDX-License-Identifier: Apache-2.0
// Arguments and results in registers, and constants as arguments, become .param variables.
#include "warpfold/isa/decode/calls/register_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpfold/isa/decode/calls/indirect_jumps.h"
#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/operands.h"

namespace warpfold::isa {
namespace {

bool is_variable(const ptx::Operand& argument) { return argument.refers == ptx::Refers::kLocalVariable; }
bool in_register(const ptx::Variable& parameter) { return parameter.space == ptx::Space::kReg; }

bool passes_values(const ptx::Instruction& instruction) {
  return instruction.name == "call" &&
         std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const ptx::Operand& list) {
           return list.kind == ptx::OperandKind::kList &&
                  !std::all_of(list.elements.begin(), list.elements.end(), is_variable);
         });
}

class ArgumentWriter {
 public:
  ArgumentWriter(const ptx::Module& module, ptx::Function& function)
      : module_(module), function_(function), code_(function) {}

  void write() {
    std::vector<Parameter> results, parameters;
    take_parameters(function_.returns, ptx::Refers::kReturnParameter, results);
    take_parameters(function_.params, ptx::Refers::kParameter, parameters);
    // In front of the labels of the first instruction, to which code may come back.
    for (const Parameter& p : parameters) load(p.reg, p.refers, p.index);
    while (code_.next()) {
      if (code_.old().name == "ret") {
        for (const Parameter& p : results) store(p.reg, p.refers, p.index, code_.old().guard);
      }
      passes_values(code_.old()) ? write_call() : code_.keep();
    }
    code_.finish();
  }

 private:
  struct Parameter {
    std::uint32_t reg = 0;
    ptx::Refers refers = ptx::Refers::kParameter;
    std::uint32_t index = 0;
  };

  // Makes variables of those in registers, which are the function's first ones.
  void take_parameters(std::vector<ptx::Variable>& variables, ptx::Refers refers, std::vector<Parameter>& parameters) {
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
      if (!in_register(variables[i])) continue;
      variables[i].space = ptx::Space::kParam;
      parameters.push_back({next_register_++, refers, i});
    }
  }

  void write_call() {
    ptx::Instruction call = code_.old();
    const std::size_t behind = code_.new_label();
    if (call.guard.present) code_.branch_if(call.guard.reg, !call.guard.negated, behind);
    const ptx::Operand* const callee = callee_of(call);
    const Formals known = formals_of(call);
    struct Result {
      std::uint32_t reg, variable;
    };
    std::vector<Result> results;
    for (ptx::Operand& list : call.operands) {
      if (list.kind != ptx::OperandKind::kList) continue;
      const bool returns = callee == nullptr || &list < callee;
      const std::vector<ptx::Variable>* const formals = returns ? known.returns : known.params;
      if (formals != nullptr && formals->size() != list.elements.size()) {
        unsupported(fmt::format("'{}' takes another number of parameters", callee->name));
      }
      for (std::size_t i = 0; i < list.elements.size(); ++i) {
        ptx::Operand& argument = list.elements[i];
        const ptx::Variable* const formal = formals == nullptr ? nullptr : &(*formals)[i];
        if (is_variable(argument)) {
          check_size(function_.variables[argument.index], formal);
          continue;
        }
        const ptx::Variable variable = variable_for(argument, formal, returns);
        check_size(variable, formal);
        const auto index = static_cast<std::uint32_t>(function_.variables.size());
        function_.variables.push_back(variable);
        if (!returns) store(argument, variable, index);
        if (returns && argument.kind == ptx::OperandKind::kRegister) results.push_back({argument.index, index});
        argument = variable_operand(index);
      }
    }
    code_.write("call", call.modifiers, call.operands);
    for (const Result& result : results) load(result.reg, ptx::Refers::kLocalVariable, result.variable);
    code_.place(behind);
  }

  // What the function has, or the prototype of an indirect call; null where neither is known.
  struct Formals {
    const std::vector<ptx::Variable>* returns = nullptr;
    const std::vector<ptx::Variable>* params = nullptr;
  };
  Formals formals_of(const ptx::Instruction& call) const {
    const ptx::Operand* const callee = callee_of(call);
    if (callee != nullptr && callee->refers == ptx::Refers::kFunction) {
      const ptx::Function& function = module_.functions[callee->index];
      return {&function.returns, &function.params};
    }
    const ptx::Operand& last = call.operands.back();
    if (last.refers != ptx::Refers::kPrototype) return {};
    const ptx::Prototype& prototype = function_.prototypes[last.index];
    if (!prototype.targets.empty()) {
      const ptx::Function& function = module_.functions[prototype.targets.front()];
      return {&function.returns, &function.params};
    }
    if (!prototype.is_known) return {};
    return {&prototype.returns, &prototype.params};
  }

  [[noreturn]] void unsupported(std::string_view reason) const {
    unsupported_instruction(function_.name, module_.file, code_.old(), reason);
  }

  // Of the register, or of the parameter where the argument has no type.
  ptx::Variable variable_for(const ptx::Operand& argument, const ptx::Variable* formal, bool returns) const {
    ptx::Variable variable;
    variable.space = ptx::Space::kParam;
    variable.where = argument.where;
    if (argument.kind == ptx::OperandKind::kRegister) {
      const ptx::Register& reg = function_.registers[argument.index];
      variable.type = reg.type;
      variable.vector_width = reg.vector_width;
      variable.name = variable.source_name = reg.source_name;
    } else if (formal != nullptr && (returns ? argument.kind == ptx::OperandKind::kSink : is_constant(argument))) {
      variable.type = formal->type;
      variable.vector_width = formal->vector_width;
      variable.name = variable.source_name = formal->source_name;
    } else if (formal == nullptr && is_constant(argument)) {
      unsupported("a constant, whose type only the function knows, passed to what is not known here");
    } else {
      unsupported("arguments are .param variables, registers and constants, results no constants");
    }
    // A predicate has no bytes of its own.
    variable.bytes = variable.align =
        std::max<std::uint64_t>(1, ptx::type_bytes(variable.type)) * variable.vector_width;
    return variable;
  }

  static bool is_constant(const ptx::Operand& argument) {
    return argument.kind == ptx::OperandKind::kInteger || argument.kind == ptx::OperandKind::kFloat32 ||
           argument.kind == ptx::OperandKind::kFloat64;
  }

  // What takes a list of any length takes it in a variable.
  void check_size(const ptx::Variable& argument, const ptx::Variable* formal) const {
    if (formal == nullptr || formal->unsized || argument.bytes == formal->bytes) return;
    unsupported(fmt::format("'{}' has {} bytes, the parameter '{}' {}", argument.source_name, argument.bytes,
                            formal->source_name, formal->bytes));
  }

  static ptx::Operand variable_operand(std::uint32_t index) {
    ptx::Operand operand;
    operand.kind = ptx::OperandKind::kSymbol;
    operand.refers = ptx::Refers::kLocalVariable;
    operand.index = index;
    return operand;
  }

  // `argument` to the variable that was made for it.
  void store(const ptx::Operand& argument, const ptx::Variable& variable, std::uint32_t index) {
    if (argument.kind == ptx::OperandKind::kRegister) return store(argument.index, ptx::Refers::kLocalVariable, index);
    const bool is_float = variable.type == ptx::Type::kF32 || variable.type == ptx::Type::kF64;
    code_.write("st", {"param", fmt::format("{}{}", is_float ? 'f' : 'b', 8 * variable.bytes)},
                {address_operand(ptx::Refers::kLocalVariable, index, 0), argument});
  }

  void store(std::uint32_t reg, ptx::Refers refers, std::uint32_t index, const ptx::Guard& guard = {}) {
    for (const Part& part : parts_of(reg)) {
      ptx::Operand value = part.value;
      if (part.predicate) {
        value = register_operand(code_.new_register(ptx::Type::kU32));
        code_.write("selp", {"u32"}, {value, integer_operand(1), integer_operand(0), part.value});
      }
      code_.write("st", {"param", part.type}, {address_operand(refers, index, part.offset), value}).guard = guard;
    }
  }

  void load(std::uint32_t reg, ptx::Refers refers, std::uint32_t index) {
    for (const Part& part : parts_of(reg)) {
      const ptx::Operand value = part.predicate ? register_operand(code_.new_register(ptx::Type::kU32)) : part.value;
      code_.write("ld", {"param", part.type}, {value, address_operand(refers, index, part.offset)});
      if (part.predicate) code_.write("setp", {"ne", "u32"}, {part.value, value, integer_operand(0)});
    }
  }

  // What one access moves: a register, or a component of a vector.
  struct Part {
    ptx::Operand value;
    std::int64_t offset = 0;
    std::string type;
    bool predicate = false;
  };
  std::vector<Part> parts_of(std::uint32_t index) const {
    const ptx::Register& reg = function_.registers[index];
    const bool predicate = reg.type == ptx::Type::kPred;
    const std::uint64_t bytes = predicate ? 1 : ptx::type_bytes(reg.type);
    std::vector<Part> parts;
    for (unsigned k = 0; k < reg.vector_width; ++k) {
      parts.push_back({register_operand(index), static_cast<std::int64_t>(k * bytes),
                       predicate ? "u8" : fmt::format("b{}", 8 * bytes), predicate});
      if (reg.vector_width > 1) parts.back().value.component = "xyzw"[k];
    }
    return parts;
  }

  const ptx::Module& module_;
  ptx::Function& function_;
  CodeWriter code_;
  std::uint32_t next_register_ = 0;
};

}  // namespace

bool has_register_arguments(const ptx::Function& function) {
  return std::any_of(function.params.begin(), function.params.end(), in_register) ||
         std::any_of(function.returns.begin(), function.returns.end(), in_register) ||
         std::any_of(function.instructions.begin(), function.instructions.end(), passes_values);
}

void write_register_arguments(const ptx::Module& module, ptx::Function& function) {
  ArgumentWriter(module, function).write();
}

}  // namespace warpfold::isa
