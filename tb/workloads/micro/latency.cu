// SPDX-License-Identifier: Apache-2.0
// How long a load or an atomic takes: each has its address from the one before.
#include "micro.h"

namespace micro {
namespace {

using workload::DeviceBuffer;

// A pointer in every eight bytes, or in every sector.
constexpr unsigned kDense = 1, kSector = 4;
constexpr int kUnrolled = 16;

struct NearLoad {
  static __device__ void step(uint64_t& at) { asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at) : : "memory"); }
};
struct FarLoad {  // no L1 holds it
  static __device__ void step(uint64_t& at) { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory"); }
};

// Goes `rounds` * kUnrolled steps round a ring of pointers, which thread 0 writes first if it is asked to.
template <class Load>
__global__ void chase(uint64_t* ring, unsigned written, int rounds, uint64_t* end_at, long long* cycles) {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < written; ++i) ring[i] = reinterpret_cast<uint64_t>(ring + (i + 1) % written);
  __threadfence();
  uint64_t at = reinterpret_cast<uint64_t>(ring);
  const long long start = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) Load::step(at);
  }
  const long long end = clock64();
  *cycles = end - start;
  *end_at = at;
}

__global__ void chase_shared(int rounds, unsigned* end_at, long long* cycles) {
  constexpr unsigned kWords = 1024, kStride = 4;
  __shared__ unsigned ring[kWords];
  unsigned base;
  asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(base) : "l"(ring));
  for (unsigned i = 0; i < kWords; ++i) ring[i] = base + (i + kStride) % kWords * sizeof(unsigned);
  unsigned at = base;
  const long long start = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) : : "memory");
  }
  const long long end = clock64();
  *cycles = end - start;
  *end_at = (at - base) / sizeof(unsigned);
}

// What a counter held says where the next one is.
__global__ void chase_atomics(unsigned* counters, int rounds, unsigned* end_at, long long* cycles) {
  unsigned at = 0;
  const long long start = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) at = atomicAdd(counters + at, 10u);
  }
  const long long end = clock64();
  *cycles = end - start;
  *end_at = at;
}

// Reads so much that nothing else is left in the L2.
__global__ void sweep(const uint64_t* words, unsigned count, uint64_t* sums) {
  uint64_t sum = 0;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = thread; i < count; i += blockDim.x * gridDim.x) {
    uint64_t word;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(word) : "l"(words + i) : "memory");
    sum += word;
  }
  sums[thread] = sum;
}

void empty_l2() {
  const Launch launch = whole_chip();
  const auto count = static_cast<unsigned>(2 * attribute(cudaDevAttrL2CacheSize) / sizeof(uint64_t));
  const DeviceBuffer<uint64_t> words(count);
  const DeviceBuffer<uint64_t> sums(launch.all());
  sweep<<<launch.blocks, launch.threads>>>(words.get(), count, sums.get());
  workload::check_launch("sweep");
}

struct Ring {
  unsigned pointers;
  unsigned stride;  // in pointers
  bool copied;      // from the host, else written by the thread that reads
  bool out_of_l2;   // before it is read
  unsigned steps;
};

template <class Load>
double chase_latency(const Ring& ring) {
  DeviceBuffer<uint64_t> pointers(ring.pointers * ring.stride);
  const auto address = [&](unsigned i) {
    return reinterpret_cast<uint64_t>(pointers.get() + i % ring.pointers * ring.stride);
  };
  const DeviceBuffer<uint64_t> end_at(1);
  const Clocks clocks({1, 1});
  if (ring.copied) {
    std::vector<uint64_t> values(ring.pointers * ring.stride);
    for (unsigned i = 0; i < ring.pointers; ++i) values[i * ring.stride] = address(i + 1);
    pointers.upload(values);
  }
  if (ring.out_of_l2) empty_l2();
  chase<Load><<<1, 1>>>(pointers.get(), ring.copied ? 0 : ring.pointers, static_cast<int>(ring.steps / kUnrolled),
                        end_at.get(), clocks.get());
  workload::check_launch("chase");
  expect(end_at.download()[0] == address(ring.steps), "the end of a chase");
  return clocks.longest() / ring.steps;
}

// The L1 is empty at first: an eighth of the steps are the first to a pointer, which the chip's row has as well.
double l1_latency() { return chase_latency<NearLoad>({4096, kDense, false, false, 8 * 4096}); }
double l2_latency() { return chase_latency<FarLoad>({4096, kDense, false, false, 4096}); }
double l2_latency_of_a_copy() { return chase_latency<FarLoad>({4096, kSector, true, false, 4096}); }
// One sector after the other, as the chip's row has it: a memory that brings two at a time has the second in its L2.
double dram_latency() { return chase_latency<FarLoad>({4096, kSector, true, true, 4096}); }

double shared_latency() {
  constexpr int kSteps = 1024;
  const DeviceBuffer<unsigned> end_at(1);
  const Clocks clocks({1, 1});
  chase_shared<<<1, 1>>>(kSteps / kUnrolled, end_at.get(), clocks.get());
  workload::check_launch("chase_shared");
  expect(end_at.download()[0] == 0, "the end of a chase in shared memory");  // four times round
  return clocks.longest() / kSteps;
}

double atomic_latency() {
  constexpr unsigned kSteps = 1024;
  std::vector<unsigned> values(kSteps);
  for (unsigned i = 0; i < kSteps; ++i) values[i] = (i + 1) % kSteps;
  const DeviceBuffer<unsigned> counters(values), end_at(1);
  const Clocks clocks({1, 1});
  chase_atomics<<<1, 1>>>(counters.get(), kSteps / kUnrolled, end_at.get(), clocks.get());
  workload::check_launch("chase_atomics");
  expect(end_at.download()[0] == 0, "the end of a chase of atomics");
  for (unsigned& value : values) value += 10;
  expect(workload::compare_equal(counters.download(), values).empty(), "a counter");
  return clocks.longest() / kSteps;
}

}  // namespace

std::vector<Row> latency_rows() {
  return {
      {"L1 hit latency", "cycles", l1_latency}, {"shared memory latency", "cycles", shared_latency},
      {"L2 hit latency", "cycles", l2_latency}, {"L2 hit latency after a copy", "cycles", l2_latency_of_a_copy},
      {"DRAM latency", "cycles", dram_latency}, {"global atomic add latency", "cycles", atomic_latency},
  };
}

}  // namespace micro
