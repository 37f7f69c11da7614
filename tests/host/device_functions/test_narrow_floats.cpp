// SPDX-License-Identifier: Apache-2.0
// cuda_fp16.h and cuda_bf16.h: the same functions on the host and in a kernel, against MPFR with the formats' precision
// and exponents.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace narrow_floats_test {

using Bits = unsigned short;

// Code for both sides: compiled here, and as text for the kernel.
#define WARPFOLD_BOTH_SIDES(...) \
  __VA_ARGS__                    \
  const char* const kOperations = #__VA_ARGS__;

WARPFOLD_BOTH_SIDES(template <class N, class N2> __host__ __device__ inline void operations(N a, N b, N c, N* r) {
  r[0] = a + b;
  r[1] = a - b;
  r[2] = a * b;
  r[3] = a / b;
  r[4] = __hfma(a, b, c);
  r[5] = hsqrt(a);
  r[6] = __hmax(a, b);
  r[7] = __hmin(a, b);
  r[8] = __hfma_sat(a, b, c);
  N2 x(a, b);
  N2 y(b, c);
  x = __hadd2_sat(__hneg2(x), y);
  r[9] = x.x;
  r[10] = x.y;
  const bool compared[6] = {a == b, a != b, a < b, __hleu(a, b), __hgt(a, b), __hgeu(a, b)};
  int mask = 0;
  for (int i = 0; i < 6; ++i) mask = mask * 2 + (compared[i] ? 1 : 0);
  r[11] = N(mask);
})
constexpr std::size_t kResults = 12;

// What a format is: N's digits, the exponent above its largest number and that of its smallest, as MPFR counts.
template <class N>
struct Format;
template <>
struct Format<__half> {
  using Pair = __half2;
  static constexpr int kDigits = 11, kTop = 16, kLowest = -23;
};
template <>
struct Format<__nv_bfloat16> {
  using Pair = __nv_bfloat162;
  static constexpr int kDigits = 8, kTop = 128, kLowest = -132;
};

template <class To, class From>
To bits_as(From from) {
  return std::bit_cast<To>(from);
}
template <class N>
float value_of(Bits bits) {
  return static_cast<float>(bits_as<N>(bits));
}

