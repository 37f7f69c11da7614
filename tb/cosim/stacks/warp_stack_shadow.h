// SPDX-License-Identifier: Apache-2.0
// rtl/warp_stack.sv beside the reconvergence stacks of a core's warps in the model: every operation goes to both, what
// runs next is compared.
#pragma once

#include <vector>

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/warp/warp_stack.h"

namespace warpfold::cosim {

class WarpStackShadow final : Shadow {
 public:
  using Shadow::kPcBits;
  static constexpr unsigned kDepth = 32;  // entries of a warp: what area.stack_entries has where nothing else is said

  static RtlParameters parameters(unsigned lanes, unsigned warps);
  WarpStackShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned lanes, unsigned warps);

  divergence::WarpStackObserver* of_warp(unsigned slot) { return &warps_.at(slot); }

 private:
  enum class Op : unsigned { kStart, kGoOn, kBranch, kExit };

  class Warp final : public divergence::WarpStackObserver {
   public:
    Warp(WarpStackShadow& shadow, unsigned slot) : shadow_(shadow), slot_(slot) {}
    void started(const divergence::WarpStack& after, isa::LaneMask threads, isa::Pc end) override;
    void went_on(const divergence::WarpStack& after, isa::Pc next) override;
    void diverged(const divergence::WarpStack& after, const divergence::Branch& branch, bool taken_first,
                  unsigned deepest) override;
    void exited(const divergence::WarpStack& after, isa::LaneMask lanes, isa::Pc next) override;

   private:
    // `deepest`: the entries that it took before some popped.
    void operate(Op op, const divergence::WarpStack& after, std::size_t deepest);

    WarpStackShadow& shadow_;
    unsigned slot_;
    std::size_t size_ = 0;  // entries before the operation, and the top
    divergence::WarpStack::Entry top_;
    bool lost_ = false;  // its stack grew deeper than the RTL's: nothing to compare until the next
  };

  struct Points {
    Coverage::Index entries, filled, overflowed, pops, slots, at_once, lanes;
    Coverage::Index likely, to_likely, replaces, one_side, taken_first, fall_first, exits_of_some, exits_of_all;
  };
  Coverage& coverage() { return model_.record.coverage; }

  std::vector<Warp> warps_;
  Points points_;
  unsigned running_ = 0;  // warps with threads
  Pin op_warp_, op_lanes_, op_pc_, op_target_, op_rpc_, op_likely_valid_, op_likely_, op_taken_first_;
  Pin warp_pc_, warp_mask_, depth_, overflow_;
};

}  // namespace warpfold::cosim
