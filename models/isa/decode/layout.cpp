// SPDX-License-Identifier: Apache-2.0
// Where a kernel's variables lie: parameters, shared and local memory.
#include "warpfold/isa/decode/layout.h"

#include <algorithm>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/isa/address_space.h"

namespace warpfold::isa {
namespace {

// Dynamic shared memory starts where a vector of any type may lie, whatever its declaration asks for.
constexpr std::uint64_t kDynamicAlignment = 16;

// What variables fill, one after the other, and how much of it there can be.
struct Region {
  const char* name;
  std::uint64_t most;
  std::uint64_t end = 0;  // of what has been placed so far
};

constexpr std::uint64_t kMostParameterBytes = 32764;      // of a kernel (PTX ISA §5.1.6.1)
constexpr std::uint64_t kMostLocalBytes = 512 * 1024;     // of a thread (CUDA's limit on all its chips)
constexpr std::uint64_t kMostSharedBytes = kWindowBytes;  // that have addresses; how much a core has is checked later

void note_names(const ptx::Operand& operand, std::vector<bool>& used) {
  if (operand.refers == ptx::Refers::kModuleVariable) used[operand.index] = true;
  for (const ptx::Operand& element : operand.elements) note_names(element, used);
}

class Layout {
 public:
  Layout(const ptx::Module& module, const ptx::Function& function, const FramePlaces& frames)
      : module_(module), function_(function), frame_of_(frames.frame_of) {
    result_.of_module.resize(module.variables.size());
    result_.variables.resize(function.variables.size());
    FrameIndex last = kNoFrame;
    for (const FramePlaces::Call& call : frames.calls) last = std::max(last, call.to);
    frames_.resize(last + 1, {"a recursive function's frame", kMostLocalBytes});
  }

  KernelLayout make(const std::vector<bool>& in_registers) {
    place_parameters();
    place_module_variables();
    for (std::size_t i = 0; i < function_.variables.size(); ++i) {
      const ptx::Variable& variable = function_.variables[i];
      if (variable.space == ptx::Space::kShared) {
        place_shared(variable, result_.variables[i]);
      } else if (variable.space == ptx::Space::kLocal || (variable.space == ptx::Space::kParam && !in_registers[i])) {
        const FrameIndex frame = frame_of_.empty() ? kNoFrame : frame_of_[i];
        result_.variables[i] = place(frame == kNoFrame ? local_ : frames_[frame], variable);
      }
    }
    place_dynamic();
    result_.static_shared_bytes = static_cast<std::uint32_t>(shared_.end);
    result_.local_bytes = static_cast<std::uint32_t>(local_.end);
    for (const Region& frame : frames_) result_.frame_bytes.push_back(frame.end);
    return std::move(result_);
  }

 private:
  std::uint64_t place(Region& region, const ptx::Variable& variable) const {
    const std::uint64_t begin = align_up(region.end, variable.align);
    if (begin > region.most || variable.bytes > region.most - begin) {
      user_error("kernel '{}': {}:{}: '{}' of {} bytes lies beyond the {} bytes of {} that there can be",
                 function_.name, module_.file, variable.where.line, variable.source_name, variable.bytes, region.most,
                 region.name);
    }
    region.end = begin + variable.bytes;
    return begin;
  }

  void place_parameters() {
    Region region{"a kernel's parameters", kMostParameterBytes};
    for (const ptx::Variable& parameter : function_.params) {
      const std::uint64_t begin = place(region, parameter);
      result_.parameters.push_back(
          {parameter.source_name, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(parameter.bytes)});
    }
    result_.parameter_bytes = static_cast<std::uint32_t>(region.end);
  }

  void place_module_variables() {
    std::vector<bool> used(module_.variables.size(), false);
    for (const ptx::Instruction& instruction : function_.instructions) {
      for (const ptx::Operand& operand : instruction.operands) note_names(operand, used);
    }
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
      const ptx::Variable& variable = module_.variables[i];
      if (used[i] && variable.space == ptx::Space::kShared) place_shared(variable, result_.of_module[i]);
      if (used[i] && variable.space == ptx::Space::kLocal) result_.of_module[i] = place(local_, variable);
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
    const std::uint64_t begin = align_up(shared_.end, dynamic_alignment_);
    if (!dynamic_.empty()) shared_.end = begin;
    for (std::optional<std::uint64_t>* offset : dynamic_) *offset = begin;
    result_.dynamic_shared_offset = static_cast<std::uint32_t>(begin);
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  const std::vector<FrameIndex>& frame_of_;
  KernelLayout result_;
  Region shared_{".shared memory", kMostSharedBytes}, local_{".local memory", kMostLocalBytes};
  std::vector<Region> frames_;
  std::vector<std::optional<std::uint64_t>*> dynamic_;
  std::uint64_t dynamic_alignment_ = kDynamicAlignment;
};

}  // namespace

KernelLayout lay_out(const ptx::Module& module, const ptx::Function& function, const std::vector<bool>& in_registers,
                     const FramePlaces& frames) {
  return Layout(module, function, frames).make(in_registers);
}

}  // namespace warpfold::isa
