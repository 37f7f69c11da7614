// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/decode/families/decode_system_calls.h"

#include <algorithm>
#include <string>

#include "warpfold/isa/decode/families/decode_family.h"

namespace warpfold::isa {
namespace {

// As CUDA declares them. Of __assertfail's five the last, the bytes of a character, is 1.
constexpr std::array<SystemCallForm, 4> kForms{{{"vprintf", SystemCall::kPrint, 4, 2, {8, 8}},
                                                {"__assertfail", SystemCall::kAssert, 0, 5, {8, 8, 4, 8, 8}},
                                                {"malloc", SystemCall::kMalloc, 8, 1, {8}},
                                                {"free", SystemCall::kFree, 0, 1, {8}}}};
constexpr unsigned kMostArguments = 4;  // that are read: those behind them matter to nobody

const ptx::Operand* called_function(const ptx::Instruction& instruction) {
  if (instruction.name != "call") return nullptr;
  const auto& operands = instruction.operands;
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [](const ptx::Operand& o) { return o.refers == ptx::Refers::kFunction; });
  return found == operands.end() ? nullptr : &*found;
}

}  // namespace

std::optional<SystemCallParts> system_call_of(const ptx::Instruction& instruction) {
  const ptx::Operand* const callee = called_function(instruction);
  if (callee == nullptr) return std::nullopt;
  const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const auto& f) { return f.name == callee->name; });
  if (form == kForms.end()) return std::nullopt;
  SystemCallParts parts{form, {}, {}};
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.kind == ptx::OperandKind::kList)
      (&operand < callee ? parts.returns : parts.parameters) = operand.elements;
  }
  return parts;
}

bool is_system_call(const ptx::Module& module, const ptx::Instruction& instruction) {
  const ptx::Operand* const callee = called_function(instruction);
  return callee != nullptr && !module.functions[callee->index].has_body && system_call_of(instruction).has_value();
}

void CallParameters::note_system_call(const ptx::Function& function, const SystemCallParts& call,
                                      std::span<const std::uint32_t> same_as) {
  const auto note = [&](const ptx::Operand& operand, std::uint64_t bytes) {
    if (operand.refers == ptx::Refers::kLocalVariable && function.variables[operand.index].space == ptx::Space::kParam)
      note_access(same_as.empty() ? operand.index : same_as[operand.index], operand.offset, bytes);
  };
  for (std::size_t k = 0; k < std::min(call.parameters.size(), call.form->bytes.size()); ++k)
    note(call.parameters[k], call.form->bytes[k]);
  for (const ptx::Operand& result : call.returns) note(result, call.form->return_bytes);
}

void decode_system_call(OperandDecoder& operands, const CallParameters& calls, const SystemCallParts& call,
                        Draft& draft) {
  const SystemCallForm& form = *call.form;
  if (call.parameters.size() != form.parameters || call.returns.size() != (form.return_bytes != 0 ? 1U : 0U))
    operands.unsupported(fmt::format("'{}' takes another number of parameters", form.name));
  const auto scalar = [&](const ptx::Operand& operand) {
    const Ref ref = calls.find(operand);
    if (ref.kind == Ref::Kind::kNone) operands.unsupported(fmt::format("'{}' with parameters in parts", form.name));
    return ref;
  };
  MicroOp& op = draft.op;
  op.kind = Kind::kSystemCall;
  op.unit = Unit::kMemory;
  op.element_type = static_cast<std::uint8_t>(form.call);
  op.text = operands.kernel().opcode(fmt::format("call {}", form.name));
  op.s_count = static_cast<std::uint8_t>(std::min(form.parameters, kMostArguments));
  for (unsigned k = 0; k < op.s_count; ++k) set_source(draft, k, scalar(call.parameters[k]), form.bytes[k] == 8);
  op.d_count = static_cast<std::uint8_t>(call.returns.size());
  if (op.d_count != 0) set_destination(draft, 0, scalar(call.returns[0]), form.return_bytes == 8);
  draft.varying = true;
}

}  // namespace warpfold::isa
