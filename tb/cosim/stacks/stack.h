// SPDX-License-Identifier: Apache-2.0
// rtl/block_stack.sv in the place of a block's stack of the model: what the RTL says of its top decides.
#pragma once

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/block/block_stack.h"

namespace warpfold::cosim {

class RtlStack final : public divergence::StackPlayer, Shadow {
 public:
  using Shadow::kPcBits;

  // Of blocks of up to `rows` rows of `lanes`.
  struct Size {
    unsigned lanes, rows;
  };
  RtlStack(Session& session, const ClockDomain& clock, unsigned core, unsigned slot, const Size& size,
           const divergence::BlockStackShape& shape);

  const Answer* start(const divergence::BlockStack& after, const divergence::Block& block, isa::Pc end,
                      unsigned clocks) override;
  const Answer* branch(const divergence::BlockStack& after, const divergence::Warp& warp,
                       const divergence::Branch& branch, unsigned clocks) override;
  const Answer* arrive(const divergence::BlockStack& after, isa::Pc pc, unsigned clocks) override;
  const Answer* exit(const divergence::BlockStack& after, const divergence::Warp& warp, isa::LaneMask lanes,
                     bool emptied, unsigned clocks) override;
  const Answer* advance(const divergence::BlockStack& after, bool taken_first, bool regroup,
                        const divergence::BlockStack::Entry* running, unsigned clocks) override;

 private:
  enum class Op : unsigned { kStart, kBranch, kArrive, kExit, kAdvance };

  const Answer* operate(Op op, const divergence::BlockStack& after, isa::Pc pc, unsigned clocks, bool ended = false);
  void answer(bool ended);
  void compare(const char* op, const divergence::BlockStack& after, bool ended);
  void set_threads(Pin& pin, const divergence::Warp& warp, isa::LaneMask lanes);

  unsigned lanes_, depth_of_rtl_;
  struct Points {
    Coverage::Index rows_of_blocks, rows_that_branch, warps_of_top, pops, to_likely, replaces, taken_first, fall_first,
        regrouped, as_they_are, emptied, others_left, settled, ended;
  };
  Points points_;
  unsigned size_ = 0;  // entries before the operation, and where the top reconverges
  isa::Pc rpc_ = 0;
  Coverage::Index depths_, full_, overflow_points_, likely_points_, uniform_;
  unsigned first_row_ = 0, rows_ = 0;  // of the block
  std::uint64_t block_ = 0;
  // It has grown deeper than the RTL's, which has no memory to put entries into: the model goes on with this block.
  bool lost_ = false;
  Answer answer_;
  Pin op_threads_, op_fall_, op_pc_, op_target_, op_rpc_, op_likely_valid_, op_likely_, op_emptied_, op_taken_first_,
      op_regroup_;
  Pin top_pc_, top_rpc_, top_lpc_valid_, top_lpc_, top_warps_, top_threads_, depth_, filling_, settled_, empty_,
      overflow_;
};

}  // namespace warpfold::cosim
