// SPDX-License-Identifier: Apache-2.0
// Graphs node by node: kernels, copies, fills, functions of the host, events, graphs within graphs.
#include <algorithm>
#include <cstring>
#include <fstream>

#include "warpfold/host/graphs/graphs.h"
#include "warpfold/host/memory/transfer.h"

namespace warpfold::host {
namespace {

using Node = Graph::Node;

cudaError_t set_copy(Context&, const cudaMemcpy3DParms* p, Node& node) {
  if (p == nullptr) return cudaErrorInvalidValue;
  node.type = cudaGraphNodeTypeMemcpy;
  node.copy = *p;
  const bool linear = p->srcArray == nullptr && p->dstArray == nullptr;
  node.work.run = [copy = *p, linear](Context& later, cudaStream_t stream) {
    const Transfer how{"a graph's copy", stream, true};
    if (!linear) return copy_3d(later, how, copy);
    const auto at = [](const cudaPitchedPtr& side, const cudaPos& pos, std::size_t slice) {
      return reinterpret_cast<void*>(byte_of(side, {pos.x, pos.y, pos.z + slice}));
    };
    std::size_t slices = 0;
    cudaError_t error = count_slices(how.call, copy.dstPtr, copy.extent, slices);
    if (error == cudaSuccess) error = count_slices(how.call, copy.srcPtr, copy.extent, slices);
    for (std::size_t z = 0; z < slices && error == cudaSuccess; ++z) {
      error = copy_rows(later, how, at(copy.dstPtr, copy.dstPos, z), copy.dstPtr.pitch, at(copy.srcPtr, copy.srcPos, z),
                        copy.srcPtr.pitch, copy.extent.width, copy.extent.height, copy.kind);
    }
    return error;
  };
  return cudaSuccess;
}

cudaError_t set_linear_copy(Context& context, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            Node& node) {
  cudaMemcpy3DParms copy{};
  copy.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
  copy.srcPtr = make_cudaPitchedPtr(const_cast<void*>(from), bytes, bytes, 1);
  copy.extent = make_cudaExtent(bytes, 1, 1);
  copy.kind = kind;
  return set_copy(context, &copy, node);
}

cudaError_t set_fill(Context&, const cudaMemsetParams* p, Node& node) {
  const bool known = p != nullptr && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
  if (!known) return cudaErrorInvalidValue;
  node.type = cudaGraphNodeTypeMemset;
  node.fill = *p;
  node.work.run = [p = *p](Context& later, cudaStream_t stream) {
    return fill(later, {"a graph's fill", stream, true}, p);
  };
  return cudaSuccess;
}

cudaError_t set_host(Context&, const cudaHostNodeParams* p, Node& node) {
  if (p == nullptr || p->fn == nullptr) return cudaErrorInvalidValue;
  node.type = cudaGraphNodeTypeHost;
  node.work = {{}, p->fn, p->userData};
  return cudaSuccess;
}

cudaError_t set_kernel_of(Context& context, const cudaKernelNodeParams* p, Node& node) {
  return p == nullptr ? cudaErrorInvalidValue : set_kernel(context, *p, node);
}

// A node that `set` makes of nothing, behind others of the graph.
template <class Set>
cudaError_t add_node(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                     Set set) {
  return guarded([&](Context& context) {
    const std::shared_ptr<Graph> found = context.graphs.find(graph);
    const auto known = [&](cudaGraphNode_t node) { return found->find(node) != nullptr; };
    if (made == nullptr || found == nullptr || (after == nullptr && count > 0)) return cudaErrorInvalidValue;
    if (!std::all_of(after, after + count, known)) return cudaErrorInvalidValue;
    Node node;
    node.after.assign(after, after + count);
    if (const cudaError_t error = set(context, node); error != cudaSuccess) return error;
    *made = node.handle = context.graphs.new_node();
    found->nodes.push_back(std::move(node));
    return cudaSuccess;
  });
}

// The node of a graph, or of what was made of it; of the type that is wanted.
template <class Use>
cudaError_t with_node(cudaGraphNode_t node, cudaGraphNodeType type, Use use) {
  return guarded([&](Context& context) {
    Node* const found = context.graphs.find(node).second;
    return found == nullptr || found->type != type ? cudaErrorInvalidValue : use(context, *found);
  });
}
template <class Use>
cudaError_t with_node(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraphNodeType type, Use use) {
  return guarded([&](Context& context) {
    const std::shared_ptr<Graph> graph = context.graphs.find(executable);
    Node* const found = graph == nullptr ? nullptr : graph->find(node);
    return found == nullptr || found->type != type ? cudaErrorInvalidValue : use(context, *found);
  });
}

// Makes a node what the parameters of a call say, by one of the functions above.
template <auto Set, class... Parameters>
auto become(Parameters... parameters) {
  return [=](Context& context, Node& node) { return Set(context, parameters..., node); };
}

template <class Parameters, class Get>
cudaError_t read_node(cudaGraphNode_t node, cudaGraphNodeType type, Parameters* parameters, Get get) {
  return with_node(node, type, [&](Context&, Node& found) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *parameters = get(found);
    return cudaSuccess;
  });
}

// As many as the caller has room for, or, without room, how many there are.
template <class T>
cudaError_t hand_out(const std::vector<T>& all, T* out, std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (out != nullptr) {
    const std::size_t some = std::min(*count, all.size());
    std::copy_n(all.begin(), some, out);
    std::fill(out + some, out + *count, T{});
    *count = some;
  } else {
    *count = all.size();
  }
  return cudaSuccess;
}

template <class Choose>
cudaError_t hand_out_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count, Choose choose) {
  return guarded([&](Context& context) {
    const std::shared_ptr<Graph> found = context.graphs.find(graph);
    if (found == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> chosen;
    for (const Node& node : found->nodes) {
      if (choose(node)) chosen.push_back(node.handle);
    }
    return hand_out(chosen, nodes, count);
  });
}

// Each kind of change to the edges of a graph, pair by pair.
template <class Change>
cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count,
                         Change change) {
  return guarded([&](Context& context) {
    const std::shared_ptr<Graph> found = context.graphs.find(graph);
    if (found == nullptr || ((from == nullptr || to == nullptr) && count > 0)) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      Node* const node = found->find(to[i]);
      if (node == nullptr || found->find(from[i]) == nullptr || !change(node->after, from[i])) {
        return cudaErrorInvalidValue;
      }
    }
    return cudaSuccess;
  });
}

