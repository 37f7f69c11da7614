// SPDX-License-Identifier: Apache-2.0
// What a diverging branch costs, in the simplest case: one warp, one loop, and an upper limit of its own for every
// thread, so that the loop's branch diverges n times. The kernel, the limits and the question are those of Bialas and
// Strzelecki, Benchmarking the Cost of Thread Divergence in CUDA (Listing 1, Table I). Compare the cycles of several n.
//
//   single-loop [--n 0..31] [--size small|default|large] [--seed N]      (nothing is random: the seed changes nothing)
#include "../common/divergent_loop.h"

constexpr const char* kProgram = "single-loop";

// The loop is to be the paper's four instructions (Listing 3): not unrolled, and with a counter that the compiler
// cannot see through, or it would count down and turn the branch round.
__global__ void single_loop(const int* limits, float* out) {
  const unsigned thread = blockDim.x * blockIdx.x + threadIdx.x;
  const int limit = limits[threadIdx.x];
  float sum = out[thread];
#pragma unroll 1
  for (int i = 0; i < limit; ++i) {
    asm volatile("" : "+r"(i));
    sum += divergent_loop::kInner;
  }
  out[thread] = sum;
}

int main(int argc, char** argv) {
  const auto launch = [](unsigned blocks, const int* limits, float* out) {
    single_loop<<<blocks, divergent_loop::kThreads>>>(limits, out);
  };
  return divergent_loop::run(kProgram, argc, argv, launch, [](int limit) {
    float sum = 0.0f;
    for (int i = limit; i > 0; --i) sum += divergent_loop::kInner;
    return sum;
  });
}
