// SPDX-License-Identifier: Apache-2.0
// Control-flow graph of a kernel: basic blocks, dominators, reconvergence and likely-convergence points.
#include "warpfold/isa/analysis/cfg.h"

#include <algorithm>
#include <boost/graph/reverse_graph.hpp>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/isa/analysis/dominators.h"

namespace warpfold::isa {
namespace {

bool ends_block(const FlowOp& op) {
  return op.flow == Flow::kBranch || op.flow == Flow::kExit || (op.flow == Flow::kTrap && op.guard == kNoRegister);
}

// Blocks from which the exit can be reached.
std::vector<bool> find_exiting(const std::vector<Block>& blocks, BlockIndex exit) {
  std::vector<bool> exiting(blocks.size() + 1, false);
  exiting[exit] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      const auto& to = blocks[b].successors;
      if (exiting[b] || std::none_of(to.begin(), to.end(), [&](BlockIndex s) { return exiting[s]; })) continue;
      exiting[b] = changed = true;
    }
  }
  return exiting;
}

}  // namespace

std::vector<FlowOp> flow_of(const Kernel& kernel) {
  std::vector<FlowOp> flow;
  flow.reserve(kernel.ops.size());
  for (const MicroOp& op : kernel.ops) {
    FlowOp& step = flow.emplace_back();
    if (op.kind == Kind::kBranch) step.flow = Flow::kBranch;
    if (op.kind == Kind::kExit) step.flow = Flow::kExit;
    if (op.kind == Kind::kTrap) step.flow = Flow::kTrap;
    step.target = op.target;
    if (op.guard != kNoWord) step.guard = op.guard;
  }
  return flow;
}

Cfg::Cfg(std::span<const FlowOp> ops) {
  check(!ops.empty(), "a kernel has at least one instruction");
  split(ops);
  connect(ops);
  order();
  find_dominators();
  find_loops();
}

void Cfg::split(std::span<const FlowOp> ops) {
  std::vector<bool> leader(ops.size() + 1, false);
  leader[0] = true;
  for (std::size_t pc = 0; pc < ops.size(); ++pc) {
    if (!ends_block(ops[pc])) continue;
    leader[pc + 1] = true;
    if (ops[pc].flow == Flow::kBranch) {
      check(ops[pc].target <= ops.size(), "branch target lies in the kernel");
      leader[ops[pc].target] = true;
    }
  }
  block_of_.resize(ops.size());
  for (Pc pc = 0; pc < ops.size(); ++pc) {
    if (leader[pc]) blocks_.push_back({pc, pc, {}, {}});
    blocks_.back().end = pc + 1;
    block_of_[pc] = static_cast<BlockIndex>(blocks_.size() - 1);
  }
}

void Cfg::connect(std::span<const FlowOp> ops) {
  const auto at = [&](Pc pc) { return pc < ops.size() ? block_of_[pc] : exit(); };
  for (Block& block : blocks_) {
    const FlowOp& last = ops[block.end - 1];
    const bool falls_through = !ends_block(last) || last.guard != kNoRegister;
    check(!falls_through || block.end < ops.size(), "control does not fall off the kernel's end");
    auto& to = block.successors;
    if (falls_through) to.push_back(at(block.end));
    if (last.flow == Flow::kBranch) to.push_back(at(last.target));
    if (last.flow == Flow::kExit) to.push_back(exit());
    if (to.size() == 2 && to[0] == to[1]) to.pop_back();
  }
  for (BlockIndex from = 0; from < blocks_.size(); ++from) {
    for (BlockIndex to : blocks_[from].successors) {
      if (to != exit()) blocks_[to].predecessors.push_back(from);
    }
  }
}

