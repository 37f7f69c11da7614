// SPDX-License-Identifier: Apache-2.0
// Statements of a function body: scopes, declarations, labels, instructions.
#include "warpfold/ptx/function_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "warpfold/ptx/directives.h"
#include "warpfold/ptx/variables.h"

namespace warpfold::ptx {
namespace {

constexpr std::size_t kDeepestScope = 256;
constexpr std::uint64_t kMostRegisters = std::uint64_t{1} << 18;

// The label in front of ':' if a label stands at `at`, else empty. `behind` is the place after the colon.
std::string_view label_at(const SourceText& source, const char* at, const char*& behind) {
  const char* to = std::find_if_not(at, source.end(), [](char c) { return is_word(c) || c == '%'; });
  const char* colon = source.skip_space(to);
  if (to == at || colon == source.end() || *colon != ':') return {};
  if (colon + 1 != source.end() && colon[1] == ':') return {};
  behind = colon + 1;
  return {at, static_cast<std::size_t>(to - at)};
}

void split_opcode(std::string_view opcode, Instruction& instruction) {
  std::size_t dot = opcode.find('.');
  instruction.name = opcode.substr(0, dot);
  while (dot != std::string_view::npos) {
    const std::size_t next = opcode.find('.', dot + 1);
    instruction.modifiers.emplace_back(opcode.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1));
    dot = next;
  }
}

}  // namespace

FunctionBuilder::FunctionBuilder(const SourceText& source, const NameTable& module_names,
                                 std::vector<Variable>& module_variables, Function& function)
    : source_(source),
      module_names_(module_names),
      module_variables_(module_variables),
      function_(function),
      scopes_(1) {}

void FunctionBuilder::add_parameters(const syntax::FunctionHeader& header) {
  for (const syntax::Declaration& declaration : header.returns) {
    add_parameter(declaration, Refers::kReturnParameter, function_.returns);
  }
  for (const syntax::Declaration& declaration : header.params) {
    add_parameter(declaration, Refers::kParameter, function_.params);
  }
}

Variable FunctionBuilder::parameter_of(const syntax::Declaration& declaration) const {
  const syntax::Specifiers& specifiers = declaration.specifiers;
  const syntax::Declarator& declarator = declaration.declarators.front();
  if (specifiers.space != Space::kParam && specifiers.space != Space::kReg) {
    source_.fail(specifiers.at, "parameters are .param or .reg");
  }
  if (declarator.has_initialiser) source_.fail(declarator.at, "a parameter has no initial value");
  // A predicate may be passed in a register; it has no bytes that make_variable could count.
  syntax::Specifiers sized = specifiers;
  if (specifiers.space == Space::kReg && specifiers.type == Type::kPred) sized.type = Type::kB8;
  Variable variable = make_variable(source_, sized, declarator);
  variable.type = specifiers.type;
  return variable;
}

void FunctionBuilder::add_parameter(const syntax::Declaration& declaration, Refers refers, std::vector<Variable>& to) {
  const syntax::Specifiers& specifiers = declaration.specifiers;
  const syntax::Declarator& declarator = declaration.declarators.front();
  to.push_back(parameter_of(declaration));
  if (specifiers.space == Space::kReg) {
    add_register(specifiers, declarator.at, declarator.name);
  } else if (declarator.name != "_") {
    add_name(declarator.name, {refers, static_cast<std::uint32_t>(to.size() - 1)}, declarator.at);
  }
}

void FunctionBuilder::read_body(const char*& at) {
  while (!closed_) {
    at = source_.skip_space(at);
    if (at == source_.end()) source_.fail(at, fmt::format("the body of {} is never closed", function_.name));
    read_statement(at);
  }
  resolve_pending();
}

void FunctionBuilder::read_statement(const char*& at) {
  const char* behind = nullptr;
  if (*at == ';') {
    ++at;
  } else if (*at == '{') {
    open_scope(at++);
  } else if (*at == '}') {
    closed_ = depth_ == 0;
    scope_ = scopes_[scope_].parent;
    if (!closed_) --depth_;
    ++at;
  } else if (*at == '.') {
    read_directive(at);
  } else if (const std::string_view label = label_at(source_, at, behind); !label.empty()) {
    at = behind;
    read_label(behind, label);
    at = behind;
  } else {
    read_instruction(at);
  }
}

