// SPDX-License-Identifier: Apache-2.0
// Races in global memory, and programs like them that have none; one for each word that the program is called with.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>

constexpr int kThreads = 64, kBlocks = 4;

// --- Races ---

__global__ void between_warps(int* x) { x[threadIdx.x % 32] += 1; }
__global__ void between_blocks(int* x) { x[threadIdx.x] = blockIdx.x; }
__global__ void read_by_another_warp(int* x) {
  x[threadIdx.x] = threadIdx.x + 1;
  x[64 + threadIdx.x] = x[(threadIdx.x + 32) % 64];
}
// The reader that is told of is not the last one.
__global__ void written_behind_readers(int* x) {
  const int mine = x[threadIdx.x] + x[(threadIdx.x + 32) % 64];
  x[threadIdx.x] = mine + 1;
}
__global__ void bytes(char* x) {
  x[threadIdx.x] = threadIdx.x + 1;
  x[64 + threadIdx.x] = x[threadIdx.x == 31 ? 33 : threadIdx.x];
}
__global__ void atomic_and_plain(int* x) {
  atomicAdd(x, 1);
  __syncthreads();
  if (threadIdx.x == 0) x[1 + blockIdx.x] = x[0];
}
__global__ void atomics_of_a_block(int* x) { atomicAdd_block(x, 1); }
template <bool kFence, bool kBehind, bool kOfBlock = false>
__global__ void flag(int* x, volatile int* set) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    x[0] = 7;
    if (kOfBlock) __threadfence_block();
    if (kFence) __threadfence();
    *set = 1;
  } else {
    while (*set == 0) {
    }
    if (kBehind) __threadfence();
    x[blockIdx.x] = x[0];
  }
}
__global__ void reset_inside(int* x) {
  if (threadIdx.x == 0) *x = 0;
  __syncthreads();
  atomicAdd(x, 1);
}
__global__ void half_a_barrier(int* x) {
  const int warp = threadIdx.x / 32;
  if (warp < 2) x[threadIdx.x] = 1;
  if (warp < 2) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (warp == 2) x[threadIdx.x] = x[threadIdx.x - 64];
}
// Among threads that are independent.
template <bool kSync>
__global__ void within_a_warp(int* x) {
  x[threadIdx.x] = threadIdx.x + 1;
  if (kSync) __syncwarp();
  const int other = x[threadIdx.x ^ 1];
  if (kSync) __syncwarp();
  x[threadIdx.x] = other;
}
__global__ void lanes_of_one_store(int* x) { *x = threadIdx.x; }
// An access with a strength and a scope of PTX's.
#define STORE(how, p, value) asm volatile("st." how ".u32 [%0], %1;" ::"l"(p), "r"(value) : "memory")
#define LOAD(how, p)                                                            \
  ({                                                                            \
    int value;                                                                  \
    asm volatile("ld." how ".u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory"); \
    value;                                                                      \
  })
#define HANDED_OVER(name, release, acquire) \
  __global__ void name(int* x, int* set) {  \
    if (threadIdx.x != 0) return;           \
    if (blockIdx.x == 0) {                  \
      x[0] = 7;                             \
      STORE(release, set, 1);               \
    } else {                                \
      while (LOAD(acquire, set) == 0) {     \
      }                                     \
      x[blockIdx.x] = x[0];                 \
    }                                       \
  }
HANDED_OVER(released, "release.gpu", "acquire.gpu")
HANDED_OVER(scope_of_a_block, "release.cta", "acquire.gpu")
HANDED_OVER(relaxed, "relaxed.gpu", "relaxed.gpu")

// --- None ---

