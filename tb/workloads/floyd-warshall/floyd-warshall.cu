// SPDX-License-Identifier: Apache-2.0
// Shortest ways between all pairs of a graph's nodes (Floyd, Warshall, 1962), a launch per node that ways may lead
// through and a thread per pair. Pairs whose way gets shorter note it down, and pairs without a way to the node stop.
//
//   floyd-warshall [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "floyd-warshall";
constexpr int kTile = 16;
constexpr int kNoWay = 1 << 28;

__global__ void through(int nodes, int node, int* lengths, int* via) {
  const int to = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  const int from = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  // The way to the node and the one from there do not change in this launch.
  if (from >= nodes || to >= nodes || from == node || to == node) return;
  const int first = lengths[from * nodes + node];
  if (first == kNoWay) return;
  const int second = lengths[node * nodes + to];
  if (second == kNoWay) return;
  if (first + second < lengths[from * nodes + to]) {
    lengths[from * nodes + to] = first + second;
    via[from * nodes + to] = node;
  }
}

namespace {

// Streets with a few crossings each, and a handful of long roads; not every node can be reached.
std::vector<int> random_graph(int nodes, Random& random) {
  std::vector<int> lengths(static_cast<size_t>(nodes) * nodes, kNoWay);
  for (int from = 0; from < nodes; ++from) {
    lengths[from * nodes + from] = 0;
    const uint32_t streets = random.below(4);
    for (uint32_t street = 0; street < streets; ++street) {
      const int to = (from + 1 + static_cast<int>(random.below(6))) % nodes;
      lengths[from * nodes + to] = from == to ? 0 : 1 + static_cast<int>(random.below(20));
    }
    if (random.below(8) == 0) {
      const int to = static_cast<int>(random.below(static_cast<uint32_t>(nodes)));
      if (to != from) lengths[from * nodes + to] = 30 + static_cast<int>(random.below(100));
    }
  }
  return lengths;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int nodes = workload::by_size(options.size, 16, 160, 320);
  Random random(options.seed);
  std::vector<int> lengths = random_graph(nodes, random);
  std::vector<int> via(lengths.size(), -1);

  const DeviceBuffer<int> device_lengths(lengths);
  const DeviceBuffer<int> device_via(via);
  const unsigned tiles = static_cast<unsigned>((nodes + kTile - 1) / kTile);
  for (int node = 0; node < nodes; ++node) {
    through<<<dim3(tiles, tiles), dim3(kTile, kTile)>>>(nodes, node, device_lengths.get(), device_via.get());
    workload::check_launch("through");
  }

  for (int node = 0; node < nodes; ++node) {
    for (int pair = 0; pair < nodes * nodes; ++pair) {
      const int length = lengths[pair / nodes * nodes + node] + lengths[node * nodes + pair % nodes];
      if (length >= lengths[pair]) continue;  // two stretches without a way are longer than none
      lengths[pair] = length;
      via[pair] = node;
    }
  }
  std::printf("floyd-warshall: %d nodes\n", nodes);
  const std::string wrong = workload::compare_equal(device_lengths.download(), lengths);
  return workload::verdict(wrong.empty() ? workload::compare_equal(device_via.download(), via) : wrong);
}