void Cfg::order() {
  std::vector<bool> seen(blocks_.size() + 1, false);
  seen[0] = seen[exit()] = true;
  std::vector<std::pair<BlockIndex, std::size_t>> path{{0, 0}};  // block, its next successor
  while (!path.empty()) {
    const BlockIndex block = path.back().first;
    const std::size_t next = path.back().second++;
    if (next == blocks_[block].successors.size()) {
      order_.push_back(block);
      path.pop_back();
    } else if (const BlockIndex to = blocks_[block].successors[next]; !seen[to]) {
      seen[to] = true;
      path.push_back({to, 0});
    }
  }
  std::reverse(order_.begin(), order_.end());
  position_.assign(blocks_.size(), kNoBlock);
  for (BlockIndex i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
}

void Cfg::find_dominators() {
  // Boost's algorithm takes a predecessor that the root does not reach for the root itself: leave such edges out.
  const std::vector<bool> exiting = find_exiting(blocks_, exit());
  Graph forward(blocks_.size() + 1), exiting_only(blocks_.size() + 1);
  for (BlockIndex from = 0; from < blocks_.size(); ++from) {
    for (BlockIndex to : blocks_[from].successors) {
      if (reachable(from)) add_edge(from, to, forward);
      if (exiting[from] && exiting[to]) add_edge(from, to, exiting_only);
    }
  }
  dominator_ = dominator_tree(forward, 0);
  dominator_.pop_back();  // of the exit node
  post_dominator_ = dominator_tree(boost::make_reverse_graph(exiting_only), exit());
  post_dominator_.pop_back();
  // Blocks that cannot reach the exit are not in the reversed graph's tree: their threads meet at the kernel's end.
  std::replace(post_dominator_.begin(), post_dominator_.end(), kNoBlock, exit());

  depth_.assign(blocks_.size(), 0);
  for (BlockIndex block : order_) {
    if (block != 0) depth_[block] = depth_[dominator_[block]] + 1;
  }
}

bool Cfg::dominates(BlockIndex above, BlockIndex below) const {
  if (!reachable(above) || !reachable(below)) return false;
  while (depth_[below] > depth_[above]) below = dominator_[below];
  return above == below;
}

void Cfg::find_loops() {
  for (BlockIndex latch : order_) {
    for (BlockIndex header : blocks_[latch].successors) {
      if (header == exit() || position_[header] > position_[latch]) continue;
      if (dominates(header, latch)) {
        loops_.push_back(make_loop(header, latch));
      } else {
        irreducible_ = true;
      }
    }
  }
  std::stable_sort(loops_.begin(), loops_.end(), [](const Loop& a, const Loop& b) { return a.size < b.size; });
  for (Loop& loop : loops_) find_meeting_point(loop);
}

Cfg::Loop Cfg::make_loop(BlockIndex header, BlockIndex latch) const {
  Loop loop;
  loop.header = header;
  loop.latch = latch;
  loop.size = 1;
  loop.body.assign(blocks_.size(), false);
  loop.body[header] = true;
  std::vector<BlockIndex> work{latch};
  while (!work.empty()) {
    const BlockIndex block = work.back();
    work.pop_back();
    if (loop.body[block] || !reachable(block)) continue;
    loop.body[block] = true;
    ++loop.size;
    const auto& from = blocks_[block].predecessors;
    work.insert(work.end(), from.begin(), from.end());
  }
  return loop;
}

bool Cfg::leaves(const Loop& loop, BlockIndex block) const {
  const BlockIndex meet = post_dominator_[block];
  return meet == exit() || !loop.body[meet];
}

void Cfg::find_meeting_point(Loop& loop) const {
  const auto ways_on = [&](BlockIndex block) {  // successors that stay in this turn of the loop
    const auto& to = blocks_[block].successors;
    return std::count_if(to.begin(), to.end(),
                         [&](BlockIndex b) { return b != exit() && b != loop.header && loop.body[b]; });
  };
  const auto parts_and_leaves = [&](BlockIndex b) { return loop.body[b] && ways_on(b) == 2 && leaves(loop, b); };
  if (std::none_of(order_.begin(), order_.end(), parts_and_leaves)) return;
  for (BlockIndex block = loop.latch; block != loop.header;) {
    loop.tail.push_back(block);
    std::vector<BlockIndex> from = blocks_[block].predecessors;
    std::erase_if(from, [&](BlockIndex b) { return !loop.body[b]; });
    if (from.size() >= 2 || ways_on(from[0]) != 1) {
      loop.meet = block;
      return;
    }
    block = from[0];
  }
}

unsigned Cfg::loop_depth(BlockIndex block) const {
  std::vector<BlockIndex> headers;  // backward branches to one header are one loop
  for (const Loop& loop : loops_) {
    if (loop.body[block]) headers.push_back(loop.header);
  }
  std::sort(headers.begin(), headers.end());
  return static_cast<unsigned>(std::unique(headers.begin(), headers.end()) - headers.begin());
}

std::vector<Cfg::LoopBlocks> Cfg::loops() const {
  std::vector<LoopBlocks> all;
  for (const Loop& loop : loops_) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const LoopBlocks& l) { return l.header == loop.header; });
    if (same == all.end()) {
      all.push_back({loop.header, loop.body});
    } else {
      for (BlockIndex block = 0; block < blocks_.size(); ++block)
        same->body[block] = same->body[block] || loop.body[block];
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const LoopBlocks& a, const LoopBlocks& b) {
    return std::count(a.body.begin(), a.body.end(), true) < std::count(b.body.begin(), b.body.end(), true);
  });
  return all;
}

bool Cfg::in_other_loop(BlockIndex inside, BlockIndex outside) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& loop) { return loop.body[inside] && !loop.body[outside]; });
}

Pc Cfg::reconvergence(Pc branch) const {
  const BlockIndex to = post_dominator_[block_of_[branch]];
  return to == exit() ? static_cast<Pc>(block_of_.size()) : blocks_[to].begin;
}

Pc Cfg::likely_convergence(Pc branch) const {
  const BlockIndex block = block_of_[branch];
  for (const Loop& loop : loops_) {
    if (!loop.body[block]) continue;
    if (!leaves(loop, block)) return kNoPc;
    const bool behind = std::find(loop.tail.begin(), loop.tail.end(), block) != loop.tail.end();
    if (loop.meet != kNoBlock && !behind) return blocks_[loop.meet].begin;
  }
  return kNoPc;
}

}  // namespace warpfold::isa
