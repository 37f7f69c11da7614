// SPDX-License-Identifier: Apache-2.0
// alloca, stacksave and stackrestore (PTX ISA §9.7.16): memory of the thread's own for as long as the function runs.
#include <algorithm>
#include <bit>
#include <string_view>

#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"

namespace warpfold::isa {
namespace {

bool is_alloca(const ptx::Instruction& instruction) { return instruction.name == "alloca"; }
bool is_allocation(const ptx::Instruction& instruction) {
  return instruction.name == "alloca" || instruction.name == "stacksave" || instruction.name == "stackrestore";
}

class Allocations {
 public:
  Allocations(std::uint32_t stack, ptx::Function& function) : stack_(stack), code_(function) {
    top_ = register_operand(code_.new_register(ptx::Type::kU32));
  }

  void run() {
    for (bool first = true; code_.next(); first = false) {
      if (first) code_.write("mov", {"u32"}, {top_, stack()});
      const std::size_t begin = code_.position();
      if (is_allocation(code_.old()) && lower()) {
        code_.guard_from(begin);
      } else {
        code_.keep();
      }
    }
    code_.finish();
  }

 private:
  ptx::Operand stack() const {
    ptx::Operand operand = label_operand(stack_);
    operand.refers = ptx::Refers::kLocalVariable;
    return operand;
  }

  // The type says how wide addresses are: .u32 or .u64.
  bool lower() {
    const ptx::Instruction i = code_.old();
    if (i.modifiers.size() != 1 || i.operands.empty()) return false;
    const bool wide = i.modifiers[0].ends_with("64");
    if (!wide && !i.modifiers[0].ends_with("32")) return false;
    const std::string type = wide ? "u64" : "u32";
    if (i.name == "stackrestore") {
      convert(top_, "u32", i.operands[0], type);
    } else if (i.name == "stacksave") {
      convert(i.operands[0], type, top_, "u32");
    } else {
      return allocate(i.operands, wide);
    }
    return true;
  }

  // From one width of addresses to another, of which the stack's own is 32 bits.
  void convert(const ptx::Operand& to, const std::string& to_type, const ptx::Operand& from,
               const std::string& from_type) {
    if (to_type == from_type) {
      code_.write("mov", {to_type}, {to, from});
    } else {
      code_.write("cvt", {to_type, from_type}, {to, from});
    }
  }

  // Rounds the end up, gives that out, and goes on behind. The byte there is written: beyond the stack that is a fault
  // which says so.
  bool allocate(const Operands& operands, bool wide) {
    const bool has_alignment = operands.size() == 3;
    if (operands.size() != 2 && !has_alignment) return false;
    std::uint64_t alignment = 8;
    if (has_alignment) {
      if (operands[2].kind != ptx::OperandKind::kInteger) return false;
      alignment = operands[2].bits;
    }
    if (alignment > kMostAlignment || !std::has_single_bit(alignment)) return false;
    const auto bytes = register_operand(code_.new_register(ptx::Type::kU32));
    if (operands[1].kind == ptx::OperandKind::kRegister) {
      // What does not fit in 32 bits fits in no stack.
      if (wide) {
        const auto limited = register_operand(code_.new_register(ptx::Type::kU64));
        code_.write("min", {"u64"}, {limited, operands[1], integer_operand(kTooMuch)});
        convert(bytes, "u32", limited, "u64");
      } else {
        code_.write("min", {"u32"}, {bytes, operands[1], integer_operand(kTooMuch)});
      }
    } else {
      code_.write("mov", {"u32"}, {bytes, integer_operand(std::min(operands[1].bits, kTooMuch))});
    }
    code_.write("add", {"u32"}, {top_, top_, integer_operand(alignment - 1)});
    code_.write("and", {"b32"}, {top_, top_, integer_operand(0xffffffff & ~(alignment - 1))});
    const auto begin = register_operand(code_.new_register(ptx::Type::kU32));
    code_.write("mov", {"u32"}, {begin, top_});
    code_.write("add", {"u32"}, {top_, top_, bytes});
    const auto zero = register_operand(code_.new_register(ptx::Type::kB16));
    code_.write("mov", {"b16"}, {zero, integer_operand(0)});
    code_.write("st", {"local", std::string(kOnStack), "b8"},
                {address_operand(ptx::Refers::kRegister, top_.index, 0), zero});
    convert(operands[0], wide ? "u64" : "u32", begin, "u32");
    return true;
  }

  static constexpr std::uint64_t kTooMuch = 0x8000'0000, kMostAlignment = 0x1'0000;

  std::uint32_t stack_;
  CodeWriter code_;
  ptx::Operand top_;
};

}  // namespace

void end_allocations(ptx::Function& function) {
  if (function.is_entry || std::none_of(function.instructions.begin(), function.instructions.end(), is_alloca)) return;
  CodeWriter code(function);
  const ptx::Operand top = register_operand(code.new_register(ptx::Type::kU32));
  for (bool first = true; code.next(); first = false) {
    if (first) code.write("stacksave", {"u32"}, {top});
    if (code.old().name == "ret") code.write("stackrestore", {"u32"}, {top}).guard = code.old().guard;
    code.keep();
  }
  code.finish();
}

std::optional<std::uint32_t> lower_allocations(std::uint64_t stack_bytes, ptx::Function& function) {
  if (std::none_of(function.instructions.begin(), function.instructions.end(), is_allocation)) return std::nullopt;
  const auto stack = static_cast<std::uint32_t>(function.variables.size());
  ptx::Variable variable;
  variable.space = ptx::Space::kLocal;
  variable.type = ptx::Type::kB8;
  variable.source_name = "the stack of alloca";
  variable.align = 16;
  variable.elements = variable.bytes = stack_bytes;
  variable.where = function.where;
  function.variables.push_back(std::move(variable));
  Allocations(stack, function).run();
  return stack;
}

}  // namespace warpfold::isa
