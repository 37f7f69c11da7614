// SPDX-License-Identifier: Apache-2.0
// rtl/block_stack.sv beside a block's stack of the model: every operation goes to both, their tops are compared.
#pragma once

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/block_stack.h"

namespace warpfold::cosim {

class StackShadow final : public divergence::StackObserver, Shadow {
 public:
  using Shadow::kPcBits;

  // Of blocks of up to `rows` rows of `lanes`; a stack of `depth` entries.
  struct Size {
    unsigned lanes, rows, depth;
  };
  StackShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned slot, const Size& size);

  void started(const divergence::BlockStack& after, const divergence::Block& block, isa::Pc end) override;
  void branched(const divergence::BlockStack& after, const divergence::Warp& warp,
                const divergence::Branch& branch) override;
  void arrived(const divergence::BlockStack& after, isa::Pc pc) override;
  void exited(const divergence::BlockStack& after, const divergence::Warp& warp, isa::LaneMask lanes,
              bool emptied) override;
  void advanced(const divergence::BlockStack& after, bool taken_first, bool regroup,
                const divergence::BlockStack::Entry* running) override;

 private:
  enum class Op : unsigned { kStart, kBranch, kArrive, kExit, kAdvance };

  void set_threads(Pin& pin, const divergence::Warp& warp, isa::LaneMask lanes);
  void operate(Op op, const divergence::BlockStack& after, isa::Pc pc, bool ended = false);
  void compare(const char* op, const divergence::BlockStack& after, bool ended);

  unsigned lanes_, depth_of_rtl_;
  Coverage::Index depths_, full_, overflow_points_, likely_points_, uniform_;
  unsigned first_row_ = 0, rows_ = 0;  // of the block
  std::uint64_t block_ = 0;
  bool lost_ = false;  // the block's stack grew deeper than the RTL's: nothing to compare until the next
  Pin op_threads_, op_fall_, op_pc_, op_target_, op_rpc_, op_likely_valid_, op_likely_, op_emptied_, op_taken_first_,
      op_regroup_;
  Pin top_pc_, top_rpc_, top_lpc_valid_, top_lpc_, top_warps_, top_threads_, depth_, filling_, settled_, empty_,
      overflow_;
};

}  // namespace warpfold::cosim
