// SPDX-License-Identifier: Apache-2.0
// From the syntax tree of a kernel to its micro-ops: draft, analyse, allocate registers, finish.
#include "warpfold/isa/decode/decode.h"

#include <algorithm>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/isa/analysis/barriers_ahead.h"
#include "warpfold/isa/analysis/cfg.h"
#include "warpfold/isa/analysis/demanded_bits.h"
#include "warpfold/isa/analysis/uniformity.h"
#include "warpfold/isa/decode/block_placement.h"
#include "warpfold/isa/decode/calls/call_parameters.h"
#include "warpfold/isa/decode/calls/frames.h"
#include "warpfold/isa/decode/calls/inline_calls.h"
#include "warpfold/isa/decode/families/decode_family.h"
#include "warpfold/isa/decode/layout.h"
#include "warpfold/isa/registers/place_registers.h"

namespace warpfold::isa {
namespace {

Draft draft_instruction(OperandDecoder& operands, const CallParameters& calls, const ptx::Instruction& instruction) {
  operands.begin(instruction);
  Draft draft;
  draft.op.line = instruction.where.line;
  draft.op.text = operands.kernel().opcode(opcode_text(instruction));
  if (instruction.guard.present) {
    draft.guard = operands.predicate(instruction.guard.reg);
    draft.op.guard_negated = instruction.guard.negated;
  }
  const std::string& name = instruction.name;
  if (name == "ld" || name == "ldu") {
    decode_load(operands, calls, instruction, draft);
  } else if (name == "st") {
    decode_store(operands, calls, instruction, draft);
  } else if (name == "atom" || name == "red") {
    decode_atomic(operands, instruction, draft);
  } else if (name == "prefetch" || name == "prefetchu") {
    decode_prefetch(operands, instruction, draft);
  } else if (const auto call = system_call_of(instruction)) {
    decode_system_call(operands, calls, *call, draft);
  } else if (!decode_control(operands, instruction, draft) && !decode_warp_wide(operands, instruction, draft) &&
             !decode_image(operands, instruction, draft) && !decode_matrix(operands, instruction, draft)) {
    decode_compute(operands, instruction, draft);
  }
  return draft;
}

// Turns drafts into micro-ops once it is known where each virtual register lies.
class Finisher {
 public:
  Finisher(const DraftKernel& draft, const PlacedRegisters& placed, const KernelPlace& place)
      : draft_(draft), placed_(placed) {
    constexpr std::size_t kMost = kNoWord - kConstant;  // words are numbered in 15 bits
    const std::size_t words = specials_begin() + draft.specials.size();
    if (words < kMost && draft.constants.size() < kMost) return;
    user_error("kernel '{}': {}: needs {} words for registers and {} for constants, of which there can be {} each",
               place.kernel, place.file, words, draft.constants.size(), kMost - 1);
  }

  MicroOp finish(const Draft& draft) const {
    MicroOp op = draft.op;
    for (unsigned k = 0; k < draft.s.size(); ++k) {
      op.s[k] = word(draft.s[k]);
      note(draft.s[k], op.reads);
    }
    for (unsigned k = 0; k < draft.d.size(); ++k) {
      op.d[k] = word(draft.d[k]);
      note(draft.d[k], op.writes);
    }
    op.base = word(draft.base);
    op.guard = word(draft.guard);
    note(draft.base, op.reads);
    note(draft.guard, op.reads);
    tidy(op.reads);
    tidy(op.writes);
    op.register_reads = registers_of(op.reads);
    op.register_writes = registers_of(op.writes);
    if (draft.keeps_low_words && op.bits == 64 && has_low_words(draft)) op.bits = 32;
    return op;
  }

