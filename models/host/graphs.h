// SPDX-License-Identifier: Apache-2.0
// Work of streams that is recorded instead of done, and done again whenever its graph is launched.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "warpfold/host/include/driver_types.h"

namespace warpfold::host {

class Context;

// In the order of the calls, in which each piece comes after all that it depends on; so that is how it is done again,
// one after the other in the stream that the graph is launched in.
struct Graph {
  struct Work {
    std::function<cudaError_t(Context&, cudaStream_t)> run;  // empty: a function of the program's is called
    cudaHostFn_t function = nullptr;
    void* data = nullptr;
  };
  std::vector<Work> work;
};

// Recordings under way, and the graphs that have come of others.
class Graphs {
 public:
  // False: it records already.
  bool begin(cudaStream_t stream);
  // Null: no recording began in this stream.
  cudaGraph_t end(cudaStream_t stream);
  bool records_any() const { return !recorded_.empty(); }

  // The graph that the stream's work goes to, or null: it is done.
  Graph* recorded(cudaStream_t stream) const;
  // What the event stands for is part of its stream's recording, which a stream that waits for it joins.
  bool mark(cudaEvent_t event, cudaStream_t stream);  // false: the stream does not record
  bool join(cudaStream_t stream, cudaEvent_t event);  // false: the event is no part of a recording

  // Null: there is none.
  std::shared_ptr<const Graph> find(cudaGraph_t graph) const;
  std::shared_ptr<const Graph> find(cudaGraphExec_t graph) const;
  cudaGraphExec_t instantiate(cudaGraph_t graph);
  bool destroy(cudaGraph_t graph) { return graphs_.erase(graph) == 1; }
  bool destroy(cudaGraphExec_t graph) { return executables_.erase(graph) == 1; }

 private:
  struct Recording {
    cudaStream_t origin;
    std::shared_ptr<Graph> graph = std::make_shared<Graph>();
    std::set<cudaEvent_t> events{};
  };
  std::map<cudaStream_t, std::shared_ptr<Recording>> recorded_;  // by every stream that takes part
  std::map<cudaGraph_t, std::shared_ptr<const Graph>> graphs_;
  std::map<cudaGraphExec_t, std::shared_ptr<const Graph>> executables_;
  std::size_t made_ = 0;
};

}  // namespace warpfold::host
