// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/analysis/likely_from_profile.h"

#include <algorithm>
#include <boost/graph/reverse_graph.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "warpfold/isa/analysis/cfg.h"
#include "warpfold/isa/analysis/dominators.h"

namespace warpfold::isa {
namespace {

std::vector<FlowOp> flow_of(std::span<const ProfiledOp> kernel) {
  std::vector<FlowOp> flow;
  for (const ProfiledOp& op : kernel) flow.push_back(op.flow);
  return flow;
}

class Search {
 public:
  explicit Search(std::span<const ProfiledOp> kernel) : kernel_(kernel), cfg_(flow_of(kernel)) {
    for (BlockIndex block = 0; block < cfg_.exit(); ++block) ways_.push_back(cfg_.blocks()[block].successors);
  }

  std::vector<LikelyPoint> run() {
    if (cfg_.irreducible()) return {};
    leave_out_rare_ways();
    find_post_dominators();
    std::vector<Pc> branches;
    for (const Block& block : cfg_.blocks()) {
      const ProfiledOp& last = kernel_[block.end - 1];
      if (last.flow.flow == Flow::kBranch && last.may_diverge && last.threads != 0) branches.push_back(block.end - 1);
    }
    std::vector<LikelyPoint> points;
    for (const Pc branch : branches) {
      if (const auto point = first_on_the_way(branch, [&](BlockIndex at) { return both_sides_reach(branch, at); })) {
        points.push_back({branch, *point});
      }
    }
    const std::vector<LikelyPoint> own = points;
    for (const Pc branch : branches) {
      if (std::any_of(own.begin(), own.end(), [&](const LikelyPoint& p) { return p.branch == branch; })) continue;
      const auto another_ones = [&](BlockIndex at) {
        return std::any_of(own.begin(), own.end(), [&](const LikelyPoint& p) { return lies_before(branch, p, at); });
      };
      if (const auto point = first_on_the_way(branch, another_ones)) points.push_back({branch, *point});
    }
    std::sort(points.begin(), points.end(),
              [](const LikelyPoint& a, const LikelyPoint& b) { return a.branch < b.branch; });
    return points;
  }

 private:
  struct Way {
    BlockIndex from, to;
    std::uint64_t threads, of;
  };

  // Threads that go from one block to another.
  std::uint64_t threads_on(BlockIndex from, BlockIndex to) const {
    const Block& block = cfg_.blocks()[from];
    const ProfiledOp& last = kernel_[block.end - 1];
    if (block.successors.size() < 2) return last.threads;
    const Pc target = last.flow.flow == Flow::kBranch ? last.flow.target : static_cast<Pc>(kernel_.size());
    const BlockIndex goes_to = target < kernel_.size() ? cfg_.block_of(target) : cfg_.exit();
    return to == goes_to ? last.went : last.threads - last.went;
  }

  void leave_out_rare_ways() {
    std::vector<Way> rare;
    for (BlockIndex from = 0; from < cfg_.exit(); ++from) {
      const std::uint64_t all = kernel_[cfg_.blocks()[from].end - 1].threads;
      for (const BlockIndex to : cfg_.blocks()[from].successors) {
        const Way way{from, to, threads_on(from, to), all};
        if (cfg_.reachable(from) && way.threads < all - way.threads) rare.push_back(way);
      }
    }
    std::stable_sort(rare.begin(), rare.end(), [](const Way& a, const Way& b) {
      return static_cast<double>(a.threads) / static_cast<double>(a.of) <
             static_cast<double>(b.threads) / static_cast<double>(b.of);
    });
    const std::vector<bool> before = leading_to_exit();
    for (const Way& way : rare) {
      std::erase(ways_[way.from], way.to);
      if (leading_to_exit() != before) ways_[way.from].push_back(way.to);
    }
  }

