// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/analysis/barriers_ahead.h"

#include <algorithm>
#include <boost/graph/reverse_graph.hpp>
#include <utility>

#include "warpfold/isa/analysis/dominators.h"

namespace warpfold::isa {

BarriersAhead::BarriersAhead(const Cfg& cfg, std::vector<bool> barriers)
    : cfg_(cfg), barriers_(std::move(barriers)), ahead_(cfg.blocks().size(), false) {
  std::vector<BlockIndex> spread;
  Graph ways(cfg.blocks().size() + 1);
  for (BlockIndex block = 0; block < cfg.exit(); ++block) {
    if (!barriers_[block]) continue;
    spread.push_back(block);
    add_edge(block, cfg.exit(), ways);
  }
  if (spread.empty()) return;
  while (!spread.empty()) {
    const BlockIndex block = spread.back();
    spread.pop_back();
    for (const BlockIndex before : cfg.blocks()[block].predecessors) {
      if (!ahead_[before]) spread.push_back(before);
      ahead_[before] = true;
    }
  }
  for (BlockIndex block = 0; block < cfg.exit(); ++block) {
    for (const BlockIndex to : cfg.blocks()[block].successors) {
      if (!barriers_[block] && leads_to_one(to)) add_edge(block, to, ways);
    }
  }
  next_ = dominator_tree(boost::make_reverse_graph(ways), cfg.exit());
}

BlockIndex BarriersAhead::meeting_point(BlockIndex block) const {
  BlockIndex meeting = kNoBlock;
  for (const BlockIndex to : cfg_.blocks()[block].successors) {
    if (!leads_to_one(to)) continue;
    meeting = meeting == kNoBlock ? to : common(meeting, to);
  }
  return meeting == kNoBlock ? cfg_.exit() : meeting;
}

// The first block that is on all the ways from both.
BlockIndex BarriersAhead::common(BlockIndex one, BlockIndex other) const {
  std::vector<BlockIndex> ways{one};
  while (ways.back() != cfg_.exit()) ways.push_back(next_[ways.back()]);
  while (std::find(ways.begin(), ways.end(), other) == ways.end()) other = next_[other];
  return other;
}

}  // namespace warpfold::isa
