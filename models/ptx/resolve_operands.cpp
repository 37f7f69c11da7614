// SPDX-License-Identifier: Apache-2.0
// From names in operands to the registers, variables, labels and functions they stand for.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/ptx/function_builder.h"
#include "warpfold/ptx/special_registers.h"

namespace warpfold::ptx {
namespace {

// .r .g .b .a are other names for .x .y .z .w (PTX ISA §5.4.2); 0 when the vector has no such component.
char component_of(std::string_view component, unsigned vector_width) {
  constexpr std::string_view kXyzw = "xyzw";
  constexpr std::string_view kRgba = "rgba";
  if (component.size() != 1) return 0;
  std::size_t index = kXyzw.find(component[0]);
  if (index == std::string_view::npos) index = kRgba.find(component[0]);
  return index < vector_width && index < kXyzw.size() ? kXyzw[index] : '\0';
}

}  // namespace

Guard FunctionBuilder::resolve_guard(const syntax::Instruction& raw) const {
  const Named* named = find(scope_, raw.guard);
  if (named == nullptr) source_.fail(raw.guard.data(), "undeclared predicate register");
  if (named->refers != Refers::kRegister || function_.registers[named->index].type != Type::kPred) {
    source_.fail(raw.guard.data(), "the guard is not a predicate register");
  }
  return {true, raw.guard_negated, named->index};
}

Operand FunctionBuilder::resolve(const syntax::Operand& raw, bool may_wait, bool in_brackets) {
  Operand operand;
  switch (raw.kind) {
    case OperandKind::kInteger:
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      operand.bits = raw.number.bits;
      operand.negative = raw.number.negative;
      operand.is_unsigned = raw.number.is_unsigned;
      break;
    case OperandKind::kVector:
    case OperandKind::kPair:
    case OperandKind::kTuple:
    case OperandKind::kList:
      for (const syntax::Operand& element : raw.elements) operand.elements.push_back(resolve(element, false, false));
      break;
    case OperandKind::kAddress:
      operand = resolve_address(raw.elements.front());
      break;
    case OperandKind::kRegister:
    case OperandKind::kSpecialRegister:
    case OperandKind::kSymbol:
    case OperandKind::kSink:
      operand = resolve_name(raw, may_wait, in_brackets);
      break;
  }
  if (operand.kind == OperandKind::kSink && raw.kind != OperandKind::kSymbol) operand.kind = raw.kind;
  operand.where = source_.locate(raw.at);
  if (raw.negated && *raw.at == '-' && function_.instructions.back().name == "vmad") {
    operand.negated = true;
  } else if (raw.negated) {
    const bool is_predicate =
        operand.kind == OperandKind::kRegister && function_.registers[operand.index].type == Type::kPred;
    if (!is_predicate) source_.fail(raw.at, "only a predicate register can be negated");
    operand.negated = true;
  }
  return operand;
}

Operand FunctionBuilder::resolve_name(const syntax::Operand& raw, bool may_wait, bool in_brackets) {
  Operand operand;
  if (raw.name == "_") {
    if (raw.has_offset || !raw.component.empty()) source_.fail(raw.at, "'_' stands alone");
    operand.kind = OperandKind::kSink;
    return operand;
  }
  const Named* named = find(scope_, raw.name);
  if (named != nullptr && named->refers == Refers::kRegister) return resolve_register(raw, named->index, in_brackets);
  if (named == nullptr && is_special_register(raw.name, raw.component)) {
    if (raw.has_offset) source_.fail(raw.at, "a special register takes no offset");
    operand.kind = OperandKind::kSpecialRegister;
    operand.name = raw.component.empty() ? std::string(raw.name) : fmt::format("{}.{}", raw.name, raw.component);
    return operand;
  }
  const bool in_module = module_names_.find(raw.name) != module_names_.end();
  if (named == nullptr && !in_module && raw.name.front() == '%') source_.fail(raw.at, "undeclared register");
  if (!raw.component.empty()) source_.fail(raw.component.data(), "only a vector register has components");
  operand.kind = OperandKind::kSymbol;
  operand.offset = static_cast<std::int64_t>(raw.offset);
  const Instruction& instruction = function_.instructions.back();
  if (raw.has_element) {
    if (named == nullptr) {
      const auto found = module_names_.find(raw.name);
      named = found == module_names_.end() ? nullptr : &found->second;
    }
    return resolve_element(raw, named, in_brackets);
  }
  if (may_wait && (named == nullptr || named->refers == Refers::kLabel || instruction.name == "bra")) {
    // A label of the same name may still come, in this scope or one around it.
    pending_.push_back({function_.instructions.size() - 1, instruction.operands.size(), scope_, raw.at});
    operand.name = raw.name;
    return operand;
  }
  if (named == nullptr) {
    const auto found = module_names_.find(raw.name);
    if (found == module_names_.end()) source_.fail(raw.at, "undeclared name");
    named = &found->second;
    operand.name = raw.name;
  }
  bind(operand, *named);
  return operand;
}

// a[3], which stands for [a+12] in an access and for a+12 elsewhere (PTX ISA §6.4.2).
Operand FunctionBuilder::resolve_element(const syntax::Operand& raw, const Named* named, bool in_brackets) const {
  const Variable* const variable = named == nullptr                           ? nullptr
                                   : named->refers == Refers::kLocalVariable  ? &function_.variables[named->index]
                                   : named->refers == Refers::kModuleVariable ? &module_variables_[named->index]
                                                                              : nullptr;
  if (variable == nullptr || !variable->is_array || in_brackets) {
    source_.fail(raw.at, "only a variable that is an array has elements, and they stand without other brackets");
  }
  constexpr std::array<std::string_view, 6> kAccesses{"ld", "st", "ldu", "atom", "red", "prefetch"};
  const std::string& name = function_.instructions.back().name;
  const bool accesses = std::find(kAccesses.begin(), kAccesses.end(), name) != kAccesses.end();
  Operand operand;
  operand.kind = accesses ? OperandKind::kAddress : OperandKind::kSymbol;
  operand.offset = static_cast<std::int64_t>(raw.offset * type_bytes(variable->type) * variable->vector_width);
  bind(operand, *named);
  return operand;
}

Operand FunctionBuilder::resolve_register(const syntax::Operand& raw, std::uint32_t index, bool in_brackets) const {
  const Register& target = function_.registers[index];
  Operand operand;
  operand.kind = OperandKind::kRegister;
  operand.offset = static_cast<std::int64_t>(raw.offset);
  bind(operand, {Refers::kRegister, index});
  if (raw.has_element) source_.fail(raw.at, "an element of a register");
  if (raw.has_offset && !in_brackets) source_.fail(raw.at, "an offset to a register needs brackets");
  const bool of_video = function_.instructions.back().name.starts_with('v') && target.vector_width == 1;
  if (of_video) {
    operand.part = raw.component;
  } else if (!raw.component.empty()) {
    if (target.vector_width == 1) source_.fail(raw.component.data(), "only a vector register has components");
    operand.component = component_of(raw.component, target.vector_width);
    if (operand.component == 0) source_.fail(raw.component.data(), "the vector register has no such component");
  }
  return operand;
}

Operand FunctionBuilder::resolve_address(const syntax::Operand& raw) {
  Operand operand = resolve(raw, false, true);
  switch (operand.kind) {
    case OperandKind::kRegister:
      break;
    case OperandKind::kSymbol: {
      const bool is_variable = operand.refers == Refers::kLocalVariable || operand.refers == Refers::kParameter ||
                               operand.refers == Refers::kReturnParameter || operand.refers == Refers::kModuleVariable;
      if (!is_variable) source_.fail(raw.at, "not the name of a variable");
      break;
    }
    case OperandKind::kInteger:
      operand.offset = static_cast<std::int64_t>(operand.bits);
      operand.bits = 0;
      operand.negative = false;
      operand.is_unsigned = false;
      break;
    default:
      source_.fail(raw.at, "not an address");
  }
  operand.kind = OperandKind::kAddress;
  return operand;
}

void FunctionBuilder::bind(Operand& operand, Named named) const {
  operand.refers = named.refers;
  operand.index = named.index;
  switch (named.refers) {
    case Refers::kRegister:
      operand.name = function_.registers[named.index].name;
      break;
    case Refers::kLabel:
      operand.name = function_.labels[named.index].name;
      break;
    case Refers::kLocalVariable:
      operand.name = function_.variables[named.index].name;
      break;
    case Refers::kParameter:
      operand.name = function_.params[named.index].name;
      break;
    case Refers::kReturnParameter:
      operand.name = function_.returns[named.index].name;
      break;
    case Refers::kBranchTable:
      operand.name = function_.branch_tables[named.index].name;
      break;
    case Refers::kPrototype:
      operand.name = function_.prototypes[named.index].name;
      break;
    case Refers::kModuleVariable:
      operand.name = module_variables_[named.index].name;
      break;
    case Refers::kFunction:
      break;  // the name as written is unique already
    case Refers::kNothing:
      check(false, "a name that stands for nothing");
  }
}

void FunctionBuilder::resolve_pending() {
  for (const Pending& wait : pending_) {
    Instruction& instruction = function_.instructions[wait.instruction];
    Operand& operand = instruction.operands[wait.operand];
    const Named* named = find(wait.scope, operand.name);
    // What is no label was declared behind the name, which is the module's if that has one.
    if ((named == nullptr || named->refers != Refers::kLabel) && instruction.name != "bra") {
      const auto found = module_names_.find(operand.name);
      if (found != module_names_.end()) named = &found->second;
    }
    if (named == nullptr) source_.fail(wait.at, instruction.name == "bra" ? "undeclared label" : "undeclared name");
    if (named->refers == Refers::kRegister) source_.fail(wait.at, "register used before its declaration");
    if (instruction.name == "bra" && named->refers != Refers::kLabel) source_.fail(wait.at, "not a label");
    bind(operand, *named);
  }
  for (const PendingTable& wait : pending_tables_) {
    std::vector<std::size_t>& labels = function_.branch_tables[wait.table].labels;
    const auto add = [&](const syntax::LabelName& listed, std::string_view label) {
      const Named* named = find(wait.scope, label);
      if (named == nullptr || named->refers != Refers::kLabel) source_.fail(listed.name.data(), "undeclared label");
      labels.push_back(named->index);
    };
    for (const syntax::LabelName& listed : wait.labels) {
      if (!listed.is_family) add(listed, listed.name);
      for (std::uint64_t i = 0; i < listed.family; ++i) add(listed, fmt::format("{}{}", listed.name, i));
    }
  }
}

}  // namespace warpfold::ptx