__global__ void own(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void neighbours(int* to, const int* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  to[i] = from[i] + from[(i + 1) % n] + from[(i + n - 1) % n];
}
__global__ void barrier(int* x) {
  int* const mine = x + blockIdx.x * blockDim.x;
  mine[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int other = mine[(threadIdx.x + 32) % blockDim.x];
  __syncthreads();
  mine[threadIdx.x] = other;
}
// All fence, and one goes on for them.
__device__ unsigned arrived;
__global__ void last_block(int* sums) {
  __shared__ bool last;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (unsigned block = 1; block < gridDim.x; ++block) sums[threadIdx.x] += sums[block * blockDim.x + threadIdx.x];
}
__global__ void spin_lock(int* x, int* lock) {
  if (threadIdx.x % 32 != 0) return;
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      x[0] += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
// Each block waits for the sum of the one before it, and leaves its own.
__global__ void chained(int* sums, int* ready) {
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0) {
      while (LOAD("acquire.gpu", ready + blockIdx.x - 1) == 0) {
      }
    }
    int sum = 1;
    for (unsigned block = 0; block < blockIdx.x; ++block) sum += sums[block];
    sums[blockIdx.x] = sum;
    STORE("release.gpu", ready + blockIdx.x, 1);
  }
}
__global__ void whole_grid(int* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int round = 0; round < 3; ++round) {
    x[i] = round + i;
    cooperative_groups::this_grid().sync();
    const int other = x[(i + 77) % n];
    cooperative_groups::this_grid().sync();
    x[i] += other;
  }
}
__global__ void from_the_heap(int* x) {
  for (int k = 0; k < 4; ++k) {
    int* const some = static_cast<int*>(malloc(16));
    some[0] = threadIdx.x;
    x[blockIdx.x * blockDim.x + threadIdx.x] += some[0];
    free(some);
  }
}
// Flags that many set alike.
__global__ void same_value(int* x) { *x = 1; }

int main(int argc, char** argv) {
  int *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 4096);
  cudaMemset(x, 0, 4096);
  cudaMemset(y, 0, 4096);
  const auto is = [&](const char* name) { return argc > 1 && strcmp(argv[1], name) == 0; };
  if (is("between_warps")) between_warps<<<1, kThreads>>>(x);
  if (is("between_blocks")) between_blocks<<<kBlocks, 32>>>(x);
  if (is("read_by_another_warp")) read_by_another_warp<<<1, kThreads>>>(x);
  if (is("written_behind_readers")) written_behind_readers<<<1, kThreads>>>(x);
  if (is("bytes")) bytes<<<1, kThreads>>>(reinterpret_cast<char*>(x));
  if (is("atomic_and_plain")) atomic_and_plain<<<kBlocks, kThreads>>>(x);
  if (is("atomics_of_a_block")) atomics_of_a_block<<<kBlocks, 32>>>(x);
  if (is("no_fence_before")) flag<false, true><<<kBlocks, 32>>>(x, y);
  if (is("no_fence_behind")) flag<true, false><<<kBlocks, 32>>>(x, y);
  if (is("fence_of_a_block")) flag<false, true, true><<<kBlocks, 32>>>(x, y);
  if (is("reset_inside")) reset_inside<<<kBlocks, kThreads>>>(x);
  if (is("half_a_barrier")) half_a_barrier<<<1, 96>>>(x);
  if (is("within_a_warp")) within_a_warp<false><<<1, 32>>>(x);
  if (is("lanes_of_one_store")) lanes_of_one_store<<<1, 32>>>(x);
  if (is("scope_of_a_block")) scope_of_a_block<<<kBlocks, 32>>>(x, y);
  if (is("relaxed")) relaxed<<<kBlocks, 32>>>(x, y);
  if (is("none")) {
    own<<<kBlocks, kThreads>>>(x);
    neighbours<<<kBlocks, kThreads>>>(y, x);
    neighbours<<<kBlocks, kThreads>>>(x, y);
    cudaMemset(y, 0, 4096);
    barrier<<<kBlocks, kThreads>>>(x);
    last_block<<<kBlocks, kThreads>>>(x);
    flag<true, true><<<kBlocks, 32>>>(x, y);
    spin_lock<<<kBlocks, kThreads>>>(x, y + 1);
    chained<<<kBlocks, kThreads>>>(x, y + 2);
    released<<<kBlocks, 32>>>(x, y + 64);
    within_a_warp<true><<<1, 32>>>(x);
    from_the_heap<<<kBlocks, kThreads>>>(x);
    void* arguments[] = {&x};
    cudaLaunchCooperativeKernel(whole_grid, kBlocks, kThreads, arguments);
  }
  if (is("same_value")) same_value<<<kBlocks, kThreads>>>(x);
  printf("%s: %s\n", argv[1], cudaGetErrorName(cudaDeviceSynchronize()));
}
