// SPDX-License-Identifier: Apache-2.0
// The probe of a hash join: every thread looks its keys up in a table of chains, and rates those that it finds.
//   probe [SEED]
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

constexpr int kBuckets = 1 << 12, kEntries = 3 * kBuckets / 2, kThreads = 48 * 256, kKeysPerThread = 2, kRounds = 24;

struct Entry {
  unsigned key, value;
  int next;
};

__host__ __device__ unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352d;
  return x ^ x >> 15;
}

__host__ __device__ unsigned look_up(const int* heads, const Entry* entries, unsigned key) {
  int at = heads[mix(key) % kBuckets];
  while (at >= 0 && entries[at].key != key) at = entries[at].next;
  if (at < 0) return 0;
  unsigned score = entries[at].value;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) score = mix(score + round);
  return score;
}

__global__ void probe(const int* heads, const Entry* entries, const unsigned* keys, unsigned* sums) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < kKeysPerThread; ++i) sum += look_up(heads, entries, keys[i * kThreads + thread]);
  sums[thread] = sum;
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* copy = nullptr;
  cudaMalloc(&copy, values.size() * sizeof(T));
  cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return copy;
}

int main(int argc, char** argv) {
  std::mt19937 random(argc > 1 ? std::atoi(argv[1]) : 1);
  std::vector<int> heads(kBuckets, -1);
  std::vector<Entry> entries;
  for (int i = 0; i < kEntries; ++i) {
    const unsigned key = random();
    entries.push_back({key, static_cast<unsigned>(random()), heads[mix(key) % kBuckets]});
    heads[mix(key) % kBuckets] = i;
  }
  std::vector<unsigned> keys(kThreads * kKeysPerThread);
  for (unsigned& key : keys) key = random() % 3 == 0 ? entries[random() % kEntries].key : random();

  unsigned* const sums = on_device(std::vector<unsigned>(kThreads));
  probe<<<kThreads / 256, 256>>>(on_device(heads), on_device(entries), on_device(keys), sums);
  std::vector<unsigned> found(kThreads);
  cudaMemcpy(found.data(), sums, kThreads * sizeof(unsigned), cudaMemcpyDeviceToHost);

  for (int thread = 0; thread < kThreads; ++thread) {
    unsigned sum = 0;
    for (int i = 0; i < kKeysPerThread; ++i) sum += look_up(heads.data(), entries.data(), keys[i * kThreads + thread]);
    if (sum != found[thread]) return std::printf("thread %d: WRONG\n", thread), 1;
  }
  std::printf("all sums are right\n");
}
