// SPDX-License-Identifier: Apache-2.0
// Token stack: NVIDIA's SSY, predicated branch and `.S` pop, with a stack per warp that spills (Divergence cost §III,
// §IV).
//
// PTX has neither SSY nor carriers, so they are placed as a compiler would (sync_placement.h) and take effect between
// the kernel's instructions: SSY where a warp comes to a region that it is not in, the pop where it comes to the point
// of the region that it is in. On structured code these are the tokens of the paper's Algorithms 1 and 2, one by one.
// Elsewhere a block may be reached both inside and outside a region; what is popped there is what was pushed, as if the
// compiler had split the block.
#include <algorithm>
#include <bit>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/stack_spills.h"
#include "warpfold/divergence/parts/sync_placement.h"
#include "warpfold/divergence/parts/token_stack_params.h"
#include "warpfold/divergence/registry.h"

namespace warpfold {

namespace divergence {
namespace {

class TokenStack final : public Mechanism {
 public:
  TokenStack(const TokenStackParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.keeps_warps = true, .keeps_back = true}),
        params_(params),
        cycles_(params.cycles()),
        core_(core),
        token_bytes_(kTokenBytesBesidesMask + (geometry.warp_size + 7) / 8),
        stacks_(geometry.max_warps),
        sync_pushes_(core.stats().counter("token_sync_pushes", "tokens", "SYNC tokens pushed, each by an SSY")),
        div_pushes_(core.stats().counter("token_div_pushes", "tokens", "DIV tokens pushed, each by a branch")),
        pops_(core.stats().counter("token_pops", "tokens", "tokens popped, by a carrier or by an exit")),
        spills_(params.on_chip_tokens, params.spill_tokens, geometry.max_warps, params.spills() ? &core : nullptr,
                {core.stats().counter("token_spills", "events", "pushes that first moved tokens to memory"),
                 core.stats().counter("token_reloads", "events", "pops that first moved tokens back")}),
        spilled_bytes_(core.stats().counter("token_spilled_bytes", "bytes", "of tokens moved to memory")) {}

  void kernel_started(const isa::Kernel& kernel) override {
    end_ = kernel.end();
    placement_ = SyncPlacement(kernel);
  }

  void kernel_ended() override {
    for (const Stack& stack : stacks_) check(stack.tokens.empty(), "no token outlives its warp");
    check(parked_.inactive == 0 && parked_.reconverging == 0, "no thread is parked when all have exited");
  }

  void block_started(const Block& block) override {
    for (unsigned row = 0; row < block.rows(); ++row) {
      const auto from = static_cast<std::uint16_t>(block.first_row + row);
      const WarpId warp = core_.insert(Warp::of_row(0, from, block.threads[row]));
      spills_.start(warp, token_bytes_);
      go_on(warp, 0, 0);
    }
  }
  void block_finished(const Block& /*block*/) override {}

  bool leaves_at(WarpId /*warp*/, Pc /*next*/) const override { return false; }

  void committed(WarpId id, Pc next) override { go_on(id, next, 0); }
  // Tokens wait for the active threads.
  LaneMask kept_back(WarpId carrier, const Warp& /*waiting*/, unsigned row) const override {
    return others_of_row(core_.warp(carrier), row);
  }

  // Algorithm 1.
  void branch_resolved(WarpId id, const Branch& branch) override {
    Warp& warp = core_.warp(id);
    const LaneMask taken = branch.taken & warp.mask, fall_through = warp.mask & ~taken;
    unsigned cycles = 0;
    if (taken != 0 && fall_through != 0) {
      Stack& stack = stacks_[id];
      const Pc point = placement_.point(branch.pc);
      check(point == end_ || (stack.region != kNoRegion && stack.point == point),
            "an SSY comes before the branches of its region");
      cycles = push(id, {fall_through, branch.pc + 1, false, 0, 0});
      ++div_pushes_;
      parked_.inactive += count(fall_through);
      warp.mask = taken;
    }
    go_on(id, taken != 0 ? branch.target : branch.pc + 1, cycles);
  }

  unsigned entries_on_stack(WarpId id) const override { return static_cast<unsigned>(stacks_[id].tokens.size()); }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    Stack& stack = stacks_[id];
    Warp& warp = core_.warp(id);
    for (Token& token : stack.tokens) token.mask &= ~lanes;
    warp.mask &= ~lanes;
    unsigned cycles = 0;
    while (warp.mask == 0 && !stack.tokens.empty()) cycles += pop(id, next);
    if (warp.mask == 0) {
      core_.remove(id);
    } else {
      go_on(id, next, cycles);
    }
  }

