// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, level by level over a graph in compressed sparse rows, one thread per node: short loops of very
// different length behind a rarely taken test, the classic divergent graph kernel.
//
//   bfs [--size small|default|large] [--seed N] [--graph road|scale-free|both | FILE]
//
// Without FILE the graphs are generated: a road-like one (a grid that lost some of its edges and got some far ones) and
// a scale-free one (R-MAT). FILE is text; '#' starts a comment that runs to the end of the line, blank lines are
// skipped:
//   NODES EDGES SOURCE        once: how many nodes and edges, and where the search starts
//   FROM TO                   EDGES times: a directed edge, nodes counted from 0
#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "bfs";
constexpr int kBlockSize = 256;
constexpr int kUnreached = -1;

// Looks from every node of the last level at its neighbours. `levels` is only read here and `reached` only written, so
// what a thread executes does not depend on which thread came first.
__global__ void expand(int nodes, int level, const int* rows, const int* columns, const int* levels,
                       unsigned char* reached) {
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= nodes || levels[node] != level) return;
  const int end = rows[node + 1];
// Unrolled, it would be two loops with a remainder that depends on the node.
#pragma unroll 1
  for (int edge = rows[node]; edge < end; ++edge) {
    const int neighbour = columns[edge];
    if (levels[neighbour] == kUnreached) reached[neighbour] = 1;
  }
}

// Gives the nodes just reached their level. Every thread that stores `*more` stores the same value.
__global__ void settle(int nodes, int next_level, unsigned char* reached, int* levels, int* more) {
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= nodes || reached[node] == 0) return;
  reached[node] = 0;
  levels[node] = next_level;
  *more = 1;
}

namespace {

struct Edge {
  int from;
  int to;
};

struct Graph {
  int source = 0;
  std::vector<int> rows;     // nodes + 1 positions in `columns`
  std::vector<int> columns;  // neighbours, node by node

  int nodes() const { return static_cast<int>(rows.size()) - 1; }
};

// Counting sort by `from`; the order of the edges of one node stays.
Graph make_graph(int nodes, int source, const std::vector<Edge>& edges) {
  Graph graph;
  graph.source = source;
  graph.rows.assign(static_cast<size_t>(nodes) + 1, 0);
  for (const Edge& edge : edges) ++graph.rows[edge.from + 1];
  for (int node = 0; node < nodes; ++node) graph.rows[node + 1] += graph.rows[node];
  graph.columns.resize(edges.size());
  std::vector<int> next(graph.rows.begin(), graph.rows.end() - 1);
  for (const Edge& edge : edges) graph.columns[next[edge.from]++] = edge.to;
  return graph;
}

void add_both_ways(std::vector<Edge>& edges, int a, int b) {
  edges.push_back({a, b});
  edges.push_back({b, a});
}

// A width x width grid of crossings; one street in eight is missing, and one crossing in eight has a far road, which
// keeps the number of levels at two dozen, where a plain grid would have a thousand.
Graph road_graph(int width, Random& random) {
  std::vector<Edge> edges;
  const int nodes = width * width;
  for (int node = 0; node < nodes; ++node) {
    if (node % width + 1 < width && random.below(8) != 0) add_both_ways(edges, node, node + 1);
    if (node + width < nodes && random.below(8) != 0) add_both_ways(edges, node, node + width);
    if (random.below(8) == 0) add_both_ways(edges, node, static_cast<int>(random.below(nodes)));
  }
  return make_graph(nodes, (width / 2) * width + width / 2, edges);
}

// R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004) with quadrant weights 0.45, 0.15, 0.15, 0.25; node names are shuffled,
// since R-MAT gathers its hubs at the low ones. The search starts at the node of the highest degree.
Graph scale_free_graph(int scale, Random& random) {
  constexpr int kEdgesPerNode = 8;
  const int nodes = 1 << scale;
  std::vector<int> names(nodes);
  for (int node = 0; node < nodes; ++node) names[node] = node;
  random.shuffle(names);
  std::vector<Edge> edges;
  for (int i = 0; i < nodes * kEdgesPerNode; ++i) {
    int from = 0;
    int to = 0;
    for (int bit = 0; bit < scale; ++bit) {
      const uint32_t draw = random.below(100);
      from = 2 * from + (draw >= 60 ? 1 : 0);
      to = 2 * to + ((draw >= 45 && draw < 60) || draw >= 75 ? 1 : 0);
    }
    add_both_ways(edges, names[from], names[to]);
  }
  Graph graph = make_graph(nodes, 0, edges);
  const auto degree = [&](int node) { return graph.rows[node + 1] - graph.rows[node]; };
  for (int node = 1; node < nodes; ++node) {
    if (degree(node) > degree(graph.source)) graph.source = node;
  }
  return graph;
}

// Reads the text format described at the top; every complaint names the file and the line.
class GraphReader {
 public:
  explicit GraphReader(const std::string& path) : path_(path), file_(path) {
    if (!file_) workload::user_error(kProgram, path + ": cannot be read: " + std::strerror(errno));
  }

  Graph read() {
    long long header[3];
    if (!next_numbers(header, 3)) complain("expected NODES EDGES SOURCE, found the end of the file");
    require("NODES", header[0], 1, kMostNodes);
    require("EDGES", header[1], 0, kMostEdges);
    require("SOURCE", header[2], 0, header[0] - 1);
    std::vector<Edge> edges;
    for (long long i = 0; i < header[1]; ++i) {
      long long ends[2];
      if (!next_numbers(ends, 2)) {
        complain("the file ends after " + std::to_string(i) + " of " + std::to_string(header[1]) + " edges");
      }
      require("FROM", ends[0], 0, header[0] - 1);
      require("TO", ends[1], 0, header[0] - 1);
      edges.push_back({static_cast<int>(ends[0]), static_cast<int>(ends[1])});
    }
    if (next_line()) complain("more than the " + std::to_string(header[1]) + " edges announced");
    return make_graph(static_cast<int>(header[0]), static_cast<int>(header[2]), edges);
  }

