// SPDX-License-Identifier: Apache-2.0
// The host side of the two loop kernels of the divergence-cost paper: a warp whose threads run the same loop up to
// limits of their own, set so that the loop's branch diverges exactly n times.
#pragma once

#include <algorithm>

#include "workload.h"

namespace divergent_loop {

constexpr int kThreads = 32;  // of a block: the limits are laid out for one warp of 32
constexpr int kLongest = 32;  // the limit of threads that do not leave early
constexpr float kInner = 1.3333f;
constexpr float kOuter = 2.3333f;

// Table I: thread 31 - n and those before it run all 32 rounds, each one after it a round less than the one before.
inline std::vector<int> limits(int n) {
  std::vector<int> limits(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    limits[thread] = kLongest - std::max(0, thread - (kThreads - 1 - n));
  }
  return limits;
}

// `others` are what the program takes besides: ", --loop L".
inline int parse_divergences(const char* program, const std::vector<std::string>& arguments,
                             const std::string& others = "") {
  int n = kThreads - 1;
  for (size_t i = 0; i < arguments.size(); i += 2) {
    if (arguments[i] != "--n") {
      workload::user_error(program, "unknown argument '" + arguments[i] + "'; known are --n N" + others +
                                        ", --size small|default|large and --seed N");
    }
    const std::string text = i + 1 < arguments.size() ? arguments[i + 1] : "";
    const bool number = !text.empty() && text.size() <= 2 && text.find_first_not_of("0123456789") == std::string::npos;
    n = number ? std::atoi(text.c_str()) : kThreads;
    if (n >= kThreads) workload::user_error(program, "--n " + text + ": give a number of divergences from 0 to 31");
  }
  return n;
}

// `launch(blocks, limits, sums)` runs the kernel; `sum_on_host(limit)` is what a thread with that limit adds up. Every
// further round changes the sum, so equal sums are equal numbers of rounds.
template <typename Launch, typename SumOnHost>
int run(const char* program, int argc, char** argv, Launch launch, SumOnHost sum_on_host) {
  const workload::Options options = workload::parse_options(program, argc, argv);
  const int n = parse_divergences(program, options.arguments);
  const unsigned blocks = workload::by_size(options.size, 1u, 1u, 10u);
  const std::vector<int> limit = limits(n);
  const workload::DeviceBuffer<int> device_limits(limit);
  const workload::DeviceBuffer<float> sums(std::vector<float>(blocks * kThreads, 0.0f));
  launch(blocks, device_limits.get(), sums.get());
  workload::check_launch(program);

  std::printf("%s: %u warps, %d divergences, limits %d to %d\n", program, blocks, n, limit.back(), limit.front());
  std::vector<float> expected;
  for (unsigned i = 0; i < blocks * kThreads; ++i) expected.push_back(sum_on_host(limit[i % kThreads]));
  return workload::verdict(workload::compare(sums.download(), expected, 0.0f));
}

}  // namespace divergent_loop