class Real {
 public:
  explicit Real(int digits) { mpfr_init2(value_, digits); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

// `exact` rounded once, as a float, which holds every number of both formats.
template <class N>
float rounded(mpfr_ptr exact, mpfr_rnd_t mode) {
  using F = Format<N>;
  const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
  Real narrow(F::kDigits);
  const int inexact = mpfr_set(narrow, exact, mode);
  mpfr_set_emin(F::kLowest);
  mpfr_set_emax(F::kTop);
  mpfr_subnormalize(narrow, mpfr_check_range(narrow, inexact, mode), mode);
  const float value = mpfr_get_flt(narrow, MPFR_RNDN);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  return value;
}

bool same(float a, float b) { return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b); }
float unit(float x) { return x > 0 ? std::min(x, 1.0f) : 0.0f; }

template <class N>
std::array<float, kResults> expected(Bits bits_a, Bits bits_b, Bits bits_c) {
  const float a = value_of<N>(bits_a), b = value_of<N>(bits_b), c = value_of<N>(bits_c);
  Real x(24), y(24), z(24), exact(400);
  mpfr_set_flt(x, a, MPFR_RNDN);
  mpfr_set_flt(y, b, MPFR_RNDN);
  mpfr_set_flt(z, c, MPFR_RNDN);
  const auto nearest = [&](int) { return rounded<N>(exact, MPFR_RNDN); };
  std::array<float, kResults> r{};
  r[0] = nearest(mpfr_add(exact, x, y, MPFR_RNDN));
  r[1] = nearest(mpfr_sub(exact, x, y, MPFR_RNDN));
  r[2] = nearest(mpfr_mul(exact, x, y, MPFR_RNDN));
  r[3] = nearest(mpfr_div(exact, x, y, MPFR_RNDN));
  r[4] = nearest(mpfr_fma(exact, x, y, z, MPFR_RNDN));
  r[5] = nearest(mpfr_sqrt(exact, x, MPFR_RNDN));
  const bool a_below = a < b || (a == b && std::signbit(a));
  r[6] = std::isnan(a) ? b : std::isnan(b) ? a : a_below ? b : a;
  r[7] = std::isnan(a) ? b : std::isnan(b) ? a : a_below ? a : b;
  r[8] = unit(r[4]);
  r[9] = unit(nearest(mpfr_sub(exact, y, x, MPFR_RNDN)));
  r[10] = unit(nearest(mpfr_sub(exact, z, y, MPFR_RNDN)));
  r[11] = static_cast<float>((a == b) * 32 + (a != b) * 16 + (a < b) * 8 + !(a > b) * 4 + (a > b) * 2 + !(a < b));
  return r;
}

template <class N>
class NarrowFloat : public ::testing::Test {};
using Formats = ::testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(NarrowFloat, Formats);

TYPED_TEST(NarrowFloat, HostAndDeviceRoundOnce) {
  using N = TypeParam;
  std::vector<Bits> a, b, c;
  std::mt19937_64 random(7);
  for (int i = 0; i < 6000; ++i) {
    const std::uint64_t word = random();
    const Bits first = static_cast<Bits>(word);
    // Half of the operands lie near one another, where sums cancel and ties are likely.
    const auto close = [&](unsigned shift) {
      const Bits any = static_cast<Bits>(word >> shift);
      return i % 2 == 0 ? any : static_cast<Bits>(first ^ (any & 0x83ff));
    };
    a.push_back(first), b.push_back(close(16)), c.push_back(close(32));
  }
  for (const Bits x : {0, 0x8000, 1, 0x8001, 0x3ff, 0x7f, 0x7f80, 0x7c00, 0xff80, 0xfc00, 0x7fff, 0x7bff, 0x7f7f}) {
    for (const Bits y : {0, 0x8000, 1, 0x7f80, 0x7c00, 0x7fff, 0x3c00, 0x3f80, 0xbf80, 0x8001}) {
      a.push_back(x), b.push_back(y), c.push_back(static_cast<Bits>(x ^ 0x8000));
    }
  }
  KernelRunner runner(
      ptx_of("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + std::string(kOperations) + R"(
extern "C" __global__ void k(const N* a, const N* b, const N* c, N* r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) operations<N, N2>(a[i], b[i], c[i], r + 12 * i);
})",
             std::is_same_v<N, __half> ? "-DN=__half -DN2=__half2" : "-DN=__nv_bfloat16 -DN2=__nv_bfloat162"));
  const Address out = runner.upload(std::vector<Bits>(kResults * a.size()));
  runner.run("k", {static_cast<unsigned>(a.size() / 128 + 1)}, {128}, 0, runner.upload(a), runner.upload(b),
             runner.upload(c), out, static_cast<int>(a.size()));
  const std::vector<Bits> device = runner.download<Bits>(out, kResults * a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::array<float, kResults> right = expected<N>(a[i], b[i], c[i]);
    std::array<N, kResults> host;
    operations<N, typename Format<N>::Pair>(bits_as<N>(a[i]), bits_as<N>(b[i]), bits_as<N>(c[i]), host.data());
    for (std::size_t k = 0; k < kResults; ++k) {
      ASSERT_PRED2(same, static_cast<float>(host[k]), right[k])
          << "host, result " << k << " of " << value_of<N>(a[i]) << ", " << value_of<N>(b[i]) << ", "
          << value_of<N>(c[i]);
      ASSERT_PRED2(same, value_of<N>(device[kResults * i + k]), right[k])
          << "device, result " << k << " of " << value_of<N>(a[i]) << ", " << value_of<N>(b[i]) << ", "
          << value_of<N>(c[i]);
    }
  }
}

