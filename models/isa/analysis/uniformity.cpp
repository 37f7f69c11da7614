// SPDX-License-Identifier: Apache-2.0
// Which conditional branches are proved to go the same way in all threads of a block (TBC §3.1).
#include "warpfold/isa/analysis/uniformity.h"

#include <algorithm>
#include <queue>

#include "warpfold/isa/analysis/ssa.h"

namespace warpfold::isa {
namespace {

// What a varying branch does to the blocks it influences, those between it and its immediate post-dominator.
class Influence {
 public:
  Influence(const Cfg& cfg, BlockIndex branch)
      : cfg_(cfg),
        branch_(branch),
        meet_(cfg.immediate_post_dominator(branch)),
        label_(cfg.blocks().size(), kNoBlock),
        join_(cfg.blocks().size(), false) {
    spread();
  }

  // Blocks whose merges vary: where paths from different sides of the branch come together, and the heads of loops that
  // threads leave at this branch after different numbers of turns.
  std::vector<BlockIndex> merging_blocks() const {
    std::vector<BlockIndex> blocks;
    const std::vector<bool> cycle = cycle_through_branch();
    for (BlockIndex block : cfg_.reverse_postorder()) {
      const bool counts_turns = cycle[block] && (cfg_.irreducible() || cfg_.dominates(block, branch_));
      if (join_[block] || counts_turns) blocks.push_back(block);
    }
    return blocks;
  }

 private:
  // Each block learns by which side (successor of the branch, or join of such sides) it is reached. In reverse
  // post-order a block comes after those that lead to it, so that a join is seen before its label spreads.
  void spread() {
    for (BlockIndex to : cfg_.blocks()[branch_].successors) arrive(to, to);
    while (!work_.empty()) {
      const BlockIndex block = cfg_.reverse_postorder()[work_.top()];
      work_.pop();
      if (block == meet_ || block == branch_) continue;
      for (BlockIndex to : cfg_.blocks()[block].successors) arrive(to, label_[block]);
    }
  }

  void arrive(BlockIndex block, BlockIndex label) {
    if (block == cfg_.exit() || label_[block] == label) return;
    if (label_[block] == kNoBlock) {
      label_[block] = label;
    } else if (!join_[block]) {
      join_[block] = true;
      if (label_[block] == block) return;
      label_[block] = block;
    } else {
      return;
    }
    work_.push(cfg_.position(block));
  }

  // Blocks on a path from the branch back to itself that does not pass its post-dominator.
  std::vector<bool> cycle_through_branch() const {
    std::vector<bool> cycle(cfg_.blocks().size(), false);
    if (label_[branch_] == kNoBlock) return cycle;
    std::vector<BlockIndex> work{branch_};
    cycle[branch_] = true;
    while (!work.empty()) {
      const BlockIndex block = work.back();
      work.pop_back();
      for (BlockIndex from : cfg_.blocks()[block].predecessors) {
        if (cycle[from] || from == meet_ || label_[from] == kNoBlock) continue;
        cycle[from] = true;
        work.push_back(from);
      }
    }
    return cycle;
  }

  const Cfg& cfg_;
  BlockIndex branch_, meet_;
  std::vector<BlockIndex> label_;
  std::vector<bool> join_;
  std::priority_queue<BlockIndex, std::vector<BlockIndex>, std::greater<>> work_;  // positions in reverse post-order
};

class Propagation {
 public:
  Propagation(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers)
      : cfg_(cfg), ops_(ops), ssa_(build_ssa(cfg, ops, registers)), varies_(ssa_.users.size(), false) {}

  std::vector<bool> run() {
    mark(ssa_.initial);
    for (Pc pc = 0; pc < ops_.size(); ++pc) {
      if (ops_[pc].varying) mark(pc);
    }
    while (!work_.empty()) {
      const Ssa::Node node = work_.back();
      work_.pop_back();
      for (Ssa::Node user : ssa_.users[node]) mark(user);
      if (node < ops_.size() && parts_threads(ops_[node]) && cfg_.reachable(cfg_.block_of(node))) {
        for (BlockIndex block : Influence(cfg_, cfg_.block_of(node)).merging_blocks()) {
          for (Ssa::Node merge : ssa_.merges[block]) mark(merge);
        }
      }
    }
    std::vector<bool> uniform(ops_.size());
    for (Pc pc = 0; pc < ops_.size(); ++pc) {
      uniform[pc] = ops_[pc].flow == Flow::kBranch && ops_[pc].guard != kNoRegister &&
                    cfg_.reachable(cfg_.block_of(pc)) && !varies_[pc];
    }
    return uniform;
  }

 private:
  static bool parts_threads(const FlowOp& op) {
    return op.guard != kNoRegister && (op.flow == Flow::kBranch || op.flow == Flow::kExit);
  }
  void mark(Ssa::Node node) {
    if (varies_[node]) return;
    varies_[node] = true;
    work_.push_back(node);
  }

  const Cfg& cfg_;
  std::span<const FlowOp> ops_;
  Ssa ssa_;
  std::vector<bool> varies_;
  std::vector<Ssa::Node> work_;
};

}  // namespace

std::vector<bool> find_uniform_branches(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers) {
  return Propagation(cfg, ops, registers).run();
}

}  // namespace warpfold::isa
