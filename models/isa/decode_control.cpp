// SPDX-License-Identifier: Apache-2.0
// Branches, ends, barriers and fences (PTX ISA §9.7.11, §9.7.12).
#include <algorithm>

#include "models/isa/decode_family.h"

namespace warpfold::isa {
namespace {

void decode_branch(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  if (instruction.operands.size() != 1 || instruction.operands[0].refers != ptx::Refers::kLabel) operands.unsupported();
  draft.op.kind = Kind::kBranch;
  draft.op.target = static_cast<Pc>(operands.function().labels[instruction.operands[0].index].instruction);
}

// bar.sync 0, barrier.sync 0, barrier.cta.sync.aligned 0: all threads of the block. bar.warp.sync orders only memory
// here: the lanes of a warp that run together are in step, and others are none of its business in a model without
// warp-private barriers.
void decode_barrier(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  std::vector<std::string> modifiers = instruction.modifiers;
  if (modifiers == std::vector<std::string>{"warp", "sync"}) {
    draft.op.kind = Kind::kFence;
    return;
  }
  std::erase_if(modifiers, [](const std::string& m) { return m == "cta" || m == "aligned"; });
  if (modifiers != std::vector<std::string>{"sync"}) operands.unsupported();
  const auto& parts = instruction.operands;
  if (parts.size() != 1 || parts[0].kind != ptx::OperandKind::kInteger || parts[0].bits != 0) {
    operands.unsupported("only barrier 0, of all threads of the block");
  }
  draft.op.kind = Kind::kBarrier;
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
    draft.op.kind = Kind::kTrap;
  } else if (name == "bar" || name == "barrier") {
    decode_barrier(operands, instruction, draft);
  } else if (name == "membar" || name == "fence") {
    draft.op.kind = Kind::kFence;
  } else {
    draft.op.unit = Unit::kAlu;
    draft.op.operation = Operation::kOther;
    return false;
  }
  return true;
}

}  // namespace warpfold::isa
