// SPDX-License-Identifier: Apache-2.0
// PTX operands to the operands of micro-ops: registers, constants, special registers, addresses of symbols.
#include "warpfold/isa/decode/operands.h"

#include <bit>

#include "warpfold/common/error.h"
#include "warpfold/isa/decode/calls/function_address.h"
#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/special_registers.h"

namespace warpfold::isa {
namespace {

RegisterShape shape_of(ptx::Type type) {
  if (type == ptx::Type::kPred) return {1, true};
  return {static_cast<std::uint8_t>(ptx::type_bytes(type) > 4 ? 2 : 1), false};
}

// PTX ISA §9.4: bits agree with every type, integers with those of either sign, floating-point numbers with their like.
bool agrees(ptx::Type reg, OpInfo::Operand shape) {
  if (reg <= ptx::Type::kB128 || shape.kind == 'b') return true;
  if (shape.kind == 'u' || shape.kind == 's') return reg <= ptx::Type::kS64;
  const bool whole = reg >= ptx::Type::kF32;
  return reg > ptx::Type::kS64 && whole == (shape.kind == 'f') && 8 * ptx::type_bytes(reg) == shape.bits;
}

std::uint64_t truncated(std::uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

std::string opcode_text(const ptx::Instruction& instruction) {
  std::string text = instruction.name;
  for (const std::string& modifier : instruction.modifiers) text.append(".").append(modifier);
  return text;
}

OperandDecoder::OperandDecoder(const ptx::Module& module, const ptx::Function& function, const Symbols& symbols,
                               const KernelLayout& layout, const FramePlaces& frames, DraftKernel& kernel)
    : module_(module), function_(function), symbols_(symbols), layout_(layout), frames_(frames), kernel_(kernel) {
  for (const ptx::Register& reg : function.registers) {
    first_.push_back(static_cast<Register>(kernel_.registers.size()));
    kernel_.registers.insert(kernel_.registers.end(), reg.vector_width, shape_of(reg.type));
  }
}

void unsupported_instruction(const std::string& kernel, const std::string& file, const ptx::Instruction& instruction,
                             std::string_view reason) {
  user_error("kernel '{}': {}:{}: unsupported instruction '{}'{}", kernel, file, instruction.where.line,
             opcode_text(instruction), reason.empty() ? "" : fmt::format(" ({})", reason));
}

void OperandDecoder::unsupported(std::string_view reason) const {
  unsupported_instruction(function_.name, module_.file, *instruction_, reason);
}

Ref OperandDecoder::register_ref(const ptx::Operand& operand, OpInfo::Operand shape, Width width) const {
  const ptx::Register& reg = function_.registers[operand.index];
  if (!operand.part.empty()) unsupported(fmt::format("the part .{} of a register", operand.part));
  unsigned component = 0;
  if (operand.component != 0) {
    component = operand.component == 'w' ? 3 : static_cast<unsigned>(operand.component - 'x');
  } else if (reg.vector_width > 1) {
    unsupported("a vector register where one value is needed");
  }
  const RegisterShape have = shape_of(reg.type);
  if (ptx::type_bytes(reg.type) > 8) unsupported("a 128-bit register");
  if (have.predicate != (shape.kind == 'p')) {
    unsupported(have.predicate ? "a predicate where a value is needed" : "a value where a predicate is needed");
  }
  const unsigned bits = 8 * static_cast<unsigned>(ptx::type_bytes(reg.type));
  if (!have.predicate && (bits < shape.bits || (bits > shape.bits && width == Width::kExact))) {
    unsupported(fmt::format("{} is {} bits wide, the operand {}", reg.source_name, bits, shape.bits));
  }
  if (!have.predicate && !agrees(reg.type, shape)) {
    unsupported(fmt::format("{} is declared as numbers of another kind than the operand", reg.source_name));
  }
  return {Ref::Kind::kRegister, first_[operand.index] + component};
}

std::uint64_t OperandDecoder::immediate_bits(const ptx::Operand& operand, OpInfo::Operand shape) const {
  const bool is_double = shape.bits == 64;
  const bool takes_float = (shape.kind == 'f' || shape.kind == 'b') && shape.bits >= 32;
  switch (operand.kind) {
    case ptx::OperandKind::kInteger:
      if (shape.kind == 'p') return operand.bits != 0;
      if (shape.kind == 'f') unsupported("an integer where a floating-point number is needed");
      return truncated(operand.bits, shape.bits);
    case ptx::OperandKind::kFloat32:
      if (!takes_float) unsupported("a floating-point number where none can be");
      if (!is_double) return operand.bits;
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))));
    case ptx::OperandKind::kFloat64:
      if (!takes_float) unsupported("a floating-point number where none can be");
      if (is_double) return operand.bits;
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    default:
      unsupported("this kind of operand");
  }
}

