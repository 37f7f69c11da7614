// SPDX-License-Identifier: Apache-2.0
// Control-flow graph of a kernel: basic blocks, dominators, reconvergence and likely-convergence points.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "warpfold/isa/analysis/flow.h"

namespace warpfold::isa {

using BlockIndex = std::uint32_t;
inline constexpr BlockIndex kNoBlock = ~BlockIndex{0};

// What the graph needs to know of a decoded kernel: registers read and written are left out.
std::vector<FlowOp> flow_of(const Kernel& kernel);

struct Block {
  Pc begin = 0, end = 0;                             // [begin, end)
  std::vector<BlockIndex> successors, predecessors;  // each block once; successors may hold Cfg::exit()
};

class Cfg {
 public:
  // `ops` is not empty and control does not fall off its end: a target of ops.size() means the exit.
  explicit Cfg(std::span<const FlowOp> ops);

  const std::vector<Block>& blocks() const { return blocks_; }
  BlockIndex exit() const { return static_cast<BlockIndex>(blocks_.size()); }
  BlockIndex block_of(Pc pc) const { return block_of_[pc]; }
  // Reachable blocks, each before its successors but for retreating edges.
  const std::vector<BlockIndex>& reverse_postorder() const { return order_; }
  bool reachable(BlockIndex block) const { return position_[block] != kNoBlock; }
  // In reverse_postorder(); kNoBlock if unreachable.
  BlockIndex position(BlockIndex block) const { return position_[block]; }

  // kNoBlock for the entry block and for unreachable ones.
  BlockIndex immediate_dominator(BlockIndex block) const { return dominator_[block]; }
  bool dominates(BlockIndex above, BlockIndex below) const;
  // exit() where no block post-dominates, and where no path leads to the exit (endless loops).
  BlockIndex immediate_post_dominator(BlockIndex block) const { return post_dominator_[block]; }
  bool irreducible() const { return irreducible_; }
  unsigned loop_depth(BlockIndex block) const;  // how many loops it is in
  // Their first blocks and all of their blocks, the smallest loops first; backward branches to one header are one loop.
  struct LoopBlocks {
    BlockIndex header = kNoBlock;
    std::vector<bool> body;  // by block
  };
  std::vector<LoopBlocks> loops() const;
  // Is `inside` in a loop that `outside` is not in?
  bool in_other_loop(BlockIndex inside, BlockIndex outside) const;

  // Reconvergence PC of the branch that ends the block of `branch`: the first instruction of its immediate
  // post-dominator; the number of instructions where threads only meet at the kernel's end.
  Pc reconvergence(Pc branch) const;
  // Likely-convergence point (TBC §4, footnote 6): where a loop can be left early, so that the reconvergence point of a
  // branch in it lies outside, the first instruction of the block that takes the closest enclosing backward branch.
  // That is taken for the point where the paths to the backward branch come together: compilers put the exit test
  // before it and the branch itself into a block of its own. Loops that no two sides of such a branch stay in have no
  // such point (their only way to diverge is the exit), and neither have branches behind it. kNoPc: none.
  Pc likely_convergence(Pc branch) const;

 private:
  void split(std::span<const FlowOp> ops);
  void connect(std::span<const FlowOp> ops);
  void order();
  void find_dominators();
  void find_loops();

  struct Loop {
    BlockIndex header = kNoBlock, latch = kNoBlock;
    std::size_t size = 0;
    std::vector<bool> body;
    BlockIndex meet = kNoBlock;    // where paths to the backward branch come together
    std::vector<BlockIndex> tail;  // from `meet` to the latch
  };
  Loop make_loop(BlockIndex header, BlockIndex latch) const;
  void find_meeting_point(Loop& loop) const;
  bool leaves(const Loop& loop, BlockIndex block) const;  // the threads that part in `block` meet outside the loop
  std::vector<Block> blocks_;
  std::vector<BlockIndex> block_of_, order_, position_, dominator_, post_dominator_, depth_;
  std::vector<Loop> loops_;  // one per backward edge, smallest first
  bool irreducible_ = false;
};

}  // namespace warpfold::isa
