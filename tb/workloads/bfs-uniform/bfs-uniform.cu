// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, level by level, one thread per node, by marks (Harish and Narayanan, HiPC 2007): a node of the
// frontier gives its unvisited neighbours their level and marks them as found; a second kernel makes what was found the
// next frontier. The graph is uniform: edges between any two nodes, six a node in the mean.
//
// TBC's Table 1 and HARP's Table 5 have bfs of Rodinia (asubah/rodinia at commit c7cb01d). Algorithm, blocks of 512 and
// graphs are its own: at default 65,536 nodes, as in its file run (graph65536.txt), which TBC's number of instructions
// is of; HARP has 8 blocks, which are its graph4096.txt.
//
//   bfs-uniform [--size small|default|large] [--seed N] [--blocks N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;
using Mark = unsigned char;  // 0 or 1

constexpr const char* kProgram = "bfs-uniform";
constexpr unsigned kBlockSize = 512;
constexpr int kEdgesPerNode = 3;  // each both ways
constexpr int kUnreached = -1;

// Where a node's neighbours stand in the list of all.
struct Node {
  int first;
  int count;
};

// No thread reads what another one stores in this launch, but for levels and marks that all who store them store alike.
__global__ void expand(int count, const Node* nodes, const int* neighbours, const Mark* visited, Mark* frontier,
                       Mark* found, int* levels) {
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= count || frontier[node] == 0) return;
  frontier[node] = 0;
// Unrolled, it would be two loops with a remainder that depends on the node.
#pragma unroll 1
  for (int i = nodes[node].first; i < nodes[node].first + nodes[node].count; ++i) {
    const int neighbour = neighbours[i];
    if (visited[neighbour] == 0) {
      levels[neighbour] = levels[node] + 1;
      found[neighbour] = 1;
    }
  }
}

__global__ void settle(int count, Mark* frontier, Mark* found, Mark* visited, Mark* more) {
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= count || found[node] == 0) return;
  frontier[node] = 1;
  visited[node] = 1;
  *more = 1;
  found[node] = 0;
}

namespace {

struct Graph {
  int source = 0;
  std::vector<Node> nodes;
  std::vector<int> neighbours;

  int size() const { return static_cast<int>(nodes.size()); }
};

// The search starts at an end of the first edge.
Graph uniform_graph(int size, Random& random) {
  std::vector<std::vector<int>> lists(size);
  Graph graph;
  for (int i = 0; i < kEdgesPerNode * size; ++i) {
    const int from = static_cast<int>(random.below(size));
    const int other = static_cast<int>(random.below(size - 1));
    const int to = other < from ? other : other + 1;
    if (i == 0) graph.source = from;
    lists[from].push_back(to);
    lists[to].push_back(from);
  }
  for (const std::vector<int>& list : lists) {
    graph.nodes.push_back({static_cast<int>(graph.neighbours.size()), static_cast<int>(list.size())});
    graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
  }
  return graph;
}

std::vector<int> search_on_device(const Graph& graph) {
  const int size = graph.size();
  std::vector<int> start(size, kUnreached);
  start[graph.source] = 0;
  std::vector<Mark> source(size, 0);
  source[graph.source] = 1;
  const DeviceBuffer<Node> nodes(graph.nodes);
  const DeviceBuffer<int> neighbours(graph.neighbours);
  const DeviceBuffer<int> levels(start);
  const DeviceBuffer<Mark> frontier(source);
  const DeviceBuffer<Mark> visited(source);
  DeviceBuffer<Mark> found(size);
  found.fill_bytes(0);
  DeviceBuffer<Mark> more(1);
  const unsigned blocks = (static_cast<unsigned>(size) + kBlockSize - 1) / kBlockSize;
  do {
    more.fill_bytes(0);
    expand<<<blocks, kBlockSize>>>(size, nodes.get(), neighbours.get(), visited.get(), frontier.get(), found.get(),
                                   levels.get());
    workload::check_launch("expand");
    settle<<<blocks, kBlockSize>>>(size, frontier.get(), found.get(), visited.get(), more.get());
    workload::check_launch("settle");
  } while (more.download()[0] != 0);
  return levels.download();
}

std::vector<int> search_on_host(const Graph& graph) {
  std::vector<int> levels(graph.size(), kUnreached);
  std::vector<int> queue{graph.source};
  levels[graph.source] = 0;
  for (size_t head = 0; head < queue.size(); ++head) {
    const Node node = graph.nodes[queue[head]];
    for (int i = node.first; i < node.first + node.count; ++i) {
      const int neighbour = graph.neighbours[i];
      if (levels[neighbour] != kUnreached) continue;
      levels[neighbour] = levels[queue[head]] + 1;
      queue.push_back(neighbour);
    }
  }
  return levels;
}

int nodes_of(const workload::Options& options) {
  if (options.arguments.empty()) return workload::by_size(options.size, 600, 65536, 655360);
  if (options.arguments.size() != 2 || options.arguments[0] != "--blocks") {
    workload::user_error(kProgram, "unknown argument '" + options.arguments[0] +
                                       "'; known are --size small|default|large, --seed N and --blocks N");
  }
  return static_cast<int>(kBlockSize * workload::parse_count(kProgram, "--blocks", options.arguments[1]));
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_options(kProgram, argc, argv);
  Random random(options.seed);
  const Graph graph = uniform_graph(nodes_of(options), random);
  const std::vector<int> levels = search_on_device(graph);
  std::printf("bfs-uniform: %d nodes, %zu edges, source %d: depth %d\n", graph.size(), graph.neighbours.size(),
              graph.source, *std::max_element(levels.begin(), levels.end()));
  return workload::verdict(workload::compare_equal(levels, search_on_host(graph)));
}
