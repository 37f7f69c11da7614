// SPDX-License-Identifier: Apache-2.0
// Graphs as a whole: what they hold, recordings, and launches. graph_nodes.cpp has their nodes.
#include "warpfold/host/graphs/graphs.h"

#include <algorithm>
#include <set>

#include "warpfold/host/memory/transfer.h"

namespace warpfold::host {
namespace {

// Handles are numbers, spaced like pointers, that never come again.
template <class Handle>
Handle to_handle(std::size_t number) {
  constexpr std::uintptr_t kSpacing = 16;
  return reinterpret_cast<Handle>(number * kSpacing);
}

template <class Map, class Key>
std::shared_ptr<Graph> find_in(const Map& map, Key key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;

bool is_mode(cudaStreamCaptureMode mode) {
  return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

// Whether what other streams have recorded comes before what the first would record next (CUDA's programming guide,
// "Cross-stream dependencies and events").
bool is_joined(const Graphs::Recording& recording) {
  const std::vector<cudaGraphNode_t>& last = recording.last.at(recording.origin);
  std::set<cudaGraphNode_t> before(last.begin(), last.end());
  const std::vector<const Graph::Node*> order = recording.graph->order();
  std::for_each(order.rbegin(), order.rend(), [&](const Graph::Node* node) {
    if (before.contains(node->handle)) before.insert(node->after.begin(), node->after.end());
  });
  return std::all_of(recording.last.begin(), recording.last.end(), [&](const auto& of_stream) {
    return std::all_of(of_stream.second.begin(), of_stream.second.end(),
                       [&](cudaGraphNode_t node) { return before.contains(node); });
  });
}

// What each node depends on, by places among the graph's nodes.
std::vector<std::multiset<std::size_t>> edges(const Graph& graph) {
  std::map<cudaGraphNode_t, std::size_t> place;
  for (const Graph::Node& node : graph.nodes) place.emplace(node.handle, place.size());
  std::vector<std::multiset<std::size_t>> all;
  for (const Graph::Node& node : graph.nodes) {
    std::multiset<std::size_t>& before = all.emplace_back();
    for (const cudaGraphNode_t other : node.after) before.insert(place.at(other));
  }
  return all;
}

}  // namespace

Graph::Node* Graph::find(cudaGraphNode_t handle) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.handle == handle; });
  return found == nodes.end() ? nullptr : &*found;
}

std::vector<const Graph::Node*> Graph::order() const {
  std::vector<const Node*> ordered;
  std::set<cudaGraphNode_t> done;
  const auto ready = [&](const Node& node) {
    const auto is_done = [&](cudaGraphNode_t other) { return done.contains(other); };
    return !done.contains(node.handle) && std::all_of(node.after.begin(), node.after.end(), is_done);
  };
  bool any = true;
  while (any) {
    any = false;
    for (const Node& node : nodes) {
      if (!ready(node)) continue;
      ordered.push_back(&node);
      done.insert(node.handle);
      any = true;
    }
  }
  return ordered;
}

bool Graph::is_acyclic() const {
  return order().size() == nodes.size() && std::all_of(nodes.begin(), nodes.end(), [](const Node& node) {
           return node.child == nullptr || node.child->is_acyclic();
         });
}

bool Graph::is_like(const Graph& other) const {
  const auto alike = [](const Node& a, const Node& b) {
    return a.type == b.type && (a.child == nullptr || a.child->is_like(*b.child));
  };
  return edges(*this) == edges(other) &&
         std::equal(nodes.begin(), nodes.end(), other.nodes.begin(), other.nodes.end(), alike);
}

Graph Graph::snapshot() const {
  Graph made = *this;
  for (Node& node : made.nodes) {
    if (node.child != nullptr) node.child = std::make_shared<const Graph>(node.child->snapshot());
  }
  return made;
}

