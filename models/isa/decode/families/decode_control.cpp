// SPDX-License-Identifier: Apache-2.0
// Branches, ends, barriers and fences (PTX ISA §9.7.11, §9.7.12).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpfold/isa/decode/families/decode_family.h"

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
  ptx::Operand from = parts.back();
  draft.op.offset = std::exchange(from.negated, false) ? 1 : 0;
  set_source(draft, 0, operands.source(from, {'p', 1}), false);
}

// Which barrier of the block, and of how many threads if that is said. Barrier 0 of all threads needs no operands.
void decode_meeting(OperandDecoder& operands, std::span<const ptx::Operand> which, Draft& draft) {
  constexpr unsigned kBarrier = 1, kThreads = 2;
  const ptx::Operand& barrier = which[0];
  if (barrier.kind == ptx::OperandKind::kInteger && barrier.bits >= kBlockBarriers) {
    operands.unsupported(fmt::format("a block has barriers 0 to {}", kBlockBarriers - 1));
  }
  if (which.size() == 1 && barrier.kind == ptx::OperandKind::kInteger && barrier.bits == 0) return;
  draft.op.s_count = static_cast<std::uint8_t>(kBarrier + which.size());
  set_source(draft, kBarrier, operands.source(barrier, {'u', 32}), false);
  if (which.size() == 2) set_source(draft, kThreads, operands.source(which[1], {'u', 32}), false);
}

// bar.sync a{, b}; bar.arrive a, b; bar.red d, a{, b}, p; barrier.… and barrier.cta.… are the same. bar.warp.sync:
// those of its membermask.
void decode_barrier(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  using Words = std::vector<std::string>;
  Words modifiers = instruction.modifiers;
  const std::span parts = instruction.operands;
  if (modifiers == Words{"warp", "sync"} && parts.size() == 1) {
    draft.op.kind = Kind::kFence;
    draft.op.collective = true;
    draft.op.s_count = 1;
    set_source(draft, 0, operands.source(parts[0], {'b', 32}), false);
    return;
  }
  std::erase_if(modifiers, [](const std::string& m) { return m == "cta" || m == "aligned"; });
  draft.op.kind = Kind::kBarrier;
  const bool arrives = modifiers == Words{"arrive"};
  if (arrives || modifiers == Words{"sync"}) {
    if (parts.size() > 2 || parts.size() < (arrives ? 2 : 1)) operands.unsupported("with this number of operands");
    decode_meeting(operands, parts, draft);
    draft.op.element_type = arrives ? 'v' : 0;
    return;
  }
  const bool counts = modifiers == Words{"red", "popc", "u32"};
  const bool reduces = counts || modifiers == Words{"red", "and", "pred"} || modifiers == Words{"red", "or", "pred"};
  if (!reduces) operands.unsupported();
  if (parts.size() < 3 || parts.size() > 4) operands.unsupported("with this number of operands");
  draft.varying = true;
  draft.op.element_type = static_cast<std::uint8_t>(modifiers[1].front());
  decode_reduction(operands, instruction, counts, draft);
  decode_meeting(operands, parts.subspan(1, parts.size() - 2), draft);
}

// Hints and waits for what is done at once: no work here.
bool does_nothing(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames{"membar",  "fence",      "nanosleep",      "discard",
                                                   "pmevent", "setmaxnreg", "griddepcontrol", "applypriority"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
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
  } else if (name == "trap" || name == "brkpt") {
    decode_trap(operands, instruction, draft);
  } else if (name == "bar" || name == "barrier") {
    decode_barrier(operands, instruction, draft);
  } else if (does_nothing(name)) {
    draft.op.kind = Kind::kFence;
  } else {
    draft.op.unit = Unit::kAlu;
    draft.op.operation = Operation::kOther;
    return false;
  }
  return true;
}

}  // namespace warpfold::isa
