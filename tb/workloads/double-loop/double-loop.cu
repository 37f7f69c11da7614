// SPDX-License-Identifier: Apache-2.0
// What diverging branches cost when they nest: one warp, a loop in a loop, and an upper limit of its own for every
// thread, the same for both loops. The kernel, the limits and the question are those of Bialas and Strzelecki,
// Benchmarking the Cost of Thread Divergence in CUDA (Listing 2, Table I). Compare the cycles of several n.
//
//   double-loop [--n 0..31] [--size small|default|large] [--seed N]      (nothing is random: the seed changes nothing)
#include "../common/divergent_loop.h"

constexpr const char* kProgram = "double-loop";

// The loops are to be the paper's (Listing 4): not unrolled, and with counters that the compiler cannot see through, or
// it would count down and turn the branches round. The limits come from memory one by one, as in the paper.
__global__ void double_loop(const int* outer_limits, const int* inner_limits, float* out) {
  const unsigned thread = blockDim.x * blockIdx.x + threadIdx.x;
  const int outer_limit = outer_limits[threadIdx.x];
  const int inner_limit = inner_limits[threadIdx.x];
  float sum = out[thread];
#pragma unroll 1
  for (int i = 0; i < outer_limit; ++i) {
#pragma unroll 1
    for (int j = 0; j < inner_limit; ++j) {
      asm volatile("" : "+r"(j));
      sum += divergent_loop::kInner;
    }
    asm volatile("" : "+r"(i));
    sum += divergent_loop::kOuter;
  }
  out[thread] = sum;
}

int main(int argc, char** argv) {
  const auto launch = [](unsigned blocks, const int* limits, float* out) {
    double_loop<<<blocks, divergent_loop::kThreads>>>(limits, limits, out);
  };
  return divergent_loop::run(kProgram, argc, argv, launch, [](int limit) {
    float sum = 0.0f;
    for (int i = limit; i > 0; --i) {
      for (int j = limit; j > 0; --j) sum += divergent_loop::kInner;
      sum += divergent_loop::kOuter;
    }
    return sum;
  });
}
