// SPDX-License-Identifier: Apache-2.0
// Sound waves by the discontinuous Galerkin method (Hesthaven and Warburton, 2008): square elements, whose 4 x 4 nodes
// only meet their neighbours' over what flows through the sides. `volume` differentiates within the elements, `sides`
// adds the flows, from a neighbour or back from a wall, and `advance` takes a step in time. Blocks of 80 threads have
// five elements, in `advance` 256 threads any nodes, so that the last warp of a block is half full.
//
//   dg [--size small|default|large] [--seed N]
#include <numeric>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "dg";
constexpr int kSide = 4;  // nodes along an element's side, at the places of Gauss, Lobatto and Legendre
constexpr int kNodes = kSide * kSide;
constexpr int kElements = 5;  // of a block
constexpr int kAdvanceBlock = 256;
constexpr int kWall = -1;
constexpr float kEndWeight = 1.0f / 6.0f;  // of the first and last node in an integral along a side
constexpr int kStages = 2;                 // of a step: Heun's method

// Row i: the derivative at node i, as a sum over the nodes of a line from -1 to 1.
__constant__ float derivative[kSide][kSide];

// The state at a node, or how fast it changes: pressure and velocity.
struct Wave {
  float p, u, v;
};

// The neighbours of an element, through its left, right, lower and upper side.
struct Neighbours {
  int at[4];
};

__global__ void volume(int elements, const Wave* waves, Wave* changes) {
  __shared__ Wave own[kElements][kNodes];
  const int node = static_cast<int>(threadIdx.x);
  const int slot = static_cast<int>(threadIdx.y);
  const int element = static_cast<int>(blockIdx.x) * kElements + slot;
  if (element < elements) own[slot][node] = waves[element * kNodes + node];
  __syncthreads();
  if (element >= elements) return;
  const int x = node % kSide;
  const int y = node / kSide;
  Wave change = {0.0f, 0.0f, 0.0f};
  for (int k = 0; k < kSide; ++k) {
    const Wave& in_row = own[slot][y * kSide + k];
    const Wave& in_column = own[slot][k * kSide + x];
    change.p -= derivative[x][k] * in_row.u + derivative[y][k] * in_column.v;
    change.u -= derivative[x][k] * in_row.p;
    change.v -= derivative[y][k] * in_column.p;
  }
  changes[element * kNodes + node] = change;
}

// What a side adds at a node on it, where the normal velocity is `flow` and the other side of the same place has
// `other_flow`: half the jumps, upwind.
__host__ __device__ inline void add_side(float p, float flow, float other_p, float other_flow, float& change_p,
                                         float& change_flow) {
  const float jump_p = other_p - p;
  const float jump_flow = other_flow - flow;
  change_p += 0.5f / kEndWeight * (jump_p - jump_flow);
  change_flow += 0.5f / kEndWeight * (jump_flow - jump_p);
}

// Side 0 to 3 of a node's element; does nothing where the node is not on it.
__host__ __device__ inline void add_flow(const Wave* waves, int neighbour, int node, int side, const Wave& own,
                                         Wave& change) {
  const int along = side < 2 ? node % kSide : node / kSide;
  const int end = side % 2 == 0 ? 0 : kSide - 1;
  if (along != end) return;
  const float outwards = side % 2 == 0 ? -1.0f : 1.0f;
  const int away = (kSide - 1 - 2 * end) * (side < 2 ? 1 : kSide);  // to the node at the opposite end
  const float flow = outwards * (side < 2 ? own.u : own.v);
  float change_flow = 0.0f;
  if (neighbour == kWall) {
    add_side(own.p, flow, own.p, -flow, change.p, change_flow);
  } else {
    const Wave other = waves[neighbour * kNodes + node + away];
    add_side(own.p, flow, other.p, outwards * (side < 2 ? other.u : other.v), change.p, change_flow);
  }
  (side < 2 ? change.u : change.v) += outwards * change_flow;
}

__global__ void sides(int elements, const Neighbours* neighbours, const Wave* waves, Wave* changes) {
  const int node = static_cast<int>(threadIdx.x);
  const int element = static_cast<int>(blockIdx.x) * kElements + static_cast<int>(threadIdx.y);
  if (element >= elements) return;
  const int at = element * kNodes + node;
  const Wave own = waves[at];
  Wave change = changes[at];
#pragma unroll 1
  for (int side = 0; side < 4; ++side) add_flow(waves, neighbours[element].at[side], node, side, own, change);
  changes[at] = change;
}

// Heun's method: all the way first, then half of the new change and half of the way back.
__host__ __device__ inline void advance_wave(int stage, float step, const Wave& change, Wave& start, Wave& wave) {
  if (stage == 0) {
    start = wave;
    wave = {wave.p + step * change.p, wave.u + step * change.u, wave.v + step * change.v};
  } else {
    wave = {0.5f * (start.p + wave.p + step * change.p), 0.5f * (start.u + wave.u + step * change.u),
            0.5f * (start.v + wave.v + step * change.v)};
  }
}

__global__ void advance(int nodes, int stage, float step, const Wave* changes, Wave* starts, Wave* waves) {
  const int at = static_cast<int>(blockIdx.x) * kAdvanceBlock + static_cast<int>(threadIdx.x);
  if (at < nodes) advance_wave(stage, step, changes[at], starts[at], waves[at]);
}

