// SPDX-License-Identifier: Apache-2.0
// curand_kernel.h: the generators' published values, and the moments of the distributions.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace random_test {

// One translation unit for all tests.
KernelRunner& kernels() {
  static KernelRunner runner(ptx_of(R"(
#include <curand_kernel.h>
extern "C" __global__ void bits(unsigned* r) {
  curandStatePhilox4_32_10_t p;
  curand_init(0, 0, 0, &p);
  for (int i = 0; i < 4; ++i) r[i] = curand(&p);
  p.counter = make_uint4(~0u, ~0u, ~0u, ~0u); p.key = make_uint2(~0u, ~0u); p.used = 0;
  skipahead(0, &p);
  const uint4 ones = curand4(&p);
  p.counter = make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344); p.key = make_uint2(0xa4093822, 0x299f31d0);
  p.used = 0;
  skipahead(0, &p);
  const uint4 pi = curand4(&p);
  r[4] = ones.x; r[5] = ones.y; r[6] = ones.z; r[7] = ones.w;
  r[8] = pi.x; r[9] = pi.y; r[10] = pi.z; r[11] = pi.w;
  curandState x;
  x.v[0] = 123456789; x.v[1] = 362436069; x.v[2] = 521288629; x.v[3] = 88675123; x.v[4] = 5783321; x.d = 6615241;
  for (int i = 0; i < 3; ++i) r[12 + i] = curand(&x);
  curandStateMRG32k3a_t m;
  curand_init(0, 0, 0, &m);
  for (int i = 0; i < 5; ++i) r[15 + i] = curand(&m);
  curand_init(0, 0, 999, &m);
  r[20] = curand(&m);
  curand_init(0, 1, 0, &m);
  r[21] = curand(&m);
}

template <class State> __device__ void jumps(unsigned* r) {
  State a, b;
  curand_init(77, 5, 0, &a);
  curand_init(77, 5, 9, &b);
  for (int i = 0; i < 9; ++i) curand(&a);
  r[0] = curand(&a) == curand(&b);
  skipahead(6, &b);
  for (int i = 0; i < 6; ++i) curand(&a);
  r[1] = curand(&a) == curand(&b);
  curand_init(77, 6, 10, &b);
  r[2] = curand(&a) != curand(&b);
}
extern "C" __global__ void jump(unsigned* r) {
  jumps<curandStatePhilox4_32_10_t>(r); jumps<curandState>(r + 3); jumps<curandStateMRG32k3a_t>(r + 6);
}

template <class State> __device__ void draw(State& s, float* r) {
  const int all = blockDim.x * 64;
  curand_init(1234, threadIdx.x, 0, &s);
  r += threadIdx.x * 64;
  for (int i = 0; i < 64; ++i, ++r) {
    r[0 * all] = curand_uniform(&s);
    r[1 * all] = (float)curand_uniform_double(&s);
    r[2 * all] = curand_normal(&s);
    r[3 * all] = (float)curand_normal_double(&s);
    r[4 * all] = logf(curand_log_normal(&s, 0.5f, 2.0f));
    r[5 * all] = (float)curand_poisson(&s, 4.0);
    r[6 * all] = (float)curand_poisson(&s, 100.0);
  }
}
extern "C" __global__ void philox(float* r) { curandStatePhilox4_32_10_t s; draw(s, r); }
extern "C" __global__ void xorwow(float* r) { curandState s; draw(s, r); }
extern "C" __global__ void mrg(float* r) { curandStateMRG32k3a_t s; draw(s, r); }
)"));
  return runner;
}

TEST(Random, GeneratorsGiveTheirPublishedValues) {
  const Address r = kernels().upload(std::vector<unsigned>(22));
  kernels().run("bits", {1}, {1}, 0, r);
  const std::vector<unsigned> y = kernels().download<unsigned>(r, 22);
  // Philox: the known answers of the paper's library for zeros, ones and the digits of π.
  EXPECT_EQ(std::vector<unsigned>(y.begin(), y.begin() + 12),
            (std::vector<unsigned>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                   0x6d5451fd, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_EQ(std::vector<unsigned>(y.begin() + 12, y.begin() + 15),
            (std::vector<unsigned>{246875399, 3690007200, 1264581005}));
  const double published[] = {0.127011122, 0.318527565, 0.309186015, 0.825846863, 0.221629916};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(y[15 + i] / 4294967088.0, published[i], 1e-9);
  EXPECT_EQ(y[20], 4235174647u);  // the thousandth
  EXPECT_EQ(y[21], 341016048u);   // after 2^76
}

TEST(Random, OffsetsAndJumpsAreSoManyNumbers) {
  const Address r = kernels().upload(std::vector<unsigned>(9));
  kernels().run("jump", {1}, {1}, 0, r);
  EXPECT_EQ(kernels().download<unsigned>(r, 9), std::vector<unsigned>(9, 1));
}

TEST(Random, MomentsOfTheDistributions) {
  constexpr std::size_t kCount = 128 * 64;
  struct Moments {
    double mean, deviation, fourth;  // fourth central moment over the square of the variance
  };
  const Moments expected[] = {{0.5, std::sqrt(1 / 12.0), 1.8},
                              {0.5, std::sqrt(1 / 12.0), 1.8},
                              {0, 1, 3},
                              {0, 1, 3},
                              {0.5, 2, 3},
                              {4, 2, 3.25},
                              {100, 10, 3.01}};
  for (const char* generator : {"philox", "xorwow", "mrg"}) {
    const Address r = kernels().upload(std::vector<float>(7 * kCount));
    kernels().run(generator, {1}, {128}, 0, r);
    const std::vector<float> x = kernels().download<float>(r, 7 * kCount);
    for (std::size_t k = 0; k < 7; ++k) {
      double mean = 0, variance = 0, serial = 0;
      for (std::size_t i = 0; i < kCount; ++i) mean += static_cast<double>(x[k * kCount + i]) / kCount;
      for (std::size_t i = 0; i < kCount; ++i) {
        const double d = static_cast<double>(x[k * kCount + i]) - mean;
        variance += d * d / kCount;
        if (i > 0) serial += d * (static_cast<double>(x[k * kCount + i - 1]) - mean) / kCount;
        if (k < 2) {
          EXPECT_TRUE(x[k * kCount + i] > 0 && x[k * kCount + i] <= 1);
        }
      }
      // Within 4.5 standard errors of each.
      const double n = kCount, sigma = expected[k].deviation;
      EXPECT_NEAR(mean, expected[k].mean, 4.5 * sigma / std::sqrt(n)) << generator << " " << k;
      EXPECT_NEAR(variance / (sigma * sigma), 1, 4.5 * std::sqrt((expected[k].fourth - 1) / n))
          << generator << " " << k;
      EXPECT_NEAR(serial / variance, 0, 4.5 / std::sqrt(n)) << generator << " " << k;
    }
  }
}

}  // namespace random_test
}  // namespace warpfold::host
