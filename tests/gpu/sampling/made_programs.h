// SPDX-License-Identifier: Apache-2.0
// Programs made up, whose cycles are known, and samplers that have seen them.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "warpfold/gpu/sampling/launch_sampler.h"

namespace warpfold::sampling_test {

struct Made {  // a launch
  std::string kernel = "k";
  unsigned blocks = 30;
  double instructions = 0;  // of threads
  double cycles = 0;
  unsigned threads = 128;  // of a block
};

// Cycles by the features, with so much noise.
inline std::vector<Made> program(std::size_t launches, std::uint32_t seed, double noise,
                                 const std::function<Made(std::size_t, std::mt19937&)>& make) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<Made> all;
  for (std::size_t n = 0; n < launches; ++n) {
    Made& launch = all.emplace_back(make(n, random));
    launch.cycles = std::round(launch.cycles * (1 + normal(random)));
  }
  return all;
}

inline Made same(std::size_t, std::mt19937&) { return {.instructions = 5000, .cycles = 7000}; }

// Calls `each` with every launch and whether it is timed.
inline LaunchSampler sample(
    const std::vector<Made>& program, const std::string& choice,
    const std::function<void(const Made&, bool)>& each = [](const Made&, bool) {}) {
  LaunchSampler sampler(SampleChoice::parse(choice, "choice"));
  for (const Made& launch : program) {
    const bool timed = sampler.begins(launch.kernel, {launch.blocks}, {launch.threads});
    timed ? sampler.timed(launch.instructions, launch.cycles) : sampler.passed(launch.instructions);
    each(launch, timed);
  }
  return sampler;
}

}  // namespace warpfold::sampling_test
