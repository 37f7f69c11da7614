// SPDX-License-Identifier: Apache-2.0
// Where a kernel's variables lie: parameters, shared and local memory.
#include "models/isa/layout.h"

#include <algorithm>
#include <utility>

namespace warpfold::isa {
namespace {

// Dynamic shared memory starts where a vector of any type may lie, whatever its declaration asks for.
constexpr std::uint64_t kDynamicAlignment = 16;

void note_names(const ptx::Operand& operand, std::vector<bool>& used) {
  if (operand.refers == ptx::Refers::kModuleVariable) used[operand.index] = true;
  for (const ptx::Operand& element : operand.elements) note_names(element, used);
}

class Layout {
 public:
  Layout(const ptx::Module& module, const ptx::Function& function) : module_(module), function_(function) {
    result_.shared.resize(module.variables.size());
    result_.variables.resize(function.variables.size());
  }

  KernelLayout make(const std::vector<bool>& in_registers) {
    place_parameters();
    place_module_variables();
    for (std::size_t i = 0; i < function_.variables.size(); ++i) {
      const ptx::Variable& variable = function_.variables[i];
      if (variable.space == ptx::Space::kShared) {
        place_shared(variable, result_.variables[i]);
      } else if (variable.space == ptx::Space::kLocal || (variable.space == ptx::Space::kParam && !in_registers[i])) {
        result_.variables[i] = place(local_, variable);
      }
    }
    place_dynamic();
    result_.static_shared_bytes = static_cast<std::uint32_t>(shared_);
    result_.local_bytes = static_cast<std::uint32_t>(local_);
    return std::move(result_);
  }

 private:
  static std::uint64_t place(std::uint64_t& end, const ptx::Variable& variable) {
    const std::uint64_t begin = align_up(end, variable.align);
    end = begin + variable.bytes;
    return begin;
  }

  void place_parameters() {
    std::uint64_t end = 0;
    for (const ptx::Variable& parameter : function_.params) {
      const std::uint64_t begin = place(end, parameter);
      result_.parameters.push_back(
          {parameter.source_name, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(parameter.bytes)});
    }
    result_.parameter_bytes = static_cast<std::uint32_t>(end);
  }

  void place_module_variables() {
    std::vector<bool> used(module_.variables.size(), false);
    for (const ptx::Instruction& instruction : function_.instructions) {
      for (const ptx::Operand& operand : instruction.operands) note_names(operand, used);
    }
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
      if (used[i] && module_.variables[i].space == ptx::Space::kShared) {
        place_shared(module_.variables[i], result_.shared[i]);
      }
    }
  }

  void place_shared(const ptx::Variable& variable, std::optional<std::uint64_t>& offset) {
    if (variable.unsized) {
      dynamic_.push_back(&offset);
      dynamic_alignment_ = std::max(dynamic_alignment_, variable.align);
    } else {
      offset = place(shared_, variable);
    }
  }

  // All unsized arrays name the same memory (CUDA's extern __shared__).
  void place_dynamic() {
    const std::uint64_t begin = align_up(shared_, dynamic_alignment_);
    if (!dynamic_.empty()) shared_ = begin;
    for (std::optional<std::uint64_t>* offset : dynamic_) *offset = begin;
    result_.dynamic_shared_offset = static_cast<std::uint32_t>(begin);
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  KernelLayout result_;
  std::uint64_t shared_ = 0, local_ = 0;
  std::vector<std::optional<std::uint64_t>*> dynamic_;
  std::uint64_t dynamic_alignment_ = kDynamicAlignment;
};

}  // namespace

KernelLayout lay_out(const ptx::Module& module, const ptx::Function& function, const std::vector<bool>& in_registers) {
  return Layout(module, function).make(in_registers);
}

}  // namespace warpfold::isa