  std::vector<bool> leading_to_exit() const {
    std::vector<std::vector<BlockIndex>> from(ways_.size() + 1);
    for (BlockIndex block = 0; block < ways_.size(); ++block) {
      for (const BlockIndex to : ways_[block]) from[to].push_back(block);
    }
    std::vector<bool> leads(ways_.size() + 1, false);
    std::vector<BlockIndex> work{cfg_.exit()};
    while (!work.empty()) {
      const BlockIndex block = work.back();
      work.pop_back();
      if (leads[block]) continue;
      leads[block] = true;
      work.insert(work.end(), from[block].begin(), from[block].end());
    }
    return leads;
  }

  void find_post_dominators() {
    const std::vector<bool> leads = leading_to_exit();
    Graph graph(ways_.size() + 1);
    for (BlockIndex from = 0; from < ways_.size(); ++from) {
      for (const BlockIndex to : ways_[from]) {
        if (leads[from] && leads[to]) add_edge(from, to, graph);
      }
    }
    next_ = dominator_tree(boost::make_reverse_graph(graph), cfg_.exit());
  }

  // The first instruction of the first block that all likely ways pass, before the branch's threads meet anyway, and
  // that is as wanted. Threads would come to one in another loop after different numbers of turns.
  template <class Wanted>
  std::optional<Pc> first_on_the_way(Pc branch, Wanted wanted) const {
    const BlockIndex block = cfg_.block_of(branch);
    for (BlockIndex at = next_[block]; at != kNoBlock && at != cfg_.exit(); at = next_[at]) {
      const Pc begin = cfg_.blocks()[at].begin;
      if (begin == kernel_[branch].reconvergence) break;
      if (at != block && !cfg_.in_other_loop(at, block) && wanted(at)) return begin;
    }
    return std::nullopt;
  }

  bool both_sides_reach(Pc branch, BlockIndex point) const {
    const BlockIndex block = cfg_.block_of(branch);
    const auto& sides = cfg_.blocks()[block].successors;
    return sides.size() == 2 && std::all_of(sides.begin(), sides.end(), [&](BlockIndex side) {
             return threads_on(block, side) != 0 && reaches(side, point, {block, end_of(branch)});
           });
  }

  // Is `point` that of a branch from which threads come to this one on their way there?
  bool lies_before(Pc branch, const LikelyPoint& other, BlockIndex point) const {
    if (cfg_.blocks()[point].begin != other.point) return false;
    if (kernel_[other.branch].reconvergence != kernel_[branch].reconvergence) return false;
    const auto& sides = cfg_.blocks()[cfg_.block_of(other.branch)].successors;
    return std::any_of(sides.begin(), sides.end(), [&](BlockIndex side) {
      return reaches(side, cfg_.block_of(branch), {point, end_of(branch)});
    });
  }

  BlockIndex end_of(Pc branch) const {
    const Pc meeting = kernel_[branch].reconvergence;
    return meeting < kernel_.size() ? cfg_.block_of(meeting) : cfg_.exit();
  }

  // By ways that threads have gone, and through none of `without`.
  bool reaches(BlockIndex start, BlockIndex point, std::initializer_list<BlockIndex> without) const {
    std::vector<bool> seen(ways_.size() + 1, false);
    for (const BlockIndex block : without) seen[block] = true;
    std::vector<BlockIndex> work{start};
    while (!work.empty()) {
      const BlockIndex block = work.back();
      work.pop_back();
      if (block == point) return true;
      if (block == cfg_.exit() || seen[block]) continue;
      seen[block] = true;
      for (const BlockIndex to : cfg_.blocks()[block].successors) {
        if (threads_on(block, to) != 0) work.push_back(to);
      }
    }
    return false;
  }

  std::span<const ProfiledOp> kernel_;
  Cfg cfg_;
  std::vector<std::vector<BlockIndex>> ways_;  // that are left, from each block
  std::vector<BlockIndex> next_;               // that post-dominates it on these
};

}  // namespace

std::vector<LikelyPoint> likely_points_of(std::span<const ProfiledOp> kernel) { return Search(kernel).run(); }

}  // namespace warpfold::isa
