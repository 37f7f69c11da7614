// SPDX-License-Identifier: Apache-2.0
// nvrt with barriers: one manager takes a range of rays for its whole block, and __syncthreads() stands between its
// store and the others' loads, and between those and the next store. It renders the same image, under any mechanism.
//
//   nvrt-sync [--size small|default|large] [--seed N]
#include "../nvrt/nvrt.h"

constexpr const char* kProgram = "nvrt-sync";

__global__ void render(nvrt::Frame frame, unsigned* queue) {
  // volatile: clang 14 holds __syncthreads() to leave such variables alone, and loads ahead of it (LLVM issue 58626).
  __shared__ volatile unsigned first_of_block;
  const unsigned thread = threadIdx.y * nvrt::kBlockX + threadIdx.x;
  for (;;) {
    if (thread == 0) first_of_block = atomicAdd(queue, nvrt::kThreads);
    __syncthreads();
    const unsigned first = first_of_block;
    __syncthreads();
    if (first >= frame.rays) break;  // of the whole block
    if (first + thread < frame.rays) nvrt::render_ray(frame, first + thread);
  }
}

int main(int argc, char** argv) { return nvrt::run(kProgram, argc, argv, render); }
