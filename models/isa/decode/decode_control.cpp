// SPDX-License-Identifier: Apache-2.0
// Branches, ends, barriers and fences (PTX ISA §9.7.11, §9.7.12).
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/isa/decode/decode_family.h"

namespace warpfold::isa {
namespace {

void decode_branch(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  if (instruction.operands.size() != 1 || instruction.operands[0].refers != ptx::Refers::kLabel) operands.unsupported();
  draft.op.kind = Kind::kBranch;
  draft.op.target = static_cast<Pc>(operands.function().labels[instruction.operands[0].index].instruction);
}

// For want of a function at an address, or of an index in a table (indirect_jumps.h); or the program's own.
void decode_trap(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  draft.op.kind = Kind::kTrap;
  if (instruction.operands.empty()) return;
  const bool is_call = instruction.modifiers[0] == "call";
  draft.op.text = operands.kernel().opcode(is_call ? "call" : "brx.idx");
  draft.op.s_count = 1;
  set_source(draft, 0, operands.source(instruction.operands[0], {'u', static_cast<std::uint8_t>(is_call ? 64 : 32)}),
             is_call);
}

// The predicate that threads bring to bar.red, and what they get.
void decode_reduction(OperandDecoder& operands, const ptx::Instruction& instruction, bool counts, Draft& draft) {
  const auto& parts = instruction.operands;
  draft.op.d_count = draft.op.s_count = 1;
  const OpInfo::Operand result = counts ? OpInfo::Operand{'u', 32} : OpInfo::Operand{'p', 1};
  set_destination(draft, 0, operands.destination(parts[0], result), false);
  ptx::Operand from = parts[2];
  draft.op.offset = std::exchange(from.negated, false) ? 1 : 0;
  set_source(draft, 0, operands.source(from, {'p', 1}), false);
}

// bar.sync 0, barrier.sync 0, barrier.cta.sync.aligned 0, and bar.red: all threads of the block. bar.warp.sync: those
// of its membermask.
void decode_barrier(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  using Words = std::vector<std::string>;
  Words modifiers = instruction.modifiers;
  const auto& parts = instruction.operands;
  if (modifiers == Words{"warp", "sync"} && parts.size() == 1) {
    draft.op.kind = Kind::kFence;
    draft.op.collective = true;
    draft.op.s_count = 1;
    set_source(draft, 0, operands.source(parts[0], {'b', 32}), false);
    return;
  }
  std::erase_if(modifiers, [](const std::string& m) { return m == "cta" || m == "aligned"; });
  const bool counts = modifiers == Words{"red", "popc", "u32"};
  const bool reduces = counts || modifiers == Words{"red", "and", "pred"} || modifiers == Words{"red", "or", "pred"};
  if (!reduces && modifiers != Words{"sync"}) operands.unsupported();
  const std::size_t barrier = reduces ? 1 : 0;
  const bool whole_block = parts.size() == (reduces ? 3 : 1) && parts[barrier].kind == ptx::OperandKind::kInteger &&
                           parts[barrier].bits == 0;
  if (!whole_block) operands.unsupported("only barrier 0, of all threads of the block");
  draft.op.kind = Kind::kBarrier;
  draft.varying = reduces;
  if (!reduces) return;
  draft.op.element_type = static_cast<std::uint8_t>(modifiers[1].front());
  decode_reduction(operands, instruction, counts, draft);
}

}  // namespace

bool decode_control(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const std::string& name = instruction.name;
  draft.op.unit = Unit::kControl;
  draft.op.operation = Operation::kControl;
  if (name == "bra") {
    decode_branch(operands, instruction, draft);
  } else if (name == "call") {
    decode_branch(operands, instruction, draft);  // to the inlined body
  } else if (name == "ret" && !instruction.operands.empty()) {
    decode_branch(operands, instruction, draft);  // back from it
  } else if (name == "ret" || name == "exit") {
    draft.op.kind = Kind::kExit;
  } else if (name == "trap") {
    decode_trap(operands, instruction, draft);
  } else if (name == "bar" || name == "barrier") {
    decode_barrier(operands, instruction, draft);
  } else if (name == "membar" || name == "fence" || name == "nanosleep") {
    draft.op.kind = Kind::kFence;  // a nap may be as short as nothing (PTX ISA §9.7.12.20)
  } else {
    draft.op.unit = Unit::kAlu;
    draft.op.operation = Operation::kOther;
    return false;
  }
  return true;
}

}  // namespace warpfold::isa
