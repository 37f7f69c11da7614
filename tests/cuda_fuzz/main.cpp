// SPDX-License-Identifier: Apache-2.0
// main() of a generated program: PROGRAM OUTPUT FIRST LAST [backwards]. Runs the kernels FIRST to LAST, both included,
// and writes what each leaves in memory, launch by launch and kernel by kernel, so that what is there when one ends the
// process is whole. A launch finds a part of what the one before it has left in its input.
#if defined(CUDA_TWIN)
#include "twin/cuda.h"
#else
#include <cuda_runtime.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

constexpr unsigned kHandedOn = kInputWords * 2;  // bytes, to the second half of the input

struct Memory {
  char* out = nullptr;
  unsigned* in = nullptr;
};

bool allocate(Way way, std::size_t bytes, void** place) {
  return (way == kManaged ? cudaMallocManaged(place, bytes) : cudaMalloc(place, bytes)) == cudaSuccess;
}

void launch(const GeneratedKernel& kernel, const Memory& memory, cudaStream_t stream) {
  cudaMemsetAsync(memory.out, 0, kernel.out_bytes, stream);
  kernel.launch(memory.out, memory.in, stream);
}
void hand_on(const GeneratedKernel& kernel, const Memory& memory, cudaStream_t stream) {
  const std::size_t bytes = std::min(kernel.out_bytes, kHandedOn);
  cudaMemcpyAsync(memory.in + kInputWords / 2, memory.out, bytes, cudaMemcpyDeviceToDevice, stream);
}
void fetch(const GeneratedKernel& kernel, const Memory& memory, cudaStream_t stream, char* bytes) {
  if (kernel.way != kManaged) cudaMemcpyAsync(bytes, memory.out, kernel.out_bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  if (kernel.way == kManaged) std::memcpy(bytes, memory.out, kernel.out_bytes);
}

void run_one_by_one(const GeneratedKernel& kernel, const Memory& memory, cudaStream_t stream, char* bytes) {
  for (unsigned i = 0; i < kernel.launches; ++i) {
    launch(kernel, memory, stream);
    hand_on(kernel, memory, stream);
    fetch(kernel, memory, stream, bytes + std::size_t{i} * kernel.out_bytes);
  }
}
#if defined(CUDA_TWIN)
constexpr auto run_graph = run_one_by_one;
#else
// A graph of one launch and what it hands on, launched again and again.
void run_graph(const GeneratedKernel& kernel, const Memory& memory, cudaStream_t stream, char* bytes) {
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  launch(kernel, memory, stream);
  hand_on(kernel, memory, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&runs, graph, nullptr, nullptr, 0);
  for (unsigned i = 0; i < kernel.launches; ++i) {
    cudaGraphLaunch(runs, stream);
    fetch(kernel, memory, stream, bytes + std::size_t{i} * kernel.out_bytes);
  }
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
}
#endif

bool run(const GeneratedKernel& kernel, const std::vector<unsigned>& words, std::FILE* file) {
  Memory memory;
  cudaStream_t stream{};
  if (!allocate(kernel.way, kernel.out_bytes, reinterpret_cast<void**>(&memory.out)) ||
      !allocate(kernel.way, words.size() * 4, reinterpret_cast<void**>(&memory.in))) {
    return false;
  }
  if (kernel.way != kPlain) cudaStreamCreate(&stream);
  cudaMemcpy(memory.in, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
  std::vector<char> bytes(std::size_t{kernel.out_bytes} * kernel.launches);
  (kernel.way == kGraph ? run_graph : run_one_by_one)(kernel, memory, stream, bytes.data());
  if (refused()) return false;
  cudaFree(memory.in);
  cudaFree(memory.out);
  if (kernel.way != kPlain) cudaStreamDestroy(stream);
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
  for (int i = std::atoi(argv[2]); i <= std::atoi(argv[3]); ++i) {
    if (!run(generated_kernels[i], words, file)) return 1;
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