 private:
  Word word(const Ref& ref) const {
    switch (ref.kind) {
      case Ref::Kind::kNone:
        return kNoWord;
      case Ref::Kind::kFixed:
        return static_cast<Word>(kConstant + ref.index);
      case Ref::Kind::kSpecial:
        return static_cast<Word>(specials_begin() + ref.index);
      case Ref::Kind::kRegister:
        break;
    }
    return static_cast<Word>(placed_.value_word(draft_.registers, ref.index));
  }
  void note(const Ref& ref, std::vector<Word>& words) const {
    if (ref.kind != Ref::Kind::kRegister) return;
    const RegisterShape& shape = draft_.registers[ref.index];
    const unsigned first = placed_.held.word[ref.index] + (shape.predicate ? placed_.held.words : 0);
    for (unsigned k = 0; k < shape.held(); ++k) words.push_back(static_cast<Word>(first + k));
  }
  // Its operands are words, some of them in the place of pairs: nobody asks for the rest of the result.
  bool has_low_words(const Draft& draft) const {
    bool low_only = false, pair = false;
    const auto look = [&](const Ref& ref, bool result) {
      if (ref.kind != Ref::Kind::kRegister) return;
      const RegisterShape& shape = draft_.registers[ref.index];
      low_only |= shape.low_only;
      pair |= result && shape.held() == 2;
    };
    for (const Ref& ref : draft.s) look(ref, false);
    for (const Ref& ref : draft.d) look(ref, true);
    return low_only && !pair;
  }
  std::size_t specials_begin() const { return placed_.value_words() + placed_.predicates(); }
  std::uint8_t registers_of(const std::vector<Word>& words) const {
    return static_cast<std::uint8_t>(std::lower_bound(words.begin(), words.end(), placed_.held.words) - words.begin());
  }
  static void tidy(std::vector<Word>& words) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    words.shrink_to_fit();
  }

  const DraftKernel& draft_;
  const PlacedRegisters& placed_;
};

template <class Holds>
BarriersAhead barriers_where(const Cfg& cfg, const std::vector<Draft>& drafts, Holds holds) {
  std::vector<bool> barriers(cfg.blocks().size(), false);
  for (Pc pc = 0; pc < drafts.size(); ++pc) {
    if (holds(drafts[pc].op)) barriers[cfg.block_of(pc)] = true;
  }
  return {cfg, std::move(barriers)};
}

bool waits_for_block(const MicroOp& op) { return op.kind == Kind::kBarrier && op.element_type != 'v'; }

// Where the threads of a branch meet: at its immediate post-dominator, unless that keeps some of them from a barrier.
class MeetingPoints {
 public:
  MeetingPoints(const Cfg& cfg, const std::vector<Draft>& drafts)
      : cfg_(cfg),
        drafts_(drafts),
        of_block_(barriers_where(cfg, drafts, waits_for_block)),
        of_any_(barriers_where(cfg, drafts, [](const MicroOp& op) { return waits_for_block(op) || op.collective; })) {}

  Pc of(Pc branch) const {
    const Pc pc = cfg_.reconvergence(branch);
    const BlockIndex block = cfg_.block_of(branch);
    if (only_ends(pc)) return of_any_.any(block) ? before(of_any_, block, end()) : pc;
    // Not for collectives: threads leave loops of them one by one, and do meet behind. Nor with one behind: who passes
    // the barrier by and waits there would keep those at the barrier for ever, so that nobody does. A branch that only
    // seems to lead to a barrier, as the choice among the targets of a call through a pointer, is left as it is.
    const bool passes_by = of_block_.any(block) && !of_any_.leads_to_one(cfg_.block_of(pc));
    return passes_by ? before(of_block_, block, pc) : pc;
  }

 private:
  Pc end() const { return static_cast<Pc>(drafts_.size()); }
  bool only_ends(Pc pc) const {
    return pc == end() || (drafts_[pc].op.kind == Kind::kExit && drafts_[pc].guard.kind == Ref::Kind::kNone);
  }
  Pc before(const BarriersAhead& barriers, BlockIndex block, Pc otherwise) const {
    const BlockIndex meeting = barriers.meeting_point(block);
    return meeting == cfg_.exit() ? otherwise : cfg_.blocks()[meeting].begin;
  }

