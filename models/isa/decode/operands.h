// SPDX-License-Identifier: Apache-2.0
// PTX operands to the operands of micro-ops: registers, constants, special registers, addresses of symbols.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/isa/decode/draft.h"
#include "warpfold/isa/decode/layout.h"
#include "warpfold/isa/execute/ops/op_table.h"
#include "warpfold/isa/program.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

// An address that is known when a kernel is decoded.
struct FixedAddress {
  Space space = Space::kGlobal;
  std::uint64_t address = 0;
};

using Symbols = std::map<std::string, Symbol, std::less<>>;

// How far a register may be wider than the operand it stands for (PTX ISA §9.4.1: loads, stores and cvt).
enum class Width : std::uint8_t { kExact, kMayBeWider };

// Decodes one kernel's operands; all errors name kernel, file, line and opcode.
class OperandDecoder {
 public:
  // `function` is the kernel with the code that it calls; `entry_name` what messages call it.
  OperandDecoder(const ptx::Module& module, const ptx::Function& function, const Symbols& symbols,
                 const KernelLayout& layout, const FramePlaces& frames, DraftKernel& kernel);

  void begin(const ptx::Instruction& instruction) { instruction_ = &instruction; }

  [[noreturn]] void unsupported(std::string_view reason = {}) const;

  Ref source(const ptx::Operand& operand, OpInfo::Operand shape, Width width = Width::kExact);
  Ref destination(const ptx::Operand& operand, OpInfo::Operand shape, Width width = Width::kExact);
  Ref predicate(std::uint32_t reg) const { return {Ref::Kind::kRegister, first_[reg]}; }
  // Where the frame of the running recursive function begins.
  Ref frame_pointer() const { return {Ref::Kind::kRegister, first_[frames_.pointer]}; }

  // The carry flag of extended-precision arithmetic (PTX ISA §9.7.2), a predicate.
  Ref carry();

  // Sets base, offset and space of a memory access in `space`.
  void address(const ptx::Operand& operand, Space space, Draft& draft);

  // Elements of {a, b} or of a vector register; the operand itself when it is a scalar.
  std::vector<ptx::Operand> elements(const ptx::Operand& operand) const;
  bool is_wide(const Ref& ref) const {
    return ref.kind == Ref::Kind::kRegister && kernel_.registers[ref.index].words == 2;
  }

  DraftKernel& kernel() { return kernel_; }
  const ptx::Function& function() const { return function_; }

 private:
  Ref register_ref(const ptx::Operand& operand, OpInfo::Operand shape, Width width) const;
  FixedAddress symbol_address(const ptx::Operand& operand) const;
  bool in_frame(const ptx::Operand& operand, const FixedAddress& fixed) const;
  FixedAddress module_variable(const ptx::Operand& operand) const;
  std::uint64_t immediate_bits(const ptx::Operand& operand, OpInfo::Operand shape) const;

  const ptx::Module& module_;
  const ptx::Function& function_;
  const Symbols& symbols_;
  const KernelLayout& layout_;
  const FramePlaces& frames_;
  DraftKernel& kernel_;
  std::vector<Register> first_;  // by Function::registers: its first virtual register (vectors have several)
  Ref carry_;
  const ptx::Instruction* instruction_ = nullptr;
};

// "ld.global.v4.f32"
std::string opcode_text(const ptx::Instruction& instruction);

[[noreturn]] void unsupported_instruction(const std::string& kernel, const std::string& file,
                                          const ptx::Instruction& instruction, std::string_view reason);

// Refuses an instruction that has another number of them.
void expect_operands(OperandDecoder& operands, const ptx::Instruction& instruction, std::size_t count);

}  // namespace warpfold::isa
