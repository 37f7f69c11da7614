// SPDX-License-Identifier: Apache-2.0
// How many bytes caches, shared memory and DRAM bring in a cycle, and how many atomics a word takes.
#include "micro.h"

namespace micro {
namespace {

using workload::DeviceBuffer;

constexpr int kUnrolled = 4;
constexpr int kMost = 4;  // loads of a round

// What lies `offset` bytes behind `from`; `far` loads pass the L1 by.
template <bool far, int offset>
__device__ float load(const float* from) {
  float v;
  if (far) {
    asm volatile("ld.global.cg.f32 %0, [%1+%2];" : "=f"(v) : "l"(from), "n"(offset) : "memory");
  } else {
    asm volatile("ld.global.ca.f32 %0, [%1+%2];" : "=f"(v) : "l"(from), "n"(offset) : "memory");
  }
  return v;
}
template <bool far, int offset>
__device__ double load(const double* from) {
  double v;
  if (far) {
    asm volatile("ld.global.cg.f64 %0, [%1+%2];" : "=d"(v) : "l"(from), "n"(offset) : "memory");
  } else {
    asm volatile("ld.global.ca.f64 %0, [%1+%2];" : "=d"(v) : "l"(from), "n"(offset) : "memory");
  }
  return v;
}
template <bool far, int offset>
__device__ float2 load(const float2* from) {
  float2 v;
  if (far) {
    asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2+%3];" : "=f"(v.x), "=f"(v.y) : "l"(from), "n"(offset) : "memory");
  } else {
    asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2+%3];" : "=f"(v.x), "=f"(v.y) : "l"(from), "n"(offset) : "memory");
  }
  return v;
}
template <bool far, int offset>
__device__ float4 load(const float4* from) {
  float4 v;
  if (far) {
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4+%5];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(from), "n"(offset)
                 : "memory");
  } else {
    asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4+%5];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(from), "n"(offset)
                 : "memory");
  }
  return v;
}

__device__ void add(float& sum, float value) { sum += value; }
__device__ void add(double& sum, double value) { sum += value; }
__device__ void add(float2& sum, float2 value) { sum.x += value.x, sum.y += value.y; }
__device__ void add(float4& sum, float4 value) {
  sum.x += value.x, sum.y += value.y, sum.z += value.z, sum.w += value.w;
}
__device__ float total(float sum) { return sum; }
__device__ float total(double sum) { return static_cast<float>(sum); }
__device__ float total(float2 sum) { return sum.x + sum.y; }
__device__ float total(float4 sum) { return sum.x + sum.y + sum.z + sum.w; }

// Each warp reads its 32 elements, `loads` times 32 of them a round, and the next ones in the next. All that is there
// has been read before.
template <class T, int loads, bool far>  // loads: 1, 2 or 4
__global__ void stream(const T* from, unsigned there, unsigned mask, int rounds, float* sums, long long* cycles) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  T sum[kMost] = {};
  for (unsigned i = thread; i < there; i += blockDim.x * gridDim.x) add(sum[0], load<far, 0>(from + i));
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; round += kUnrolled) {
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) {
      const T* at = from + ((thread + static_cast<unsigned>(round + k) * 32 * loads) & mask);
      T values[kMost];
      values[0] = load<far, 0>(at);
      if (loads > 1) values[1] = load<far, 32 * sizeof(T)>(at);
      if (loads > 2) values[2] = load<far, 64 * sizeof(T)>(at), values[3] = load<far, 96 * sizeof(T)>(at);
#pragma unroll
      for (int i = 0; i < loads; ++i) add(sum[i], values[i]);
    }
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
  float all = 0;
  for (int i = 0; i < loads; ++i) all += total(sum[i]);
  sums[thread] = all;
}

// Bytes a cycle, where every element's numbers are ones.
template <class T, class Number, int loads, bool far>
double streamed(const Launch& launch, unsigned there, unsigned mask, int rounds) {
  constexpr unsigned kNumbers = sizeof(T) / sizeof(Number);
  const DeviceBuffer<Number> from(std::vector<Number>(static_cast<size_t>(there) * kNumbers, Number{1}));
  const DeviceBuffer<float> sums(launch.all());
  const Clocks clocks(launch);
  stream<T, loads, far><<<launch.blocks, launch.threads>>>(reinterpret_cast<const T*>(from.get()), there, mask, rounds,
                                                           sums.get(), clocks.get());
  workload::check_launch("stream");
  unsigned thread = 0;
  for (const float sum : sums.download()) {
    const unsigned before = (there + launch.all() - 1 - thread) / launch.all();
    expect(sum == static_cast<float>((before + rounds * loads) * kNumbers), "a sum of what was read");
    ++thread;
  }
  return static_cast<double>(launch.all()) * rounds * loads * sizeof(T) / clocks.longest();
}

// An SM goes round 16 KiB, which any L1 has room for.
template <class T, class Number, int loads>
double l1_bandwidth() {
  constexpr unsigned kElements = 16384 / sizeof(T);
  return streamed<T, Number, loads, false>(one_block(), kElements + 32 * loads, kElements - 1, 256 / loads);
}

// Each of the chip's warps begins 32 elements behind the one before. As many bytes with every width.
template <class T, class Number>
double l2_bandwidth() {
  const Launch launch = whole_chip();
  constexpr int kRounds = 128 / sizeof(T);
  return streamed<T, Number, 1, true>(launch, launch.all() + 32 * kRounds, ~0u, kRounds);
}

