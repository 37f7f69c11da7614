// SPDX-License-Identifier: Apache-2.0
// Parameters of inlined calls: those that are only ever accessed as separate scalars need no memory.
#include "warpfold/isa/decode/calls/call_parameters.h"

#include <algorithm>

#include "warpfold/isa/decode/families/decode_family.h"

namespace warpfold::isa {
namespace {

bool is_call_parameter(const ptx::Function& function, const ptx::Operand& operand) {
  return operand.refers == ptx::Refers::kLocalVariable && function.variables[operand.index].space == ptx::Space::kParam;
}

}  // namespace

CallParameters::CallParameters(const ptx::Function& function, std::span<const std::uint32_t> same_as) {
  for (const ptx::Variable& variable : function.variables) {
    in_registers_.push_back(variable.space == ptx::Space::kParam);
  }
  for (const ptx::Instruction& instruction : function.instructions) {
    if (const auto call = system_call_of(instruction)) note_system_call(function, *call, same_as);
    const bool is_vector = std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                                       [](const std::string& m) { return m == "v2" || m == "v4"; });
    const bool is_access = (instruction.name == "ld" || instruction.name == "st") && !is_vector;
    for (const ptx::Operand& operand : instruction.operands) {
      if (!is_call_parameter(function, operand)) continue;
      const std::uint32_t variable = same_as.empty() ? operand.index : same_as[operand.index];
      if (is_access && operand.kind == ptx::OperandKind::kAddress && !instruction.modifiers.empty()) {
        note_access(variable, operand.offset, type_of(instruction.modifiers.back()).bits / 8);
      } else {
        in_registers_[variable] = false;
      }
    }
  }
}

void CallParameters::note_access(std::uint32_t variable, std::int64_t offset, std::uint64_t bytes) {
  const auto [entry, is_new] = bytes_.try_emplace({variable, offset}, bytes);
  bool fits = entry->second == bytes;
  if (is_new) {
    const auto after = std::next(entry);
    const auto ends = [](const auto& scalar) { return scalar.first.second + static_cast<std::int64_t>(scalar.second); };
    if (after != bytes_.end() && after->first.first == variable) fits &= ends(*entry) <= after->first.second;
    if (entry != bytes_.begin() && std::prev(entry)->first.first == variable) {
      fits &= ends(*std::prev(entry)) <= offset;
    }
  }
  if (!fits) in_registers_[variable] = false;
}

std::vector<CallParameters::Scalar> CallParameters::scalars(std::uint32_t variable) const {
  std::vector<Scalar> scalars;
  for (const auto& [place, bytes] : bytes_) {
    if (place.first == variable) scalars.push_back({place.second, bytes});
  }
  return scalars;
}

std::vector<Register> CallParameters::registers(std::uint32_t variable) const {
  std::vector<Register> registers;
  for (const auto& [place, ref] : registers_) {
    if (place.first == variable) registers.push_back(ref.index);
  }
  return registers;
}

void CallParameters::allocate(DraftKernel& kernel) {
  for (const auto& [place, bytes] : bytes_) {
    if (!in_registers_[place.first]) continue;
    registers_[place] = {Ref::Kind::kRegister, static_cast<std::uint32_t>(kernel.registers.size())};
    kernel.registers.push_back({static_cast<std::uint8_t>(bytes > 4 ? 2 : 1), false});
  }
}

Ref CallParameters::find(const ptx::Operand& address) const {
  if (address.refers != ptx::Refers::kLocalVariable) return {};
  const auto found = registers_.find({address.index, address.offset});
  return found == registers_.end() ? Ref{} : found->second;
}

}  // namespace warpfold::isa
