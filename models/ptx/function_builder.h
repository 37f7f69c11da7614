// SPDX-License-Identifier: Apache-2.0
// Reads a function's body statement by statement, flattens its scopes and resolves every name.
#pragma once

#include <string_view>
#include <vector>

#include "warpfold/ptx/ast.h"
#include "warpfold/ptx/names.h"
#include "warpfold/ptx/syntax.h"

namespace warpfold::ptx {

class FunctionBuilder {
 public:
  // `function` has its name; `module_names` holds what was declared before it, and the function itself. Variables of
  // the body that outlive a call go to `module_variables`.
  FunctionBuilder(const SourceText& source, const NameTable& module_names, std::vector<Variable>& module_variables,
                  Function& function);

  void add_parameters(const syntax::FunctionHeader& header);

  // From behind the opening brace to behind the closing one.
  void read_body(const char*& at);

 private:
  struct Scope {
    std::size_t parent = 0;
    NameTable names;
  };
  // A label may stand behind its use, so plain names in operands wait for the end of the body.
  struct Pending {
    std::size_t instruction = 0;
    std::size_t operand = 0;
    std::size_t scope = 0;
    const char* at = nullptr;
  };
  struct PendingTable {
    std::size_t table = 0;
    std::size_t scope = 0;
    std::vector<syntax::LabelName> labels;
  };

  void read_statement(const char*& at);
  void read_directive(const char*& at);
  void read_label(const char*& at, std::string_view label);
  void read_instruction(const char*& at);
  void open_scope(const char* at);
  void declare(const syntax::Declaration& declaration);
  bool is_static(const Variable& variable) const;
  void declare_static(Variable variable, const syntax::Declarator& declarator);
  void declare_registers(const syntax::Specifiers& specifiers, const syntax::Declarator& declarator);
  Variable parameter_of(const syntax::Declaration& declaration) const;
  void add_parameter(const syntax::Declaration& declaration, Refers refers, std::vector<Variable>& to);
  void add_register(const syntax::Specifiers& specifiers, const char* at, std::string_view register_name);
  void add_name(std::string_view name, Named named, const char* at);
  Location location_of(Named named) const;
  std::string unique(std::string_view name) const;
  const Named* find(std::size_t scope, std::string_view name) const;

  Guard resolve_guard(const syntax::Instruction& raw) const;
  Operand resolve(const syntax::Operand& raw, bool may_wait, bool in_brackets);
  Operand resolve_name(const syntax::Operand& raw, bool may_wait, bool in_brackets);
  Operand resolve_element(const syntax::Operand& raw, const Named* named, bool in_brackets) const;
  Operand resolve_register(const syntax::Operand& raw, std::uint32_t index, bool in_brackets) const;
  Operand resolve_address(const syntax::Operand& raw);
  void bind(Operand& operand, Named named) const;
  void resolve_pending();

  const SourceText& source_;
  const NameTable& module_names_;
  std::vector<Variable>& module_variables_;
  Function& function_;
  std::vector<Scope> scopes_;
  std::size_t scope_ = 0;
  std::size_t depth_ = 0;
  bool closed_ = false;
  std::vector<Pending> pending_;
  std::vector<PendingTable> pending_tables_;
};

}  // namespace warpfold::ptx
