// SPDX-License-Identifier: Apache-2.0
// How long the loops of single-loop and double-loop take by the GPU's own clock, and where in them the time goes. The
// kernels and the question are those of Bialas and Strzelecki, Benchmarking the Cost of Thread Divergence in CUDA:
// Listings 1 and 2 read the clock around the loops, Listing 5 in every round of thread 0, which goes through all of
// them.
//
//   timed-loop [--n 0..31] [--loop single|double|stamped] [--size small|default|large] [--seed N]
//
// Prints a line "measured NAME CYCLES" for each figure. Nothing is random: the seed changes nothing.
#include "../common/divergent_loop.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "timed-loop";
constexpr int kStamps = divergent_loop::kLongest + 2;  // before the loop, in each round, behind the barrier

// Loops as single-loop and double-loop have them, with counters that the compiler cannot see through.
__device__ void add_up(int limit, float& sum) {
#pragma unroll 1
  for (int i = 0; i < limit; ++i) {
    asm volatile("" : "+r"(i));
    sum += divergent_loop::kInner;
  }
}

__global__ void single_loop(const int* limits, float* out, long long* timer) {
  const unsigned thread = blockDim.x * blockIdx.x + threadIdx.x;
  const int limit = limits[threadIdx.x];
  float sum = out[thread];
  __syncthreads();
  const long long start = clock64();
  add_up(limit, sum);
  timer[thread] = clock64() - start;
  out[thread] = sum;
}

__global__ void double_loop(const int* limits, float* out, long long* timer) {
  const unsigned thread = blockDim.x * blockIdx.x + threadIdx.x;
  const int limit = limits[threadIdx.x];
  float sum = out[thread];
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int i = 0; i < limit; ++i) {
    asm volatile("" : "+r"(i));
    add_up(limit, sum);
    sum += divergent_loop::kOuter;
  }
  timer[thread] = clock64() - start;
  out[thread] = sum;
}

__global__ void stamped_loop(const int* limits, float* out, long long* timer) {
  const unsigned thread = blockDim.x * blockIdx.x + threadIdx.x, threads = blockDim.x * gridDim.x;
  const int limit = limits[threadIdx.x];
  float sum = out[thread];
  __syncthreads();
  timer[thread] = clock64();
#pragma unroll 1
  for (int i = 0; i < limit; ++i) {
    asm volatile("" : "+r"(i));
    sum += divergent_loop::kInner;
    timer[(i + 1) * threads + thread] = clock64();
  }
  __syncthreads();
  timer[(divergent_loop::kLongest + 1) * threads + thread] = clock64();
  out[thread] = sum;
}

namespace {

enum class Loop { kSingle, kDouble, kStamped };

// Takes --loop out of the arguments.
Loop parse_loop(std::vector<std::string>& arguments) {
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] != "--loop") continue;
    const std::string name = arguments[i + 1];
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    if (name == "single") return Loop::kSingle;
    if (name == "double") return Loop::kDouble;
    if (name == "stamped") return Loop::kStamped;
    workload::user_error(kProgram, "--loop " + name + ": give single, double or stamped");
  }
  return Loop::kSingle;
}

float expected(Loop loop, int limit) {
  float sum = 0.0f;
  for (int i = 0; i < limit; ++i) {
    for (int j = 0; loop == Loop::kDouble && j < limit; ++j) sum += divergent_loop::kInner;
    sum += loop == Loop::kDouble ? divergent_loop::kOuter : divergent_loop::kInner;
  }
  return sum;
}

// Of the first warp's thread 0, which goes through all rounds.
void print_measured(Loop loop, const std::string& memory, const std::vector<long long>& timer, unsigned threads) {
  if (loop != Loop::kStamped) {
    std::printf("measured %s_cycles %lld\n", memory.c_str(), timer[0]);
    return;
  }
  const auto stamp = [&](int k) { return timer[static_cast<size_t>(k) * threads]; };
  std::printf("measured %s_rounds_cycles %lld\n", memory.c_str(), stamp(divergent_loop::kLongest) - stamp(0));
  std::printf("measured %s_unwinding_cycles %lld\n", memory.c_str(),
              stamp(kStamps - 1) - stamp(divergent_loop::kLongest));
}

}  // namespace

int main(int argc, char** argv) {
  workload::Options options = workload::parse_options(kProgram, argc, argv);
  const Loop loop = parse_loop(options.arguments);
  const std::vector<int> limit = divergent_loop::limits(
      divergent_loop::parse_divergences(kProgram, options.arguments, ", --loop single|double|stamped"));
  const unsigned blocks = workload::by_size(options.size, 1u, 1u, 10u), threads = blocks * divergent_loop::kThreads;
  const DeviceBuffer<int> limits(limit);
  DeviceBuffer<float> sums(threads);
  const DeviceBuffer<long long> timer(static_cast<size_t>(threads) * kStamps);
  std::vector<float> values;
  for (unsigned i = 0; i < threads; ++i) values.push_back(expected(loop, limit[i % divergent_loop::kThreads]));

  std::string why;
  for (const char* memory : {"cold", "warm"}) {
    sums.upload(std::vector<float>(threads, 0.0f));
    const auto kernel = loop == Loop::kSingle ? single_loop : loop == Loop::kDouble ? double_loop : stamped_loop;
    kernel<<<blocks, divergent_loop::kThreads>>>(limits.get(), sums.get(), timer.get());
    workload::check_launch(kProgram);
    print_measured(loop, memory, timer.download(), threads);
    if (why.empty()) why = workload::compare(sums.download(), values, 0.0f);
  }
  return workload::verdict(why);
}
