// SPDX-License-Identifier: Apache-2.0
// Cache policies (PTX ISA §9.7.9.18, createpolicy): a register holds one, and loads and stores name the register.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"

namespace warpfold::isa {
namespace {

// Bits of a policy for all of an access's lines, as CUDA's own headers have them (cuda/annotated_ptr): programs may
// write the number instead of asking for it.
struct Policy {
  std::string_view name;  // of the eviction priority
  std::uint64_t bits;
};
constexpr std::array<Policy, 4> kPolicies{{{"L2::evict_normal", 0x10F0'0000'0000'0000},
                                           {"L2::evict_first", 0x12F0'0000'0000'0000},
                                           {"L2::evict_last", 0x14F0'0000'0000'0000},
                                           {"L2::evict_unchanged", 0x16F0'0000'0000'0000}}};
constexpr std::uint64_t kPriorityBits = 0xFF00'0000'0000'0000;
constexpr std::string_view kHint = "L2::cache_hint";

const Policy* named(const ptx::Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {  // the first is for the lines, a second for the rest
    for (const Policy& policy : kPolicies) {
      if (policy.name == modifier) return &policy;
    }
  }
  return nullptr;
}

const Policy* with_bits(std::uint64_t bits) {
  for (const Policy& policy : kPolicies) {
    if ((policy.bits & kPriorityBits) == (bits & kPriorityBits)) return &policy;
  }
  return nullptr;
}

bool is_register(const ptx::Operand& operand) {
  return operand.kind == ptx::OperandKind::kRegister && operand.refers == ptx::Refers::kRegister;
}

// What the one instruction that writes the register puts there; null: several do, or it is no policy that is known.
const Policy* policy_in(const ptx::Function& function, std::uint32_t reg) {
  const ptx::Instruction* writer = nullptr;
  for (const ptx::Instruction& instruction : function.instructions) {
    if (instruction.operands.empty() || !is_register(instruction.operands[0])) continue;
    if (instruction.operands[0].index != reg) continue;
    if (writer != nullptr || instruction.guard.present) return nullptr;
    writer = &instruction;
  }
  if (writer == nullptr) return nullptr;
  if (writer->name == "createpolicy") return named(*writer);
  const bool constant =
      writer->name == "mov" && writer->operands.size() == 2 && writer->operands[1].kind == ptx::OperandKind::kInteger;
  return constant ? with_bits(writer->operands[1].bits) : nullptr;
}

}  // namespace

void take_cache_policies(ptx::Function& function) {
  for (ptx::Instruction& instruction : function.instructions) {
    if (!instruction.has(kHint) || instruction.operands.empty() || !is_register(instruction.operands.back())) continue;
    const Policy* const policy = policy_in(function, instruction.operands.back().index);
    if (policy == nullptr) continue;
    std::erase(instruction.modifiers, kHint);
    instruction.modifiers.insert(instruction.modifiers.end() - 1, std::string(policy->name));
    instruction.operands.pop_back();
  }
}

bool lower_policy(CodeWriter& code) {
  const ptx::Instruction instruction = code.old();
  if (instruction.name != "createpolicy" || instruction.operands.empty()) return false;
  const Policy* const policy = named(instruction);
  code.write("mov", {"b64"}, {instruction.operands[0], integer_operand(policy != nullptr ? policy->bits : 0)});
  return true;
}

}  // namespace warpfold::isa
