// SPDX-License-Identifier: Apache-2.0
// Mistakes with memory, one for each word that the program is called with.
#include <cstdio>
#include <cstring>

__global__ void one_too_far(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = in[i] + 1;
}
__global__ void shifted(int* out, const char* in) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(in + threadIdx.x);
}
__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void unordered(int* out, const int* in) {
  __shared__ int box[64];
  box[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = box[(threadIdx.x + 33) % 64];
}
__global__ void ordered(int* out, const int* in) {
  __shared__ int box[64];
  box[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[64 * blockIdx.x + threadIdx.x] = box[(threadIdx.x + 33) % 64];
  __syncthreads();
  box[threadIdx.x] = 2;
}
__global__ void half_filled(int* out) {
  __shared__ int box[64];
  if (threadIdx.x < 32) box[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x];
}
__global__ void last_wins(int* out) {
  if (threadIdx.x == 0) out[0] = blockIdx.x + 1;
}
// The block that comes last adds up what the others left: a fence and an atomic order them.
__device__ unsigned arrived;
__global__ void add_up(int* sums, const int* in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  for (unsigned i = 1; i < gridDim.x; ++i) sums[0] += sums[i];
}
// A tree of one warp as it was written before threads were independent.
__global__ void in_step(int* out, const int* in) {
  __shared__ volatile int box[64];
  box[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= 16) return;
  for (int step = 16; step > 0; step /= 2) box[threadIdx.x] += box[threadIdx.x + step];
  out[threadIdx.x] = box[0];
}

__attribute__((noinline)) int* reserve(int n) {
  int* words = nullptr;
  cudaMalloc(&words, n * sizeof(int));
  return words;
}

int main(int argc, char** argv) {
  int* const out = reserve(100);
  int* const in = reserve(100);
  cudaMemset(in, 1, 100 * sizeof(int));
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "bounds") == 0) one_too_far<<<2, 64>>>(out, in, 100);
  if (strcmp(what, "misaligned") == 0) shifted<<<1, 64>>>(out, reinterpret_cast<const char*>(in));
  if (strcmp(what, "freed") == 0) {
    cudaFree(out);
    reserve(100);
    fill<<<1, 64>>>(out);
  }
  if (strcmp(what, "uninitialized") == 0) one_too_far<<<1, 64>>>(out, reserve(100), 63);
  if (strcmp(what, "shared") == 0) half_filled<<<1, 64>>>(out);
  if (strcmp(what, "race") == 0) unordered<<<1, 64>>>(out, in);
  if (strcmp(what, "blocks") == 0) last_wins<<<4, 32>>>(out);
  if (strcmp(what, "right") == 0) {
    ordered<<<1, 64>>>(out, in);
    add_up<<<8, 32>>>(out, in);
    in_step<<<1, 64>>>(out, in);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s: %s\n", what, cudaGetErrorName(error));
}
