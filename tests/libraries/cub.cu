// SPDX-License-Identifier: Apache-2.0
// CUB's primitives of warps, of blocks and of the device.
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

#include "checks.h"

namespace {

constexpr int kThreads = 128, kBlocks = 4, kItems = kThreads * kBlocks, kWarp = 32;

struct Results {
  int sum, largest_of_first_warp, before[kThreads], sorted[4 * kThreads];
};

__host__ __device__ int key(int value, int i) { return (value * 31 + i * 17) % 1000; }

__global__ void of_blocks(const int* in, Results* out) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Sort = cub::BlockRadixSort<int, kThreads, 4>;
  using OfWarp = cub::WarpReduce<int>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
    typename OfWarp::TempStorage warp[kThreads / kWarp];
  } room;
  Results& result = out[blockIdx.x];
  const int value = in[blockIdx.x * kThreads + threadIdx.x];
  const int sum = Reduce(room.reduce).Sum(value);
  if (threadIdx.x == 0) result.sum = sum;
  __syncthreads();
  Scan(room.scan).ExclusiveSum(value, result.before[threadIdx.x]);
  __syncthreads();
  int keys[4];
  for (int i = 0; i < 4; ++i) keys[i] = key(value, i);
  Sort(room.sort).Sort(keys);
  for (int i = 0; i < 4; ++i) result.sorted[4 * threadIdx.x + i] = keys[i];
  __syncthreads();
  const int largest = OfWarp(room.warp[threadIdx.x / kWarp]).Reduce(value, cub::Max());
  if (threadIdx.x == 0) result.largest_of_first_warp = largest;
}

template <class T>
T* to_device(const std::vector<T>& values) {
  T* there = nullptr;
  cudaMalloc(&there, values.size() * sizeof(T));
  cudaMemcpy(there, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return there;
}

template <class T>
std::vector<T> to_host(const T* there, std::size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), there, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

// First asked how much room it wants, then run.
template <class Algorithm>
bool run(Algorithm algorithm) {
  void* room = nullptr;
  std::size_t bytes = 0;
  bool ran = algorithm(room, bytes) == cudaSuccess;
  cudaMalloc(&room, bytes);
  ran = ran && algorithm(room, bytes) == cudaSuccess;
  cudaFree(room);
  return ran;
}

void check_blocks(const std::vector<int>& h, const int* d, Checks& check) {
  Results* const there = to_device(std::vector<Results>(kBlocks));
  of_blocks<<<kBlocks, kThreads>>>(d, there);
  const std::vector<Results> got = to_host(there, kBlocks);
  for (int block = 0; block < kBlocks; ++block) {
    const auto begin = h.begin() + block * kThreads, end = begin + kThreads;
    check("BlockReduce", got[block].sum == std::accumulate(begin, end, 0));
    std::vector<int> before(kThreads), keys;
    std::exclusive_scan(begin, end, before.begin(), 0);
    check("BlockScan", std::equal(before.begin(), before.end(), got[block].before));
    for (auto value = begin; value != end; ++value) {
      for (int i = 0; i < 4; ++i) keys.push_back(key(*value, i));
    }
    std::sort(keys.begin(), keys.end());
    check("BlockRadixSort", std::equal(keys.begin(), keys.end(), got[block].sorted));
    check("WarpReduce", got[block].largest_of_first_warp == *std::max_element(begin, begin + kWarp));
  }
}

void check_device(const std::vector<int>& h, const int* d, Checks& check) {
  int* const out = to_device(std::vector<int>(kItems));
  int* const count = to_device(std::vector<int>(1));
  check("DeviceReduce runs",
        run([&](void* room, std::size_t& bytes) { return cub::DeviceReduce::Sum(room, bytes, d, out, kItems); }));
  check("DeviceReduce", to_host(out, 1)[0] == std::accumulate(h.begin(), h.end(), 0));
  check("DeviceScan runs", run([&](void* room, std::size_t& bytes) {
          return cub::DeviceScan::InclusiveSum(room, bytes, d, out, kItems);
        }));
  std::vector<int> expected(kItems);
  std::partial_sum(h.begin(), h.end(), expected.begin());
  check("DeviceScan", to_host(out, kItems) == expected);
  check("DeviceRadixSort runs", run([&](void* room, std::size_t& bytes) {
          return cub::DeviceRadixSort::SortKeys(room, bytes, d, out, kItems);
        }));
  expected = h;
  std::sort(expected.begin(), expected.end());
  check("DeviceRadixSort", to_host(out, kItems) == expected);
  const auto is_small = [] __device__(int x) { return x < 50; };
  check("DeviceSelect runs", run([&](void* room, std::size_t& bytes) {
          return cub::DeviceSelect::If(room, bytes, d, out, count, kItems, is_small);
        }));
  const auto small = std::count_if(h.begin(), h.end(), [](int x) { return x < 50; });
  check("DeviceSelect", to_host(count, 1)[0] == small);
  int* const bins = to_device(std::vector<int>(8));
  check("DeviceHistogram runs", run([&](void* room, std::size_t& bytes) {
          return cub::DeviceHistogram::HistogramEven(room, bytes, d, bins, 9, 0, 104, kItems);
        }));
  std::vector<int> histogram(8);
  for (const int value : h) ++histogram[value / 13];
  check("DeviceHistogram", to_host(bins, 8) == histogram);
}

}  // namespace

int main() {
  Checks check;
  std::vector<int> h(kItems);
  for (int i = 0; i < kItems; ++i) h[i] = i * 13 % 101;
  const int* const d = to_device(h);
  check_blocks(h, d, check);
  check_device(h, d, check);
  return check.end();
}
