// SPDX-License-Identifier: Apache-2.0
// Recursive functions in a kernel's code: called through a stack in the thread's local memory.
#include "warpfold/isa/decode/calls/recursion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "warpfold/isa/decode/calls/call_parameters.h"
#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/families/decode_family.h"

namespace warpfold::isa {
namespace {

using Variable = std::uint32_t;  // Function::variables
using Operands = std::vector<ptx::Operand>;

constexpr std::uint64_t kLeastAlignment = 8;

// Arguments and the parameters that they are copied to, results and what they are copied to: they lie in registers
// together or not at all.
std::vector<Variable> same_kind(const RecursiveCode& recursive, std::size_t variables) {
  std::vector<Variable> same_as(variables);
  std::iota(same_as.begin(), same_as.end(), Variable{0});
  const auto first = [&](Variable v) {
    while (same_as[v] != v) v = same_as[v] = same_as[same_as[v]];
    return v;
  };
  for (const RecursiveCode::Call& call : recursive.calls) {
    const RecursiveCode::Function& callee = recursive.functions[call.to];
    for (std::size_t i = 0; i < call.parameters.size(); ++i) {
      same_as[first(call.parameters[i])] = first(callee.parameters[i]);
    }
    for (std::size_t i = 0; i < call.returns.size(); ++i) same_as[first(call.returns[i])] = first(callee.returns[i]);
  }
  for (Variable v = 0; v < variables; ++v) same_as[v] = first(v);
  return same_as;
}

class Writer {
 public:
  Writer(const RecursiveCode& recursive, ptx::Function& function)
      : recursive_(recursive),
        function_(function),
        same_as_(same_kind(recursive, function.variables.size())),
        parameters_(function, same_as_),
        code_(function) {
    for (std::size_t i = 0; i < recursive.calls.size(); ++i) call_at_[recursive.calls[i].instruction] = i;
    for (FrameIndex f = 1; f < recursive.functions.size(); ++f) return_at_[recursive.functions[f].end] = f;
  }

  FramePlaces write(std::uint64_t stack_bytes) {
    places_.frame_of = recursive_.frame_of;
    places_.pointer = code_.new_register(ptx::Type::kU32);
    goes_on_ = code_.new_register(ptx::Type::kU32);
    predicate_ = code_.new_register(ptx::Type::kPred);
    number_calls();
    for (bool first = true; code_.next(); first = false) {
      if (first) begin_stack(stack_bytes);
      const auto call = call_at_.find(code_.old_index());
      const auto end = return_at_.find(code_.old_index());
      if (call != call_at_.end()) {
        write_call(call->second);
      } else if (end != return_at_.end()) {
        write_return(end->second);
      } else {
        write_plain();
      }
    }
    code_.finish();
    return std::move(places_);
  }

 private:
  // Labels behind calls, and of each function those that it may return to: the one outside of the component last.
  void number_calls() {
    back_to_.resize(recursive_.functions.size());
    for (std::size_t i = 0; i < recursive_.calls.size(); ++i) {
      const RecursiveCode::Call& call = recursive_.calls[i];
      behind_.push_back(code_.new_label());
      std::vector<std::size_t>& calls = back_to_[call.to];
      calls.insert(call.inner ? calls.begin() : calls.end(), i);
    }
  }

  void begin_stack(std::uint64_t bytes) {
    ptx::Variable stack;
    stack.space = ptx::Space::kLocal;
    stack.type = ptx::Type::kB8;
    stack.source_name = "the stack of recursive functions";
    stack.align = kLeastAlignment;
    for (Variable v = 0; v < function_.variables.size(); ++v) {
      if (in_frame(v)) stack.align = std::max(stack.align, function_.variables[v].align);
    }
    stack.elements = stack.bytes = bytes;
    stack.where = function_.where;
    places_.alignment = stack.align;
    places_.stack = static_cast<Variable>(function_.variables.size());
    places_.frame_of.push_back(kNoFrame);
    function_.variables.push_back(std::move(stack));
    code_.write("mov", {"u32"}, {pointer(), variable_operand(places_.stack)});
  }

