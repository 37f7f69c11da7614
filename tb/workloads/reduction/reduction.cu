// SPDX-License-Identifier: Apache-2.0
// The sum, the least and the greatest of a long array: every thread goes through it in steps of the grid, every block
// makes one of its threads' results in shared memory, half the threads at a time, and a second launch one of the
// blocks'.
//
//   reduction [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "reduction";
constexpr int kThreads = 256;

struct Summary {
  uint32_t sum;  // modulo 2^32
  int least, greatest;
};

__device__ inline void add(const Summary& other, Summary& summary) {
  summary.sum += other.sum;
  if (other.least < summary.least) summary.least = other.least;
  if (other.greatest > summary.greatest) summary.greatest = other.greatest;
}

__device__ inline Summary summary_of(int value) { return {static_cast<uint32_t>(value), value, value}; }
__device__ inline Summary summary_of(const Summary& summary) { return summary; }

template <typename T>
__global__ void reduce(const T* values, int count, Summary* summaries) {
  __shared__ Summary shared[kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  Summary own = {0, INT32_MAX, INT32_MIN};
  const int step = static_cast<int>(gridDim.x) * kThreads;
  for (int i = static_cast<int>(blockIdx.x) * kThreads + thread; i < count; i += step) add(summary_of(values[i]), own);
  shared[thread] = own;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half) add(shared[thread + half], shared[thread]);
    __syncthreads();
  }
  if (thread == 0) summaries[blockIdx.x] = shared[0];
}

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int count = workload::by_size(options.size, 700, 1000000, 8000000);
  const int blocks = workload::by_size(options.size, 2, 240, 480);
  Random random(options.seed);
  std::vector<int> values(count);
  for (int& value : values) value = static_cast<int>(random.below(2000000)) - 1000000;
  const DeviceBuffer<int> device_values(values);
  const DeviceBuffer<Summary> of_blocks(blocks);
  const DeviceBuffer<Summary> of_all(1);
  reduce<<<blocks, kThreads>>>(device_values.get(), count, of_blocks.get());
  workload::check_launch("reduce");
  reduce<<<1, kThreads>>>(of_blocks.get(), blocks, of_all.get());
  workload::check_launch("reduce");

  uint32_t sum = 0;
  for (const int value : values) sum += static_cast<uint32_t>(value);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  std::printf("reduction: %d values from %d to %d\n", count, *least, *greatest);
  const Summary found = of_all.download()[0];
  return workload::verdict(
      workload::compare_equal<int64_t>({found.sum, found.least, found.greatest}, {sum, *least, *greatest}));
}
