// SPDX-License-Identifier: Apache-2.0
// The values of a kernel's registers, told apart: which instruction or merge feeds which.
#include "warpfold/isa/analysis/ssa.h"

#include <algorithm>
#include <utility>

#include "warpfold/isa/analysis/liveness.h"

namespace warpfold::isa {
namespace {

class Builder {
 public:
  Builder(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers)
      : cfg_(cfg),
        ops_(ops),
        live_(find_liveness(cfg, ops, registers)),
        merge_of_(cfg.blocks().size()),
        children_(cfg.blocks().size()),
        frontier_(cfg.blocks().size()),
        current_(registers) {
    ssa_.initial = static_cast<Ssa::Node>(ops.size());
    ssa_.users.resize(ops.size() + 1);
    ssa_.merges.resize(cfg.blocks().size());
    std::fill(current_.begin(), current_.end(), ssa_.initial);
  }

  Ssa build() {
    find_frontiers();
    place_merges();
    rename();
    return std::move(ssa_);
  }

 private:
  void find_frontiers() {
    for (BlockIndex block : cfg_.reverse_postorder()) {
      const BlockIndex above = cfg_.immediate_dominator(block);
      if (above != kNoBlock) children_[above].push_back(block);
      for (BlockIndex runner : cfg_.blocks()[block].predecessors) {
        if (!cfg_.reachable(runner)) continue;
        for (; runner != above && runner != kNoBlock; runner = cfg_.immediate_dominator(runner)) {
          auto& frontier = frontier_[runner];
          if (std::find(frontier.begin(), frontier.end(), block) == frontier.end()) frontier.push_back(block);
        }
      }
    }
  }

  void place_merges() {
    std::vector<std::vector<BlockIndex>> written_in(current_.size());
    for (BlockIndex block : cfg_.reverse_postorder()) {
      for (Pc pc = cfg_.blocks()[block].begin; pc < cfg_.blocks()[block].end; ++pc) {
        for (Register r : ops_[pc].writes) {
          if (written_in[r].empty() || written_in[r].back() != block) written_in[r].push_back(block);
        }
      }
    }
    for (Register r = 0; r < current_.size(); ++r) {
      std::vector<BlockIndex> work = std::move(written_in[r]);
      while (!work.empty()) {
        const BlockIndex block = work.back();
        work.pop_back();
        for (BlockIndex join : frontier_[block]) {
          if (!live_.in[join][r] || find_merge(join, r) != nullptr) continue;
          const auto node = static_cast<Ssa::Node>(ssa_.users.size());
          ssa_.users.emplace_back();
          ssa_.merges[join].push_back(node);
          merge_of_[join].push_back({r, node});
          work.push_back(join);
        }
      }
    }
  }

  struct Merge {
    Register reg = 0;
    Ssa::Node node = 0;
  };
  const Merge* find_merge(BlockIndex block, Register r) const {
    // Registers are placed in ascending order, so a merge of `r` can only be the last one.
    const auto& merges = merge_of_[block];
    return !merges.empty() && merges.back().reg == r ? &merges.back() : nullptr;
  }

  // Walks the dominator tree with an undo log; entering and leaving are two visits, so that no recursion is needed.
  void rename() {
    struct Visit {
      BlockIndex block = 0;
      bool leaving = false;
    };
    for (const Merge& merge : merge_of_[0]) use(ssa_.initial, merge.node);
    std::vector<Visit> work{{0, false}};
    std::vector<std::size_t> marks;
    while (!work.empty()) {
      const Visit visit = work.back();
      work.pop_back();
      if (visit.leaving) {
        for (; undo_.size() > marks.back(); undo_.pop_back()) current_[undo_.back().first] = undo_.back().second;
        marks.pop_back();
        continue;
      }
      marks.push_back(undo_.size());
      rename_block(visit.block);
      work.push_back({visit.block, true});
      for (BlockIndex child : children_[visit.block]) work.push_back({child, false});
    }
  }

  void rename_block(BlockIndex block) {
    for (const Merge& merge : merge_of_[block]) assign(merge.reg, merge.node);
    for (Pc pc = cfg_.blocks()[block].begin; pc < cfg_.blocks()[block].end; ++pc) {
      const FlowOp& op = ops_[pc];
      for (Register r : op.reads) use(current_[r], pc);
      if (op.guard != kNoRegister) {
        for (Register r : op.writes) use(current_[r], pc);
      }
      for (Register r : op.writes) assign(r, pc);
    }
    for (BlockIndex to : cfg_.blocks()[block].successors) {
      if (to == cfg_.exit()) continue;
      for (const Merge& merge : merge_of_[to]) use(current_[merge.reg], merge.node);
    }
  }

  void use(Ssa::Node value, Ssa::Node user) { ssa_.users[value].push_back(user); }
  void assign(Register r, Ssa::Node node) {
    undo_.emplace_back(r, current_[r]);
    current_[r] = node;
  }

  const Cfg& cfg_;
  std::span<const FlowOp> ops_;
  Liveness live_;
  std::vector<std::vector<Merge>> merge_of_;                  // by block, ascending registers
  std::vector<std::vector<BlockIndex>> children_, frontier_;  // dominator tree; dominance frontiers
  std::vector<Ssa::Node> current_;                            // by register
  std::vector<std::pair<Register, Ssa::Node>> undo_;
  Ssa ssa_;
};

}  // namespace

Ssa build_ssa(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers) {
  return Builder(cfg, ops, registers).build();
}

}  // namespace warpfold::isa
