// SPDX-License-Identifier: Apache-2.0
// What the microbenchmarks share: rows to print, and the clock around what a block does.
//
// A measurement is of the SM's own clock, read by each block behind a barrier before and after. SMs' clocks need not
// agree, so what concerns the whole chip takes as long as the block that takes longest; all of its blocks are on the
// chip at once.
#pragma once

#include <algorithm>
#include <functional>

#include "../common/workload.h"

namespace micro {

constexpr const char* kProgram = "micro";

struct Row {
  const char* quantity;
  const char* unit;
  std::function<double()> measure;
};

std::vector<Row> arithmetic_rows();
std::vector<Row> latency_rows();
std::vector<Row> bandwidth_rows();

// Ends the program, which prints what is wrong, where a result is not what it must be.
inline void expect(bool right, const char* what) {
  if (!right) std::exit(workload::verdict(std::string("WRONG: ") + what));
}

inline int attribute(cudaDeviceAttr which) {
  int value = 0;
  workload::check_cuda(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}

struct Launch {
  unsigned blocks, threads;
  unsigned all() const { return blocks * threads; }
};

inline Launch one_warp() { return {1, 32}; }
// As many threads of a block as there may be.
inline Launch one_block() {
  return {1, static_cast<unsigned>(std::min(1024, attribute(cudaDevAttrMaxThreadsPerBlock)))};
}
// Of all SMs as many threads as they hold.
inline Launch whole_chip() {
  const unsigned threads = one_block().threads;
  const auto held = static_cast<unsigned>(attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  return {static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount)) * (held / threads), threads};
}

// Cycles that each block took.
class Clocks {
 public:
  explicit Clocks(const Launch& launch) : cycles_(launch.blocks) {}
  long long* get() const { return cycles_.get(); }
  double longest() const {
    const std::vector<long long> all = cycles_.download();
    return static_cast<double>(*std::max_element(all.begin(), all.end()));
  }

 private:
  workload::DeviceBuffer<long long> cycles_;
};

// Events around what is launched while it lives.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {
    for (cudaEvent_t* event : {&start_, &end_}) workload::check_cuda(cudaEventCreate(event), "cudaEventCreate");
    workload::check_cuda(cudaEventRecord(start_), "cudaEventRecord");
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    workload::check_cuda(cudaEventRecord(end_), "cudaEventRecord");
    workload::check_launch("a kernel between events");
    float milliseconds = 0;
    workload::check_cuda(cudaEventElapsedTime(&milliseconds, start_, end_), "cudaEventElapsedTime");
    seconds_ = milliseconds / 1e3;
    for (const cudaEvent_t event : {start_, end_}) workload::check_cuda(cudaEventDestroy(event), "cudaEventDestroy");
  }

 private:
  double& seconds_;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
};

}  // namespace micro
