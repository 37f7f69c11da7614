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
#include <optional>
#include <vector>

#include "program.h"
#include "texture_set.h"

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

// What launches write and read.
class Memory {
 public:
  Memory(Way way, unsigned out_bytes, const std::vector<unsigned>& words) {
    // A kernel that was made smaller and smaller may leave nothing.
    if (!allocate(way, std::max(out_bytes, 1u), reinterpret_cast<void**>(&out))) return;
    if (!allocate(way, words.size() * 4, reinterpret_cast<void**>(&in))) return;
    cudaMemcpy(in, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
    textures_.emplace(in, words);
  }
  ~Memory() {
    textures_.reset();
    cudaFree(in);
    cudaFree(out);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  bool there() const { return textures_.has_value(); }
  const Textures& textures() const { return textures_->textures; }

  char* out = nullptr;
  unsigned* in = nullptr;

 private:
  static bool allocate(Way way, std::size_t bytes, void** place) {
    return (way == kManaged ? cudaMallocManaged(place, bytes) : cudaMalloc(place, bytes)) == cudaSuccess;
  }
  std::optional<TextureSet> textures_;
};

void launch(const GeneratedKernel& kernel, const Memory& memory, cudaStream_t stream) {
  cudaMemsetAsync(memory.out, 0, kernel.out_bytes, stream);
  kernel.launch(memory.out, memory.in, memory.textures(), stream);
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
bool run_streams(const GeneratedKernel& kernel, const Memory& memory, const std::vector<unsigned>&, char* bytes) {
  run_one_by_one(kernel, memory, {}, bytes);
  return true;
}
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

// Two streams take turns, each waiting for what the other hands on. Beside them a third one does the same in memory of
// its own, and must come to the same.
bool run_streams(const GeneratedKernel& kernel, const Memory& memory, const std::vector<unsigned>& words, char* bytes) {
  const Memory beside(kernel.way, kernel.out_bytes, words);
  const std::size_t all = std::size_t{kernel.out_bytes} * kernel.launches;
  char* landed = nullptr;
  if (!beside.there() || cudaMallocHost(reinterpret_cast<void**>(&landed), 2 * all + 1) != cudaSuccess) return false;
  cudaStream_t streams[3];
  cudaEvent_t handed_on;
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&handed_on, cudaEventDisableTiming);
  const auto once = [&](const Memory& where, cudaStream_t stream, char* to) {
    launch(kernel, where, stream);
    hand_on(kernel, where, stream);
    cudaMemcpyAsync(to, where.out, kernel.out_bytes, cudaMemcpyDeviceToHost, stream);
  };
  for (unsigned i = 0; i < kernel.launches; ++i) {
    char* const to = landed + std::size_t{i} * kernel.out_bytes;
    once(beside, streams[2], to + all);
    if (i > 0) cudaStreamWaitEvent(streams[i % 2], handed_on, 0);
    once(memory, streams[i % 2], to);
    cudaEventRecord(handed_on, streams[i % 2]);
  }
  cudaDeviceSynchronize();
  std::memcpy(bytes, landed, all);
  const bool alike = std::memcmp(landed, landed + all, all) == 0;
  if (!alike) std::printf("streams side by side leave different values\n");
  cudaEventDestroy(handed_on);
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFreeHost(landed);
  return alike;
}
#endif

bool run(const GeneratedKernel& kernel, const std::vector<unsigned>& words, std::FILE* file) {
  std::vector<char> bytes(std::size_t{kernel.out_bytes} * kernel.launches);
  {
    const Memory memory(kernel.way, kernel.out_bytes, words);
    if (!memory.there()) return false;
    cudaStream_t stream{};
    if (kernel.way != kPlain) cudaStreamCreate(&stream);
    if (kernel.way == kStreams) {
      if (!run_streams(kernel, memory, words, bytes.data())) return false;
    } else {
      (kernel.way == kGraph ? run_graph : run_one_by_one)(kernel, memory, stream, bytes.data());
    }
    if (refused()) return false;
    if (kernel.way != kPlain) cudaStreamDestroy(stream);
  }
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