 private:
  static constexpr long long kMostNodes = 1LL << 26;
  static constexpr long long kMostEdges = 1LL << 28;

  [[noreturn]] void complain(const std::string& what) const {
    workload::user_error(kProgram, path_ + ":" + std::to_string(line_number_) + ": " + what);
  }
  void require(const char* name, long long value, long long least, long long most) const {
    if (value >= least && value <= most) return;
    complain(std::string(name) + " is " + std::to_string(value) + ", must be " + std::to_string(least) + " to " +
             std::to_string(most));
  }
  // Moves to the next line that holds more than a comment.
  bool next_line() {
    while (std::getline(file_, line_)) {
      ++line_number_;
      line_ = line_.substr(0, line_.find('#'));
      if (line_.find_first_not_of(" \t\r") != std::string::npos) return true;
    }
    ++line_number_;
    if (file_.bad()) complain("cannot be read");
    return false;
  }
  bool next_numbers(long long* numbers, int count) {
    if (!next_line()) return false;
    std::istringstream words(line_);
    for (int i = 0; i < count; ++i) {
      if (!(words >> numbers[i])) {
        complain("expected " + std::to_string(count) + " whole numbers, near '" + line_.substr(0, 40) + "'");
      }
    }
    std::string rest;
    if (words >> rest) {
      complain("expected " + std::to_string(count) + " whole numbers, near '" + rest.substr(0, 40) + "'");
    }
    return true;
  }

  std::string path_;
  std::ifstream file_;
  std::string line_;
  int line_number_ = 0;
};

std::vector<int> search_on_device(const Graph& graph, int& depth) {
  const int nodes = graph.nodes();
  std::vector<int> start(nodes, kUnreached);
  start[graph.source] = 0;
  const DeviceBuffer<int> rows(graph.rows);
  const DeviceBuffer<int> columns(graph.columns.empty() ? std::vector<int>{0} : graph.columns);
  const DeviceBuffer<int> levels(start);
  DeviceBuffer<unsigned char> reached(nodes);
  reached.fill_bytes(0);
  DeviceBuffer<int> more(1);
  const unsigned blocks = static_cast<unsigned>((nodes + kBlockSize - 1) / kBlockSize);
  for (depth = 0;; ++depth) {
    more.fill_bytes(0);
    expand<<<blocks, kBlockSize>>>(nodes, depth, rows.get(), columns.get(), levels.get(), reached.get());
    workload::check_launch("expand");
    settle<<<blocks, kBlockSize>>>(nodes, depth + 1, reached.get(), levels.get(), more.get());
    workload::check_launch("settle");
    if (more.download()[0] == 0) break;
  }
  return levels.download();
}

std::vector<int> search_on_host(const Graph& graph) {
  std::vector<int> levels(graph.nodes(), kUnreached);
  std::vector<int> queue{graph.source};
  levels[graph.source] = 0;
  for (size_t head = 0; head < queue.size(); ++head) {
    const int node = queue[head];
    for (int edge = graph.rows[node]; edge < graph.rows[node + 1]; ++edge) {
      const int neighbour = graph.columns[edge];
      if (levels[neighbour] != kUnreached) continue;
      levels[neighbour] = levels[node] + 1;
      queue.push_back(neighbour);
    }
  }
  return levels;
}

// Searches one graph on the device and compares every level; gives what is wrong, or nothing.
std::string search_and_check(const std::string& name, const Graph& graph) {
  int depth = 0;
  const std::vector<int> levels = search_on_device(graph, depth);
  const std::vector<int> expected = search_on_host(graph);
  const auto unreached = std::count(levels.begin(), levels.end(), kUnreached);
  std::printf("bfs: %s: %d nodes, %zu edges, source %d: depth %d, %zu nodes reached\n", name.c_str(), graph.nodes(),
              graph.columns.size(), graph.source, depth, levels.size() - static_cast<size_t>(unreached));
  for (int node = 0; node < graph.nodes(); ++node) {
    if (levels[node] != expected[node]) {
      return name + ": node " + std::to_string(node) + " has level " + std::to_string(levels[node]) + ", expected " +
             std::to_string(expected[node]);
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_options(kProgram, argc, argv);
  std::string which = "both";
  if (options.arguments.size() == 1 && options.arguments[0].compare(0, 2, "--") != 0) {
    return workload::verdict(search_and_check(options.arguments[0], GraphReader(options.arguments[0]).read()));
  }
  if (options.arguments.size() == 2 && options.arguments[0] == "--graph") {
    which = options.arguments[1];
  } else if (!options.arguments.empty()) {
    workload::user_error(kProgram, "unknown arguments from '" + options.arguments[0] +
                                       "' on; known are --size, --seed and --graph road|scale-free|both, or one FILE");
  }
  if (which != "road" && which != "scale-free" && which != "both") {
    workload::user_error(kProgram, "--graph " + which + ": give road, scale-free or both");
  }
  Random random(options.seed);
  std::string why;
  if (which != "scale-free") {
    why = search_and_check("road", road_graph(workload::by_size(options.size, 28, 352, 1024), random));
  }
  if (which != "road" && why.empty()) {
    why = search_and_check("scale-free", scale_free_graph(workload::by_size(options.size, 9, 17, 20), random));
  }
  return workload::verdict(why);
}
