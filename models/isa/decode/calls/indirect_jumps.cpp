// SPDX-License-Identifier: Apache-2.0
// Calls through pointers and jumps through tables become chains of branches.
#include "warpfold/isa/decode/calls/indirect_jumps.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>

#include "warpfold/isa/decode/compounds/code_writer.h"

namespace warpfold::isa {
namespace {

// With arguments in variables; others are left, to be refused as those of direct calls are.
bool is_indirect_call(const ptx::Instruction& instruction) {
  if (instruction.name != "call") return false;
  const ptx::Operand* const callee = callee_of(instruction);
  const auto in_variables = [](const ptx::Operand& list) {
    return list.kind != ptx::OperandKind::kList ||
           std::all_of(list.elements.begin(), list.elements.end(),
                       [](const ptx::Operand& o) { return o.refers == ptx::Refers::kLocalVariable; });
  };
  return callee != nullptr && callee->refers == ptx::Refers::kRegister &&
         std::all_of(instruction.operands.begin(), instruction.operands.end(), in_variables);
}

bool is_table_jump(const ptx::Instruction& instruction) {
  return instruction.name == "brx" && instruction.operands.size() == 2 &&
         instruction.operands[1].refers == ptx::Refers::kBranchTable;
}

void note_functions(const ptx::Operand& operand, std::vector<bool>& taken) {
  if (operand.refers == ptx::Refers::kFunction) taken[operand.index] = true;
  for (const ptx::Operand& element : operand.elements) note_functions(element, taken);
}

void note_functions(const ptx::Instruction& instruction, std::vector<bool>& taken) {
  const ptx::Operand* const callee = instruction.name == "call" ? callee_of(instruction) : nullptr;
  for (const ptx::Operand& operand : instruction.operands) {
    if (&operand != callee) note_functions(operand, taken);
  }
}

ptx::Operand function_operand(const ptx::Module& module, FunctionIndex function) {
  ptx::Operand operand;
  operand.kind = ptx::OperandKind::kSymbol;
  operand.refers = ptx::Refers::kFunction;
  operand.index = function;
  operand.name = module.functions[function].name;
  return operand;
}

// Lists of .param variables around the callee; of which a call may have either, both or none.
struct Arguments {
  const ptx::Operand* returns = nullptr;
  const ptx::Operand* parameters = nullptr;

  explicit Arguments(const ptx::Instruction& call) {
    const ptx::Operand* const callee = callee_of(call);
    for (const ptx::Operand& operand : call.operands) {
      if (operand.kind == ptx::OperandKind::kList) (&operand < callee ? returns : parameters) = &operand;
    }
  }
};

bool same_sizes(const ptx::Function& caller, const ptx::Operand* list, const std::vector<ptx::Variable>& wanted) {
  const std::size_t count = list == nullptr ? 0 : list->elements.size();
  if (count != wanted.size()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (caller.variables[list->elements[i].index].bytes != wanted[i].bytes) return false;
  }
  return true;
}

class Lowering {
 public:
  Lowering(const ptx::Module& module, const std::vector<FunctionIndex>& targets, ptx::Function& function)
      : module_(module), targets_(targets), function_(function), code_(function) {
    predicate_ = code_.new_register(ptx::Type::kPred);
  }

  void run() {
    while (code_.next()) {
      const bool calls = is_indirect_call(code_.old());
      if (!calls && !is_table_jump(code_.old())) {
        code_.keep();
        continue;
      }
      const std::size_t behind = code_.new_label();
      const ptx::Guard guard = code_.old().guard;
      if (guard.present) code_.branch_if(guard.reg, !guard.negated, behind);
      calls ? lower_call(behind) : lower_table();
      code_.place(behind);
    }
    code_.finish();
  }