void FunctionBuilder::open_scope(const char* at) {
  if (++depth_ > kDeepestScope) source_.fail(at, "scopes are nested too deeply");
  scopes_.push_back({scope_, {}});
  scope_ = scopes_.size() - 1;
}

void FunctionBuilder::read_directive(const char*& at) {
  static constexpr std::string_view kDeclarations[] = {".reg",    ".local", ".shared", ".param",
                                                       ".global", ".const", ".tex"};
  const std::string_view directive = directive_at(source_, at);
  if (std::find(std::begin(kDeclarations), std::end(kDeclarations), directive) != std::end(kDeclarations)) {
    declare(syntax::read_declaration(source_, at));
  } else if (!skip_directive(source_, at, directive)) {
    source_.fail(at, "unknown directive in a function body");
  }
}

void FunctionBuilder::read_label(const char*& at, std::string_view label) {
  const char* next = source_.skip_space(at);
  const std::string_view directive = directive_at(source_, next);
  const Location where = source_.locate(label.data());
  if (directive == ".branchtargets") {
    at = next + directive.size();
    pending_tables_.push_back({function_.branch_tables.size(), scope_, syntax::read_labels(source_, at)});
    add_name(label, {Refers::kBranchTable, static_cast<std::uint32_t>(function_.branch_tables.size())}, label.data());
    function_.branch_tables.push_back({unique(label), {}, where});
  } else if (directive == ".callprototype" || directive == ".calltargets") {
    at = next;
    Prototype prototype;
    prototype.name = unique(label);
    prototype.where = where;
    if (directive == ".calltargets") {
      at += directive.size();
      for (const syntax::LabelName& target : syntax::read_labels(source_, at)) {
        const auto found = module_names_.find(target.name);
        if (found == module_names_.end() || found->second.refers != Refers::kFunction) {
          source_.fail(target.name.data(), "not the name of a function declared before");
        }
        prototype.targets.push_back(found->second.index);
      }
    } else {
      const syntax::FunctionHeader header = syntax::read_prototype(source_, at);
      prototype.is_known = true;
      for (const syntax::Declaration& one : header.returns) prototype.returns.push_back(parameter_of(one));
      for (const syntax::Declaration& one : header.params) prototype.params.push_back(parameter_of(one));
    }
    add_name(label, {Refers::kPrototype, static_cast<std::uint32_t>(function_.prototypes.size())}, label.data());
    function_.prototypes.push_back(std::move(prototype));
  } else {
    add_name(label, {Refers::kLabel, static_cast<std::uint32_t>(function_.labels.size())}, label.data());
    function_.labels.push_back({unique(label), std::string(label), function_.instructions.size(), where});
  }
}

void FunctionBuilder::read_instruction(const char*& at) {
  const syntax::Instruction raw = syntax::read_instruction(source_, at);
  Instruction& instruction = function_.instructions.emplace_back();
  instruction.where = source_.locate(source_.skip_space(raw.at));
  if (raw.guarded) instruction.guard = resolve_guard(raw);
  split_opcode(raw.opcode, instruction);
  instruction.operands.reserve(raw.operands.size());
  for (const syntax::Operand& operand : raw.operands) instruction.operands.push_back(resolve(operand, true, false));
  // An attribute of an address, and said once: as good as a modifier.
  const bool unified =
      std::any_of(raw.operands.begin(), raw.operands.end(), [](const auto& one) { return one.unified; });
  if (unified) instruction.modifiers.insert(instruction.modifiers.begin(), "unified");
}

// Those of a kernel's shared memory end with the block, as it does.
bool FunctionBuilder::is_static(const Variable& variable) const {
  return variable.space == Space::kGlobal || variable.space == Space::kConst ||
         (variable.space == Space::kShared && !function_.is_entry);
}

void FunctionBuilder::declare(const syntax::Declaration& declaration) {
  for (const syntax::Declarator& declarator : declaration.declarators) {
    if (declaration.specifiers.space == Space::kReg) {
      declare_registers(declaration.specifiers, declarator);
      continue;
    }
    Variable variable = make_variable(source_, declaration.specifiers, declarator);
    if (is_static(variable)) {
      declare_static(std::move(variable), declarator);
      continue;
    }
    variable.name = unique(declarator.name);
    add_name(declarator.name, {Refers::kLocalVariable, static_cast<std::uint32_t>(function_.variables.size())},
             declarator.at);
    function_.variables.push_back(std::move(variable));
  }
}

