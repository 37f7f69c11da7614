// SPDX-License-Identifier: Apache-2.0
// A launch graph as calls of the run-time library tell it, and whether a launch has called the functions that it had.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tests/fuzz/harness.h"
#include "warpfold/host/include/cuda_runtime_api.h"

namespace warpfold::fuzz {

struct Snapshot {
  struct Node {
    cudaGraphNode_t handle = nullptr;
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::uintptr_t number = 0;
    std::vector<cudaGraphNode_t> after;
    std::shared_ptr<const Snapshot> child;
  };
  std::vector<Node> nodes;

  void all_of(const Node& node, std::vector<std::uintptr_t>& numbers) const {
    if (node.type == cudaGraphNodeTypeHost) numbers.push_back(node.number);
    if (node.child) {
      for (const Node& inner : node.child->nodes) node.child->all_of(inner, numbers);
    }
  }
  std::size_t size() const {
    std::size_t sum = nodes.size();
    for (const Node& node : nodes) sum += node.child ? node.child->size() : 0;
    return sum;
  }
};

template <class Get>
std::vector<cudaGraphNode_t> handed_out(Get get) {
  std::size_t count = 0;
  if (get(nullptr, &count) != cudaSuccess) broken("nodes of a graph are not told");
  std::vector<cudaGraphNode_t> nodes(count);
  if (get(nodes.data(), &count) != cudaSuccess || count != nodes.size()) broken("fewer nodes than were told");
  return nodes;
}

inline std::shared_ptr<const Snapshot> snapshot_of(cudaGraph_t graph) {
  const auto made = std::make_shared<Snapshot>();
  for (const cudaGraphNode_t handle :
       handed_out([&](cudaGraphNode_t*out, std::size_t*n) { return cudaGraphGetNodes(graph, out, n); })) {
    Snapshot::Node node;
    node.handle = handle;
    node.after =
        handed_out([&](cudaGraphNode_t* out, std::size_t* n) { return cudaGraphNodeGetDependencies(handle, out, n); });
    if (cudaGraphNodeGetType(handle, &node.type) != cudaSuccess) broken("a node without a type");
    cudaHostNodeParams function{};
    cudaGraph_t child = nullptr;
    if (cudaGraphHostNodeGetParams(handle, &function) == cudaSuccess) {
      node.number = reinterpret_cast<std::uintptr_t>(function.userData);
    }
    if (cudaGraphChildGraphNodeGetGraph(handle, &child) == cudaSuccess) node.child = snapshot_of(child);
    made->nodes.push_back(std::move(node));
  }
  return made;
}

// Those that a launch has called are the graph's, each behind those that it depends on.
inline void check_calls(const Snapshot& graph, const std::vector<std::uintptr_t>& called) {
  std::vector<std::uintptr_t> wanted, got = called;
  for (const Snapshot::Node& node : graph.nodes) graph.all_of(node, wanted);
  std::sort(wanted.begin(), wanted.end());
  std::sort(got.begin(), got.end());
  if (got != wanted) broken("a launch calls other functions than the graph had");
  if (std::adjacent_find(got.begin(), got.end()) != got.end()) return;  // places in the order mean nothing then
  std::map<std::uintptr_t, std::size_t> place;
  for (std::size_t i = 0; i < called.size(); ++i) place[called[i]] = i;
  std::map<cudaGraphNode_t, std::vector<std::uintptr_t>> numbers;
  for (const Snapshot::Node& node : graph.nodes) graph.all_of(node, numbers[node.handle]);
  for (const Snapshot::Node& node : graph.nodes) {
    for (const cudaGraphNode_t before : node.after) {
      for (const std::uintptr_t first : numbers[before]) {
        for (const std::uintptr_t last : numbers[node.handle]) {
          if (place[first] > place[last]) broken("a node is done before one that it depends on");
        }
      }
    }
  }
}

}  // namespace warpfold::fuzz
