// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/graphs.h"

#include <algorithm>

#include "warpfold/host/context.h"

namespace warpfold::host {
namespace {

// Handles are numbers, spaced like pointers, that never come again.
template <class Handle>
Handle to_handle(std::size_t number) {
  constexpr std::uintptr_t kSpacing = 16;
  return reinterpret_cast<Handle>(number * kSpacing);
}

template <class Map, class Key>
std::shared_ptr<const Graph> find_in(const Map& map, Key key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

bool Graphs::begin(cudaStream_t stream) {
  return recorded_.emplace(stream, std::make_shared<Recording>(Recording{stream})).second;
}

cudaGraph_t Graphs::end(cudaStream_t stream) {
  const auto found = recorded_.find(stream);
  if (found == recorded_.end() || found->second->origin != stream) return nullptr;
  const std::shared_ptr<Recording> recording = found->second;
  std::erase_if(recorded_, [&](const auto& entry) { return entry.second == recording; });
  const auto handle = to_handle<cudaGraph_t>(++made_);
  graphs_[handle] = recording->graph;
  return handle;
}

Graph* Graphs::recorded(cudaStream_t stream) const {
  if (recorded_.empty()) return nullptr;
  const auto found = recorded_.find(stream);
  return found == recorded_.end() ? nullptr : found->second->graph.get();
}

bool Graphs::mark(cudaEvent_t event, cudaStream_t stream) {
  const auto found = recorded_.find(stream);
  if (found == recorded_.end()) return false;
  found->second->events.insert(event);
  return true;
}

bool Graphs::join(cudaStream_t stream, cudaEvent_t event) {
  const auto of_event = [&](const auto& entry) { return entry.second->events.contains(event); };
  const auto found = std::find_if(recorded_.begin(), recorded_.end(), of_event);
  if (found == recorded_.end()) return false;
  recorded_.emplace(stream, found->second);
  return true;
}

std::shared_ptr<const Graph> Graphs::find(cudaGraph_t graph) const { return find_in(graphs_, graph); }
std::shared_ptr<const Graph> Graphs::find(cudaGraphExec_t graph) const { return find_in(executables_, graph); }

cudaGraphExec_t Graphs::instantiate(cudaGraph_t graph) {
  const std::shared_ptr<const Graph> found = find(graph);
  if (found == nullptr) return nullptr;
  const auto handle = to_handle<cudaGraphExec_t>(++made_);
  executables_[handle] = found;
  return handle;
}

}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::Graph;
using warpfold::host::guarded;

namespace warpfold::host {
namespace {

// In a stream that records itself, the graph's work becomes part of the recording.
bool recorded_instead(Context& context, const Graph& graph, cudaStream_t stream) {
  Graph* const recording = context.graphs.recorded(stream);
  if (recording == nullptr) return false;
  recording->work.insert(recording->work.end(), graph.work.begin(), graph.work.end());
  return true;
}

cudaError_t begin_capture(Context& context, cudaStream_t stream) {
  if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
  if (stream == nullptr || stream == cudaStreamLegacy) return cudaErrorStreamCaptureUnsupported;
  return context.graphs.begin(stream) ? cudaSuccess : cudaErrorIllegalState;
}

cudaError_t end_capture(Context& context, cudaStream_t stream, cudaGraph_t* graph) {
  if (graph == nullptr) return cudaErrorInvalidValue;
  if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
  *graph = context.graphs.end(stream);
  if (*graph != nullptr) return cudaSuccess;
  const bool joined = context.graphs.recorded(stream) != nullptr;
  return joined ? cudaErrorStreamCaptureUnmatched : cudaErrorIllegalState;
}

}  // namespace
}  // namespace warpfold::host

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return guarded([&](Context& context) { return warpfold::host::begin_capture(context, stream); });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return guarded([&](Context& context) { return warpfold::host::end_capture(context, stream, graph); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return guarded([&](Context& context) {
    if (status == nullptr) return cudaErrorInvalidValue;
    if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
    const bool records = context.graphs.recorded(stream) != nullptr;
    *status = records ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
  return cudaGraphInstantiateWithFlags(executable, graph, 0);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return guarded([&](Context& context) {
    if (executable == nullptr) return cudaErrorInvalidValue;
    *executable = context.graphs.instantiate(graph);
    return *executable != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

// The program's functions among the work may call the run-time library, so each piece is a call of its own.
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  std::shared_ptr<const Graph> graph;
  bool recorded = false;
  const cudaError_t error = guarded([&](Context& context) {
    graph = context.graphs.find(executable);
    if (graph == nullptr || !context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
    recorded = warpfold::host::recorded_instead(context, *graph, stream);
    return cudaSuccess;
  });
  if (error != cudaSuccess || recorded) return error;
  for (const Graph::Work& work : graph->work) {
    if (!work.run) {
      work.function(work.data);
      continue;
    }
    const cudaError_t failed = guarded([&](Context& context) { return work.run(context, stream); });
    if (failed != cudaSuccess) return failed;
  }
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return guarded([&](Context& context) {
    const std::shared_ptr<const Graph> found = context.graphs.find(graph);
    if (found == nullptr || count == nullptr) return cudaErrorInvalidValue;
    if (nodes != nullptr) {
      return warpfold::host::refuse(cudaErrorNotSupported,
                                    "cudaGraphGetNodes: nodes of graphs cannot be had, only "
                                    "their number");
    }
    *count = found->work.size();
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return guarded(
      [&](Context& context) { return context.graphs.destroy(executable) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return guarded([&](Context& context) { return context.graphs.destroy(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

}  // extern "C"