  // Its tokens are in memory, or on the core again: what else the warp has to wait for follows.
  void spilled(unsigned owner) override {
    spills_.spilled(owner);
    Stack& stack = stacks_[owner];
    if (stack.held) core_.release(owner);
    if (stack.cycles_left != 0) core_.hold(owner, stack.cycles_left);
    stack.held = false;
    stack.cycles_left = 0;
  }

  Parked parked() const override { return parked_; }

  std::string waiting(unsigned /*block_slot*/) const override {
    return "none: a token stack keeps every live thread in its warp";
  }

 private:
  static constexpr unsigned kNoRegion = SyncPlacement::kNoRegion;
  static constexpr unsigned kTokenBytesBesidesMask = 4;  // §III: 64 bits, 32 of which are the mask

  struct Token {
    LaneMask mask;
    Pc pc;
    bool sync;  // id: SYNC, else DIV
    // What the hardware need not remember: the region that a SYNC token's region lies in.
    Pc outer_point;
    unsigned outer_region;
  };
  struct Stack {
    std::vector<Token> tokens;
    bool held = false;            // until those that are under way are there
    unsigned cycles_left = 0;     // then
    Pc point = 0;                 // of the innermost SYNC token
    unsigned region = kNoRegion;  // that it ends; none: there is no SYNC token
  };

  // Or in one that lies within it.
  bool is_in(const Stack& stack, const SyncPlacement::Begin& begin) const {
    return placement_.is_in(begin, stack.region, [&](Pc point) {
      return std::any_of(stack.tokens.begin(), stack.tokens.end(),
                         [point](const Token& token) { return token.sync && token.pc == point; });
    });
  }

  static unsigned count(LaneMask lanes) { return static_cast<unsigned>(std::popcount(lanes)); }

  // The warp's active threads come to `pc`; what was done before took `cycles` already.
  void go_on(WarpId id, Pc pc, unsigned cycles) {
    Warp& warp = core_.warp(id);
    if (placement_.marked(pc)) {
      Stack& stack = stacks_[id];
      // A DIV token may resume at a carrier, which pops the next one (Fig. 3).
      while (stack.region != kNoRegion && stack.point == pc) cycles += pop(id, pc);
      for (const SyncPlacement::Begin& begin : placement_.begins_at(pc)) {
        if (is_in(stack, begin)) continue;
        cycles += push(id, {warp.mask, begin.point, true, stack.point, stack.region}) + params_.ssy_cycles;
        ++sync_pushes_;
        stack.point = begin.point;
        stack.region = begin.region;
      }
    }
    warp.pc = pc;
    if (spills_.waits(id)) {
      stacks_[id].held = true;
      stacks_[id].cycles_left = cycles;
      core_.hold(id, kUntilReleased);
    } else if (cycles != 0) {
      core_.hold(id, cycles);
    }
  }

  // Returns the cycles that the warp loses: none but for spilling, for nobody needs the token at once (§IV-A).
  unsigned push(WarpId id, const Token& token) {
    std::vector<Token>& tokens = stacks_[id].tokens;
    tokens.push_back(token);
    const auto depth = static_cast<unsigned>(tokens.size());
    core_.stack_depth(depth);
    const unsigned spills = spills_.grow(id, depth);
    spilled_bytes_ += spills * spills_.bytes_at_a_time(id);
    return spills * cycles_.spill;
  }

  // Algorithm 2: the token's threads and address become the warp's, then its carrier, a NOP, executes.
  unsigned pop(WarpId id, Pc& pc) {
    Stack& stack = stacks_[id];
    Warp& warp = core_.warp(id);
    const unsigned reloads = spills_.use(id, static_cast<unsigned>(stack.tokens.size()));
    const Token token = stack.tokens.back();
    stack.tokens.pop_back();
    ++pops_;
    if (token.sync) {
      parked_.reconverging -= count(token.mask & ~warp.mask);
      stack.point = token.outer_point;
      stack.region = token.outer_region;
    } else {
      parked_.reconverging += count(warp.mask);
      parked_.inactive -= count(token.mask);
    }
    warp.mask = token.mask;
    pc = token.pc;
    return cycles_.pop + reloads * cycles_.reload;
  }

  TokenStackParams params_;
  StackCycles cycles_;
  Core& core_;
  unsigned token_bytes_;
  Pc end_ = 0;
  SyncPlacement placement_;
  std::vector<Stack> stacks_;  // by warp slot
  Parked parked_;
  Counter &sync_pushes_, &div_pushes_, &pops_;
  StackSpills spills_;
  Counter& spilled_bytes_;
};

const Register<TokenStackParams, TokenStack> registration(
    "token-stack", "per-warp stack of SYNC and DIV tokens with SSY and .S, as NVIDIA's Kepler and Maxwell",
    "Divergence cost §III, Algorithms 1 and 2; §IV");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