  const Cfg& cfg_;
  const std::vector<Draft>& drafts_;
  const BarriersAhead of_block_, of_any_;
};

// Branch points that are the same for every machine: reconvergence, likely convergence, proved uniformity.
void analyse(const Cfg& cfg, const std::vector<FlowOp>& flow, std::size_t registers, const DecodeOptions& options,
             std::vector<Draft>& drafts) {
  std::vector<bool> uniform(flow.size(), false);
  const MeetingPoints points(cfg, drafts);
  if (options.uniformity_analysis) uniform = find_uniform_branches(cfg, flow, registers);
  for (Pc pc = 0; pc < drafts.size(); ++pc) {
    MicroOp& op = drafts[pc].op;
    if (op.kind != Kind::kBranch) continue;
    op.reconvergence = points.of(pc);
    const Pc likely = cfg.likely_convergence(pc);
    op.likely = likely == op.reconvergence ? kNoPc : likely;
    op.may_diverge = drafts[pc].guard.kind != Ref::Kind::kNone && !uniform[pc];
  }
}

}  // namespace

Kernel decode(const ptx::Module& module, const ptx::Function& entry, const Symbols& symbols,
              const DecodeOptions& options, const RegisterCap& cap) {
  const auto [function, frames, allocations] = inline_calls(module, entry, options.stack_bytes);
  CallParameters calls(function);
  const KernelLayout layout = lay_out(module, function, calls.in_registers(), frames);
  DraftKernel draft;
  OperandDecoder operands(module, function, symbols, layout, frames, draft);
  calls.allocate(draft);
  for (const ptx::Instruction& instruction : function.instructions) {
    draft.ops.push_back(draft_instruction(operands, calls, instruction));
  }
  if (frames.any()) lay_frames(frames, calls, layout, operands.frame_pointer().index, draft);

  if (options.block_placement) place_blocks(draft);

  if (options.address_bits == 32) {
    const std::vector<bool> low_only = find_low_only(draft);
    for (Register r = 0; r < low_only.size(); ++r) draft.registers[r].low_only = low_only[r];
  }
  // What is said of branches is said of the program's own code: spill code proves and disproves nothing.
  const std::vector<FlowOp> flow = draft.flow();
  analyse(Cfg(flow), flow, draft.registers.size(), options, draft.ops);
  const KernelPlace place{entry.name, module.file};
  const PlacedRegisters placed = place_registers(draft, cap, layout.local_bytes, place);
  const Finisher finisher(draft, placed, place);

  Kernel kernel;
  kernel.name = entry.name;
  kernel.file = module.file;
  kernel.sources = module.sources;
  for (const Draft& op : draft.ops) kernel.ops.push_back(finisher.finish(op));
  kernel.opcodes = std::move(draft.opcodes);
  kernel.constants = std::move(draft.constants);
  kernel.specials = std::move(draft.specials);
  kernel.parameters = layout.parameters;
  kernel.parameter_bytes = layout.parameter_bytes;
  kernel.registers = static_cast<std::uint16_t>(placed.held.words);
  kernel.high_words = static_cast<std::uint16_t>(placed.value_words() - placed.held.words);
  kernel.predicates = static_cast<std::uint16_t>(placed.predicates());
  kernel.static_shared_bytes = layout.static_shared_bytes;
  kernel.dynamic_shared_offset = layout.dynamic_shared_offset;
  kernel.local_bytes = placed.local_bytes;
  if (frames.any() || allocations) {
    kernel.stack_begin =
        static_cast<std::uint32_t>(layout.variables[allocations ? *allocations : frames.stack].value());
    kernel.stack_bytes = static_cast<std::uint32_t>(options.stack_bytes);
  }
  kernel.spill_bytes = placed.local_bytes - layout.local_bytes;
  for (const MicroOp& op : kernel.ops) {
    if (op.spill) ++(op.kind == Kind::kLoad ? kernel.spill_loads : kernel.spill_stores);
  }
  kernel.max_threads = most_threads(entry);
  return kernel;
}

}  // namespace warpfold::isa