 private:
  void lower_call(std::size_t behind) {
    const ptx::Instruction call = code_.old();
    const Arguments arguments(call);
    const ptx::Operand address = *callee_of(call);
    struct Way {
      FunctionIndex function;
      std::size_t label;
    };
    std::vector<Way> ways;
    for (const FunctionIndex target : targets_) {
      const ptx::Function& callee = module_.functions[target];
      if (!same_sizes(function_, arguments.parameters, callee.params) ||
          !same_sizes(function_, arguments.returns, callee.returns)) {
        continue;
      }
      ways.push_back({target, code_.new_label()});
      code_.write("setp", {"eq", "u64"}, {register_operand(predicate_), address, function_operand(module_, target)});
      code_.branch_if(predicate_, false, ways.back().label);
    }
    code_.write("trap", {"call"}, {address});
    for (const Way& way : ways) {
      code_.place(way.label);
      std::vector<ptx::Operand> operands;
      if (arguments.returns != nullptr) operands.push_back(*arguments.returns);
      operands.push_back(function_operand(module_, way.function));
      if (arguments.parameters != nullptr) operands.push_back(*arguments.parameters);
      code_.write("call", call.modifiers, std::move(operands));
      if (&way != &ways.back()) code_.branch(behind);
    }
  }

  // Neighbouring indices that lead to the same place.
  struct Run {
    std::size_t first = 0, label = 0;
  };

  void lower_table() {
    const ptx::Operand index = code_.old().operands[0];
    const std::vector<std::size_t>& labels = function_.branch_tables[code_.old().operands[1].index].labels;
    std::vector<Run> runs;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (runs.empty() || runs.back().label != labels[i]) runs.push_back({i, labels[i]});
    }
    table_size_ = labels.size();
    search(index, runs, true);
  }

  // Goes to the run that the index lies in. All but the table's last run end where the next one begins.
  void search(const ptx::Operand& index, std::span<const Run> runs, bool to_the_end) {
    if (runs.size() == 1) {
      if (!to_the_end) return code_.branch(runs[0].label);
      branch_below(index, table_size_, runs[0].label);
      code_.write("trap", {"brx"}, {index});
      return;
    }
    const std::span<const Run> lower = runs.first(runs.size() / 2), upper = runs.subspan(lower.size());
    const std::size_t below = lower.size() == 1 ? lower[0].label : code_.new_label();
    branch_below(index, upper[0].first, below);
    search(index, upper, to_the_end);
    if (lower.size() == 1) return;
    code_.place(below);
    search(index, lower, false);
  }

  void branch_below(const ptx::Operand& index, std::size_t end, std::size_t label) {
    code_.write("setp", {"lt", "u32"}, {register_operand(predicate_), index, integer_operand(end)});
    code_.branch_if(predicate_, false, label);
  }

  const ptx::Module& module_;
  const std::vector<FunctionIndex>& targets_;
  ptx::Function& function_;
  CodeWriter code_;
  std::uint32_t predicate_ = 0;
  std::size_t table_size_ = 0;
};

}  // namespace

const ptx::Operand* callee_of(const ptx::Instruction& call) {
  const auto found = std::find_if(call.operands.begin(), call.operands.end(),
                                  [](const ptx::Operand& operand) { return operand.kind != ptx::OperandKind::kList; });
  return found == call.operands.end() ? nullptr : &*found;
}

std::vector<FunctionIndex> address_taken(const ptx::Module& module) {
  std::unordered_map<std::string_view, FunctionIndex> by_name;
  for (FunctionIndex i = 0; i < module.functions.size(); ++i) by_name.emplace(module.functions[i].name, i);
  std::vector<bool> taken(module.functions.size(), false);
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.instructions) note_functions(instruction, taken);
  }
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::InitialValue& value : variable.initialiser) {
      const auto found = by_name.find(value.symbol);
      if (found != by_name.end()) taken[found->second] = true;
    }
  }
  std::vector<FunctionIndex> functions;
  for (FunctionIndex i = 0; i < taken.size(); ++i) {
    if (taken[i] && module.functions[i].has_body && !module.functions[i].is_entry) functions.push_back(i);
  }
  return functions;
}

bool has_indirect_jumps(const ptx::Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const ptx::Instruction& i) { return is_indirect_call(i) || is_table_jump(i); });
}

void lower_indirect_jumps(const ptx::Module& module, const std::vector<FunctionIndex>& targets,
                          ptx::Function& function) {
  Lowering(module, targets, function).run();
}

}  // namespace warpfold::isa