  void write_call(std::size_t index) {
    const RecursiveCode::Call& call = recursive_.calls[index];
    const RecursiveCode::Function& callee = recursive_.functions[call.to];
    const ptx::Guard guard = code_.old().guard;
    const std::vector<std::string> modifiers = code_.old().modifiers;
    const std::size_t otherwise = code_.new_label();
    FramePlaces::Call places;
    places.from = call.from;
    places.to = call.to;
    places.inner = call.inner;
    if (guard.present) code_.branch_if(guard.reg, !guard.negated, otherwise);
    places.save = code_.position();
    const Copies arguments = load(call.parameters, callee.parameters);
    places.grow = code_.position();
    if (!places.keeps_pointer()) code_.write("add", {"u32"}, {pointer(), pointer(), integer_operand(0)});
    store(arguments, callee.parameters);
    places.push = code_.position();
    code_.write("st", {"local", "u32"}, {on_frame(), integer_operand(index)});
    places.call = code_.position();
    code_.write("call", modifiers, {label_operand(callee.entry)});
    code_.place(behind_[index]);
    const Copies results = load(callee.returns, call.returns);
    places.shrink = code_.position();
    if (!places.keeps_pointer()) code_.write("sub", {"u32"}, {pointer(), pointer(), integer_operand(0)});
    store(results, call.returns);
    places.restore = code_.position() - 1;
    code_.place(otherwise);
    places_.calls.push_back(places);
  }

  void write_return(FrameIndex frame) {
    const std::vector<std::size_t>& ways = back_to_[frame];
    places_.returns.push_back({code_.position(), frame, recursive_.functions[frame].returns});
    code_.write("ld", {"local", "u32"}, {register_operand(goes_on_), on_frame()});
    for (const std::size_t way : ways) {
      if (way == ways.back()) break;
      code_.write("setp", {"eq", "u32"},
                  {register_operand(predicate_), register_operand(goes_on_), integer_operand(way)});
      code_.write("ret", {}, {label_operand(behind_[way])}).guard = {true, false, predicate_};
    }
    code_.write("ret", {}, {label_operand(behind_[ways.back()])});
  }

  // A variable's address is the frame's plus its offset there, which is what its name stands for from here on.
  void write_plain() {
    if (code_.old().name == "call") return code_.keep();  // of the device's own functions, by variables in registers
    ptx::Instruction instruction = code_.old();
    if (instruction.name == "mov" && instruction.operands.size() == 2 && in_frame(instruction.operands[1])) {
      const ptx::Operand to = instruction.operands[0], variable = instruction.operands[1];
      if (is_wide(instruction)) {
        code_.write("cvt", {"u64", "u32"}, {to, pointer()}).guard = instruction.guard;
        code_.write("add", {"s64"}, {to, to, variable}).guard = instruction.guard;
      } else {
        code_.write("add", {"u32"}, {to, pointer(), variable}).guard = instruction.guard;
      }
      return;
    }
    for (ptx::Operand& operand : instruction.operands) take_address(operand, is_wide(instruction));
    code_.write(instruction.name, instruction.modifiers, instruction.operands).guard = instruction.guard;
  }

  void take_address(ptx::Operand& operand, bool wide) {
    for (ptx::Operand& element : operand.elements) take_address(element, wide);
    if (!in_frame(operand)) return;
    ptx::Operand address = register_operand(code_.new_register(wide ? ptx::Type::kU64 : ptx::Type::kU32));
    if (wide) {
      code_.write("cvt", {"u64", "u32"}, {address, pointer()});
      code_.write("add", {"s64"}, {address, address, operand});
    } else {
      code_.write("add", {"u32"}, {address, pointer(), operand});
    }
    operand = address;
  }

