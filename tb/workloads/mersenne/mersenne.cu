// SPDX-License-Identifier: Apache-2.0
// The Mersenne twister MT19937 (Matsumoto and Nishimura, TOMACS 1998), a generator per block with its 624 words in
// shared memory. A word can be renewed as soon as the one 397 places further on is known, so a round takes three steps,
// of 227, 227 and 170 words: the last warp of every step is not full.
//
//   mersenne [--size small|default|large] [--seed N]
#include <random>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "mersenne";
constexpr int kThreads = 256;
constexpr int kWords = 624;
constexpr int kAhead = 397;
constexpr int kAtOnce = kWords - kAhead;

__device__ inline uint32_t renewed(const uint32_t* words, int i) {
  const uint32_t joined = (words[i] & 0x80000000u) | (words[(i + 1) % kWords] & 0x7fffffffu);
  uint32_t word = words[(i + kAhead) % kWords] ^ (joined >> 1);
  if ((joined & 1) != 0) word ^= 0x9908b0dfu;
  return word;
}

__device__ inline uint32_t tempered(uint32_t word) {
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680u;
  word ^= (word << 15) & 0xefc60000u;
  return word ^ (word >> 18);
}

__global__ void generate(const uint32_t* states, int rounds, uint32_t* numbers) {
  __shared__ uint32_t words[kWords];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kWords; i += kThreads) words[i] = states[blockIdx.x * kWords + i];
  __syncthreads();
  uint32_t* out = numbers + static_cast<size_t>(blockIdx.x) * rounds * kWords;
  for (int round = 0; round < rounds; ++round, out += kWords) {
    for (int first = 0; first < kWords; first += kAtOnce) {
      const int i = first + thread;
      const bool has_word = thread < kAtOnce && i < kWords;
      uint32_t word = 0;
      if (has_word) word = renewed(words, i);
      __syncthreads();  // the word before needs the old value of this one
      if (has_word) words[i] = word;
      __syncthreads();
    }
    for (int i = thread; i < kWords; i += kThreads) out[i] = tempered(words[i]);
  }
}

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int generators = workload::by_size(options.size, 1, 120, 240);
  const int rounds = workload::by_size(options.size, 2, 24, 120);
  Random random(options.seed);
  std::vector<uint32_t> seeds;
  std::vector<uint32_t> states;
  for (int i = 0; i < generators; ++i) {
    seeds.push_back(static_cast<uint32_t>(random.next()));
    uint32_t word = seeds.back();
    for (uint32_t at = 0; at < kWords; ++at) {
      if (at > 0) word = 1812433253u * (word ^ (word >> 30)) + at;
      states.push_back(word);
    }
  }
  const DeviceBuffer<uint32_t> device_states(states);
  const DeviceBuffer<uint32_t> numbers(static_cast<size_t>(generators) * rounds * kWords);
  generate<<<generators, kThreads>>>(device_states.get(), rounds, numbers.get());
  workload::check_launch("generate");

  std::vector<uint32_t> expected;
  for (const uint32_t seed : seeds) {
    std::mt19937 engine(seed);
    for (int i = 0; i < rounds * kWords; ++i) expected.push_back(static_cast<uint32_t>(engine()));
  }
  std::printf("mersenne: %zu numbers of %d generators\n", expected.size(), generators);
  return workload::verdict(workload::compare_equal(numbers.download(), expected));
}
