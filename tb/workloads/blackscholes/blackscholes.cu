// SPDX-License-Identifier: Apache-2.0
// Prices of European options by the formula of Black and Scholes (Journal of Political Economy, 1973). Threads go from
// option to option in steps of the whole grid; the distribution function is mirrored for arguments below 0.
//
//   blackscholes [--size small|default|large] [--seed N]
#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "blackscholes";
constexpr int kBlock = 128;
constexpr float kRate = 0.02f;
constexpr float kVolatility = 0.3f;

struct Option {
  float spot, strike, years;
};

struct Prices {
  float call, put;
};

// The normal distribution by the polynomial 26.2.17 of Abramowitz and Stegun, good to 7.5e-8.
__device__ inline float normal_below(float x) {
  const float t = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  const float polynomial =
      t * (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
  const float tail = 0.39894228040f * expf(-0.5f * x * x) * polynomial;
  if (x > 0.0f) return 1.0f - tail;
  return tail;
}

__global__ void price(int count, const Option* options, Prices* prices) {
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += step) {
    const Option option = options[i];
    const float width = kVolatility * sqrtf(option.years);
    const float d1 =
        (logf(option.spot / option.strike) + (kRate + 0.5f * kVolatility * kVolatility) * option.years) / width;
    const float discounted = option.strike * expf(-kRate * option.years);
    const float above = normal_below(d1);
    const float exercised = normal_below(d1 - width);
    prices[i] = {option.spot * above - discounted * exercised,
                 discounted * (1.0f - exercised) - option.spot * (1.0f - above)};
  }
}

namespace {

double normal_on_host(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// By the error function, in double precision. Spots and strikes are up to 100, so a single's rounding in the logarithm,
// the exponential and the polynomial adds up to some 1e-5; twenty times that is let pass.
std::string check(const std::vector<Option>& options, const std::vector<Prices>& prices) {
  for (size_t i = 0; i < options.size(); ++i) {
    const double years = options[i].years;
    const double width = kVolatility * std::sqrt(years);
    const double d1 =
        (std::log(double(options[i].spot) / options[i].strike) + (kRate + 0.5 * kVolatility * kVolatility) * years) /
        width;
    const double discounted = options[i].strike * std::exp(-kRate * years);
    const double call = options[i].spot * normal_on_host(d1) - discounted * normal_on_host(d1 - width);
    const double put = call - options[i].spot + discounted;
    if (std::fabs(prices[i].call - call) <= 2e-4 && std::fabs(prices[i].put - put) <= 2e-4) continue;
    return "option " + std::to_string(i) + " costs " + std::to_string(prices[i].call) + " and " +
           std::to_string(prices[i].put) + ", expected " + std::to_string(call) + " and " + std::to_string(put);
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options arguments = workload::parse_only_options(kProgram, argc, argv);
  const int count = workload::by_size(arguments.size, 300, 60000, 600000);
  const int blocks = workload::by_size(arguments.size, 2, 480, 480);
  Random random(arguments.seed);
  std::vector<Option> options;
  for (int i = 0; i < count; ++i) {
    options.push_back({5.0f + 95.0f * random.unit(), 5.0f + 95.0f * random.unit(), 0.25f + 9.75f * random.unit()});
  }
  const DeviceBuffer<Option> device_options(options);
  const DeviceBuffer<Prices> prices(count);
  price<<<blocks, kBlock>>>(count, device_options.get(), prices.get());
  workload::check_launch("price");
  std::printf("blackscholes: %d options\n", count);
  return workload::verdict(check(options, prices.download()));
}
