// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/context_order.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace warpfold::divergence {

using isa::BlockIndex;
using isa::Cfg;

namespace {

// Blocks of a loop: its header and those from which an edge back to it is reached without passing it.
struct Loop {
  std::vector<bool> body;
  std::size_t unplaced = 0;
  bool open = false;  // its header has its place

  void add(const Cfg& cfg, BlockIndex latch) {
    std::vector<BlockIndex> from{latch};
    while (!from.empty()) {
      const BlockIndex block = from.back();
      from.pop_back();
      if (body[block] || !cfg.reachable(block)) continue;
      body[block] = true;
      ++unplaced;
      const std::vector<BlockIndex>& before = cfg.blocks()[block].predecessors;
      from.insert(from.end(), before.begin(), before.end());
    }
  }
};

// By header. Loops that can be entered in several places have none, and are not kept together.
std::map<BlockIndex, Loop> loops_of(const Cfg& cfg) {
  std::map<BlockIndex, Loop> loops;
  for (const BlockIndex block : cfg.reverse_postorder()) {
    for (const BlockIndex header : cfg.blocks()[block].successors) {
      if (header == cfg.exit() || !cfg.dominates(header, block)) continue;
      const auto [loop, is_new] = loops.try_emplace(header);
      if (is_new) {
        loop->second.body.assign(cfg.blocks().size(), false);
        loop->second.body[header] = true;
        loop->second.unplaced = 1;
      }
      loop->second.add(cfg, block);
    }
  }
  return loops;
}

// Reachable blocks in an order in which each comes before its successors, but for retreating edges.
class Schedule {
 public:
  explicit Schedule(const Cfg& cfg) : cfg_(cfg), loops_(loops_of(cfg)), waits_for_(cfg.blocks().size(), 0) {
    for (const BlockIndex block : cfg.reverse_postorder()) {
      for (const BlockIndex next : cfg.blocks()[block].successors) {
        if (advances(block, next)) ++waits_for_[next];
      }
    }
  }

  std::vector<BlockIndex> order() {
    std::vector<BlockIndex> order, ready{cfg_.reverse_postorder().front()};
    while (!ready.empty()) {
      const auto next = std::min_element(ready.begin(), ready.end(), [this](BlockIndex a, BlockIndex b) {
        const unsigned loops_of_a = open_loops(a), loops_of_b = open_loops(b);
        return loops_of_a != loops_of_b ? loops_of_a > loops_of_b : a < b;
      });
      const BlockIndex block = *next;
      ready.erase(next);
      order.push_back(block);
      place(block);
      for (const BlockIndex successor : cfg_.blocks()[block].successors) {
        if (advances(block, successor) && --waits_for_[successor] == 0) ready.push_back(successor);
      }
    }
    return order;
  }

 private:
  bool advances(BlockIndex from, BlockIndex to) const {
    return to != cfg_.exit() && cfg_.position(from) < cfg_.position(to);
  }
  // Loops around the block that have begun; the innermost has to end first.
  unsigned open_loops(BlockIndex block) const {
    return static_cast<unsigned>(std::count_if(
        loops_.begin(), loops_.end(), [&](const auto& loop) { return loop.second.open && loop.second.body[block]; }));
  }
  void place(BlockIndex block) {
    for (auto& [header, loop] : loops_) {
      if (!loop.body[block]) continue;
      loop.open = --loop.unplaced != 0;
    }
  }

  const Cfg& cfg_;
  std::map<BlockIndex, Loop> loops_;
  std::vector<unsigned> waits_for_;  // by block: predecessors without a place
};

}  // namespace

ContextOrder::ContextOrder(const isa::Kernel& kernel, ContextPriority priority)
    : depths_(kernel.end(), 0), places_(kernel.end()), pcs_(kernel.end()) {
  std::iota(places_.begin(), places_.end(), 0);
  pcs_ = places_;
  if (priority == ContextPriority::kPc) return;
  const Cfg cfg(flow_of(kernel));
  if (priority == ContextPriority::kRpo) {
    lay_out(cfg);
  } else {
    find_depths(kernel, cfg);
  }
}

void ContextOrder::lay_out(const Cfg& cfg) {
  Pc place = 0;
  const auto put = [&](BlockIndex index) {
    const isa::Block& block = cfg.blocks()[index];
    for (Pc pc = block.begin; pc < block.end; ++pc, ++place) {
      places_[pc] = place;
      pcs_[place] = pc;
    }
  };
  for (const BlockIndex block : Schedule(cfg).order()) put(block);
  for (BlockIndex block = 0; block < cfg.blocks().size(); ++block) {
    if (!cfg.reachable(block)) put(block);
  }
}

// A region is what lies between branches that may diverge and the point where their threads meet. Threads that meet
// only to exit have left all of them.
void ContextOrder::find_depths(const isa::Kernel& kernel, const Cfg& cfg) {
  std::map<Pc, std::vector<BlockIndex>> sides;  // by the point where they meet
  for (Pc pc = 0; pc < kernel.end(); ++pc) {
    const isa::MicroOp& op = kernel.ops[pc];
    if (op.kind != isa::Kind::kBranch || !op.may_diverge || op.reconvergence == kernel.end()) continue;
    const std::vector<BlockIndex>& next = cfg.blocks()[cfg.block_of(pc)].successors;
    std::vector<BlockIndex>& from = sides[op.reconvergence];
    from.insert(from.end(), next.begin(), next.end());
  }
  for (auto& [point, from] : sides) {
    std::vector<bool> inside(cfg.blocks().size(), false);
    const BlockIndex end = cfg.block_of(point);
    while (!from.empty()) {
      const BlockIndex index = from.back();
      from.pop_back();
      if (index == cfg.exit() || index == end || inside[index]) continue;
      inside[index] = true;
      const isa::Block& block = cfg.blocks()[index];
      for (Pc pc = block.begin; pc < block.end; ++pc) ++depths_[pc];
      from.insert(from.end(), block.successors.begin(), block.successors.end());
    }
  }
}

}  // namespace warpfold::divergence
