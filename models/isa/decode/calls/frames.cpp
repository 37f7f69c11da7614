// SPDX-License-Identifier: Apache-2.0
// Stack frames of recursive functions: what each activation keeps in the thread's local memory.
#include "warpfold/isa/decode/calls/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "warpfold/isa/analysis/liveness.h"

namespace warpfold::isa {
namespace {

constexpr std::uint64_t kReturnBytes = 4;

class Frames {
 public:
  Frames(const FramePlaces& places, const CallParameters& parameters, const KernelLayout& layout, Register pointer,
         DraftKernel& draft)
      : places_(places), parameters_(parameters), pointer_(pointer), draft_(draft), bytes_(layout.frame_bytes) {
    for (std::uint64_t& bytes : bytes_) bytes = align_up(bytes, 8);
    saved_at_ = bytes_;
  }

  void lay() {
    find_saved();
    for (std::uint64_t& bytes : bytes_) bytes = align_up(bytes + kReturnBytes, places_.alignment);
    for (const FramePlaces::Call& call : places_.calls) finish_call(call);
    for (const FramePlaces::Return& back : places_.returns) draft_.ops[back.load].op.offset = return_offset(back.frame);
    insert();
  }

 private:
  // Of one function at a time: a call goes on behind itself, a return ends the thread.
  std::vector<FlowOp> flow_within_functions() const {
    std::vector<FlowOp> flow = draft_.flow();
    std::map<FrameIndex, std::vector<Register>> results;
    for (const FramePlaces::Return& back : places_.returns) {
      std::vector<Register>& values = results[back.frame];
      for (const std::uint32_t variable : back.values) {
        const std::vector<Register> parts = parameters_.registers(variable);
        values.insert(values.end(), parts.begin(), parts.end());
      }
      flow[back.load].flow = Flow::kExit;
      flow[back.load].reads.insert(flow[back.load].reads.end(), values.begin(), values.end());
    }
    for (const FramePlaces::Call& call : places_.calls) {
      flow[call.call].flow = Flow::kNext;
      flow[call.call].writes = results[call.to];
    }
    return flow;
  }

  // Only what calls itself finds its registers changed. Which function they are of needs no asking: within one,
  // none of another's are live.
  void find_saved() {
    const std::vector<FlowOp> flow = flow_within_functions();
    const Cfg cfg(flow);
    const Liveness live = find_liveness(cfg, flow, draft_.registers.size());
    for (const FramePlaces::Call& call : places_.calls) {
      std::vector<Register>& saved = saved_.emplace_back();
      if (!call.inner) continue;
      RegisterSet needed = live_behind(cfg, live, flow, static_cast<Pc>(call.restore));
      for (std::size_t pc = call.call + 1; pc <= call.restore; ++pc) {
        for (const Register r : flow[pc].writes) needed.reset(r);
      }
      needed.reset(pointer_);
      for (auto r = needed.find_first(); r != RegisterSet::npos; r = needed.find_next(r)) {
        saved.push_back(static_cast<Register>(r));
      }
      // The widest first: then all are aligned.
      std::stable_sort(saved.begin(), saved.end(), [&](Register a, Register b) { return bytes_of(a) > bytes_of(b); });
      std::uint64_t end = saved_at_[call.from];
      for (const Register r : saved) end += bytes_of(r);
      bytes_[call.from] = std::max(bytes_[call.from], align_up(end, kReturnBytes));
    }
  }

  static RegisterSet live_behind(const Cfg& cfg, const Liveness& live, const std::vector<FlowOp>& flow, Pc pc) {
    const BlockIndex block = cfg.block_of(pc);
    RegisterSet set = live.out[block];
    for (Pc at = cfg.blocks()[block].end; --at > pc;) {
      if (flow[at].guard == kNoRegister) {
        for (const Register r : flow[at].writes) set.reset(r);
      }
      for (const Register r : flow[at].reads) set.set(r);
    }
    return set;
  }