// A name with a dot is nobody else's.
void FunctionBuilder::declare_static(Variable variable, const syntax::Declarator& declarator) {
  if (variable.type == Type::kTexref || variable.type == Type::kSamplerref || variable.type == Type::kSurfref) {
    source_.fail(declarator.at, "textures, samplers and surfaces are declared outside of functions");
  }
  for (const syntax::InitToken& token : declarator.initialiser) {
    if (token.kind != syntax::InitToken::Kind::kSymbol) continue;
    const Named* const named = find(scope_, token.symbol);
    if (named == nullptr && module_names_.find(token.symbol) == module_names_.end()) {
      source_.fail(token.symbol.data(), "undeclared name");
    }
    if (named != nullptr && named->refers != Refers::kModuleVariable) {
      source_.fail(token.symbol.data(), "not the name of a variable whose address is known here");
    }
  }
  for (InitialValue& value : variable.initialiser) {
    const Named* const named = find(scope_, value.symbol);
    if (named != nullptr) value.symbol = module_variables_[named->index].name;
  }
  variable.name = fmt::format("{}.{}", function_.name, unique(declarator.name));
  add_name(declarator.name, {Refers::kModuleVariable, static_cast<std::uint32_t>(module_variables_.size())},
           declarator.at);
  module_variables_.push_back(std::move(variable));
}

void FunctionBuilder::declare_registers(const syntax::Specifiers& specifiers, const syntax::Declarator& declarator) {
  if (!declarator.dimensions.empty() || declarator.has_initialiser) {
    source_.fail(declarator.at, "a register is neither an array nor has it an initial value");
  }
  if (!declarator.is_family) {
    add_register(specifiers, declarator.at, declarator.name);
    return;
  }
  if (declarator.family > kMostRegisters - std::min(kMostRegisters, std::uint64_t{function_.registers.size()})) {
    source_.fail(declarator.at, "too many registers");
  }
  for (std::uint64_t i = 0; i < declarator.family; ++i) {
    add_register(specifiers, declarator.at, fmt::format("{}{}", declarator.name, i));
  }
}

void FunctionBuilder::add_register(const syntax::Specifiers& specifiers, const char* at,
                                   std::string_view register_name) {
  if (!specifiers.has_type) source_.fail(at, "register without a type");
  add_name(register_name, {Refers::kRegister, static_cast<std::uint32_t>(function_.registers.size())}, at);
  function_.registers.push_back({unique(register_name), std::string(register_name), specifiers.type,
                                 specifiers.vector_width, source_.locate(at)});
}

void FunctionBuilder::add_name(std::string_view name, Named named, const char* at) {
  const auto [entry, is_new] = scopes_[scope_].names.emplace(name, named);
  if (!is_new) {
    source_.fail(at, fmt::format("{} is already declared in line {}", name, location_of(entry->second).line));
  }
}

Location FunctionBuilder::location_of(Named named) const {
  switch (named.refers) {
    case Refers::kRegister:
      return function_.registers[named.index].where;
    case Refers::kLabel:
      return function_.labels[named.index].where;
    case Refers::kLocalVariable:
      return function_.variables[named.index].where;
    case Refers::kParameter:
      return function_.params[named.index].where;
    case Refers::kReturnParameter:
      return function_.returns[named.index].where;
    case Refers::kBranchTable:
      return function_.branch_tables[named.index].where;
    case Refers::kPrototype:
      return function_.prototypes[named.index].where;
    case Refers::kModuleVariable:
      return module_variables_[named.index].where;
    case Refers::kFunction:
    case Refers::kNothing:
      break;
  }
  return {};
}

std::string FunctionBuilder::unique(std::string_view name) const {
  return scope_ == 0 ? std::string(name) : fmt::format("{}@{}", name, scope_);
}

const Named* FunctionBuilder::find(std::size_t scope, std::string_view name) const {
  while (true) {
    const auto found = scopes_[scope].names.find(name);
    if (found != scopes_[scope].names.end()) return &found->second;
    if (scope == 0) return nullptr;
    scope = scopes_[scope].parent;
  }
}

}  // namespace warpfold::ptx