  bool in_frame(Variable variable) const {
    const ptx::Space space = function_.variables[variable].space;
    const bool local = space == ptx::Space::kLocal || space == ptx::Space::kParam;
    return local && places_.frame_of[variable] != kNoFrame;
  }
  bool in_frame(const ptx::Operand& operand) const {
    return operand.kind == ptx::OperandKind::kSymbol && operand.refers == ptx::Refers::kLocalVariable &&
           in_frame(operand.index);
  }
  static bool is_wide(const ptx::Instruction& instruction) {
    return !instruction.modifiers.empty() && type_of(instruction.modifiers.back()).bits == 64;
  }

  // A part of a variable on its way into another one.
  struct Copy {
    std::size_t variable = 0;  // counted in the list
    std::int64_t offset = 0;
    std::string type;    // "b32"
    ptx::Operand value;  // where it is: in a register or, if both are scalars that need no memory, in the variable
  };
  using Copies = std::vector<Copy>;

  Copies load(const std::vector<Variable>& variables, const std::vector<Variable>& to) {
    Copies copies;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const Variable from = variables[i];
      if (parameters_.in_registers()[same_as_[from]]) {
        for (const auto& [offset, bytes] : parameters_.scalars(same_as_[from])) {
          copies.push_back(
              {i, offset, fmt::format("b{}", 8 * bytes), address_operand(ptx::Refers::kLocalVariable, from, offset)});
        }
      } else {
        load_bytes(i, function_.variables[from], function_.variables[to[i]], copies);
      }
    }
    return copies;
  }

  void load_bytes(std::size_t place, const ptx::Variable& from, const ptx::Variable& to, Copies& copies) {
    const std::uint64_t size = std::min(from.bytes, to.bytes);
    const std::uint64_t largest = std::min<std::uint64_t>({from.align, to.align, 8});
    for (std::uint64_t offset = 0, bytes = largest; offset < size; offset += bytes) {
      while (bytes > size - offset) bytes /= 2;
      const std::string type = fmt::format("b{}", 8 * bytes);
      const ptx::Type holds = bytes == 8 ? ptx::Type::kB64 : bytes == 4 ? ptx::Type::kB32 : ptx::Type::kB16;
      const ptx::Operand value = register_operand(code_.new_register(holds));
      const auto at = static_cast<std::int64_t>(offset);
      const auto variable = static_cast<Variable>(&from - function_.variables.data());
      code_.write("ld", {"param", type}, {value, address_operand(ptx::Refers::kLocalVariable, variable, at)});
      copies.push_back({place, at, type, value});
    }
  }

  void store(const Copies& copies, const std::vector<Variable>& variables) {
    for (const Copy& copy : copies) {
      code_.write("st", {"param", copy.type},
                  {address_operand(ptx::Refers::kLocalVariable, variables[copy.variable], copy.offset), copy.value});
    }
  }

  ptx::Operand pointer() const { return register_operand(places_.pointer); }
  ptx::Operand on_frame() const { return address_operand(ptx::Refers::kRegister, places_.pointer, 0); }
  static ptx::Operand variable_operand(Variable variable) {
    ptx::Operand operand = label_operand(variable);
    operand.refers = ptx::Refers::kLocalVariable;
    return operand;
  }

  const RecursiveCode& recursive_;
  ptx::Function& function_;
  const std::vector<Variable> same_as_;
  const CallParameters parameters_;  // of the code as it was
  CodeWriter code_;
  FramePlaces places_;
  std::map<std::size_t, std::size_t> call_at_;     // by instruction
  std::map<std::size_t, FrameIndex> return_at_;    // by instruction
  std::vector<std::size_t> behind_;                // labels, by call
  std::vector<std::vector<std::size_t>> back_to_;  // by frame: calls
  std::uint32_t goes_on_ = 0, predicate_ = 0;
};

}  // namespace

FramePlaces write_recursion(const RecursiveCode& recursive, std::uint64_t stack_bytes, ptx::Function& function) {
  return Writer(recursive, function).write(stack_bytes);
}

}  // namespace warpfold::isa
