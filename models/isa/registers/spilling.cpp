// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/registers/spilling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpfold/isa/decode/layout.h"

namespace warpfold::isa {
namespace {

constexpr std::uint64_t kSlotAlignment = 8;  // of 64-bit values

std::vector<Register> each_once(std::vector<Register> registers) {
  std::sort(registers.begin(), registers.end());
  registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
  return registers;
}

// How many positions of [0, i) are over `words`, for every i.
std::vector<int> count_crowded(const std::vector<unsigned>& live, unsigned words) {
  std::vector<int> count{0};
  for (const unsigned here : live) count.push_back(count.back() + (here > words ? 1 : 0));
  return count;
}

}  // namespace

Spiller::Pressure Spiller::pressure(std::span<const Range> ranges) const {
  std::vector<int> change(2 * kernel_.ops.size() + 1, 0);
  for (Register r = 0; r < ranges.size(); ++r) {
    if (kernel_.registers[r].predicate) continue;
    for (const Segment& segment : ranges[r]) {
      change[segment.begin] += static_cast<int>(kernel_.registers[r].held());
      change[segment.end] -= static_cast<int>(kernel_.registers[r].held());
    }
  }
  Pressure live(2 * kernel_.ops.size());
  int now = 0;
  for (std::size_t at = 0; at < live.size(); ++at) live[at] = static_cast<unsigned>(now += change[at]);
  return live;
}

// By virtual register; without `reg` where it cannot be spilled.
std::vector<Spiller::Candidate> Spiller::candidates(const Cfg& cfg, std::span<const FlowOp> flow) const {
  std::vector<Candidate> all(kernel_.registers.size());
  for (Pc pc = 0; pc < flow.size(); ++pc) {
    const double weight = std::pow(10.0, cfg.loop_depth(cfg.block_of(pc)));
    const FlowOp& op = flow[pc];
    const auto note = [&](Register r, bool writes) {
      Candidate& candidate = all[r];
      if (kernel_.registers[r].predicate || kernel_.registers[r].temporary) return;
      candidate.reg = r;
      candidate.cost += weight;
      candidate.touched.push_back(2 * std::uint64_t{pc} + (writes ? 1 : 0));
    };
    std::vector<Register> loaded = op.reads;
    // A guarded write keeps the old value where it does not execute, so that comes from memory too.
    if (op.guard != kNoRegister) loaded.insert(loaded.end(), op.writes.begin(), op.writes.end());
    for (const Register r : each_once(loaded)) note(r, false);
    for (const Register r : each_once(op.writes)) note(r, true);
  }
  return all;
}

std::vector<Register> Spiller::choose(std::vector<Candidate> candidates, std::span<const Range> ranges, Pressure& live,
                                      unsigned words) const {
  std::vector<Register> chosen;
  for (;;) {
    const std::vector<int> crowded = count_crowded(live, words);
    if (crowded.back() == 0) return chosen;
    Candidate* best = nullptr;
    double best_worth = 0;
    for (Candidate& candidate : candidates) {
      if (candidate.reg == kNoRegister) continue;
      int relieved = 0;  // positions
      for (const Segment& segment : ranges[candidate.reg]) relieved += crowded[segment.end] - crowded[segment.begin];
      for (const std::uint64_t at : candidate.touched) relieved -= crowded[at + 1] - crowded[at];
      const double worth = static_cast<int>(kernel_.registers[candidate.reg].held()) * relieved / candidate.cost;
      if (worth > best_worth) best = &candidate, best_worth = worth;
    }
    if (best == nullptr) return chosen;
    const unsigned held = kernel_.registers[best->reg].held();
    for (const Segment& segment : ranges[best->reg]) {
      for (std::uint64_t at = segment.begin; at < segment.end; ++at) live[at] -= held;
    }
    for (const std::uint64_t at : best->touched) live[at] += held;
    chosen.push_back(best->reg);
    best->reg = kNoRegister;
  }
}

// Values that are not needed together share a slot.
std::vector<Spiller::Slot> Spiller::give_slots(std::span<const Register> chosen, std::span<const Range> ranges) {
  const auto begin = static_cast<std::uint32_t>(align_up(local_bytes_, kSlotAlignment));
  std::vector<Slot> slots(kernel_.registers.size());
  WordPacker packer;
  for (const Register r : chosen) {
    slots[r] = {begin + 4 * packer.place(ranges[r], kernel_.registers[r].held()), true};
  }
  local_bytes_ = begin + 4 * packer.used();
  return slots;
}

// Puts a new register in the place of `spilled` in all operands.
Register Spiller::use_temporary(Draft& draft, Register spilled, bool& reads, bool& writes) {
  const auto temporary = static_cast<Register>(kernel_.registers.size());
  RegisterShape shape = kernel_.registers[spilled];
  shape.temporary = true;
  if (shape.low_only && shape.value == kNoRegister) shape.value = spilled;
  kernel_.registers.push_back(shape);
  const auto replace = [&](Ref& ref, bool& found) {
    if (ref.kind != Ref::Kind::kRegister || ref.index != spilled) return;
    ref.index = temporary;
    found = true;
  };
  for (Ref& ref : draft.s) replace(ref, reads);
  replace(draft.base, reads);
  for (Ref& ref : draft.d) replace(ref, writes);
  return temporary;
}

Draft Spiller::access(Kind kind, Register temporary, const Slot& slot, std::uint32_t line) {
  const bool loads = kind == Kind::kLoad;
  const bool wide = kernel_.registers[temporary].held() == 2;
  Draft draft;
  draft.op.kind = kind;
  draft.op.unit = Unit::kMemory;
  draft.op.space = Space::kLocal;
  draft.op.offset = slot.offset;
  draft.op.element_bytes = wide ? 8 : 4;
  draft.op.spill = true;
  draft.op.line = line;
  draft.op.text = kernel_.opcode(fmt::format("{}.local.b{} (spill code)", loads ? "ld" : "st", wide ? 64 : 32));
  (loads ? draft.op.d_count : draft.op.s_count) = 1;
  (loads ? draft.op.d_wide : draft.op.s_wide) = wide ? 1 : 0;
  (loads ? draft.d[0] : draft.s[0]) = {Ref::Kind::kRegister, temporary};
  return draft;
}

void Spiller::rewrite(std::span<const Slot> slots) {
  std::vector<Draft> ops;
  std::vector<Pc> moved;  // by old pc: where its loads begin
  for (Draft& draft : kernel_.ops) {
    moved.push_back(static_cast<Pc>(ops.size()));
    std::vector<Draft> stores;
    const auto through_memory = [&](const Ref ref) {
      if (ref.kind != Ref::Kind::kRegister || ref.index >= slots.size() || !slots[ref.index].used) return;
      const Slot& slot = slots[ref.index];
      bool reads = false, writes = false;
      const Register temporary = use_temporary(draft, ref.index, reads, writes);
      const bool keeps = writes && draft.guard.kind != Ref::Kind::kNone;
      if (reads || keeps) ops.push_back(access(Kind::kLoad, temporary, slot, draft.op.line));
      if (writes) stores.push_back(access(Kind::kStore, temporary, slot, draft.op.line));
    };
    for (unsigned k = 0; k < draft.s.size(); ++k) through_memory(draft.s[k]);
    through_memory(draft.base);
    for (unsigned k = 0; k < draft.d.size(); ++k) through_memory(draft.d[k]);
    ops.push_back(draft);
    ops.insert(ops.end(), stores.begin(), stores.end());
  }
  moved.push_back(static_cast<Pc>(ops.size()));
  for (Draft& draft : ops) {
    for (Pc* const pc : {&draft.op.target, &draft.op.reconvergence, &draft.op.likely}) {
      if (*pc != kNoPc) *pc = moved[*pc];
    }
  }
  kernel_.ops = std::move(ops);
}

Spiller::Result Spiller::spill(const Cfg& cfg, std::span<const FlowOp> flow, unsigned words) {
  const std::vector<Range> ranges = find_live_ranges(cfg, flow, kernel_.registers.size());
  Pressure live = pressure(ranges);
  if (*std::max_element(live.begin(), live.end()) <= words) return Result::kNoneNeeded;
  unsigned most = 0;
  for (Pc pc = 0; pc < kernel_.ops.size(); ++pc) {  // spill code only brings what its instruction needs
    const unsigned here = std::max(live[2 * pc], live[2 * pc + 1]);
    if (!kernel_.ops[pc].op.spill && here > most) most = here, crowded_ = pc;
  }
  const std::vector<Register> chosen = choose(candidates(cfg, flow), ranges, live, words);
  if (chosen.empty()) return Result::kStuck;
  rewrite(give_slots(chosen, ranges));
  return Result::kSpilled;
}

}  // namespace warpfold::isa
