// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/sync_placement.h"

#include <algorithm>
#include <map>

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
  sort_begins();
  for (const Begin& begin : begins_) marked_[begin.pc] = true;
}

// By pc; of several the outermost first: one that none of the others lies around.
void SyncPlacement::sort_begins() {
  std::stable_sort(begins_.begin(), begins_.end(), [](const Begin& a, const Begin& b) { return a.pc < b.pc; });
  for (auto first = begins_.begin(); first != begins_.end(); ++first) {
    const auto end = std::find_if(first, begins_.end(), [&](const Begin& other) { return other.pc != first->pc; });
    const auto outermost = std::find_if(first, end, [&](const Begin& inner) {
      return std::none_of(first, end, [&](const Begin& outer) {
        return outer.region != inner.region && comes_before(inner.region, outer.region);
      });
    });
    if (outermost != end) std::iter_swap(first, outermost);
  }
}

void SyncPlacement::find_region(const Cfg& cfg, Pc point, const std::vector<BlockIndex>& branches) {
  const BlockIndex end = cfg.block_of(point);
  const std::vector<bool> after = reach(
      cfg, branches, end, [](const isa::Block& block) -> const auto& { return block.successors; });
  const std::vector<bool> before = reach(
      cfg, branches, end, [](const isa::Block& block) -> const auto& { return block.predecessors; });
  const auto region = static_cast<unsigned>(regions_.size());
  regions_.push_back({end, after});
  for (BlockIndex index = 0; index < cfg.blocks().size(); ++index) {
    if (!after[index] || !before[index]) continue;
    const isa::Block& block = cfg.blocks()[index];
    const bool from_outside = std::any_of(block.predecessors.begin(), block.predecessors.end(),
                                          [&](BlockIndex b) { return !after[b] || !before[b]; });
    // At another region's point the warp may be inside already and could not say so before: that region had to end.
    if (index == 0 || from_outside || marked_[block.begin]) begins_.push_back({block.begin, point, region});
  }
}

std::span<const SyncPlacement::Begin> SyncPlacement::begins_at(Pc pc) const {
  const auto [first, last] = std::equal_range(begins_.begin(), begins_.end(), Begin{pc, 0, 0},
                                              [](const Begin& a, const Begin& b) { return a.pc < b.pc; });
  return {first, last};
}

}  // namespace warpfold::divergence
