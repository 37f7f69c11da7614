// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/registers/place_registers.h"

#include "warpfold/common/error.h"
#include "warpfold/isa/analysis/liveness.h"
#include "warpfold/isa/memory_ops.h"
#include "warpfold/isa/registers/spilling.h"

namespace warpfold::isa {
namespace {

Register value_of(std::span<const RegisterShape> registers, Register r) {
  return registers[r].value == kNoRegister ? r : registers[r].value;
}

// A value keeps its high word where it is while its low word comes and goes with the temporaries that hold it: such a
// temporary is the value itself, in which a reload writes one word of two.
std::vector<FlowOp> value_flow(const DraftKernel& draft, std::vector<FlowOp> flow) {
  for (FlowOp& op : flow) {
    for (Register& r : op.reads) r = value_of(draft.registers, r);
    for (Register& r : op.writes) {
      const Register value = value_of(draft.registers, r);
      if (value != r) op.reads.push_back(value);
      r = value;
    }
  }
  return flow;
}

// Where cores run ahead of one another, what memory gives is written behind the instructions that did not wait for it
// (Executor::settle()). The scoreboard sees to it by held registers, and values lie elsewhere: until an instruction has
// waited for such a result, because it reads or writes it, no other value may lie in its words.
void keep_until_awaited(const DraftKernel& draft, const Cfg& cfg, std::vector<FlowOp>& flow) {
  const auto go_past = [&](Pc pc, RegisterSet& coming) {
    for (const Register r : flow[pc].reads) coming.reset(r);
    for (const Register r : flow[pc].writes) coming.set(r, accesses_memory(draft.ops[pc].op));
  };
  std::vector<RegisterSet> coming(cfg.blocks().size(), RegisterSet(draft.registers.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < coming.size(); ++b) {
      const Block& block = cfg.blocks()[b];
      RegisterSet at = coming[b];
      for (Pc pc = block.begin; pc < block.end; ++pc) go_past(pc, at);
      for (const BlockIndex to : block.successors) {
        if (to == cfg.exit() || at.is_subset_of(coming[to])) continue;
        coming[to] |= at;
        changed = true;
      }
    }
  }
  for (std::size_t b = 0; b < coming.size(); ++b) {
    for (Pc pc = cfg.blocks()[b].begin; pc < cfg.blocks()[b].end; ++pc) {
      const RegisterSet before = coming[b];
      go_past(pc, coming[b]);
      for (auto r = before.find_first(); r != RegisterSet::npos; r = before.find_next(r)) {
        flow[pc].reads.push_back(static_cast<Register>(r));
      }
    }
  }
}

RegisterMap map_values(const DraftKernel& draft, const Cfg& cfg, const std::vector<FlowOp>& flow) {
  std::vector<RegisterShape> shapes = draft.registers;
  for (RegisterShape& shape : shapes) shape.low_only = false;
  std::vector<FlowOp> values = value_flow(draft, flow);
  keep_until_awaited(draft, cfg, values);
  return allocate_registers(cfg, values, shapes);
}

}  // namespace

unsigned PlacedRegisters::value_word(std::span<const RegisterShape> registers, Register r) const {
  return values.word[value_of(registers, r)] + (registers[r].predicate ? value_words() : 0);
}

PlacedRegisters place_registers(DraftKernel& draft, const RegisterCap& cap, std::uint32_t local_bytes,
                                const KernelPlace& place) {
  Spiller spiller(draft, local_bytes);
  for (unsigned words = cap.registers;;) {
    const std::vector<FlowOp> flow = draft.flow();
    const Cfg cfg(flow);
    PlacedRegisters placed;
    placed.held = allocate_registers(cfg, flow, draft.registers);
    if (placed.held.words <= cap.registers) {
      const bool all_held = std::none_of(draft.registers.begin(), draft.registers.end(),
                                         [](const RegisterShape& shape) { return shape.low_only; });
      placed.values = all_held ? placed.held : map_values(draft, cfg, flow);
      placed.local_bytes = spiller.local_bytes();
      return placed;
    }
    const Spiller::Result result = spiller.spill(cfg, flow, words);
    if (result == Spiller::Result::kNoneNeeded) {
      --words;  // pairs are aligned, which leaves gaps
    } else if (result == Spiller::Result::kStuck) {
      const MicroOp& op = draft.ops[spiller.crowded()].op;
      user_error("kernel '{}': {}:{}: {} needs {} registers, but a thread has {}: {}", place.kernel, place.file,
                 op.line, draft.opcodes[op.text], placed.held.words, cap.registers, cap.reason);
    }
  }
}

}  // namespace warpfold::isa