std::vector<Graph::Work> Graph::work() const {
  std::vector<Work> all;
  for (const Node* const node : order()) {
    if (node->child == nullptr) {
      all.push_back(node->work);
      continue;
    }
    const std::vector<Work> inner = node->child->work();
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

cudaGraph_t Graphs::create() {
  const auto handle = to_handle<cudaGraph_t>(++made_);
  graphs_[handle] = std::make_shared<Graph>();
  return handle;
}

cudaGraphNode_t Graphs::new_node() { return to_handle<cudaGraphNode_t>(++made_); }

bool Graphs::begin(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (recorded_.contains(stream)) return false;
  const cudaGraph_t handle = create();
  const std::shared_ptr<Graph> graph = find(handle);
  graph->owner = Graph::Owner::kRecording;
  recorded_[stream] = std::make_shared<Recording>(
      Recording{stream, made_, handle, graph, mode, std::this_thread::get_id(), {{stream, {}}}});
  return true;
}

cudaError_t Graphs::end(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  const auto found = recorded_.find(stream);
  if (found == recorded_.end()) return cudaErrorIllegalState;
  const std::shared_ptr<Recording> recording = found->second;
  if (recording->origin != stream) return cudaErrorStreamCaptureUnmatched;
  std::erase_if(recorded_, [&](const auto& entry) { return entry.second == recording; });
  if (recording->graph == nullptr) return cudaErrorStreamCaptureInvalidated;
  if (!is_joined(*recording)) {
    destroy(recording->handle);
    return cudaErrorStreamCaptureUnjoined;
  }
  recording->graph->owner = Graph::Owner::kProgram;
  *graph = recording->handle;
  return cudaSuccess;
}

void Graphs::forget(cudaStream_t stream) {
  const auto found = recorded_.find(stream);
  if (found == recorded_.end()) return;
  const std::shared_ptr<Recording> recording = found->second;
  invalidate([&](cudaStream_t other) { return other == stream; });
  std::erase_if(recorded_, [&](const auto& entry) {
    return entry.second == recording && (entry.first == stream || recording->origin == stream);
  });
}

Graphs::Recording* Graphs::recorded(cudaStream_t stream) const {
  if (recorded_.empty()) return nullptr;
  const auto found = recorded_.find(stream);
  return found == recorded_.end() ? nullptr : found->second.get();
}

Graphs::Recording* Graphs::recorded(cudaEvent_t event) const {
  const auto found = std::find_if(recorded_.begin(), recorded_.end(),
                                  [&](const auto& entry) { return entry.second->events.contains(event); });
  return found == recorded_.end() ? nullptr : found->second.get();
}

Graph::Node& Graphs::add(cudaStream_t stream, cudaGraphNodeType type, Graph::Work work) {
  Recording& recording = *recorded_.at(stream);
  Graph::Node node;
  node.handle = new_node();
  node.type = type;
  node.work = std::move(work);
  node.after = std::exchange(recording.last[stream], {node.handle});
  return recording.graph->nodes.emplace_back(std::move(node));
}

bool Graphs::mark(cudaEvent_t event, cudaStream_t stream) {
  if (Recording* const before = recorded(event)) before->events.erase(event);
  Recording* const recording = recorded(stream);
  if (recording != nullptr) recording->events[event] = recording->last[stream];
  return recording != nullptr;
}

bool Graphs::join(cudaStream_t stream, cudaEvent_t event) {
  const Recording* const recording = recorded(event);
  if (recording == nullptr) return false;
  const std::shared_ptr<Recording> shared = recorded_.at(recording->origin);
  recorded_.emplace(stream, shared);
  std::vector<cudaGraphNode_t>& last = shared->last[stream];
  for (const cudaGraphNode_t node : shared->events[event]) {
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
  }
  return true;
}

bool Graphs::forbid() {
  if (mode_of_thread == cudaStreamCaptureModeRelaxed) return false;
  return invalidate([&](cudaStream_t stream) {
    const Recording& recording = *recorded_.at(stream);
    if (recording.thread == std::this_thread::get_id()) return recording.mode != cudaStreamCaptureModeRelaxed;
    return recording.mode == cudaStreamCaptureModeGlobal && mode_of_thread == cudaStreamCaptureModeGlobal;
  });
}

cudaStreamCaptureMode Graphs::exchange_mode(cudaStreamCaptureMode mode) { return std::exchange(mode_of_thread, mode); }

std::shared_ptr<Graph> Graphs::find(cudaGraph_t graph) const { return find_in(graphs_, graph); }
std::shared_ptr<Graph> Graphs::find(cudaGraphExec_t graph) const { return find_in(executables_, graph); }

std::pair<Graph*, Graph::Node*> Graphs::find(cudaGraphNode_t node) const {
  for (const auto& [handle, graph] : graphs_) {
    if (Graph::Node* const found = graph->find(node)) return {graph.get(), found};
  }
  return {nullptr, nullptr};
}

cudaGraph_t Graphs::clone(const Graph& graph) {
  const cudaGraph_t handle = create();
  Graph& copy = *graphs_[handle];
  copy.nodes = graph.nodes;
  std::map<cudaGraphNode_t, cudaGraphNode_t> renamed;
  for (Graph::Node& node : copy.nodes) {
    node.original = node.handle;
    node.handle = renamed[node.original] = new_node();
    if (node.child != nullptr) contain(node, *node.child);
  }
  for (Graph::Node& node : copy.nodes) {
    for (cudaGraphNode_t& other : node.after) other = renamed.at(other);
  }
  return handle;
}

void Graphs::contain(Graph::Node& node, const Graph& graph) {
  node.type = cudaGraphNodeTypeGraph;
  node.child_handle = clone(graph);
  const std::shared_ptr<Graph> child = find(node.child_handle);
  child->owner = Graph::Owner::kNode;
  node.child = child;
}

void Graphs::destroy(cudaGraph_t graph) {
  const auto found = graphs_.extract(graph);
  if (found.empty()) return;
  for (const Graph::Node& node : found.mapped()->nodes) destroy(node.child_handle);
}

// What is done to the graph's nodes later is not done to the executable's, which have the same handles.
cudaGraphExec_t Graphs::instantiate(const Graph& graph) {
  if (!graph.is_acyclic()) return nullptr;
  const auto handle = to_handle<cudaGraphExec_t>(++made_);
  executables_[handle] = std::make_shared<Graph>(graph.snapshot());
  return handle;
}

}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::Graph;
using warpfold::host::Graphs;
using warpfold::host::guarded;

namespace warpfold::host {
namespace {

// In a stream that records itself, the graph's work becomes part of the recording.
bool recorded_instead(Context& context, const Graph& graph, cudaStream_t stream) {
  if (context.graphs.recorded(stream) == nullptr) return false;
  context.graphs.contain(context.graphs.add(stream, cudaGraphNodeTypeGraph, {}), graph);
  return true;
}

cudaError_t begin_capture(Context& context, cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (!is_mode(mode)) return cudaErrorInvalidValue;
  if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
  if (stream == nullptr || stream == cudaStreamLegacy) return cudaErrorStreamCaptureUnsupported;
  return context.graphs.begin(stream, mode) ? cudaSuccess : cudaErrorIllegalState;
}

cudaError_t end_capture(Context& context, cudaStream_t stream, cudaGraph_t* graph) {
  if (graph == nullptr) return cudaErrorInvalidValue;
  if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
  return context.graphs.end(stream, graph);
}

cudaError_t update_dependencies(Context& context, cudaStream_t stream, const cudaGraphNode_t* nodes, std::size_t count,
                                unsigned flags) {
  Graphs::Recording* const recording = context.graphs.recorded(stream);
  if (recording == nullptr) return cudaErrorIllegalState;
  if (recording->graph == nullptr) return cudaErrorStreamCaptureInvalidated;
  const auto known = [&](cudaGraphNode_t node) { return recording->graph->find(node) != nullptr; };
  if (flags > cudaStreamSetCaptureDependencies || (nodes == nullptr && count > 0) ||
      !std::all_of(nodes, nodes + count, known)) {
    return cudaErrorInvalidValue;
  }
  std::vector<cudaGraphNode_t>& last = recording->last[stream];
  if (flags == cudaStreamSetCaptureDependencies) last.clear();
  last.insert(last.end(), nodes, nodes + count);
  return cudaSuccess;
}

}  // namespace
}  // namespace warpfold::host

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return guarded([&](Context& context) { return warpfold::host::begin_capture(context, stream, mode); });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return guarded([&](Context& context) { return warpfold::host::end_capture(context, stream, graph); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo_v2(stream, status, nullptr, nullptr, nullptr, nullptr);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return cudaStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                        cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* count) {
  return guarded([&](Context& context) {
    if (status == nullptr) return cudaErrorInvalidValue;
    if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
    Graphs::Recording* const recording = context.graphs.recorded(stream);
    *status = cudaStreamCaptureStatusNone;
    if (recording == nullptr) return cudaSuccess;
    *status = recording->graph != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
    if (id != nullptr) *id = recording->id;
    if (graph != nullptr) *graph = recording->handle;
    if (dependencies != nullptr) *dependencies = recording->last[stream].data();
    if (count != nullptr) *count = recording->last[stream].size();
    return cudaSuccess;
  });
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, size_t count,
                                                unsigned int flags) {
  return guarded(
      [&](Context& context) { return warpfold::host::update_dependencies(context, stream, nodes, count, flags); });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr || !warpfold::host::is_mode(*mode)) return cudaErrorInvalidValue;
  *mode = Graphs::exchange_mode(*mode);
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  return guarded([&](Context& context) {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *graph = context.graphs.create();
    return cudaSuccess;
  });
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return guarded([&](Context& context) {
    const std::shared_ptr<const Graph> found = context.graphs.find(graph);
    if (clone == nullptr || found == nullptr) return cudaErrorInvalidValue;
    *clone = context.graphs.clone(*found);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* error_node, char* log,
                                 size_t log_bytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes > 0) *log = '\0';
  return cudaGraphInstantiateWithFlags(executable, graph, 0);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return guarded([&](Context& context) {
    const std::shared_ptr<const Graph> found = context.graphs.find(graph);
    if (executable == nullptr || found == nullptr) return cudaErrorInvalidValue;
    *executable = context.graphs.instantiate(*found);
    return *executable != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

// The program's functions among the work may call the run-time library, so each piece is a call of its own.
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  std::vector<Graph::Work> all;
  const cudaError_t error = guarded([&](Context& context) {
    const std::shared_ptr<const Graph> graph = context.graphs.find(executable);
    if (graph == nullptr) return cudaErrorInvalidResourceHandle;
    const cudaError_t closed = check_stream(context, "cudaGraphLaunch", stream);
    if (closed != cudaSuccess) return closed;
    if (!warpfold::host::recorded_instead(context, *graph, stream)) all = graph->work();
    return cudaSuccess;
  });
  if (error != cudaSuccess) return error;
  for (const Graph::Work& work : all) {
    if (!work.run) {
      if (work.function != nullptr) work.function(work.data);
      continue;
    }
    const cudaError_t failed = guarded([&](Context& context) { return work.run(context, stream); });
    if (failed != cudaSuccess) return failed;
  }
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return guarded([&](Context& context) {
    const bool known = context.graphs.find(executable) != nullptr && context.timeline.knows(stream);
    return known ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return guarded(
      [&](Context& context) { return context.graphs.destroy(executable) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return guarded([&](Context& context) {
    const std::shared_ptr<const Graph> found = context.graphs.find(graph);
    if (found == nullptr || found->owner != Graph::Owner::kProgram) return cudaErrorInvalidValue;
    context.graphs.destroy(graph);
    return cudaSuccess;
  });
}

}  // extern "C"