// The executable takes over what the graph's nodes do, one by one.
cudaError_t update(Context& context, cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResult* result) {
  const std::shared_ptr<Graph> to = context.graphs.find(executable), from = context.graphs.find(graph);
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const bool alike = to->is_like(*from);
  if (result != nullptr) *result = alike ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
  if (!alike) return cudaErrorGraphExecUpdateFailure;
  Graph changed = from->snapshot();
  for (std::size_t i = 0; i < to->nodes.size(); ++i) {
    changed.nodes[i].handle = to->nodes[i].handle;
    changed.nodes[i].after = to->nodes[i].after;
  }
  *to = std::move(changed);
  return cudaSuccess;
}

cudaError_t print(const Graph& graph, const char* path) {
  static constexpr const char* kTypes[] = {"kernel", "copy", "fill", "host", "graph", "empty", "wait", "record"};
  std::ofstream file(path);
  file << "digraph {\n";
  for (const Node& node : graph.nodes) {
    file << "  \"" << node.handle << "\" [label=\"" << kTypes[node.type] << "\"];\n";
    for (const cudaGraphNode_t other : node.after) file << "  \"" << other << "\" -> \"" << node.handle << "\";\n";
  }
  file << "}\n";
  return file.good() ? cudaSuccess : cudaErrorOperatingSystem;
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::add_node;
using warpfold::host::become;
using warpfold::host::Context;
using warpfold::host::Graph;
using warpfold::host::guarded;
using warpfold::host::hand_out_nodes;
using warpfold::host::read_node;
using warpfold::host::set_copy;
using warpfold::host::set_fill;
using warpfold::host::set_host;
using warpfold::host::set_kernel_of;
using warpfold::host::set_linear_copy;
using warpfold::host::with_node;

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return add_node(node, graph, after, count, become<set_kernel_of>(parameters));
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return add_node(node, graph, after, count, become<set_copy>(parameters));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add_node(node, graph, after, count, become<set_linear_copy>(to, from, bytes, kind));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* parameters) {
  return add_node(node, graph, after, count, become<set_fill>(parameters));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add_node(node, graph, after, count, become<set_host>(parameters));
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  size_t count) {
  return add_node(node, graph, after, count, [](Context&, Graph::Node&) { return cudaSuccess; });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       size_t count, cudaGraph_t child) {
  return add_node(node, graph, after, count, [&](Context& context, Graph::Node& made) {
    const std::shared_ptr<const Graph> found = context.graphs.find(child);
    if (found == nullptr) return cudaErrorInvalidValue;
    context.graphs.contain(made, *found);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                        size_t count, cudaEvent_t event) {
  return add_node(node, graph, after, count, [&](Context&, Graph::Node& made) {
    made.type = cudaGraphNodeTypeEventRecord;
    made.work.run = [event](Context& later, cudaStream_t stream) {
      return warpfold::host::record_event(later, event, stream);
    };
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      size_t count, cudaEvent_t event) {
  return add_node(node, graph, after, count, [&](Context&, Graph::Node& made) {
    made.type = cudaGraphNodeTypeWaitEvent;
    made.work.run = [event](Context& later, cudaStream_t stream) {
      return warpfold::host::wait_for_event(later, stream, event);
    };
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return read_node(node, cudaGraphNodeTypeKernel, parameters,
                   [](const Graph::Node& found) { return found.kernel->parameters; });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return with_node(node, cudaGraphNodeTypeKernel, become<set_kernel_of>(parameters));
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return with_node(executable, node, cudaGraphNodeTypeKernel, become<set_kernel_of>(parameters));
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return read_node(node, cudaGraphNodeTypeMemcpy, parameters, [](const Graph::Node& found) { return found.copy; });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
  return with_node(node, cudaGraphNodeTypeMemcpy, become<set_copy>(parameters));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return with_node(executable, node, cudaGraphNodeTypeMemcpy, become<set_copy>(parameters));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return with_node(node, cudaGraphNodeTypeMemcpy, become<set_linear_copy>(to, from, bytes, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes, cudaMemcpyKind kind) {
  return with_node(executable, node, cudaGraphNodeTypeMemcpy, become<set_linear_copy>(to, from, bytes, kind));
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return read_node(node, cudaGraphNodeTypeMemset, parameters, [](const Graph::Node& found) { return found.fill; });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return with_node(node, cudaGraphNodeTypeMemset, become<set_fill>(parameters));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return with_node(executable, node, cudaGraphNodeTypeMemset, become<set_fill>(parameters));
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return read_node(node, cudaGraphNodeTypeHost, parameters, [](const Graph::Node& found) {
    return cudaHostNodeParams{found.work.function, found.work.data};
  });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return with_node(node, cudaGraphNodeTypeHost, become<set_host>(parameters));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return with_node(executable, node, cudaGraphNodeTypeHost, become<set_host>(parameters));
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return with_node(node, cudaGraphNodeTypeGraph, [&](Context&, Graph::Node& found) {
    if (graph == nullptr) return cudaErrorInvalidValue;
    *graph = found.child_handle;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count) {
  return warpfold::host::change_edges(graph, from, to, count, [](auto& after, cudaGraphNode_t node) {
    after.push_back(node);
    return true;
  });
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        size_t count) {
  return warpfold::host::change_edges(graph, from, to, count,
                                      [](auto& after, cudaGraphNode_t node) { return std::erase(after, node) > 0; });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return guarded([&](Context& context) {
    const auto [graph, found] = context.graphs.find(node);
    if (graph == nullptr || graph->owner == Graph::Owner::kRecording) return cudaErrorInvalidValue;
    context.graphs.destroy(found->child_handle);
    std::erase_if(graph->nodes, [&](const Graph::Node& other) { return other.handle == node; });
    for (Graph::Node& other : graph->nodes) std::erase(other.after, node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return hand_out_nodes(graph, nodes, count, [](const Graph::Node&) { return true; });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return hand_out_nodes(graph, nodes, count, [](const Graph::Node& node) { return node.after.empty(); });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
  return guarded([&](Context& context) {
    const std::shared_ptr<Graph> found = context.graphs.find(graph);
    if (found == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> first, second;
    for (const Graph::Node& node : found->nodes) {
      first.insert(first.end(), node.after.begin(), node.after.end());
      second.insert(second.end(), node.after.size(), node.handle);
    }
    std::size_t room = count == nullptr ? 0 : *count;
    const cudaError_t error = warpfold::host::hand_out(first, from, count);
    return error != cudaSuccess || to == nullptr ? error : warpfold::host::hand_out(second, to, &room);
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return guarded([&](Context& context) {
    const Graph::Node* const found = context.graphs.find(node).second;
    if (found == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = found->type;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return guarded([&](Context& context) {
    const Graph::Node* const found = context.graphs.find(node).second;
    return found == nullptr ? cudaErrorInvalidValue : warpfold::host::hand_out(found->after, nodes, count);
  });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return guarded([&](Context& context) {
    const Graph* const graph = context.graphs.find(node).first;
    if (graph == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> dependent;
    for (const Graph::Node& other : graph->nodes) {
      if (std::count(other.after.begin(), other.after.end(), node) > 0) dependent.push_back(other.handle);
    }
    return warpfold::host::hand_out(dependent, nodes, count);
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return guarded([&](Context& context) {
    const std::shared_ptr<Graph> found = context.graphs.find(clone);
    if (node == nullptr || found == nullptr) return cudaErrorInvalidValue;
    const auto copy = std::find_if(found->nodes.begin(), found->nodes.end(),
                                   [&](const Graph::Node& other) { return other.original == original; });
    if (copy == found->nodes.end()) return cudaErrorInvalidValue;
    *node = copy->handle;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                cudaGraphExecUpdateResult* result) {
  if (error_node != nullptr) *error_node = nullptr;
  return guarded([&](Context& context) { return warpfold::host::update(context, executable, graph, result); });
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int) {
  return guarded([&](Context& context) {
    const std::shared_ptr<Graph> found = context.graphs.find(graph);
    return found == nullptr || path == nullptr ? cudaErrorInvalidValue : warpfold::host::print(*found, path);
  });
}

}  // extern "C"
