// SPDX-License-Identifier: Apache-2.0
// cuRAND's host interface against curand_kernel.h, whose generators tests/host/device_functions/test_random.cpp holds to published
// values.
#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <vector>

#include "checks.h"
#include "on_device.h"

namespace {

constexpr unsigned kStreams = 4096;
constexpr size_t kCount = 2 * kStreams + 100;
constexpr unsigned long long kSeed = 20261123;

template <class State>
__global__ void expected(unsigned long long seed, unsigned long long offset, unsigned* bits, float* uniform,
                         size_t count) {
  const unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(seed, stream, offset, &state);
  State again = state;
  for (size_t n = stream; n < count; n += kStreams) {
    bits[n] = curand(&state);
    uniform[n] = curand_uniform(&again);
  }
}

class Generator {
 public:
  Generator(curandRngType_t type, bool on_host) {
    if (on_host)
      curandCreateGeneratorHost(&handle_, type);
    else
      curandCreateGenerator(&handle_, type);
    curandSetPseudoRandomGeneratorSeed(handle_, kSeed);
  }
  ~Generator() { curandDestroyGenerator(handle_); }
  operator curandGenerator_t() const { return handle_; }

 private:
  curandGenerator_t handle_ = nullptr;
};

template <class State>
void sequence(Checks& check, curandRngType_t type) {
  OnDevice<unsigned> wanted(kCount), bits(kCount);
  OnDevice<float> wanted_uniform(kCount), uniform(kCount);
  expected<State><<<kStreams / 256, 256>>>(kSeed, 0, wanted.data(), wanted_uniform.data(), kCount);
  const std::vector<unsigned> all = wanted.values();
  const std::vector<float> all_uniform = wanted_uniform.values();

  const Generator generator(type, false);
  curandGenerate(generator, bits.data(), kCount);
  check("number n is from stream n mod 4096", bits.values() == all);
  curandSetPseudoRandomGeneratorSeed(generator, kSeed);
  curandGenerateUniform(generator, uniform.data(), 30);
  curandGenerateUniform(generator, uniform.data() + 30, kCount - 30);
  check("calls go on where the last one ended", uniform.values() == all_uniform);
  curandSetGeneratorOffset(generator, 5000);
  curandGenerate(generator, bits.data(), 1000);
  const std::vector<unsigned> behind = bits.values();
  check("an offset", std::vector<unsigned>(behind.begin(), behind.begin() + 1000) ==
                         std::vector<unsigned>(all.begin() + 5000, all.begin() + 6000));
  curandSetGeneratorOffset(generator, 3000ull * kStreams);
  expected<State><<<1, 32>>>(kSeed, 3000, wanted.data(), wanted_uniform.data(), 32);
  curandGenerate(generator, bits.data(), 32);
  const std::vector<unsigned> far = bits.values(), wanted_far = wanted.values();
  check("a long jump", std::vector<unsigned>(far.begin(), far.begin() + 32) ==
                           std::vector<unsigned>(wanted_far.begin(), wanted_far.begin() + 32));

  const Generator on_host(type, true);
  std::vector<unsigned> host(kCount);
  check("on the host", curandGenerate(on_host, host.data(), kCount) == CURAND_STATUS_SUCCESS && host == all);
}

// Mean, deviation, and whether the device's numbers are the host's, whose mathematical functions round otherwise.
template <class T, class Draw>
void distribution(Checks& check, const char* name, double mean, double deviation, Draw draw) {
  constexpr size_t kMany = 200000;
  const Generator device(CURAND_RNG_PSEUDO_PHILOX4_32_10, false), host(CURAND_RNG_PSEUDO_PHILOX4_32_10, true);
  std::vector<T> numbers(kMany);
  OnDevice<T> same(1000);
  bool good = draw(host, numbers.data(), kMany) == CURAND_STATUS_SUCCESS;
  good = good && draw(device, same.data(), 1000) == CURAND_STATUS_SUCCESS;
  double sum = 0, squares = 0;
  for (const T x : numbers) sum += static_cast<double>(x), squares += static_cast<double>(x) * static_cast<double>(x);
  const double m = sum / kMany, d = std::sqrt(squares / kMany - m * m);
  good = good && std::fabs(m - mean) < 5 * deviation / std::sqrt(kMany) && std::fabs(d / deviation - 1) < 0.03;
  const std::vector<T> first = same.values();
  for (size_t i = 0; i < first.size(); ++i) {
    const double x = static_cast<double>(numbers[i]);
    good = good && std::fabs(x - static_cast<double>(first[i])) <= 2e-6 * (1 + std::fabs(x));
  }
  check(name, good);
}

void distributions(Checks& check) {
  distribution<float>(check, "uniform", 0.5, std::sqrt(1 / 12.0), curandGenerateUniform);
  distribution<double>(check, "uniform double", 0.5, std::sqrt(1 / 12.0), curandGenerateUniformDouble);
  distribution<float>(check, "normal", 3, 2,
                      [](curandGenerator_t g, float* x, size_t n) { return curandGenerateNormal(g, x, n, 3, 2); });
  distribution<double>(check, "normal double", -1, 0.5, [](curandGenerator_t g, double* x, size_t n) {
    return curandGenerateNormalDouble(g, x, n, -1, 0.5);
  });
  const double mean = std::exp(0.125), deviation = mean * std::sqrt(std::exp(0.25) - 1);
  distribution<float>(check, "log-normal", mean, deviation, [](curandGenerator_t g, float* x, size_t n) {
    return curandGenerateLogNormal(g, x, n, 0, 0.5f);
  });
  distribution<double>(check, "log-normal double", mean, deviation, [](curandGenerator_t g, double* x, size_t n) {
    return curandGenerateLogNormalDouble(g, x, n, 0, 0.5);
  });
  for (const double lambda : {4.0, 100.0}) {
    distribution<unsigned>(
        check, "Poisson", lambda, std::sqrt(lambda),
        [=](curandGenerator_t g, unsigned* x, size_t n) { return curandGeneratePoisson(g, x, n, lambda); });
  }
}

void refusals(Checks& check) {
  curandGenerator_t none = nullptr;
  check("no generator", curandGenerate(none, nullptr, 1) == CURAND_STATUS_NOT_INITIALIZED);
  for (const curandRngType_t type : {CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_QUASI_SOBOL32}) {
    check("a type that is not there", curandCreateGenerator(&none, type) == CURAND_STATUS_TYPE_ERROR);
  }
  const Generator generator(CURAND_RNG_PSEUDO_DEFAULT, false);
  OnDevice<float> numbers(4);
  check("odd pairs", curandGenerateNormal(generator, numbers.data(), 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  check("no numbers", curandGenerateUniform(generator, nullptr, 0) == CURAND_STATUS_SUCCESS);
  check("a quasirandom order",
        curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE);
  check("no rate", curandGeneratePoisson(generator, reinterpret_cast<unsigned*>(numbers.data()), 4, 0) ==
                       CURAND_STATUS_OUT_OF_RANGE);
  int version = 0;
  check("the version", curandGetVersion(&version) == CURAND_STATUS_SUCCESS && version == CURAND_VERSION);
}

}  // namespace

int main() {
  Checks check;
  sequence<curandStateXORWOW_t>(check, CURAND_RNG_PSEUDO_DEFAULT);
  sequence<curandStateMRG32k3a_t>(check, CURAND_RNG_PSEUDO_MRG32K3A);
  sequence<curandStatePhilox4_32_10_t>(check, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  distributions(check);
  refusals(check);
  return check.end();
}
