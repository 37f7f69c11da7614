// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/analysis/likely_from_profile.h"

#include <algorithm>
#include <boost/graph/reverse_graph.hpp>
#include <map>
#include <optional>
#include <utility>

#include "warpfold/isa/analysis/cfg.h"
#include "warpfold/isa/analysis/dominators.h"

namespace warpfold::isa {
namespace {

constexpr std::uint64_t kRare = 4;  // of so many threads fewer than one

std::vector<FlowOp> flow_of(std::span<const ProfiledOp> kernel) {
  std::vector<FlowOp> flow;
  for (const ProfiledOp& op : kernel) flow.push_back(op.flow);
  return flow;
}

// The blocks of a loop, or of a kernel outside of its loops, on their way through one turn. Two nodes more: out of it,
// and the loop's next turn, which begins with its first block again.
class Turn {
 public:
  Turn(std::span<const ProfiledOp> kernel, const Cfg& cfg, BlockIndex header, std::vector<bool> body)
      : kernel_(kernel), cfg_(cfg), header_(header), body_(std::move(body)), ways_(cfg.exit() + 2U) {
    for (BlockIndex from = 0; from < cfg.exit(); ++from) {
      if (body_[from] && cfg.reachable(from)) add_ways(from);
    }
    ways_[next_turn()].push_back({out(), 1, 1});
    likely_ = ways_;
    leave_out_rare_ways();
    find_post_dominators();
  }

  void find_points(const std::vector<Pc>& branches, std::vector<LikelyPoint>& points) const {
    std::vector<LikelyPoint> own;
    for (const Pc branch : branches) {
      if (const auto point = first_on_the_way(branch, [&](BlockIndex at) { return both_sides_reach(branch, at); })) {
        own.push_back({branch, *point});
      }
    }
    points.insert(points.end(), own.begin(), own.end());
    for (const Pc branch : branches) {
      if (std::any_of(own.begin(), own.end(), [&](const LikelyPoint& p) { return p.branch == branch; })) continue;
      const auto another_ones = [&](BlockIndex at) {
        return std::any_of(own.begin(), own.end(), [&](const LikelyPoint& p) { return lies_before(branch, p, at); });
      };
      if (const auto point = first_on_the_way(branch, another_ones)) points.push_back({branch, *point});
    }
  }

 private:
  struct Way {
    BlockIndex to;
    std::uint64_t threads, of;
  };
  using Ways = std::vector<std::vector<Way>>;

  BlockIndex out() const { return cfg_.exit(); }
  BlockIndex next_turn() const { return cfg_.exit() + 1; }
  Pc begin_of(BlockIndex node) const { return cfg_.blocks()[node == next_turn() ? header_ : node].begin; }

  // In the turn: where a thread comes that goes to this block.
  BlockIndex node_of(BlockIndex block) const {
    if (block == header_) return next_turn();
    return block == cfg_.exit() || !body_[block] ? out() : block;
  }

  void add_ways(BlockIndex from) {
    const Block& block = cfg_.blocks()[from];
    const ProfiledOp& last = kernel_[block.end - 1];
    for (const BlockIndex successor : block.successors) {
      std::uint64_t threads = last.threads;
      if (block.successors.size() == 2) {
        const bool branch = last.flow.flow == Flow::kBranch && last.flow.target < kernel_.size();
        const BlockIndex goes_to = branch ? cfg_.block_of(last.flow.target) : cfg_.exit();
        threads = successor == goes_to ? last.went : last.threads - last.went;
      }
      const BlockIndex to = node_of(successor);
      auto& ways = ways_[from];
      const auto same = std::find_if(ways.begin(), ways.end(), [&](const Way& way) { return way.to == to; });
      if (same != ways.end()) {
        same->threads += threads;
      } else {
        ways.push_back({to, threads, last.threads});
      }
    }
  }

  void leave_out_rare_ways() {
    std::vector<std::pair<BlockIndex, Way>> rare;
    for (BlockIndex from = 0; from < cfg_.exit(); ++from) {
      for (const Way& way : ways_[from]) {
        if (way.threads < way.of / kRare) rare.emplace_back(from, way);
      }
    }
    std::stable_sort(rare.begin(), rare.end(), [](const auto& a, const auto& b) {
      return static_cast<double>(a.second.threads) / static_cast<double>(a.second.of) <
             static_cast<double>(b.second.threads) / static_cast<double>(b.second.of);
    });
    const std::vector<bool> before = leading_out();
    for (const auto& [from, way] : rare) {
      std::erase_if(likely_[from], [to = way.to](const Way& other) { return other.to == to; });
      if (leading_out() != before) likely_[from].push_back(way);
    }
  }

  // Nodes from which likely ways lead to the next turn or out.
  std::vector<bool> leading_out() const {
    std::vector<std::vector<BlockIndex>> from(likely_.size());
    for (BlockIndex node = 0; node < likely_.size(); ++node) {
      for (const Way& way : likely_[node]) from[way.to].push_back(node);
    }
    std::vector<bool> leads(likely_.size(), false);
    std::vector<BlockIndex> work{out()};
    while (!work.empty()) {
      const BlockIndex node = work.back();
      work.pop_back();
      if (leads[node]) continue;
      leads[node] = true;
      work.insert(work.end(), from[node].begin(), from[node].end());
    }
    return leads;
  }

  void find_post_dominators() {
    const std::vector<bool> leads = leading_out();
    Graph graph(likely_.size());
    for (BlockIndex from = 0; from < likely_.size(); ++from) {
      for (const Way& way : likely_[from]) {
        if (leads[from] && leads[way.to]) add_edge(from, way.to, graph);
      }
    }
    next_ = dominator_tree(boost::make_reverse_graph(graph), out());
  }

