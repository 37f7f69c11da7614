// SPDX-License-Identifier: Apache-2.0
// A program with a loop that threads leave from the middle, for the profiler's tests, which know its lines by their
// comments. "fault" reads where nothing is in its second launch, "die" does not come to its end.
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kThreads = 128;

__device__ int collatz(int x) { return x % 2 == 0 ? x / 2 : 3 * x + 1; }

__global__ void turns(const int* in, int* out) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int turn = 0; turn < 12; ++turn) {
    int x = in[(thread * 7 + turn) % (2 * kThreads)];  // gather
    if (x % 3 == 0) {                                  // late if
      for (int i = 0; i < (x & 7); ++i) {              // inner loop
        sum = collatz(sum + i);                        // hot
      }
    } else if (x % 61 == 1) {  // exit
      break;
    }
    sum += in[thread] ^ turn;  // meet
  }
  out[thread] = sum;  // result
}

__global__ void plain(int* out) { out[threadIdx.x] = 1; }

int main(int argc, char** argv) {
  static int host[2 * kThreads];
  for (int i = 0; i < 2 * kThreads; ++i) host[i] = (i * 7919 + 13) % 1009;
  int *in, *out;
  cudaMalloc((void**)&in, sizeof host);
  cudaMalloc((void**)&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  turns<<<2, kThreads>>>(in, out);
  plain<<<1, 32>>>(out);
  if (argc > 1 && std::strcmp(argv[1], "fault") == 0) turns<<<2, kThreads>>>(nullptr, out);
  if (argc > 1 && std::strcmp(argv[1], "die") == 0) std::abort();
  if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("turns %d\n", host[5]);
  return 0;
}