// Each number, each point between two and its neighbours, from float and double; integers that no double holds.
TYPED_TEST(NarrowFloat, HostConversionsInEveryMode) {
  using N = TypeParam;
  const std::pair<N (*)(float), mpfr_rnd_t> modes[] = {{[](float x) { return __warpfold_make_rn(N(), x); }, MPFR_RNDN},
                                                       {[](float x) { return __warpfold_make_rz(N(), x); }, MPFR_RNDZ},
                                                       {[](float x) { return __warpfold_make_rd(N(), x); }, MPFR_RNDD},
                                                       {[](float x) { return __warpfold_make_ru(N(), x); }, MPFR_RNDU}};
  Real exact(64);
  for (unsigned bits = 0; bits < 65535; ++bits) {
    const float a = value_of<N>(static_cast<Bits>(bits)), b = value_of<N>(static_cast<Bits>(bits + 1));
    ASSERT_PRED2(same, static_cast<float>(N(a)), a);
    if (!std::isfinite(a) || !std::isfinite(b) || std::signbit(a) != std::signbit(b)) continue;
    const float middle = static_cast<float>((static_cast<double>(a) + b) / 2);
    for (const float x : {std::nextafter(middle, a), middle, std::nextafter(middle, b)}) {
      mpfr_set_flt(exact, x, MPFR_RNDN);
      for (const auto& [convert, mode] : modes) {
        ASSERT_PRED2(same, static_cast<float>(convert(x)), rounded<N>(exact, mode)) << x;
      }
    }
    for (const double x :
         {std::nextafter(static_cast<double>(middle), 0), std::nextafter(static_cast<double>(middle), 1e300)}) {
      mpfr_set_d(exact, x, MPFR_RNDN);
      ASSERT_PRED2(same, static_cast<float>(N(x)), rounded<N>(exact, MPFR_RNDN)) << x;
    }
  }
  for (const long long x : {(1ll << 62) + (1ll << 54) + 1, -(1ll << 62) - (1ll << 54) - 1, 65519ll, 65520ll, 33ll}) {
    mpfr_set_si(exact, x, MPFR_RNDN);
    EXPECT_PRED2(same, static_cast<float>(N(x)), rounded<N>(exact, MPFR_RNDN)) << x;
  }
}

struct Function {
  const char* call;
  std::function<double(double)> reference;
};

// Of every half; half a unit in the last place and what the float function may add.
TEST(NarrowFloats, FunctionsOfEveryHalf) {
  const std::vector<Function> functions = {
      {"hexp", [](double x) { return std::exp(x); }},        {"hexp2", [](double x) { return std::exp2(x); }},
      {"hexp10", [](double x) { return std::pow(10, x); }},  {"hlog", [](double x) { return std::log(x); }},
      {"hlog2", [](double x) { return std::log2(x); }},      {"hlog10", [](double x) { return std::log10(x); }},
      {"hsin", [](double x) { return std::sin(x); }},        {"hcos", [](double x) { return std::cos(x); }},
      {"hrsqrt", [](double x) { return 1 / std::sqrt(x); }}, {"hrcp", [](double x) { return 1 / x; }},
      {"hrint", [](double x) { return std::nearbyint(x); }}, {"hfloor", [](double x) { return std::floor(x); }}};
  std::string calls;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    calls += "r[" + std::to_string(k) + " * 65536] = " + functions[k].call + "(x);\n";
  }
  KernelRunner runner(
      ptx_of("#include <cuda_fp16.h>\nextern \"C\" __global__ void k(half* r) {\n"
             "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "const half x = __ushort_as_half(i);\nr += i;\n" +
             calls + "}"));
  const Address out = runner.upload(std::vector<Bits>(65536 * functions.size()));
  runner.run("k", {256}, {256}, 0, out);
  const std::vector<Bits> results = runner.download<Bits>(out, 65536 * functions.size());
  for (std::size_t k = 0; k < functions.size(); ++k) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const double right = functions[k].reference(static_cast<double>(value_of<__half>(static_cast<Bits>(bits))));
      const float value = value_of<__half>(results[65536 * k + bits]);
      if (std::isnan(right)) {
        ASSERT_TRUE(std::isnan(value)) << functions[k].call << " " << bits;
      } else if (std::fabs(right) >= 65520) {
        ASSERT_EQ(value, std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(right)));
      } else {
        const double ulp = std::ldexp(1, std::max(std::ilogb(right), -14) - 10);
        ASSERT_LE(std::fabs(static_cast<double>(value) - right), 0.51 * ulp) << functions[k].call << " " << bits;
      }
    }
  }
}

