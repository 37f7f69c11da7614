// SPDX-License-Identifier: Apache-2.0
// Kernels each of which has one thing that runs can differ by, for the tests of `warpfold explain`: planted KERNEL.
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kBlocks = 16, kThreads = 256, kAll = kBlocks * kThreads, kWords = 1 << 16;

// A loop stays a loop, and its branch a branch.
__device__ int chain(int x, int turns) {
#pragma unroll 1
  for (int i = 0; i < turns; ++i) x = x * 1103515245 + 12345;
  return x;
}

// Threads of eight warps that part and meet others, and then load what was one line of a warp.
__global__ void coalescing(const int* in, int* out) {
  int thread = blockIdx.x * kThreads + threadIdx.x, x = thread;
  for (int turn = 0; turn < 8; ++turn) {
    x = chain(x, ((thread * 2654435761u) >> (turn + 5)) & 3);
    for (int k = 0; k < 4; ++k) x += in[(thread + (turn * 4 + k) * kAll) & (kWords - 1)] & 1;
  }
  out[thread] = x;
}

// Another warp of the block has something to do each time, before a branch that parts a thread of each.
__global__ void reconvergence(const int* in, int* out) {
  int thread = blockIdx.x * kThreads + threadIdx.x, x = thread;
  for (int turn = 0; turn < 8; ++turn) {
    if ((threadIdx.x / 32 + turn) % 8 == 0) x = chain(x, 200);
    if (threadIdx.x % 32 == 0) x = chain(x, 1);
  }
  out[thread] = x;
}

// The first warp of each block takes four paths, one after the other or not; the others wait for it.
__device__ int four_paths(int x, int turns) {
  int turn = threadIdx.x % 4;
  if (turn == 0) return chain(x, turns);
  if (turn == 1) return chain(x + 1, turns + 1);
  if (turn == 2) return chain(x + 2, turns + 2);
  return chain(x + 3, turns + 3);
}
__global__ void barrier(const int* in, int* out) {
  int x = threadIdx.x;
  for (int turn = 0; turn < 4; ++turn) {
    if (threadIdx.x < 32) x = four_paths(x, 80);
    __syncthreads();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = x;
}

// Each warp reads 32 words that are 16 apart.
__global__ void conflicts(const int* in, int* out) {
  __shared__ int box[1024];
  for (int i = threadIdx.x; i < 1024; i += kThreads) box[i] = i;
  __syncthreads();
  int x = threadIdx.x;
  for (int turn = 0; turn < 32; ++turn) x = (box[(16 * threadIdx.x + turn) & 1023] + x) & 1023;
  out[blockIdx.x * kThreads + threadIdx.x] = x;
}

// The same 8 KB again and again, a line a thread.
__global__ void thrash(const int* in, int* out) {
  int x = threadIdx.x;
  for (int turn = 0; turn < 24; ++turn) x = in[(x * 16 + turn * 272) & 2047];
  out[blockIdx.x * kThreads + threadIdx.x] = x;
}

// The same through the read-only cache.
__global__ void read_only_thrash(const int* in, int* out) {
  int x = threadIdx.x;
  for (int turn = 0; turn < 24; ++turn) x = __ldg(&in[(x * 16 + turn * 272) & 2047]);
  out[blockIdx.x * kThreads + threadIdx.x] = x;
}

// Nothing but one long dependency.
__global__ void latency(const int* in, int* out) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = chain(thread, 300);
}

// The last block alone takes four paths, each half as long as the others' one.
__global__ void tail(const int* in, int* out) {
  int x = threadIdx.x;
  if (blockIdx.x == gridDim.x - 1)
    x = four_paths(x, 300);
  else
    x = chain(x, 600);
  out[blockIdx.x * kThreads + threadIdx.x] = x;
}

// A load is in flight wherever a branch parts threads, always the same lanes.
__global__ void drain(const int* in, int* out) {
  int thread = blockIdx.x * kThreads + threadIdx.x, x = thread, sum = 0;
  for (int turn = 0; turn < 16; ++turn) {
    sum += in[((thread / 32 * 16 + turn) * 32) & (kWords - 1)];
    x = chain(x, 1 + 2 * in[thread & 1]);
  }
  out[thread] = x + sum;
}

// A branch that parts threads every few instructions.
__global__ void parting(const int* in, int* out) {
  int thread = blockIdx.x * kThreads + threadIdx.x, x = thread;
  for (int turn = 0; turn < 24; ++turn) x = chain(x, ((thread >> (turn % 5)) & 1) + 1);
  out[thread] = x;
}

// Loops within loops, each of which threads leave one by one.
__global__ void spill(const int* in, int* out) {
  int thread = blockIdx.x * kThreads + threadIdx.x, x = thread;
#define EACH(i) _Pragma("unroll 1") for (int i = 0; i < 1 + ((thread >> (i##_bit)) & 1); ++i)
  constexpr int a_bit = 0, b_bit = 1, c_bit = 2, d_bit = 3, e_bit = 4;
  EACH(a) EACH(b) EACH(c) EACH(d) EACH(e) x = x * 5 + a + b + c + d + e;
  out[thread] = x;
}

// Loads, then arithmetic: whoever turns them all at once has nothing to do while they wait.
__global__ void order(const int* in, int* out) {
  int thread = blockIdx.x * kThreads + threadIdx.x, x = 0;
  for (int turn = 0; turn < 8; ++turn) {
    x += in[(thread * 33 + turn * 4099) & (kWords - 1)];
    x = chain(x, 12);
  }
  out[thread] = x;
}

// Every other thread goes another way.
__global__ void serial(const int* in, int* out) {
  int thread = blockIdx.x * kThreads + threadIdx.x, x = thread;
  if (((thread >> 5) ^ thread) & 1)
    x = chain(x, 200);
  else
    x = chain(x + 1, 201);
  out[thread] = x;
}

int main(int argc, char** argv) {
  struct Kernel {
    const char* name;
    void (*code)(const int*, int*);
    int blocks, threads;
  };
  const Kernel kernels[] = {{"coalescing", coalescing, kBlocks, kThreads},
                            {"reconvergence", reconvergence, kBlocks, kThreads},
                            {"barrier", barrier, 2, kThreads},
                            {"conflicts", conflicts, kBlocks, kThreads},
                            {"thrash", thrash, kBlocks, kThreads},
                            {"read_only_thrash", read_only_thrash, kBlocks, kThreads},
                            {"latency", latency, 64, 32},
                            {"tail", tail, 8, 32},
                            {"drain", drain, 8, 64},
                            {"parting", parting, kBlocks, kThreads},
                            {"spill", spill, kBlocks, kThreads},
                            {"order", order, kBlocks, kThreads},
                            {"serial", serial, kBlocks, kThreads}};
  static int host[kWords];
  for (int i = 0; i < kWords; ++i) host[i] = i % 1009;
  int *in, *out;
  cudaMalloc((void**)&in, sizeof host);
  cudaMalloc((void**)&out, kAll * sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  for (const Kernel& kernel : kernels) {
    if (argc != 2 || std::strcmp(argv[1], kernel.name) != 0) continue;
    kernel.code<<<kernel.blocks, kernel.threads>>>(in, out);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  }
  std::fprintf(stderr, "planted: name one kernel\n");
  return 2;
}
