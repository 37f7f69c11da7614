// SPDX-License-Identifier: Apache-2.0
// Calls of device functions become branches to a copy of the function's body.
#include "warpfold/isa/decode/calls/inline_calls.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/isa/decode/calls/call_graph.h"
#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"
#include "warpfold/isa/decode/families/decode_system_calls.h"
#include "warpfold/isa/decode/operands.h"

namespace warpfold::isa {
namespace {

// Functions that each call the next one twice double with every level.
constexpr std::size_t kMostInstructions = 1 << 18, kMostRegisters = 1 << 18;

class Inliner {
 public:
  explicit Inliner(const CallGraph& graph) : graph_(graph), module_(graph.module()), result_(graph.entry()) {
    frame_of_.resize(result_.instructions.size(), kNoFrame);
    recursive_.frame_of.resize(result_.variables.size(), kNoFrame);
  }

  InlinedCode run(std::uint64_t stack_bytes) {
    for (std::size_t i = 0; i < result_.instructions.size(); ++i) {
      if (result_.instructions[i].name == "call" && !is_system_call(module_, result_.instructions[i])) expand(i);
    }
    FramePlaces frames;
    if (!recursive_.calls.empty()) frames = write_recursion(recursive_, stack_bytes, result_);
    const auto stack = lower_allocations(stack_bytes, result_);
    if (stack && frames.any()) {
      user_error(
          "kernel '{}': {}: alloca and recursive functions have no stack in common; give the recursion a depth "
          "that the compiler knows, or the array a size",
          result_.name, module_.file);
    }
    return {std::move(result_), std::move(frames), stack};
  }

 private:
  // What a copy of a body replaces in its operands.
  struct Bindings {
    std::uint32_t registers = 0, labels = 0, variables = 0;  // what to add to an index
    std::vector<std::uint32_t> parameters, returns;          // Function::variables of the caller
    std::size_t back = 0;                                    // label behind the call
  };
  // Of a recursive function: which copy of its component it belongs to.
  struct Copy {
    std::size_t component_copy = 0;
    FunctionIndex function = 0;
    auto operator<=>(const Copy&) const = default;
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
    std::size_t entry = 0;
    if (graph_.recursive(callee)) {
      entry = note_recursive(call, callee, bindings);
    } else {
      bindings.back = add_label(call + 1);
      entry = append_body(call, callee, bindings, frame_of_[call]);
    }
    result_.instructions[call].operands = {label_operand(entry)};
  }

  // Returns the label of the copy.
  std::size_t append_body(std::size_t call, FunctionIndex callee, Bindings& bindings, FrameIndex frame) {
    ptx::Function body = graph_.body(callee);
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
    recursive_.frame_of.resize(result_.variables.size(), frame);
    const std::size_t begin = result_.instructions.size();
    for (ptx::Label& label : body.labels) {
      label.instruction += begin;
      result_.labels.push_back(std::move(label));
    }
    const std::size_t entry = add_label(begin);
    for (ptx::Instruction& instruction : body.instructions) {
      rebind(instruction, bindings);
      result_.instructions.push_back(std::move(instruction));
    }
    frame_of_.resize(result_.instructions.size(), frame);
    return entry;
  }

  // Returns the label of the function's one copy in its component's copy: that of the code with the call, if it is in
  // one, else a new one.
  std::size_t note_recursive(std::size_t call, FunctionIndex callee, const Bindings& bindings) {
    const FrameIndex from = frame_of_[call];
    const bool inner = from != kNoFrame && graph_.component(copies_[from].function) == graph_.component(callee);
    const Copy copy{inner ? copies_[from].component_copy : component_copies_++, callee};
    const auto [entry, is_new] = frames_.try_emplace(copy, static_cast<FrameIndex>(copies_.size()));
    const FrameIndex frame = entry->second;
    if (is_new) append_recursive(call, copy, frame);
    recursive_.calls.push_back({call, from, frame, inner, bindings.parameters, bindings.returns});
    return recursive_.functions[frame].entry;
  }

  void append_recursive(std::size_t call, const Copy& copy, FrameIndex frame) {
    copies_.push_back(copy);
    recursive_.functions.emplace_back();
    const ptx::Function& callee = graph_.body(copy.function);
    Bindings bindings;
    for (const ptx::Variable& parameter : callee.params) bindings.parameters.push_back(add_variable(parameter, frame));
    for (const ptx::Variable& result : callee.returns) bindings.returns.push_back(add_variable(result, frame));
    bindings.back = add_label(0);
    RecursiveCode::Function function{0, bindings.back, 0, bindings.parameters, bindings.returns};
    function.entry = append_body(call, copy.function, bindings, frame);
    function.end = result_.labels[bindings.back].instruction = result_.instructions.size();
    result_.instructions.push_back(result_.instructions.back());  // in the line of the body's end
    result_.instructions.back().guard = {};
    result_.instructions.back().name = "ret";
    frame_of_.push_back(frame);
    recursive_.functions[frame] = std::move(function);
  }

  std::uint32_t add_variable(const ptx::Variable& variable, FrameIndex frame) {
    result_.variables.push_back(variable);
    recursive_.frame_of.push_back(frame);
    return static_cast<std::uint32_t>(result_.variables.size() - 1);
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

  const CallGraph& graph_;
  const ptx::Module& module_;
  ptx::Function result_;
  std::vector<FrameIndex> frame_of_;  // by instruction: of the recursive function whose copy it belongs to
  RecursiveCode recursive_;
  std::vector<Copy> copies_{{}};  // by frame
  std::map<Copy, FrameIndex> frames_;
  std::size_t component_copies_ = 0;
};

}  // namespace

InlinedCode inline_calls(const ptx::Module& module, const ptx::Function& entry, std::uint64_t stack_bytes) {
  const CallGraph graph(module, entry);
  return Inliner(graph).run(stack_bytes);
}

}  // namespace warpfold::isa
