// SPDX-License-Identifier: Apache-2.0
// Prices of American put options by a binomial tree (Cox, Ross and Rubinstein, Journal of Financial Economics 1979), a
// block per option: from the tree's leaves back to its root, a thread less has a node at every step. Where it pays to
// exercise at once, nothing is computed any more.
//
//   binomial [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "binomial";
constexpr int kMostSteps = 255;

struct Option {
  float spot, strike;
  float up, down;        // what a step makes of a price
  float of_up, of_down;  // their probabilities, discounted
};

__host__ __device__ inline float power(float base, int exponent) {
  float result = 1.0f;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result *= base;
    base *= base;
  }
  return result;
}

// After `step` steps, `ups` of them upwards.
__host__ __device__ inline float spot_at(const Option& option, int step, int ups) {
  return option.spot * power(option.up, ups) * power(option.down, step - ups);
}

__host__ __device__ inline float later_worth(const Option& option, float up, float down) {
  return option.of_up * up + option.of_down * down;
}

__global__ void price(int steps, const Option* options, float* prices) {
  __shared__ float worth[kMostSteps + 1];
  const int node = static_cast<int>(threadIdx.x);
  const Option option = options[blockIdx.x];
  if (node <= steps) worth[node] = fmaxf(option.strike - spot_at(option, steps, node), 0.0f);
  __syncthreads();
#pragma unroll 1
  for (int step = steps - 1; step >= 0; --step) {
    float value = 0.0f;
    if (node <= step) {
      value = option.strike - spot_at(option, step, node);
      if (value < later_worth(option, worth[node + 1], worth[node])) {
        value = later_worth(option, worth[node + 1], worth[node]);
      }
    }
    __syncthreads();
    if (node <= step) worth[node] = value;
    __syncthreads();
  }
  if (node == 0) prices[blockIdx.x] = worth[0];
}

namespace {

Option random_option(int steps, Random& random) {
  const double years = 0.25 + 2.0 * random.unit();
  const double volatility = 0.15 + 0.3 * random.unit();
  const double rate = 0.01 + 0.05 * random.unit();
  const double up = std::exp(volatility * std::sqrt(years / steps));
  const double discount = std::exp(-rate * years / steps);
  const double rises = (1.0 / discount - 1.0 / up) / (up - 1.0 / up);
  const float strike = 40.0f + 20.0f * random.unit();
  return {50.0f,
          strike,
          static_cast<float>(up),
          static_cast<float>(1.0 / up),
          static_cast<float>(discount * rises),
          static_cast<float>(discount * (1.0 - rises))};
}

float price_on_host(const Option& option, int steps) {
  std::vector<float> worth;
  for (int node = 0; node <= steps; ++node)
    worth.push_back(std::max(option.strike - spot_at(option, steps, node), 0.0f));
  for (int step = steps - 1; step >= 0; --step) {
    for (int node = 0; node <= step; ++node) {
      worth[node] =
          std::max(option.strike - spot_at(option, step, node), later_worth(option, worth[node + 1], worth[node]));
    }
  }
  return worth[0];
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options arguments = workload::parse_only_options(kProgram, argc, argv);
  const int steps = workload::by_size(arguments.size, 7, 127, kMostSteps);
  const int count = workload::by_size(arguments.size, 3, 60, 120);
  Random random(arguments.seed);
  std::vector<Option> options;
  for (int i = 0; i < count; ++i) options.push_back(random_option(steps, random));
  const DeviceBuffer<Option> device_options(options);
  const DeviceBuffer<float> prices(count);
  price<<<count, steps + 1>>>(steps, device_options.get(), prices.get());
  workload::check_launch("price");

  std::vector<float> expected;
  for (const Option& option : options) expected.push_back(price_on_host(option, steps));
  std::printf("binomial: %d options, %d steps, the first costs %.4f\n", count, steps, expected[0]);
  return workload::verdict(workload::compare(prices.download(), expected, 0.0f));
}