  unsigned bytes_of(Register r) const {
    const RegisterShape& shape = draft_.registers[r];
    return shape.predicate ? 1 : 4 * shape.words;
  }

  std::int64_t return_offset(FrameIndex frame) const { return static_cast<std::int64_t>(bytes_[frame] - kReturnBytes); }

  void finish_call(const FramePlaces::Call& call) {
    if (!call.keeps_pointer()) {
      for (const std::size_t pc : {call.grow, call.shrink})
        draft_.ops[pc].s[1] = draft_.constant(bytes_[call.from], false);
    }
    MicroOp& push = draft_.ops[call.push].op;
    push.offset = return_offset(call.to);
    push.pushes_frame = true;
    push.text = draft_.ops[call.call].op.text;
  }

  Draft access(Kind kind, Register reg, std::uint64_t offset, std::uint32_t line) {
    const unsigned bytes = bytes_of(reg);
    const bool loads = kind == Kind::kLoad;
    Draft draft;
    draft.op.kind = kind;
    draft.op.unit = Unit::kMemory;
    draft.op.space = Space::kLocal;
    draft.op.offset = static_cast<std::int64_t>(offset);
    draft.op.base_wide = false;
    draft.base = {Ref::Kind::kRegister, pointer_};
    draft.op.element_bytes = static_cast<std::uint8_t>(bytes);
    draft.op.line = line;
    draft.op.text = draft_.opcode(fmt::format("{}.local.b{} (kept across a call)", loads ? "ld" : "st", 8 * bytes));
    draft.varying = loads;
    (loads ? draft.op.d_count : draft.op.s_count) = 1;
    (loads ? draft.op.d_wide : draft.op.s_wide) = bytes == 8 ? 1 : 0;
    (loads ? draft.d[0] : draft.s[0]) = {Ref::Kind::kRegister, reg};
    return draft;
  }

  // Jumps to a call run through what saves registers, those behind it come after what restores them.
  void insert() {
    std::map<std::size_t, std::size_t> save_at, restore_at;  // calls
    for (std::size_t i = 0; i < places_.calls.size(); ++i) {
      if (saved_[i].empty()) continue;
      save_at[places_.calls[i].save] = restore_at[places_.calls[i].restore] = i;
    }
    std::vector<std::uint32_t> lines;
    for (const FramePlaces::Call& call : places_.calls) lines.push_back(draft_.ops[call.call].op.line);
    std::vector<Draft> ops;
    std::vector<Pc> moved;
    const auto move_registers = [&](Kind kind, std::size_t call) {
      std::uint64_t offset = saved_at_[places_.calls[call].from];
      for (const Register r : saved_[call]) {
        ops.push_back(access(kind, r, offset, lines[call]));
        offset += bytes_of(r);
      }
    };
    for (std::size_t pc = 0; pc < draft_.ops.size(); ++pc) {
      moved.push_back(static_cast<Pc>(ops.size()));
      if (const auto call = save_at.find(pc); call != save_at.end()) move_registers(Kind::kStore, call->second);
      ops.push_back(std::move(draft_.ops[pc]));
      if (const auto call = restore_at.find(pc); call != restore_at.end()) move_registers(Kind::kLoad, call->second);
    }
    moved.push_back(static_cast<Pc>(ops.size()));
    for (Draft& draft : ops) {
      if (draft.op.target != kNoPc) draft.op.target = moved[draft.op.target];
    }
    draft_.ops = std::move(ops);
  }

  const FramePlaces& places_;
  const CallParameters& parameters_;
  const Register pointer_;
  DraftKernel& draft_;
  std::vector<std::uint64_t> bytes_;          // by frame
  std::vector<std::uint64_t> saved_at_;       // by frame: where saved registers begin
  std::vector<std::vector<Register>> saved_;  // by call
};

}  // namespace

void lay_frames(const FramePlaces& places, const CallParameters& parameters, const KernelLayout& layout,
                Register pointer, DraftKernel& draft) {
  Frames(places, parameters, layout, pointer, draft).lay();
}

}  // namespace warpfold::isa