namespace {

// The derivatives of the polynomials that are 1 at one node and 0 at the others.
std::vector<float> make_derivative() {
  const double place[kSide] = {-1.0, -std::sqrt(0.2), std::sqrt(0.2), 1.0};
  std::vector<float> values;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      double sum = 0.0;
      for (int skipped = 0; skipped < kSide; ++skipped) {
        double product = skipped == j ? 0.0 : 1.0 / (place[j] - place[skipped]);
        for (int k = 0; k < kSide; ++k) {
          if (k != j && k != skipped) product *= (place[i] - place[k]) / (place[j] - place[k]);
        }
        sum += product;
      }
      values.push_back(static_cast<float>(sum));
    }
  }
  return values;
}

// A square hall with some pillars, its elements numbered at random as a mesher might.
std::vector<Neighbours> random_hall(int side, Random& random) {
  std::vector<int> number(static_cast<size_t>(side) * side);
  std::iota(number.begin(), number.end(), 0);
  random.shuffle(number);
  std::vector<Neighbours> hall(number.size());
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const bool pillar = x % 5 == 2 && y % 3 == 1;
      const auto open = [&](int nx, int ny) {
        const bool outside = nx < 0 || nx >= side || ny < 0 || ny >= side;
        const bool other_pillar = nx % 5 == 2 && ny % 3 == 1;
        return outside || pillar != other_pillar ? kWall : number[ny * side + nx];
      };
      hall[number[y * side + x]] = {{open(x - 1, y), open(x + 1, y), open(x, y - 1), open(x, y + 1)}};
    }
  }
  return hall;
}

void stage_on_host(const std::vector<Neighbours>& hall, const std::vector<float>& d, int stage, float step,
                   std::vector<Wave>& starts, std::vector<Wave>& waves) {
  std::vector<Wave> changes(waves.size(), Wave{0.0f, 0.0f, 0.0f});
  for (size_t at = 0; at < waves.size(); ++at) {
    const int node = static_cast<int>(at) % kNodes;
    const int x = node % kSide;
    const int y = node / kSide;
    const Wave* const element = &waves[at - node];
    Wave& change = changes[at];
    for (int k = 0; k < kSide; ++k) {
      const Wave& in_row = element[y * kSide + k];
      const Wave& in_column = element[k * kSide + x];
      change.p -= d[x * kSide + k] * in_row.u + d[y * kSide + k] * in_column.v;
      change.u -= d[x * kSide + k] * in_row.p;
      change.v -= d[y * kSide + k] * in_column.p;
    }
    for (int side = 0; side < 4; ++side) {
      add_flow(waves.data(), hall[at / kNodes].at[side], node, side, waves[at], change);
    }
  }
  for (size_t at = 0; at < waves.size(); ++at) advance_wave(stage, step, changes[at], starts[at], waves[at]);
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int side = workload::by_size(options.size, 4, 36, 80);
  const int steps = workload::by_size(options.size, 1, 6, 12);
  const float step = 0.05f;
  Random random(options.seed);
  const std::vector<Neighbours> hall = random_hall(side, random);
  const int elements = static_cast<int>(hall.size());
  std::vector<Wave> waves(hall.size() * kNodes, Wave{0.0f, 0.0f, 0.0f});
  for (Wave& wave : waves) wave.p = random.unit();
  std::vector<Wave> starts(waves.size(), Wave{0.0f, 0.0f, 0.0f});
  const std::vector<float> d = make_derivative();
  workload::check_cuda(cudaMemcpyToSymbol(derivative, d.data(), sizeof(derivative)), "cudaMemcpyToSymbol");

  const DeviceBuffer<Neighbours> device_hall(hall);
  const DeviceBuffer<Wave> device_waves(waves), device_starts(waves.size()), changes(waves.size());
  const int nodes = elements * kNodes;
  const int blocks = (elements + kElements - 1) / kElements;
  const dim3 threads(kNodes, kElements);
  for (int i = 0; i < steps * kStages; ++i) {
    volume<<<blocks, threads>>>(elements, device_waves.get(), changes.get());
    workload::check_launch("volume");
    sides<<<blocks, threads>>>(elements, device_hall.get(), device_waves.get(), changes.get());
    workload::check_launch("sides");
    advance<<<(nodes + kAdvanceBlock - 1) / kAdvanceBlock, kAdvanceBlock>>>(nodes, i % kStages, step, changes.get(),
                                                                            device_starts.get(), device_waves.get());
    workload::check_launch("advance");
    stage_on_host(hall, d, i % kStages, step, starts, waves);
  }
  std::printf("dg: %d elements of %d nodes, %d steps\n", elements, kNodes, steps);
  const std::vector<Wave> found = device_waves.download();
  std::vector<float> values, expected;
  for (int i = 0; i < nodes; ++i) {
    values.insert(values.end(), {found[i].p, found[i].u, found[i].v});
    expected.insert(expected.end(), {waves[i].p, waves[i].u, waves[i].v});
  }
  return workload::verdict(workload::compare(values, expected, 0.0f));
}