  // The begin of the first block that all likely ways pass, before the branch's threads meet anyway, and that is as
  // wanted. Threads would come to one in another loop after different numbers of turns.
  template <class Wanted>
  std::optional<Pc> first_on_the_way(Pc branch, Wanted wanted) const {
    const BlockIndex block = cfg_.block_of(branch);
    for (BlockIndex at = next_[block]; at != kNoBlock && at != out(); at = next_[at]) {
      const Pc begin = begin_of(at);
      if (begin == kernel_[branch].reconvergence) break;
      if (!cfg_.in_other_loop(cfg_.block_of(begin), block) && wanted(at)) return begin;
    }
    return std::nullopt;
  }

  bool both_sides_reach(Pc branch, BlockIndex point) const {
    const BlockIndex block = cfg_.block_of(branch);
    const auto& sides = ways_[block];
    return sides.size() == 2 && std::all_of(sides.begin(), sides.end(), [&](const Way& side) {
             return side.threads != 0 && reaches(side.to, point, {block, end_of(branch)});
           });
  }

  // Is `point` that of a branch from which threads come to this one on their way there?
  bool lies_before(Pc branch, const LikelyPoint& other, BlockIndex point) const {
    if (begin_of(point) != other.point) return false;
    if (kernel_[other.branch].reconvergence != kernel_[branch].reconvergence) return false;
    const auto& sides = ways_[cfg_.block_of(other.branch)];
    return std::any_of(sides.begin(), sides.end(), [&](const Way& side) {
      return reaches(side.to, cfg_.block_of(branch), {point, end_of(branch)});
    });
  }

  BlockIndex end_of(Pc branch) const {
    const Pc meeting = kernel_[branch].reconvergence;
    return meeting < kernel_.size() ? node_of(cfg_.block_of(meeting)) : out();
  }

  // By ways that threads have gone, and through none of `without`.
  bool reaches(BlockIndex start, BlockIndex point, std::initializer_list<BlockIndex> without) const {
    std::vector<bool> seen(ways_.size(), false);
    for (const BlockIndex node : without) seen[node] = true;
    std::vector<BlockIndex> work{start};
    while (!work.empty()) {
      const BlockIndex node = work.back();
      work.pop_back();
      if (seen[node]) continue;
      if (node == point) return true;
      seen[node] = true;
      for (const Way& way : ways_[node]) {
        if (way.threads != 0) work.push_back(way.to);
      }
    }
    return false;
  }

  std::span<const ProfiledOp> kernel_;
  const Cfg& cfg_;
  BlockIndex header_;  // kNoBlock: no loop
  std::vector<bool> body_;
  Ways ways_, likely_;            // from each node: that there are, that are left
  std::vector<BlockIndex> next_;  // that post-dominates a node on the latter
};

using Loops = std::map<BlockIndex, std::vector<bool>>;  // by their first blocks, the bodies of all loops

Loops loops_of(const Cfg& cfg) {
  Loops loops;
  for (const BlockIndex latch : cfg.reverse_postorder()) {
    for (const BlockIndex header : cfg.blocks()[latch].successors) {
      if (header == cfg.exit() || !cfg.dominates(header, latch)) continue;
      auto& body = loops.try_emplace(header, cfg.exit(), false).first->second;
      body[header] = true;
      std::vector<BlockIndex> work{latch};
      while (!work.empty()) {
        const BlockIndex block = work.back();
        work.pop_back();
        if (body[block] || !cfg.reachable(block)) continue;
        body[block] = true;
        const auto& from = cfg.blocks()[block].predecessors;
        work.insert(work.end(), from.begin(), from.end());
      }
    }
  }
  return loops;
}

BlockIndex innermost(const Loops& loops, BlockIndex block) {
  BlockIndex found = kNoBlock;
  std::ptrdiff_t smallest = 0;
  for (const auto& [header, body] : loops) {
    const std::ptrdiff_t size = std::count(body.begin(), body.end(), true);
    if (!body[block] || (found != kNoBlock && size >= smallest)) continue;
    found = header;
    smallest = size;
  }
  return found;
}

}  // namespace

std::vector<LikelyPoint> likely_points_of(std::span<const ProfiledOp> kernel) {
  const Cfg cfg(flow_of(kernel));
  if (cfg.irreducible()) return {};
  const auto loops = loops_of(cfg);
  std::map<BlockIndex, std::vector<Pc>> branches;  // by the first block of their innermost loop
  for (const Block& block : cfg.blocks()) {
    const Pc pc = block.end - 1;
    const ProfiledOp& last = kernel[pc];
    if (last.flow.flow != Flow::kBranch || !last.may_diverge || last.threads == 0) continue;
    branches[innermost(loops, cfg.block_of(pc))].push_back(pc);
  }
  std::vector<LikelyPoint> points;
  std::vector<Pc> others = std::exchange(branches[kNoBlock], {});
  for (const auto& [header, of_loop] : branches) {
    if (of_loop.empty()) continue;
    Turn(kernel, cfg, header, loops.at(header)).find_points(of_loop, points);
    for (const Pc branch : of_loop) {
      const auto is_its = [&](const LikelyPoint& point) { return point.branch == branch; };
      if (std::none_of(points.begin(), points.end(), is_its)) others.push_back(branch);
    }
  }
  Turn(kernel, cfg, kNoBlock, std::vector<bool>(cfg.exit(), true)).find_points(others, points);
  std::sort(points.begin(), points.end(),
            [](const LikelyPoint& a, const LikelyPoint& b) { return a.branch < b.branch; });
  return points;
}

}  // namespace warpfold::isa