Ref OperandDecoder::source(const ptx::Operand& operand, OpInfo::Operand shape, Width width) {
  const bool wide = shape.bits > 32;
  if (operand.negated) unsupported("a negated predicate here");
  switch (operand.kind) {
    case ptx::OperandKind::kRegister:
      return register_ref(operand, shape, width);
    case ptx::OperandKind::kSpecialRegister: {
      if (const auto value = constant_special(operand.name)) return kernel_.constant(*value, wide);
      const auto special = find_special(operand.name);
      if (!special) unsupported(operand.name);
      if (wide || shape.kind == 'p' || shape.kind == 'f') unsupported(operand.name + " has 32 bits");
      return kernel_.special(*special);
    }
    case ptx::OperandKind::kSymbol: {
      const std::uint64_t address = symbol_address(operand).address;
      if (shape.kind == 'p' || shape.kind == 'f' || truncated(address, shape.bits) != address) {
        unsupported(fmt::format("the address of '{}' does not fit", operand.name));
      }
      return kernel_.constant(address, wide);
    }
    default:
      return kernel_.constant(immediate_bits(operand, shape), wide);
  }
}

Ref OperandDecoder::destination(const ptx::Operand& operand, OpInfo::Operand shape, Width width) {
  if (operand.kind == ptx::OperandKind::kSink) return {};
  if (operand.kind != ptx::OperandKind::kRegister || operand.negated) unsupported("the result needs a register");
  return register_ref(operand, shape, width);
}

Ref OperandDecoder::carry() {
  if (carry_.kind == Ref::Kind::kNone) {
    carry_ = {Ref::Kind::kRegister, static_cast<std::uint32_t>(kernel_.registers.size())};
    kernel_.registers.push_back({1, true});
  }
  return carry_;
}

FixedAddress OperandDecoder::module_variable(const ptx::Operand& operand) const {
  const ptx::Variable& variable = module_.variables[operand.index];
  if (const auto& offset = layout_.of_module[operand.index]) {
    return {variable.space == ptx::Space::kLocal ? Space::kLocal : Space::kShared, *offset};
  }
  const auto found = symbols_.find(variable.name);
  if (found == symbols_.end()) {
    user_error("kernel '{}': {}:{}: '{}' is declared but defined nowhere; define it in this module", function_.name,
               module_.file, instruction_->where.line, variable.source_name);
  }
  const bool is_const = found->second.space == SymbolSpace::kConst;
  return {is_const ? Space::kConst : Space::kGlobal, found->second.address};
}

FixedAddress OperandDecoder::symbol_address(const ptx::Operand& operand) const {
  FixedAddress result;
  switch (operand.refers) {
    case ptx::Refers::kModuleVariable:
      result = module_variable(operand);
      break;
    case ptx::Refers::kParameter:
      result = {Space::kParam, layout_.parameters[operand.index].offset};
      break;
    case ptx::Refers::kLocalVariable: {
      const bool shared = function_.variables[operand.index].space == ptx::Space::kShared;
      const auto& offset = layout_.variables[operand.index];
      if (!offset) unsupported(fmt::format("the address of '{}'", operand.name));
      result = {shared ? Space::kShared : Space::kLocal, *offset};
      break;
    }
    case ptx::Refers::kFunction:
      result.address = function_address(module_, operand.index);
      break;
    default:
      unsupported(fmt::format("the address of '{}'", operand.name));
  }
  result.address += static_cast<std::uint64_t>(operand.offset);
  return result;
}

bool OperandDecoder::in_frame(const ptx::Operand& operand, const FixedAddress& fixed) const {
  return operand.refers == ptx::Refers::kLocalVariable && fixed.space == Space::kLocal && frames_.any() &&
         frames_.frame_of[operand.index] != kNoFrame;
}

void OperandDecoder::address(const ptx::Operand& operand, Space space, Draft& draft) {
  if (operand.kind != ptx::OperandKind::kAddress) unsupported("an address in brackets is needed");
  draft.op.space = space;
  draft.op.offset = operand.offset;
  if (operand.refers == ptx::Refers::kNothing) return;
  if (operand.refers == ptx::Refers::kRegister) {
    const bool wide = ptx::type_bytes(function_.registers[operand.index].type) == 8;
    draft.base = register_ref(operand, {'u', static_cast<std::uint8_t>(wide ? 64 : 32)}, Width::kExact);
    draft.op.base_wide = wide;
    return;
  }
  const FixedAddress fixed = symbol_address(operand);
  draft.op.offset = static_cast<std::int64_t>(fixed.address);
  if (in_frame(operand, fixed)) {
    draft.base = frame_pointer();
    draft.op.base_wide = false;
  }
  const bool same = space == fixed.space || (space == Space::kTexture && fixed.space == Space::kGlobal) ||
                    // A call's parameter that lies in memory is local memory of the caller.
                    (space == Space::kParam && fixed.space == Space::kLocal);
  if (space != Space::kGeneric && !same) unsupported(fmt::format("'{}' lies in another space", operand.name));
  if (space != Space::kTexture) draft.op.space = fixed.space;
}

std::vector<ptx::Operand> OperandDecoder::elements(const ptx::Operand& operand) const {
  if (operand.kind == ptx::OperandKind::kVector || operand.kind == ptx::OperandKind::kPair) return operand.elements;
  return components_of(function_.registers, operand);
}

void expect_operands(OperandDecoder& operands, const ptx::Instruction& instruction, std::size_t count) {
  if (instruction.operands.size() != count) operands.unsupported("with this number of operands");
}

}  // namespace warpfold::isa
