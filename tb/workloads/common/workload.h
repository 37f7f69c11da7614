// SPDX-License-Identifier: Apache-2.0
// What every bundled CUDA program needs on its host side: the command line, a generator that gives the same numbers on
// every machine, device buffers whose calls are all checked, and the verdict printed at the end.
#pragma once

#include <cuda_runtime.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace workload {

// Ends the program with the one-line form of an error that the user caused: "bfs: error: what".
[[noreturn]] inline void user_error(const char* program, const std::string& what) {
  std::fprintf(stderr, "%s: error: %s\n", program, what.c_str());
  std::exit(1);
}

// Prints the last line of every program, PASS or "FAIL: why", and gives main() its exit status. An empty `why` is a
// pass.
inline int verdict(const std::string& why) {
  if (why.empty()) {
    std::printf("PASS\n");
  } else {
    std::printf("FAIL: %s\n", why.c_str());
  }
  return why.empty() ? 0 : 1;
}

inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::exit(verdict(std::string(call) + ": " + cudaGetErrorString(status)));
}

// A launch reports a bad configuration at once and everything else when the device is waited for.
inline void check_launch(const char* kernel) {
  check_cuda(cudaGetLastError(), kernel);
  check_cuda(cudaDeviceSynchronize(), kernel);
}

// Gives "" when no value is further than `tolerance` from the expected one, else where the first such value stands.
inline std::string compare(const std::vector<float>& values, const std::vector<float>& expected, float tolerance) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::fabs(values[i] - expected[i]) <= tolerance) continue;  // false for NaN as well
    return "value " + std::to_string(i) + " is " + std::to_string(values[i]) + ", expected " +
           std::to_string(expected[i]);
  }
  return "";
}

// The same for whole numbers, which have to be equal.
template <typename T>
std::string compare_equal(const std::vector<T>& values, const std::vector<T>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (values[i] == expected[i]) continue;
    return "value " + std::to_string(i) + " is " + std::to_string(values[i]) + ", expected " +
           std::to_string(expected[i]);
  }
  return "";
}

// Memory of the device for `count` values of T.
template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) {
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "cudaMalloc");
  }
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) { upload(values); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { check_cuda(cudaFree(data_), "cudaFree"); }

  T* get() const { return data_; }

  void upload(const std::vector<T>& values) {
    check_cuda(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy to device");
  }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    check_cuda(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy to host");
    return values;
  }
  void fill_bytes(int byte) { check_cuda(cudaMemset(data_, byte, count_ * sizeof(T)), "cudaMemset"); }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). The distributions of
// <random> differ between standard libraries; these do not.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound), bound < 2^32; the bias of the multiplication is below 2^-32.
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(((next() >> 32) * bound) >> 32); }
  // Uniform in [0, 1), exact in single precision.
  float unit() { return static_cast<float>(next() >> 40) * (1.0f / 16777216.0f); }

  // Fisher-Yates.
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(static_cast<uint32_t>(i))]);
  }

 private:
  uint64_t state_;
};

enum class Size { kSmall, kDefault, kLarge };

struct Options {
  Size size = Size::kDefault;
  uint64_t seed = 1;
  unsigned block = 0, blocks_per_core = 0;  // 0: as the size has them
  std::vector<std::string> arguments;       // what is neither --size nor --seed, in order
};

inline Size parse_size(const char* program, const std::string& text) {
  if (text == "small") return Size::kSmall;
  if (text == "default") return Size::kDefault;
  if (text == "large") return Size::kLarge;
  user_error(program, "--size " + text + ": give small, default or large");
}

inline uint64_t parse_seed(const char* program, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const uint64_t seed = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
    user_error(program, "--seed " + text + ": give a whole number below 2^64");
  }
  return seed;
}

inline unsigned parse_count(const char* program, const std::string& option, const std::string& text) {
  const bool digits = text.size() <= 4 && text.find_first_not_of("0123456789") == std::string::npos;
  const int count = digits ? std::atoi(text.c_str()) : 0;
  if (count < 1 || count > 1024) user_error(program, option + " " + text + ": give a number from 1 to 1024");
  return static_cast<unsigned>(count);
}

// Reads `--size small|default|large` and `--seed N`; anything else stays in `arguments` for the program.
inline Options parse_options(const char* program, int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument != "--size" && argument != "--seed") {
      options.arguments.push_back(argument);
      continue;
    }
    if (i + 1 == argc) user_error(program, argument + " needs a value");
    ++i;
    if (argument == "--size") {
      options.size = parse_size(program, argv[i]);
    } else {
      options.seed = parse_seed(program, argv[i]);
    }
  }
  return options;
}

// The same for a program that takes nothing else.
inline Options parse_only_options(const char* program, int argc, char** argv) {
  Options options = parse_options(program, argc, argv);
  if (!options.arguments.empty()) {
    user_error(program,
               "unknown argument '" + options.arguments[0] + "'; known are --size small|default|large and --seed N");
  }
  return options;
}

// The same for a program whose grid can be chosen: `--blocks-per-core N` and, where its blocks can be of `any_size`,
// `--block N`, their threads.
inline Options parse_grid_options(const char* program, int argc, char** argv, bool any_size) {
  Options options = parse_options(program, argc, argv);
  for (size_t i = 0; i < options.arguments.size(); i += 2) {
    const std::string argument = options.arguments[i];
    if (argument != "--blocks-per-core" && !(any_size && argument == "--block")) {
      user_error(program, "unknown argument '" + argument + "'; known are --size small|default|large, --seed N" +
                              (any_size ? ", --block N" : "") + " and --blocks-per-core N");
    }
    const std::string text = i + 1 < options.arguments.size() ? options.arguments[i + 1] : "";
    (argument == "--block" ? options.block : options.blocks_per_core) = parse_count(program, argument, text);
  }
  return options;
}

struct Grid {
  unsigned block;  // threads
  unsigned blocks;
  unsigned threads;  // that have something to do
};

// Blocks of `block` threads for `threads` of them, or as the options have it: so many for every core of the device.
inline Grid grid_of(const Options& options, unsigned block, unsigned threads) {
  if (options.block != 0) block = options.block;
  if (options.blocks_per_core == 0) return {block, (threads + block - 1) / block, threads};
  int cores = 0;
  check_cuda(cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  const unsigned blocks = options.blocks_per_core * static_cast<unsigned>(cores);
  return {block, blocks, blocks * block};
}

// Picks the value that belongs to the size.
template <typename T>
T by_size(Size size, T small, T normal, T large) {
  return size == Size::kSmall ? small : size == Size::kDefault ? normal : large;
}

}  // namespace workload
