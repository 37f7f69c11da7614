// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/registers/place_registers.h"

#include "warpfold/common/error.h"
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

RegisterMap map_values(const DraftKernel& draft, const Cfg& cfg, const std::vector<FlowOp>& flow) {
  std::vector<RegisterShape> shapes = draft.registers;
  for (RegisterShape& shape : shapes) shape.low_only = false;
  return allocate_registers(cfg, value_flow(draft, flow), shapes);
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
