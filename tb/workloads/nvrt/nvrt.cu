// SPDX-License-Identifier: Apache-2.0
// Ray tracing by threads that stay for the whole run (Aila and Laine, HPG 2009): the first lane of every warp, its
// manager, takes the next range of rays from a global queue, and the warp's lanes render one each. No barrier stands
// between the manager's store and the others' loads: they rely on meeting again behind the branch that only the
// manager takes. A mechanism that lets diverged threads run ahead renders wrong rays here (TBC §2.3, where NVRT does).
//
//   nvrt [--size small|default|large] [--seed N]
#include "nvrt.h"

constexpr const char* kProgram = "nvrt";

__global__ void render(nvrt::Frame frame, unsigned* queue) {
  __shared__ volatile unsigned first_of[nvrt::kThreads];  // by warp: the first ray of its range
  const unsigned thread = threadIdx.y * nvrt::kBlockX + threadIdx.x;
  const unsigned range = warpSize;
  const unsigned lane = thread % range;
  const unsigned warp = thread / range;
  unsigned first = ~0u;
  unsigned last;
  do {
    last = first;
    if (lane == 0) first_of[warp] = atomicAdd(queue, range);
    asm volatile("" ::: "memory");  // here they meet: the compiler must not give manager and workers code of their own
    first = first_of[warp];
    if (first >= frame.rays) break;
    nvrt::render_ray(frame, first + lane);
  } while (first != last);  // the same range again was not the warp's to render; ends threads that run ahead
}

int main(int argc, char** argv) { return nvrt::run(kProgram, argc, argv, render); }
