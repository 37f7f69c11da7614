// SPDX-License-Identifier: Apache-2.0
// Lane-wise instructions: operands in PTX's order onto the shapes that the op table gives.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "warpfold/isa/analysis/demanded_bits.h"
#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/families/decode_family.h"
#include "warpfold/isa/decode/special_registers.h"

namespace warpfold::isa {
namespace {

using Modifiers = std::vector<std::string>;

// mov.b64 d, {a, b}, mov.b64 {d, p}, a and max.f32 d, a, b, c have names of their own in the op table.
struct Opcode {
  std::string name;
  Modifiers modifiers;
};

Opcode table_opcode(const ptx::Instruction& instruction) {
  Opcode opcode{instruction.name, instruction.modifiers};
  if (instruction.name == "mov" && instruction.operands.size() == 2 && !instruction.modifiers.empty()) {
    const ptx::Operand& to = instruction.operands[0];
    const ptx::Operand& from = instruction.operands[1];
    const bool packs = from.kind == ptx::OperandKind::kVector, unpacks = to.kind == ptx::OperandKind::kVector;
    if (packs != unpacks) {
      const std::size_t parts = packs ? from.elements.size() : to.elements.size();
      const unsigned bits = type_of(instruction.modifiers.back()).bits;
      opcode = {packs ? "pack" : "unpack", {fmt::format("b{}", bits), fmt::format("b{}", bits / parts)}};
    }
  }
  if ((instruction.name == "min" || instruction.name == "max") && instruction.operands.size() == 4) opcode.name += "3";
  const ptx::Operand* const last = instruction.operands.empty() ? nullptr : &instruction.operands.back();
  if (last != nullptr && last->negated && (instruction.name == "setp" || instruction.name == "set")) {
    opcode.modifiers.push_back("negated");
  }
  return opcode;
}

// mov.b64 d, v of a vector register is mov.b64 d, {v.x, v.y}. Nothing: it is no such thing.
std::optional<ptx::Instruction> with_vectors(const OperandDecoder& operands, const ptx::Instruction& instruction) {
  if (instruction.name != "mov") return std::nullopt;
  std::optional<ptx::Instruction> expanded;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    if (instruction.operands[k].kind != ptx::OperandKind::kRegister) continue;
    std::vector<ptx::Operand> parts = operands.elements(instruction.operands[k]);
    if (parts.size() == 1) continue;
    if (!expanded) expanded = instruction;
    expanded->operands[k] = vector_operand(std::move(parts));
  }
  return expanded;
}

// Whether the instruction reads a clock: a micro-op of its own kind, since the value is the core's.
bool decode_clock(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  if (instruction.name != "mov" || instruction.operands.size() != 2) return false;
  const ptx::Operand& from = instruction.operands[1];
  if (from.kind != ptx::OperandKind::kSpecialRegister || clock_bits(from.name) == 0) return false;
  const unsigned bits = clock_bits(from.name);
  if (instruction.modifiers.size() != 1 || type_of(instruction.modifiers[0]).bits != bits) {
    operands.unsupported(fmt::format("{} has {} bits", from.name, bits));
  }
  draft.op.kind = Kind::kClock;
  draft.op.offset = from.name.ends_with("_hi") ? 1 : 0;
  draft.varying = true;
  draft.op.d_count = 1;
  set_destination(draft, 0, operands.destination(instruction.operands[0], {'b', static_cast<std::uint8_t>(bits)}),
                  bits == 64);
  return true;
}

// Predicates are no values that a unit computes with.
std::uint8_t widest(const OpInfo& info) {
  std::uint8_t bits = 0;
  for (unsigned k = 0; k < info.d_count; ++k) bits = std::max(bits, info.d[k].kind == 'p' ? bits : info.d[k].bits);
  for (unsigned k = 0; k < info.s_count; ++k) bits = std::max(bits, info.s[k].kind == 'p' ? bits : info.s[k].bits);
  return bits == 0 ? 32 : bits;
}

// By the type of the first operand: a wide multiplication's result is of none that its sources have.
Operation operation_of(std::string_view name, const OpInfo& info) {
  static constexpr std::array<std::pair<std::string_view, Operation>, 14> kArithmetic{{{"add", Operation::kIntAdd},
                                                                                       {"sub", Operation::kIntAdd},
                                                                                       {"addc", Operation::kIntAdd},
                                                                                       {"subc", Operation::kIntAdd},
                                                                                       {"min", Operation::kIntMax},
                                                                                       {"max", Operation::kIntMax},
                                                                                       {"mul", Operation::kIntMul},
                                                                                       {"mul24", Operation::kIntMul},
                                                                                       {"mad", Operation::kIntMad},
                                                                                       {"mad24", Operation::kIntMad},
                                                                                       {"madc", Operation::kIntMad},
                                                                                       {"fma", Operation::kIntMad},
                                                                                       {"div", Operation::kIntDiv},
                                                                                       {"rem", Operation::kIntDiv}}};
  static constexpr std::array<std::string_view, 8> kSpecial{"sqrt", "rsqrt", "rcp", "sin", "cos", "ex2", "lg2", "tanh"};
  if (std::find(kSpecial.begin(), kSpecial.end(), name) != kSpecial.end()) return Operation::kSpecial;
  const auto found =
      std::find_if(kArithmetic.begin(), kArithmetic.end(), [&](const auto& row) { return row.first == name; });
  if (found == kArithmetic.end()) return Operation::kOther;
  Operation type = Operation::kIntAdd;
  if (info.s[0].kind == 'f') type = info.s[0].bits == 64 ? Operation::kDpAdd : Operation::kFpAdd;
  if (info.s[0].kind == 'h') type = Operation::kHpAdd;
  return static_cast<Operation>(static_cast<unsigned>(type) + static_cast<unsigned>(found->second));
}

// The carry flag among the operands of addc, add.cc and the like.
struct Carry {
  bool in = false, out = false;
  explicit Carry(const ptx::Instruction& instruction)
      : in(instruction.name == "addc" || instruction.name == "subc" || instruction.name == "madc"),
        out(instruction.has("cc")) {}
};

}  // namespace

