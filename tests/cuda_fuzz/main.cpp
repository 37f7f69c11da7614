// SPDX-License-Identifier: Apache-2.0
// main() of a generated program: PROGRAM OUTPUT FIRST LAST [LAUNCHES|backwards]. Runs the kernels FIRST to LAST, both
// included, and writes what each leaves in memory: kernel by kernel, so that what is there when one ends the process is
// whole. Several launches of a kernel find the same in memory, and must leave the same.
#if defined(CUDA_TWIN)
#include "twin/cuda.h"
#else
#include <cuda_runtime.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "program.h"

extern GeneratedKernel generated_kernels[];

namespace {

// Any bits, and in every second word what arithmetic finds hard: small integers, and floats around the ends of ranges.
std::vector<unsigned> input() {
  static const unsigned hard[] = {0,          1,          0x80000000, 0x7fffffff, 0xffffffff, 0x3f800000, 0xbf800000,
                                  0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x4f000000,
                                  0xcf000000, 0x5f000000, 0x3f000000, 0x40490fdb, 0xc2c80000, 0x7f7fffff, 0x00ff00ff,
                                  0x41200000, 0x4effffff, 0x4b800001, 0x3ff00000, 0x7ff00000, 0x41dfffff, 0xc1e00000};
  std::vector<unsigned> words(kInputWords);
  unsigned state = 12345;
  for (unsigned& word : words) {
    state = state * 1664525 + 1013904223;
    const unsigned noise = state ^ state >> 15;
    word = (noise & 0x100) != 0 ? noise * 2654435761u : hard[noise % (sizeof hard / sizeof hard[0])];
  }
  return words;
}

// A launch that a machine has no room for leaves what was there.
bool refused() {
#if defined(CUDA_TWIN)
  return false;
#else
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("launch: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
#endif
}

bool run(const GeneratedKernel& kernel, const unsigned* in, int launches, std::FILE* file) {
  void* out = nullptr;
  if (cudaMalloc(&out, kernel.out_bytes) != cudaSuccess) return false;
  std::vector<char> bytes(kernel.out_bytes), again(kernel.out_bytes);
  for (int launch = 0; launch < launches; ++launch) {
    if (cudaMemset(out, 0, kernel.out_bytes) != cudaSuccess) return false;
    kernel.launch(static_cast<char*>(out), in);
    if (refused()) return false;
    std::vector<char>& found = launch == 0 ? bytes : again;
    if (cudaMemcpy(found.data(), out, found.size(), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    if (launch == 0 || again == bytes) continue;
    std::printf("launch %d of it leaves something else than launch 0\n", launch);
    return false;
  }
  cudaFree(out);
  return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
#if defined(CUDA_TWIN)
  cuda_twin::run_backwards(argc > 4);
#endif
  std::FILE* const file = std::fopen(argv[1], "wb");
  if (file == nullptr) return 2;
  const std::vector<unsigned> words = input();
  void* in = nullptr;
  if (cudaMalloc(&in, words.size() * 4) != cudaSuccess) return 1;
  cudaMemcpy(in, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
  const int launches = argc > 4 && std::atoi(argv[4]) > 0 ? std::atoi(argv[4]) : 1;
  for (int i = std::atoi(argv[2]); i <= std::atoi(argv[3]); ++i) {
    if (!run(generated_kernels[i], static_cast<const unsigned*>(in), launches, file)) return 1;
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
