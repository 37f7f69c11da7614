// SPDX-License-Identifier: Apache-2.0
// Prices of down-and-out call options by simulation: the logarithm of the share walks at random, and a path that
// touches the barrier is worth nothing and ends there. One block per option, paths dealt out to its threads, then a
// reduction.
//
//   montecarlo [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "montecarlo";
constexpr int kBlockSize = 256;

// Logarithms of prices in units of the strike; drift and volatility are those of one time step.
struct Contract {
  float spot;
  float barrier;
  float drift;
  float volatility;
};

// Finaliser of MurmurHash3 (Appleby): neighbouring paths get unrelated states. Zero is the state that stays zero.
__host__ __device__ inline unsigned first_state(unsigned option, unsigned path) {
  unsigned h = option * 0x9e3779b9u + path + 1u;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  h ^= h >> 16;
  return h == 0u ? 1u : h;
}

// Xorshift (Marsaglia, J. Stat. Software 2003).
__host__ __device__ inline unsigned next_state(unsigned state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^ (state << 5);
}

// In (0, 1), exact in single precision.
__host__ __device__ inline float uniform(unsigned state) {
  return (static_cast<float>(state >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

// What one path is worth at its end, in units of the strike. Steps come in pairs, as normal numbers do (Box and
// Muller).
__device__ float worth_of_path(const Contract& contract, unsigned state, int steps) {
  float x = contract.spot;
  for (int step = 0; step < steps; step += 2) {
    state = next_state(state);
    const float radius = contract.volatility * sqrtf(-2.0f * logf(uniform(state)));
    state = next_state(state);
    float sine;
    float cosine;
    __sincosf(6.28318531f * (uniform(state) - 0.5f), &sine, &cosine);
    x += contract.drift + radius * cosine;
    if (x <= contract.barrier) return 0.0f;
    x += contract.drift + radius * sine;
    if (x <= contract.barrier) return 0.0f;
  }
  return fmaxf(expf(x) - 1.0f, 0.0f);
}

// `sums`: of the worth of an option's paths, and of its square.
__global__ void price(int paths, int steps, const Contract* contracts, float2* sums) {
  __shared__ float2 partial[kBlockSize];
  const unsigned thread = threadIdx.x;
  const Contract contract = contracts[blockIdx.x];
  float2 sum = make_float2(0.0f, 0.0f);
  for (unsigned path = thread; path < paths; path += kBlockSize) {
    const float worth = worth_of_path(contract, first_state(blockIdx.x, path), steps);
    sum.x += worth;
    sum.y += worth * worth;
  }
  partial[thread] = sum;
  for (unsigned half = kBlockSize / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread >= half) continue;
    partial[thread].x += partial[thread + half].x;
    partial[thread].y += partial[thread + half].y;
  }
  if (thread == 0) sums[blockIdx.x] = partial[0];
}

namespace {

struct Option {
  Contract contract;
  double discounted_strike;
};

// Strikes around a spot of 100, barriers 3 to 20 per cent below it, a quarter of a year to two years.
std::vector<Option> random_options(int count, int steps, workload::Random& random) {
  std::vector<Option> options(count);
  for (Option& option : options) {
    const double strike = 90.0 + 20.0 * random.unit();
    const double barrier = 80.0 + 17.0 * random.unit();
    const double years = 0.25 + 1.75 * random.unit();
    const double volatility = 0.1 + 0.3 * random.unit();
    const double rate = 0.03;
    const double step = years / steps;
    option.contract = {static_cast<float>(std::log(100.0 / strike)), static_cast<float>(std::log(barrier / strike)),
                       static_cast<float>((rate - 0.5 * volatility * volatility) * step),
                       static_cast<float>(volatility * std::sqrt(step))};
    option.discounted_strike = strike * std::exp(-rate * years);
  }
  return options;
}

struct Bounds {
  double least = 0.0;
  double most = 0.0;
};

// A path once more in double precision. Rounding may decide whether a point this close to the barrier is beyond it.
constexpr double kUndecided = 1e-5;

Bounds worth_on_host(const Contract& contract, unsigned state, int steps) {
  constexpr double kTwoPi = 6.283185307179586;
  double x = contract.spot;
  bool touched = false;
  for (int step = 0; step < steps; step += 2) {
    const unsigned second = next_state(next_state(state));
    const double radius = contract.volatility * std::sqrt(-2.0 * std::log(double{uniform(next_state(state))}));
    const double angle = kTwoPi * (uniform(second) - 0.5);
    state = second;
    for (const double normal : {radius * std::cos(angle), radius * std::sin(angle)}) {
      x += contract.drift + normal;
      if (x <= contract.barrier - kUndecided) return {};
      touched |= x <= contract.barrier + kUndecided;
    }
  }
  const double worth = std::max(std::exp(x) - 1.0, 0.0);
  return {touched ? 0.0 : worth, worth};
}

std::string outside(double value, const Bounds& bounds, int option, const char* what) {
  const double rounding = 1e-5 * bounds.most + 1e-5;
  if (value >= bounds.least - rounding && value <= bounds.most + rounding) return "";
  return "option " + std::to_string(option) + ": the sum of " + what + " is " + std::to_string(value) +
         ", expected between " + std::to_string(bounds.least) + " and " + std::to_string(bounds.most);
}

std::string check(int paths, int steps, const std::vector<Option>& options, const std::vector<float2>& sums) {
  for (size_t i = 0; i < options.size(); ++i) {
    Bounds worth;
    Bounds squares;
    for (int path = 0; path < paths; ++path) {
      const unsigned state = first_state(static_cast<unsigned>(i), static_cast<unsigned>(path));
      const Bounds bounds = worth_on_host(options[i].contract, state, steps);
      worth.least += bounds.least;
      worth.most += bounds.most;
      squares.least += bounds.least * bounds.least;
      squares.most += bounds.most * bounds.most;
    }
    std::string why = outside(sums[i].x, worth, static_cast<int>(i), "payoffs");
    if (why.empty()) why = outside(sums[i].y, squares, static_cast<int>(i), "their squares");
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options arguments = workload::parse_only_options(kProgram, argc, argv);
  const int count = workload::by_size(arguments.size, 6, 480, 960);
  const int paths = workload::by_size(arguments.size, 300, 512, 2560);
  const int steps = workload::by_size(arguments.size, 8, 32, 32);
  workload::Random random(arguments.seed);
  const std::vector<Option> options = random_options(count, steps, random);
  std::vector<Contract> contracts;
  for (const Option& option : options) contracts.push_back(option.contract);

  const DeviceBuffer<Contract> device_contracts(contracts);
  const DeviceBuffer<float2> device_sums(options.size());
  price<<<count, kBlockSize>>>(paths, steps, device_contracts.get(), device_sums.get());
  workload::check_launch("price");
  const std::vector<float2> sums = device_sums.download();

  const double mean = sums[0].x / paths;
  const double error = std::sqrt(std::max(sums[0].y / paths - mean * mean, 0.0) / paths);
  std::printf("montecarlo: %d options, %d paths of %d steps; the first is worth %.3f +- %.3f\n", count, paths, steps,
              options[0].discounted_strike * mean, options[0].discounted_strike * error);
  return workload::verdict(check(paths, steps, options, sums));
}
