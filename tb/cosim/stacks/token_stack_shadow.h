// SPDX-License-Identifier: Apache-2.0
// rtl/token_stack.sv beside the token stacks of a core's warps in the model: every operation goes to both, what runs
// next and where the tokens are is compared. The memory that they spill to is here.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/warp/warp_tokens.h"

namespace warpfold::cosim {

class TokenStackShadow {
 public:
  // Those of a warp: on the core, and that go to memory at a time.
  struct Tokens {
    unsigned entries, chunk;
  };
  static RtlParameters parameters(unsigned lanes, unsigned warps, const Tokens& tokens);
  TokenStackShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned lanes, unsigned warps,
                   unsigned entries);

  divergence::TokenStackObserver* of_warp(unsigned slot) { return &warps_.at(slot); }

 private:
  enum class Op : unsigned { kStart, kSsy, kBranch, kPop, kExit };
  using WarpTokens = divergence::WarpTokens;

  // Made with the first warp: only that knows how many tokens go to memory at a time.
  class Rtl final : public Shadow {
   public:
    Rtl(Session& session, const ClockDomain& clock, unsigned core, const RtlParameters& parameters);
    // What the other pins describe. False: the stack grew deeper than the RTL's.
    bool operate(Op op, unsigned slot, const WarpTokens& after, const WarpTokens::Done& done);

    using Shadow::model_;
    using Shadow::set_pc;
    Pin op_warp, op_active, op_lanes, op_pc, op_target;

   private:
    void serve_memory();

    Pin warp_pc_, warp_mask_, sync_, count_, chunks_, overflow_;
    Pin mem_valid_, mem_ready_, mem_write_, mem_warp_, mem_chunk_, mem_token_, mem_data_out_, mem_data_in_;
    std::map<std::uint64_t, std::vector<unsigned char>> memory_;  // by warp, chunk and token
    unsigned entries_;
    Coverage::Index spills_, reloads_, tokens_, chunk_points_, pops_, slots_, full_, overflow_points_, sync_points_,
        div_points_;

   public:
    Coverage::Index at_once, lanes, one_side, exits_of_some, exits_of_all;
  };

  class Warp final : public divergence::TokenStackObserver {
   public:
    Warp(TokenStackShadow& shadow, unsigned slot) : shadow_(shadow), slot_(slot) {}
    void started(const WarpTokens& after, isa::LaneMask threads) override;
    void synced(const WarpTokens& after, isa::Pc point, const Done& done) override;
    void branched(const WarpTokens& after, const divergence::Branch& branch, const Done& done) override;
    void popped(const WarpTokens& after, const Done& done) override;
    void exited(const WarpTokens& after, isa::LaneMask lanes, isa::Pc next, const Done& done) override;

   private:
    void operate(Op op, const WarpTokens& after, const Done& done);

    TokenStackShadow& shadow_;
    unsigned slot_;
    isa::LaneMask active_ = 0;  // before the operation
    bool lost_ = false;         // its stack grew deeper than the RTL's: nothing to compare until the next
  };

  Session& session_;
  const ClockDomain& clock_;
  unsigned core_, lanes_, entries_;
  std::vector<Warp> warps_;
  std::unique_ptr<Rtl> rtl_;
  unsigned running_ = 0;  // warps with threads
};

}  // namespace warpfold::cosim