TEST(NarrowFloats, HalvesAndIntegers) {
  EXPECT_EQ(__half2int_rn(__half(2.5f)), 2);
  EXPECT_EQ(__half2int_rz(__half(-2.75f)), -2);
  EXPECT_EQ(__half2int_rd(__half(-2.25f)), -3);
  EXPECT_EQ(__half2int_ru(__half(2.25f)), 3);
  EXPECT_EQ(__half2uint_rz(__half(-1.0f)), 0u);
  EXPECT_EQ(__half2short_rn(__half(60000.0f)), 32767);
  EXPECT_EQ(__half2int_rz(__half(std::nanf(""))), 0);
  EXPECT_EQ(__half2ll_rz(__half(1e9f)), std::numeric_limits<long long>::max());
  EXPECT_EQ(__half2float(__int2half_rz(2049)), 2048.0f);
  EXPECT_EQ(__half2float(__int2half_ru(2049)), 2050.0f);
  EXPECT_EQ(__half2float(__uint2half_rz(4000000000u)), 65504.0f);
  EXPECT_EQ(__half2float(__ull2half_rn(~0ull)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(__half_as_ushort(__half(1.0f)), 0x3c00);
  EXPECT_EQ(__high2float(__floats2half2_rn(1, 2)), 2.0f);
  EXPECT_EQ(__bfloat162int_rz(__nv_bfloat16(-3e9f)), std::numeric_limits<int>::min());
  EXPECT_EQ(__bfloat16_as_ushort(__float2bfloat16_rz(1.999f)), 0x3fff);
}

// A warp adds to halves that share a word, and to a pair; conversions in directed modes are instructions there.
TEST(NarrowFloats, AtomicsShufflesAndConversionsInAKernel) {
  KernelRunner runner(ptx_of(R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(half* h, half2* p, __nv_bfloat16* b, float* out) {
  const int lane = threadIdx.x;
  atomicAdd(h + lane % 3, __float2half(1.0f));
  atomicAdd(p, __floats2half2_rn(0.5f, -lane));
  atomicAdd(b + 1, __nv_bfloat16(2.0f));
  const half across = __shfl_xor_sync(~0u, __int2half_rn(lane), 5);
  const half2 down = __shfl_down_sync(~0u, __floats2half2_rn(lane, -lane), 1u);
  if (lane != 8) return;
  out[0] = across; out[1] = __high2float(down); out[2] = __float2half_rz(2049.9f); out[3] = __float2half_ru(2048.1f);
  out[4] = __float2half_rd(-2048.1f); out[5] = __double2half(0x1.002000000001p11); out[6] = __ldg(h + 3);
})"));
  const Address h = runner.upload(std::vector<Bits>{0, 0, 0, 0x4500}), p = runner.upload(std::vector<Bits>(2)),
                b = runner.upload(std::vector<Bits>(2)), out = runner.upload(std::vector<float>(7));
  runner.run("k", {1}, {32}, 0, h, p, b, out);
  EXPECT_EQ(runner.download<float>(out, 7), (std::vector<float>{13, -9, 2048, 2050, -2050, 2050, 5}));
  const std::vector<Bits> sums = runner.download<Bits>(h, 4);
  EXPECT_EQ(value_of<__half>(sums[0]), 11.0f);
  EXPECT_EQ(value_of<__half>(sums[2]), 10.0f);
  EXPECT_EQ(value_of<__half>(sums[3]), 5.0f);
  EXPECT_EQ(value_of<__half>(runner.download<Bits>(p, 2)[0]), 16.0f);
  EXPECT_EQ(value_of<__half>(runner.download<Bits>(p, 2)[1]), -496.0f);
  EXPECT_EQ(value_of<__nv_bfloat16>(runner.download<Bits>(b, 2)[1]), 64.0f);
}

}  // namespace narrow_floats_test
}  // namespace warpfold::host
