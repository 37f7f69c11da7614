// SPDX-License-Identifier: Apache-2.0
// Immediate dominators of a graph, by Boost.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <limits>
#include <vector>

#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::isa {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

// By node; kNoBlock for the root, and for nodes that it does not reach.
template <class AnyGraph>
std::vector<BlockIndex> dominator_tree(const AnyGraph& graph, BlockIndex root) {
  using Vertex = typename boost::graph_traits<AnyGraph>::vertex_descriptor;
  constexpr auto kNull = std::numeric_limits<Vertex>::max();
  std::vector<Vertex> tree(num_vertices(graph), kNull);
  boost::lengauer_tarjan_dominator_tree(
      graph, Vertex{root}, boost::make_iterator_property_map(tree.begin(), get(boost::vertex_index, graph)));
  std::vector<BlockIndex> result(tree.size(), kNoBlock);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i] != kNull) result[i] = static_cast<BlockIndex>(tree[i]);
  }
  return result;
}

}  // namespace warpfold::isa
