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
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/parked.h"
#include "warpfold/divergence/parts/warp/token_stack_params.h"
#include "warpfold/divergence/parts/warp/warp_tokens.h"
#include "warpfold/divergence/registry.h"

namespace warpfold {

namespace divergence {
namespace {

class TokenStack final : public Mechanism {
 public:
  TokenStack(const TokenStackParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.keeps_warps = true, .keeps_back = true, .any_order = true}),
        params_(params),
        cycles_(params.cycles()),
        core_(core),
        token_bytes_(kTokenBytesBesidesMask + (geometry.warp_size + 7) / 8),
        sync_pushes_(core.stats().counter("token_sync_pushes", "tokens", "SYNC tokens pushed, each by an SSY")),
        div_pushes_(core.stats().counter("token_div_pushes", "tokens", "DIV tokens pushed, each by a branch")),
        pops_(core.stats().counter("token_pops", "tokens", "tokens popped, by a carrier or by an exit")),
        spills_(params.on_chip_tokens, params.spill_tokens, geometry.max_warps, params.spills() ? &core : nullptr,
                {core.stats().counter("token_spills", "events", "pushes that first moved tokens to memory"),
                 core.stats().counter("token_reloads", "events", "pops that first moved tokens back")}),
        spilled_bytes_(core.stats().counter("token_spilled_bytes", "bytes", "of tokens moved to memory")) {
    for (unsigned slot = 0; slot < geometry.max_warps; ++slot) {
      stacks_.push_back({WarpTokens(spills_, slot)});
      stacks_[slot].tokens.observe(core.taps().token_stack_observer(slot, params.on_chip_tokens));
    }
  }

  void kernel_started(const isa::Kernel& kernel) override {
    end_ = kernel.end();
    placement_ = SyncPlacement(kernel);
  }

  void kernel_ended() override {
    for (const Stack& stack : stacks_) check(stack.tokens.tokens().empty(), "no token outlives its warp");
    check(parked_.inactive == 0 && parked_.reconverging == 0, "no thread is parked when all have exited");
  }

  void block_started(const Block& block) override {
    for (unsigned row = 0; row < block.rows(); ++row) {
      const auto from = static_cast<std::uint16_t>(block.first_row + row);
      const WarpId warp = core_.insert(Warp::of_row(0, from, block.threads[row]));
      stacks_[warp].tokens.start(block.threads[row], token_bytes_);
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

  void branch_resolved(WarpId id, const Branch& branch) override {
    WarpTokens& tokens = stacks_[id].tokens;
    const LaneMask taken = branch.taken & tokens.active();
    const bool diverges = taken != 0 && taken != tokens.active();
    if (diverges) {
      const Pc point = placement_.point(branch.pc);
      check(point == end_ || is_at(tokens.region(), point), "an SSY comes before the branches of its region");
      ++div_pushes_;
    }
    const WarpTokens::Done done = tokens.branch(branch);
    if (diverges) core_.stack_depth(depth(tokens));
    go_on(id, done.pc, cycles_of(id, done));
  }

  unsigned entries_on_stack(WarpId id) const override { return depth(stacks_[id].tokens); }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    WarpTokens& tokens = stacks_[id].tokens;
    const WarpTokens::Done done = tokens.exit(lanes, next);
    const unsigned cycles = cycles_of(id, done);
    if (tokens.active() != 0) {
      go_on(id, done.pc, cycles);
      return;
    }
    count(stacks_[id]);
    core_.remove(id);
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
  static constexpr unsigned kTokenBytesBesidesMask = 4;  // §III: 64 bits, 32 of which are the mask

  struct Stack {
    WarpTokens tokens;
    bool held = false;         // until those that are under way are there
    unsigned cycles_left = 0;  // then
    Parked counted = {};       // of its threads, in parked_
  };

  static unsigned depth(const WarpTokens& tokens) { return static_cast<unsigned>(tokens.tokens().size()); }
  static bool is_at(const WarpTokens::Region& region, Pc point) {
    return region.number != SyncPlacement::kNoRegion && region.point == point;
  }
  // Or in one that lies within it.
  bool is_in(const WarpTokens& tokens, const SyncPlacement::Begin& begin) const {
    return placement_.is_in(begin, tokens.region().number, [&](Pc point) {
      return std::any_of(tokens.tokens().begin(), tokens.tokens().end(),
                         [point](const WarpTokens::Token& token) { return token.sync && token.pc == point; });
    });
  }

  // What the warp loses: a push costs none but for spilling, for nobody needs the token at once (§IV-A); the carrier of
  // a pop, a NOP, executes.
  unsigned cycles_of(WarpId id, const WarpTokens::Done& done) {
    pops_ += done.pops;
    spilled_bytes_ += done.spills * spills_.bytes_at_a_time(id);
    return done.pops * cycles_.pop + done.spills * cycles_.spill + done.reloads * cycles_.reload;
  }

  // The warp's active threads come to `pc`; what was done before took `cycles` already.
  void go_on(WarpId id, Pc pc, unsigned cycles) {
    Stack& stack = stacks_[id];
    WarpTokens& tokens = stack.tokens;
    if (placement_.marked(pc)) {
      // A DIV token may resume at a carrier, which pops the next one (Fig. 3).
      while (is_at(tokens.region(), pc)) {
        const WarpTokens::Done done = tokens.pop();
        cycles += cycles_of(id, done);
        pc = done.pc;
      }
      for (const SyncPlacement::Begin& begin : placement_.begins_at(pc)) {
        if (is_in(tokens, begin)) continue;
        cycles += cycles_of(id, tokens.ssy({begin.point, begin.region}, pc)) + params_.ssy_cycles;
        core_.stack_depth(depth(tokens));
        ++sync_pushes_;
      }
    }
    Warp& warp = core_.warp(id);
    warp.pc = pc;
    warp.mask = tokens.active();
    count(stack);
    if (spills_.waits(id)) {
      stack.held = true;
      stack.cycles_left = cycles;
      core_.hold(id, kUntilReleased);
    } else if (cycles != 0) {
      core_.hold(id, cycles);
    }
  }

  void count(Stack& stack) { recount(parked_, stack.counted, parked_on(stack.tokens)); }

  TokenStackParams params_;
  StackCycles cycles_;
  Core& core_;
  unsigned token_bytes_;
  Pc end_ = 0;
  SyncPlacement placement_;
  Parked parked_;
  Counter &sync_pushes_, &div_pushes_, &pops_;
  StackSpills spills_;
  std::vector<Stack> stacks_;  // by warp slot
  Counter& spilled_bytes_;
};

const Register<TokenStackParams, TokenStack> token_stack_registration(
    "token-stack", "per-warp stack of SYNC and DIV tokens with SSY and .S, as NVIDIA's Kepler and Maxwell",
    "Divergence cost §III, Algorithms 1 and 2; §IV");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
