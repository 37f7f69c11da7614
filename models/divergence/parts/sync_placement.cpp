// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/sync_placement.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace warpfold::divergence {

using isa::BlockIndex;
using isa::Cfg;
using isa::Kind;
using isa::Pc;

namespace {

// The blocks in `from` and those that next(block) leads to from there without passing `wall`.
template <class Next>
std::vector<bool> reach(const Cfg& cfg, std::vector<BlockIndex> from, BlockIndex wall, Next next) {
  std::vector<bool> reached(cfg.blocks().size(), false);
  while (!from.empty()) {
    const BlockIndex block = from.back();
    from.pop_back();
    if (block == cfg.exit() || block == wall || reached[block]) continue;
    reached[block] = true;
    const std::vector<BlockIndex>& to = next(cfg.blocks()[block]);
    from.insert(from.end(), to.begin(), to.end());
  }
  return reached;
}

unsigned post_dominators(const Cfg& cfg, BlockIndex block) {
  unsigned count = 0;
  for (; block != cfg.exit(); block = cfg.immediate_post_dominator(block)) ++count;
  return count;
}

// Where threads that reconverge at `pc` come to execute something: an assembler leaves no jump there. As in decoding,
// threads that meet only to exit do not meet.
Pc land(const isa::Kernel& kernel, Pc pc) {
  const auto unguarded = [&](Kind kind) {
    return pc < kernel.end() && kernel.ops[pc].kind == kind && kernel.ops[pc].guard == isa::kNoWord;
  };
  if (!unguarded(Kind::kBranch)) return pc;
  while (unguarded(Kind::kBranch)) pc = kernel.ops[pc].target;
  return unguarded(Kind::kExit) ? kernel.end() : pc;
}

// Blocks that lead to `block`, which is one of them.
std::vector<bool> leading_to(const Cfg& cfg, BlockIndex block) {
  return reach(
      cfg, {block}, cfg.exit(), [](const isa::Block& from) -> const auto& { return from.predecessors; });
}

// Do threads that part there return before they come to where the others meet?
bool returns_early(const isa::Kernel& kernel, const Cfg& cfg, Pc pc) {
  const isa::MicroOp& op = kernel.ops[pc];
  return op.kind == Kind::kBranch && op.reconvergence < kernel.end() && op.reconvergence != cfg.reconvergence(pc);
}

}  // namespace

SyncPlacement::SyncPlacement(const isa::Kernel& kernel)
    : points_(kernel.ops.size(), kernel.end()), marked_(kernel.ops.size(), false) {
  const Cfg cfg(flow_of(kernel));
  std::map<Pc, std::vector<BlockIndex>> branches;  // by their reconvergence point
  for (Pc pc = 0; pc < kernel.end(); ++pc) {
    const isa::MicroOp& op = kernel.ops[pc];
    if (op.kind != Kind::kBranch || !op.may_diverge || !cfg.reachable(cfg.block_of(pc))) continue;
    points_[pc] = land(kernel, op.reconvergence);
    if (points_[pc] != kernel.end()) branches[points_[pc]].push_back(cfg.block_of(pc));
  }
  for (const auto& [point, blocks] : branches) marked_[point] = true;
  for (const auto& [point, blocks] : branches) find_region(cfg, point, blocks);
  std::sort(begins_.begin(), begins_.end(),
            [](const Begin& a, const Begin& b) { return std::tie(a.pc, a.depth) < std::tie(b.pc, b.depth); });
  for (const Begin& begin : begins_) marked_[begin.pc] = true;
  bool some_return = false;
  for (Pc pc = 0; pc < kernel.end(); ++pc) some_return = some_return || returns_early(kernel, cfg, pc);
  if (some_return) find_leading(cfg);
}

void SyncPlacement::find_leading(const Cfg& cfg) {
  for (Pc pc = 0; pc < marked_.size(); ++pc) block_of_.push_back(cfg.block_of(pc));
  for (const Begin& begin : begins_) {
    if (!leading_.contains(begin.point)) leading_[begin.point] = leading_to(cfg, cfg.block_of(begin.point));
  }
}

void SyncPlacement::find_region(const Cfg& cfg, Pc point, const std::vector<BlockIndex>& branches) {
  const BlockIndex end = cfg.block_of(point);
  const unsigned depth = post_dominators(cfg, end);
  const std::vector<bool> after = reach(
      cfg, branches, end, [](const isa::Block& block) -> const auto& { return block.successors; });
  const std::vector<bool> before = reach(
      cfg, branches, end, [](const isa::Block& block) -> const auto& { return block.predecessors; });
  for (BlockIndex index = 0; index < cfg.blocks().size(); ++index) {
    if (!after[index] || !before[index]) continue;
    const isa::Block& block = cfg.blocks()[index];
    const bool from_outside = std::any_of(block.predecessors.begin(), block.predecessors.end(),
                                          [&](BlockIndex b) { return !after[b] || !before[b]; });
    // At another region's point the warp may be inside already and could not say so before: that region had to end.
    if (index == 0 || from_outside || marked_[block.begin]) begins_.push_back({block.begin, point, depth});
  }
}

std::span<const SyncPlacement::Begin> SyncPlacement::begins_at(Pc pc) const {
  const auto [first, last] = std::equal_range(begins_.begin(), begins_.end(), Begin{pc, 0, 0},
                                              [](const Begin& a, const Begin& b) { return a.pc < b.pc; });
  return {first, last};
}

}  // namespace warpfold::divergence
