// SPDX-License-Identifier: Apache-2.0
// Branches that lie in each other, each of which one thread of a warp leaves: reconvergence stacks grow until they are
// full, and with an argument beyond.
#include <cstdio>

constexpr int kWarp = 32;

// Something after each side, so that each level meets at a place of its own.
template <int kLevel, bool kBothSides>
__device__ __forceinline__ void nested(volatile int* x, int lane) {
  if (lane > kLevel) {
    x[threadIdx.x] += 1;
    if constexpr (kLevel + 2 < kWarp) nested<kLevel + 1, kBothSides>(x, lane);
    x[threadIdx.x] += 2;
  } else if constexpr (kBothSides && kLevel + 2 == kWarp) {
    x[threadIdx.x] += 64;
  }
  x[threadIdx.x] += 1;
}

template <bool kBothSides>
__global__ void deep(int* x) {
  nested<0, kBothSides>(x, threadIdx.x % kWarp);
}

int main(int argc, char**) {
  constexpr int kThreads = 64;
  int* x = nullptr;
  cudaMallocManaged(&x, kThreads * sizeof(int));
  if (argc > 1) {
    deep<true><<<1, kThreads>>>(x);
  } else {
    deep<false><<<1, kThreads>>>(x);
  }
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int t = 0; t < kThreads; ++t) {
    const int lane = t % kWarp, through = lane < kWarp - 1 ? lane : kWarp - 1;
    const int levels = through < kWarp - 1 ? through + 1 : kWarp - 1;
    wrong += x[t] != 3 * through + levels + (argc > 1 && lane == kWarp - 2 ? 64 : 0);
  }
  std::printf("%s\n", wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