constexpr unsigned kSharedWords = 2048, kNearWords = 4096, kAhead = 1024;

// Two chases at once, one in shared memory by addresses, one through the L1 by indices; no two lanes meet in a bank.
__global__ void chase_both(const unsigned* next, int rounds, unsigned* ends, long long* cycles) {
  __shared__ unsigned ring[kSharedWords];
  unsigned base;
  asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(base) : "l"(ring));
  for (unsigned i = threadIdx.x; i < kSharedWords; i += blockDim.x) ring[i] = base + (i + kAhead) % kSharedWords * 4;
  unsigned near = threadIdx.x, in_ring = base + threadIdx.x * 4;
  for (unsigned i = 0; i < kNearWords / kAhead; ++i) near = next[near];
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; round += kUnrolled) {
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) {
      asm volatile("ld.shared.u32 %0, [%0];" : "+r"(in_ring) : : "memory");
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(near) : "l"(next + near) : "memory");
    }
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[0] = end - start;
  ends[threadIdx.x] = near + (in_ring - base) / 4;
}

double shared_bandwidth() {
  constexpr int kRounds = 128;  // whole rings of both
  const Launch launch = one_block();
  std::vector<unsigned> values(kNearWords), places(launch.threads);
  for (unsigned i = 0; i < kNearWords; ++i) values[i] = (i + kAhead) % kNearWords;
  for (unsigned i = 0; i < launch.threads; ++i) places[i] = 2 * i;
  const DeviceBuffer<unsigned> next(values), ends(launch.threads);
  const Clocks clocks(launch);
  chase_both<<<launch.blocks, launch.threads>>>(next.get(), kRounds, ends.get(), clocks.get());
  workload::check_launch("chase_both");
  expect(workload::compare_equal(ends.download(), places).empty(), "the end of two chases");
  return static_cast<double>(launch.all()) * kRounds * 8 / clocks.longest();
}

__global__ void count(unsigned* word, int rounds, unsigned* sums, long long* cycles) {
  unsigned sum = 0;
  __syncthreads();
  const long long start = clock64();
  for (int round = 0; round < rounds; ++round) sum += atomicAdd(word, 10u);  // a value that is used: no reduction
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

double atomics_on_a_word() {
  constexpr int kRounds = 2;
  const Launch launch = whole_chip();
  const DeviceBuffer<unsigned> word(std::vector<unsigned>{0}), sums(launch.all());
  const Clocks clocks(launch);
  count<<<launch.blocks, launch.threads>>>(word.get(), kRounds, sums.get(), clocks.get());
  workload::check_launch("count");
  expect(word.download()[0] == 10 * kRounds * launch.all(), "a counter of all threads");
  return 4.0 * kRounds * launch.all() / clocks.longest();
}

// Five arrays of 16-byte elements are read, one is written.
__global__ void add_five(const float4* a, const float4* b, const float4* c, const float4* d, const float4* e,
                         float4* sums, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    float4 sum = a[i];
    const float4 others[] = {b[i], c[i], d[i], e[i]};
    for (const float4& other : others) add(sum, other);
    sums[i] = sum;
  }
}

// Each array is twice the L2, so that all goes to DRAM but the last of what is written.
double dram_bandwidth() {
  const Launch launch = whole_chip();
  const auto count = static_cast<unsigned>(2 * attribute(cudaDevAttrL2CacheSize) / sizeof(float4));
  const DeviceBuffer<float4> arrays(std::vector<float4>(5 * static_cast<size_t>(count), {1, 2, 3, 4})), sums(count);
  const float4* const first = arrays.get();
  double seconds = 0;
  {
    const Stopwatch watch(seconds);
    add_five<<<launch.blocks, launch.threads>>>(first, first + count, first + 2 * count, first + 3 * count,
                                                first + 4 * count, sums.get(), count);
  }
  for (const float4& sum : sums.download()) {
    expect(sum.x == 5 && sum.y == 10 && sum.z == 15 && sum.w == 20, "a sum of five");
  }
  return 6.0 * count * sizeof(float4) / seconds / 1e9;
}

}  // namespace

std::vector<Row> bandwidth_rows() {
  return {
      {"L1 bandwidth 32-bit loads", "byte/clk/SM", l1_bandwidth<float, float, 4>},
      {"L1 bandwidth 32-bit loads unrolled", "byte/clk/SM", l1_bandwidth<float, float, 1>},
      {"L1 bandwidth 64-bit loads", "byte/clk/SM", l1_bandwidth<double, double, 2>},
      {"L1 bandwidth 64-bit vector loads", "byte/clk/SM", l1_bandwidth<float2, float, 1>},
      {"L1 bandwidth 128-bit loads", "byte/clk/SM", l1_bandwidth<float4, float, 1>},
      {"shared memory bandwidth", "byte/clk/SM", shared_bandwidth},
      {"L2 bandwidth 32-bit loads", "byte/clk", l2_bandwidth<float, float>},
      {"L2 bandwidth 64-bit loads", "byte/clk", l2_bandwidth<double, double>},
      {"L2 bandwidth 128-bit loads", "byte/clk", l2_bandwidth<float4, float>},
      {"DRAM bandwidth", "GB/s", dram_bandwidth},
      {"global atomic add on one word", "byte/clk", atomics_on_a_word},
  };
}

}  // namespace micro