void set_source(Draft& draft, unsigned k, Ref ref, bool wide) {
  draft.s[k] = ref;
  if (wide) draft.op.s_wide = static_cast<std::uint8_t>(draft.op.s_wide | 1U << k);
}

void set_destination(Draft& draft, unsigned k, Ref ref, bool wide) {
  draft.d[k] = ref;
  if (wide) draft.op.d_wide = static_cast<std::uint8_t>(draft.op.d_wide | 1U << k);
}

OpInfo::Operand type_of(std::string_view name) {
  if (name == "pred") return {'p', 1};
  if (name.size() < 2 || std::string_view("busf").find(name[0]) == std::string_view::npos) return {'b', 0};
  const std::string_view digits = name.substr(1);
  for (const auto& [text, bits] : {std::pair{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}}) {
    if (digits == text) return {name[0], static_cast<std::uint8_t>(bits)};
  }
  return {'b', 0};
}

void decode_compute(OperandDecoder& operands, const ptx::Instruction& written, Draft& draft) {
  if (decode_clock(operands, written, draft)) return;
  const std::optional<ptx::Instruction> expanded = with_vectors(operands, written);
  const ptx::Instruction& instruction = expanded ? *expanded : written;
  const Opcode opcode = table_opcode(instruction);
  const auto info = find_op(opcode.name, opcode.modifiers);
  if (!info) operands.unsupported();
  if (instruction.operands.empty()) operands.unsupported("operands are missing");

  std::vector<ptx::Operand> results = operands.elements(instruction.operands[0]);
  std::vector<ptx::Operand> sources;
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
    for (const ptx::Operand& element : operands.elements(instruction.operands[i])) sources.push_back(element);
  }
  const Carry carry(instruction);
  const bool one_of_two = instruction.name == "setp" && results.size() == 1;
  if ((results.size() + (carry.out ? 1 : 0) != info->d_count && !one_of_two) ||
      sources.size() + (carry.in ? 1 : 0) != info->s_count) {
    operands.unsupported("with this number of operands");
  }
  draft.op.kind = Kind::kCompute;
  draft.op.unit = info->unit;
  draft.op.operation = info->custom != 0 ? Operation::kCustom : operation_of(opcode.name, *info);
  draft.op.custom = info->custom;
  draft.op.compute = info->compute;
  draft.op.row_compute = info->row_compute;
  draft.op.d_count = static_cast<std::uint8_t>(results.size() + (carry.out ? 1 : 0));
  draft.op.s_count = info->s_count;
  if (carry.in) set_source(draft, info->s_count - 1U, operands.carry(), false);
  if (carry.out) set_destination(draft, 1, operands.carry(), false);
  draft.op.bits = widest(*info);
  draft.keeps_low_words = keeps_low_words(opcode.name, opcode.modifiers);
  // cvt may read and write registers wider than its types; a result of up to 32 bits fills one word only.
  const bool converts = instruction.name == "cvt";
  for (unsigned k = 0; k < results.size(); ++k) {
    const OpInfo::Operand shape = info->d[k];
    const Ref ref = operands.destination(results[k], shape, converts ? Width::kMayBeWider : Width::kExact);
    if (ref.kind == Ref::Kind::kNone && k == 0 && opcode.name != "unpack") operands.unsupported("without a result");
    if (operands.is_wide(ref) && shape.bits <= 32) operands.unsupported("a 64-bit register for a narrower result");
    set_destination(draft, k, ref, shape.bits > 32);
  }
  for (unsigned k = 0; k < sources.size(); ++k) {
    if (k + 1 == sources.size() && opcode.modifiers != instruction.modifiers) sources[k].negated = false;
    const OpInfo::Operand shape = info->s[k];
    set_source(draft, k, operands.source(sources[k], shape, converts ? Width::kMayBeWider : Width::kExact),
               shape.bits > 32);
  }
}

}  // namespace warpfold::isa
