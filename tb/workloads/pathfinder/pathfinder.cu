// SPDX-License-Identifier: Apache-2.0
// The cheapest way through a grid from its top to every place of its bottom, one step down or diagonally at a time. A
// block of 256 threads takes several rows per launch on its own; with each row a thread more at both ends of the block
// no longer knows its neighbour, so blocks overlap.
//
//   pathfinder [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "pathfinder";
constexpr int kBlock = 256;
constexpr int kMostRows = 20;  // per launch
constexpr int kOwned = kBlock - 2 * kMostRows;

// `costs` starts at the first row to be added to `from`.
__global__ void descend(int columns, int rows, const int* costs, const int* from, int* to) {
  __shared__ int before[kBlock];
  const int thread = static_cast<int>(threadIdx.x);
  const int column = static_cast<int>(blockIdx.x) * kOwned - kMostRows + thread;
  const bool in_grid = column >= 0 && column < columns;
  const int left = column > 0 ? thread - 1 : thread;  // at the grid's sides there is only one neighbour
  const int right = column + 1 < columns ? thread + 1 : thread;
  int sum = 0;
  if (in_grid) sum = from[column];
  for (int row = 0; row < rows; ++row) {
    before[thread] = sum;
    __syncthreads();
    if (in_grid && thread > row && thread < kBlock - 1 - row) {
      sum = costs[row * columns + column] + min(before[thread], min(before[left], before[right]));
    }
    __syncthreads();
  }
  if (in_grid && thread >= kMostRows && thread < kBlock - kMostRows) to[column] = sum;
}

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int columns = workload::by_size(options.size, 300, 60000, 120000);
  const int rows = workload::by_size(options.size, 6, 40, 200);
  Random random(options.seed);
  std::vector<int> costs(static_cast<size_t>(columns) * rows);
  for (int& cost : costs) cost = static_cast<int>(random.below(10));

  const DeviceBuffer<int> device_costs(costs);
  const DeviceBuffer<int> one(std::vector<int>(costs.begin(), costs.begin() + columns));
  const DeviceBuffer<int> other(columns);
  const DeviceBuffer<int>* from = &one;
  const DeviceBuffer<int>* to = &other;
  const int blocks = (columns + kOwned - 1) / kOwned;
  for (int row = 1; row < rows; row += kMostRows) {
    descend<<<blocks, kBlock>>>(columns, std::min(kMostRows, rows - row),
                                device_costs.get() + static_cast<size_t>(row) * columns, from->get(), to->get());
    workload::check_launch("descend");
    std::swap(from, to);
  }

  std::vector<int> expected(costs.begin(), costs.begin() + columns);
  for (int row = 1; row < rows; ++row) {
    const std::vector<int> before = expected;
    for (int column = 0; column < columns; ++column) {
      const int first = std::max(column - 1, 0);
      const int last = std::min(column + 1, columns - 1);
      expected[column] = costs[static_cast<size_t>(row) * columns + column] +
                         *std::min_element(before.begin() + first, before.begin() + last + 1);
    }
  }
  std::printf("pathfinder: %d x %d grid, cheapest way %d\n", columns, rows,
              *std::min_element(expected.begin(), expected.end()));
  return workload::verdict(workload::compare_equal(from->download(), expected));
}
