// SPDX-License-Identifier: Apache-2.0
// Work that is described instead of done, by capturing streams or node by node, and done whenever its graph is
// launched.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "warpfold/host/include/driver_types.h"
#include "warpfold/host/include/warpfold/image_types.h"

namespace warpfold::host {

class Context;

// A graph's nodes are done one after the other in the stream that the graph is launched in: each after all that it
// depends on, else in the order in which they were added.
struct Graph {
  struct Work {
    std::function<cudaError_t(Context&, cudaStream_t)> run;  // empty: a function of the program's is called, if any
    cudaHostFn_t function = nullptr;
    void* data = nullptr;
  };
  // What a program gets back of a kernel: its arguments are the node's own.
  struct Kernel {
    cudaKernelNodeParams parameters{};
    std::vector<std::byte> bytes;
    std::vector<void*> arguments;
  };
  struct Node {
    cudaGraphNode_t handle = nullptr;
    cudaGraphNode_t original = nullptr;  // that this is a copy of, in a clone
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    Work work;
    std::vector<cudaGraphNode_t> after;  // what it depends on
    std::shared_ptr<const Kernel> kernel;
    cudaMemcpy3DParms copy{};
    cudaMemsetParams fill{};
    std::shared_ptr<const Graph> child;
    cudaGraph_t child_handle = nullptr;
  };
  // What only ends with its owner: the program may not destroy a node's graph, nor one that is being recorded.
  enum class Owner { kProgram, kNode, kRecording };
  std::vector<Node> nodes;
  Owner owner = Owner::kProgram;

  Node* find(cudaGraphNode_t handle);
  const Node* find(cudaGraphNode_t handle) const { return const_cast<Graph*>(this)->find(handle); }
  // In the order in which they are done; those that wait for one another are not among them.
  std::vector<const Node*> order() const;
  bool is_acyclic() const;  // and so are the graphs within it
  // With the same nodes by type, and the same edges, in the same order of nodes.
  bool is_like(const Graph& other) const;
  // With copies of the graphs within it, which are nobody's to change any more. Nodes keep their handles.
  Graph snapshot() const;
  // Of the nodes and of those of graphs within them.
  std::vector<Work> work() const;
};

// Graphs, recordings under way, and what has come of graphs.
class Graphs {
 public:
  cudaGraph_t create();
  // Of a node in a new graph. Handles never come again.
  cudaGraphNode_t new_node();

  // False: it records already.
  bool begin(cudaStream_t stream, cudaStreamCaptureMode mode);
  // The graph, or why there is none.
  cudaError_t end(cudaStream_t stream, cudaGraph_t* graph);

  // The stream is destroyed: nothing comes of the recording in which it takes part.
  void forget(cudaStream_t stream);

  struct Recording {
    cudaStream_t origin;
    std::size_t id;
    cudaGraph_t handle;
    std::shared_ptr<Graph> graph;  // null: what cannot be recorded has been tried
    cudaStreamCaptureMode mode;
    std::thread::id thread;                                        // that began it
    std::map<cudaStream_t, std::vector<cudaGraphNode_t>> last{};   // what the stream's next node depends on
    std::map<cudaEvent_t, std::vector<cudaGraphNode_t>> events{};  // what who waits for it depends on
  };
  // The recording that the stream's work goes to, or that the event is part of; null: the work is done.
  Recording* recorded(cudaStream_t stream) const;
  Recording* recorded(cudaEvent_t event) const;
  // A node at the end of what the stream has recorded.
  Graph::Node& add(cudaStream_t stream, cudaGraphNodeType type, Graph::Work work);
  // What the event stands for is part of its stream's recording, which a stream that waits for it joins.
  bool mark(cudaEvent_t event, cudaStream_t stream);  // false: the stream does not record
  bool join(cudaStream_t stream, cudaEvent_t event);  // false: the event is no part of a recording
  // Nothing comes of the recordings in which such streams take part. False: there are none.
  template <class Which>
  bool invalidate(Which which) {
    bool any = false;
    for (const auto& [stream, recording] : recorded_) {
      if (!which(stream)) continue;
      recording->graph = nullptr;
      destroy(recording->handle);
      any = true;
    }
    return any;
  }

  // The calling thread wants what is done at once, memory for example. True: recordings forbid it, by their modes and
  // the thread's (cudaThreadExchangeStreamCaptureMode), and nothing comes of them.
  bool forbid();
  static cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode);  // the thread's

  // Null: there is none.
  std::shared_ptr<Graph> find(cudaGraph_t graph) const;
  std::shared_ptr<Graph> find(cudaGraphExec_t graph) const;
  // The graph of a node, and the node; null where there is none.
  std::pair<Graph*, Graph::Node*> find(cudaGraphNode_t node) const;
  // A copy with nodes of its own, and with graphs of its own within it.
  cudaGraph_t clone(const Graph& graph);
  // The node does what the graph does; its copy of the graph is found by child_handle.
  void contain(Graph::Node& node, const Graph& graph);
  // Null: nodes wait for one another.
  cudaGraphExec_t instantiate(const Graph& graph);
  // With the graphs within it.
  void destroy(cudaGraph_t graph);
  bool destroy(cudaGraphExec_t graph) { return executables_.erase(graph) == 1; }

 private:
  std::map<cudaStream_t, std::shared_ptr<Recording>> recorded_;  // by every stream that takes part
  std::map<cudaGraph_t, std::shared_ptr<Graph>> graphs_;
  std::map<cudaGraphExec_t, std::shared_ptr<Graph>> executables_;
  std::size_t made_ = 0;
};

// Kernels of nodes (launch.cpp), and what nodes do of copies and events.
cudaError_t set_kernel(Context& context, const cudaKernelNodeParams& parameters, Graph::Node& node);
cudaError_t record_event(Context& context, cudaEvent_t event, cudaStream_t stream);
cudaError_t wait_for_event(Context& context, cudaStream_t stream, cudaEvent_t event);

}  // namespace warpfold::host
