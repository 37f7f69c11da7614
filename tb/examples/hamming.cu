// SPDX-License-Identifier: Apache-2.0
// Distances between words, by an instruction of a plug-in (popacc.cpp): the number of bits in which they differ, summed
// over as many words as each thread has.
#include <cstdio>
#include <vector>

__device__ unsigned popacc(unsigned a, unsigned c) {
  unsigned d;
  asm("popacc.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(c));
  return d;
}

__global__ void distances(const unsigned* words, unsigned count, unsigned* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (unsigned k = 0; k < i % 7; ++k) sum = popacc(words[i] ^ words[(i + k) % count], sum);
  if (i % 3 == 0) {
    sum = popacc(sum, 1000);
  } else if (i % 3 == 1) {
    sum = popacc(~sum, sum);
  }
  sums[i] = sum;
}

int main() {
  constexpr unsigned kCount = 1000, kThreads = 96, kBlocks = (kCount + kThreads - 1) / kThreads;
  std::vector<unsigned> words(kBlocks * kThreads), sums(words.size());
  for (unsigned i = 0; i < words.size(); ++i) words[i] = i * 2654435761u;
  unsigned *in, *out;
  cudaMalloc(&in, words.size() * 4);
  cudaMalloc(&out, words.size() * 4);
  cudaMemcpy(in, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
  distances<<<kBlocks, kThreads>>>(in, kCount, out);
  if (cudaMemcpy(sums.data(), out, words.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  unsigned wrong = 0;
  for (unsigned i = 0; i < words.size(); ++i) {
    unsigned sum = 0;
    for (unsigned k = 0; k < i % 7; ++k) sum += __builtin_popcount(words[i] ^ words[(i + k) % kCount]);
    if (i % 3 == 0) {
      sum = 1000 + __builtin_popcount(sum);
    } else if (i % 3 == 1) {
      sum += __builtin_popcount(~sum);
    }
    wrong += sums[i] != sum ? 1 : 0;
  }
  std::printf("%u of %zu sums are wrong\n", wrong, words.size());
  return wrong != 0 ? 1 : 0;
}
