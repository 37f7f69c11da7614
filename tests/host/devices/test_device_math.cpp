// SPDX-License-Identifier: Apache-2.0
// Device mathematics from CUDA source to value: every function against the host's long double, in units of the last
// place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace device_math_test {

using Reference = std::function<long double(long double)>;

struct FloatCase {
  const char* name;
  double low, high;  // arguments, spread evenly in the logarithm when low > 0
  double max_ulp;
  Reference reference;
};

const std::vector<FloatCase>& float_cases() {
  static const std::vector<FloatCase> cases = {
      {"expf", -103, 88.7, 3, [](long double x) { return std::exp(x); }},
      {"exp2f", -125, 127, 3, [](long double x) { return std::exp2(x); }},
      {"exp10f", -37, 38, 3, [](long double x) { return std::pow(10.0L, x); }},
      {"logf", 1e-40, 3e38, 2, [](long double x) { return std::log(x); }},
      {"log2f", 1e-40, 3e38, 2, [](long double x) { return std::log2(x); }},
      {"log10f", 1e-40, 3e38, 3, [](long double x) { return std::log10(x); }},
      {"log1pf", -0.9, 1e6, 4, [](long double x) { return std::log1p(x); }},
      {"expm1f", -20, 80, 4, [](long double x) { return std::expm1(x); }},
      {"sinf", -1e5, 1e5, 3, [](long double x) { return std::sin(x); }},
      {"cosf", -1e5, 1e5, 3, [](long double x) { return std::cos(x); }},
      {"tanf", -1e4, 1e4, 5, [](long double x) { return std::tan(x); }},
      {"sinf", 1.1e5, 3e38, 3, [](long double x) { return std::sin(x); }},
      {"cosf", 1.1e5, 3e38, 3, [](long double x) { return std::cos(x); }},
      {"asinf", -1, 1, 5, [](long double x) { return std::asin(x); }},
      {"acosf", -1, 1, 5, [](long double x) { return std::acos(x); }},
      {"atanf", -100, 100, 5, [](long double x) { return std::atan(x); }},
      {"sinhf", -80, 80, 5, [](long double x) { return std::sinh(x); }},
      {"coshf", -80, 80, 5, [](long double x) { return std::cosh(x); }},
      {"tanhf", -10, 10, 5, [](long double x) { return std::tanh(x); }},
      {"cbrtf", -1e6, 1e6, 3, [](long double x) { return std::cbrt(x); }},
      {"sqrtf", 1e-40, 3e38, 0.501, [](long double x) { return std::sqrt(x); }},
      {"rsqrtf", 1e-37, 3e38, 3, [](long double x) { return 1 / std::sqrt(x); }},
      {"erff", -4, 4, 5, [](long double x) { return std::erf(x); }},
      {"erfcf", -4, 9, 64, [](long double x) { return std::erfc(x); }},
      {"floorf", -1e6, 1e6, 0, [](long double x) { return std::floor(x); }},
      {"ceilf", -1e6, 1e6, 0, [](long double x) { return std::ceil(x); }},
      {"truncf", -1e6, 1e6, 0, [](long double x) { return std::trunc(x); }},
      {"roundf", -1e3, 1e3, 0, [](long double x) { return std::round(x); }},
      {"rintf", -1e3, 1e3, 0, [](long double x) { return std::nearbyint(x); }},
      {"fabsf", -1e6, 1e6, 0, [](long double x) { return std::fabs(x); }},
  };
  return cases;
}

std::string kernel_of(const std::string& call, const std::string& type, const std::string& name = "k") {
  return "extern \"C\" __global__ void " + name + "(const " + type + "* x, " + type + "* y, int n) {\n" +
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = " + call + ";\n}\n";
}

std::vector<double> spread(double low, double high, int n) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) {
    const double t = (i + 0.5) / n;
    x.push_back(low > 0 ? std::exp(std::log(low) + t * (std::log(high) - std::log(low))) : low + t * (high - low));
  }
  return x;
}

template <class T>
double ulp_error(T value, long double expected) {
  const T rounded = static_cast<T>(expected);
  if (std::isinf(rounded)) return value == rounded ? 0 : 1e9;
  const int exponent = expected == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(rounded) + 1;
  const long double ulp =
      std::ldexp(1.0L, std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - expected) / ulp);
}

// Calls in kernels of their own in one source: the compiler takes longer to start than for all of them.
template <class T>
class Calls {
 public:
  explicit Calls(const std::vector<std::string>& calls) : calls_(calls), runner_(ptx_of(source_of(calls))) {}
  // What the call makes of each x[i]; x has n elements.
  std::vector<T> apply(const std::string& call, const std::vector<T>& x) {
    const auto which = std::find(calls_.begin(), calls_.end(), call) - calls_.begin();
    const Address from = runner_.upload(x), to = runner_.upload(std::vector<T>(x.size()));
    runner_.run("k" + std::to_string(which), {static_cast<unsigned>((x.size() + 127) / 128)}, {128}, 0, from, to,
                static_cast<int>(x.size()));
    return runner_.template download<T>(to, x.size());
  }

 private:
  static std::string source_of(const std::vector<std::string>& calls) {
    std::string source;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      source += kernel_of(calls[i], sizeof(T) == 4 ? "float" : "double", "k" + std::to_string(i));
    }
    return source;
  }
  std::vector<std::string> calls_;
  KernelRunner runner_;
};

template <class T>
std::vector<T> apply(const std::string& call, const std::vector<T>& x) {
  return Calls<T>({call}).apply(call, x);
}

template <class Case>
std::string call_of(const Case& test) {
  return std::string(test.name) + "(x[i])";
}
template <class Case>
std::vector<std::string> calls_of(const std::vector<Case>& cases) {
  std::vector<std::string> calls;
  for (const Case& test : cases) calls.push_back(call_of(test));
  return calls;
}

class FloatFunction : public ::testing::TestWithParam<FloatCase> {};

TEST_P(FloatFunction, StaysWithinItsBound) {
  const FloatCase& test = GetParam();
  std::vector<float> x;
  for (const double value : spread(test.low, test.high, 3000)) x.push_back(static_cast<float>(value));
  static Calls<float> functions(calls_of(float_cases()));
  const std::vector<float> y = functions.apply(call_of(test), x);
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulp_error(y[i], test.reference(x[i]));
    if (!(error <= worst)) worst = error, at = i;
  }
  EXPECT_LE(worst, test.max_ulp) << test.name << "(" << x[at] << ") = " << y[at] << ", expected "
                                 << static_cast<double>(test.reference(x[at]));
}

INSTANTIATE_TEST_SUITE_P(DeviceMath, FloatFunction, ::testing::ValuesIn(float_cases()), [](const auto& test) {
  return std::string(test.param.name) + "_" + std::to_string(test.index);
});

struct DoubleCase {
  const char* name;
  double low, high;
  double max_ulp;
  Reference reference;
};

const std::vector<DoubleCase>& double_cases() {
  static const std::vector<DoubleCase> cases = {
      {"exp", -700, 709, 2, [](long double x) { return std::exp(x); }},
      {"log", 1e-300, 1e300, 2, [](long double x) { return std::log(x); }},
      {"sin", -1e5, 1e5, 2, [](long double x) { return std::sin(x); }},
      {"cos", -1e5, 1e5, 2, [](long double x) { return std::cos(x); }},
      {"tan", -1e4, 1e4, 3, [](long double x) { return std::tan(x); }},
      {"atan", -50, 50, 2, [](long double x) { return std::atan(x); }},
      {"tanh", -10, 10, 3, [](long double x) { return std::tanh(x); }},
      {"cbrt", -1e9, 1e9, 2, [](long double x) { return std::cbrt(x); }},
      {"sqrt", 1e-300, 1e300, 0.501, [](long double x) { return std::sqrt(x); }},
      {"rsqrt", 1e-300, 1e300, 2, [](long double x) { return 1 / std::sqrt(x); }},
      {"erf", -4, 4, 2, [](long double x) { return std::erf(x); }},
      {"round", -1e3, 1e3, 0, [](long double x) { return std::round(x); }},
  };
  return cases;
}

class DoubleFunction : public ::testing::TestWithParam<DoubleCase> {};

TEST_P(DoubleFunction, StaysWithinItsBound) {
  const DoubleCase& test = GetParam();
  const std::vector<double> x = spread(test.low, test.high, 500);
  static Calls<double> functions(calls_of(double_cases()));
  const std::vector<double> y = functions.apply(call_of(test), x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_LE(ulp_error(y[i], test.reference(x[i])), test.max_ulp) << test.name << "(" << x[i] << ") = " << y[i];
  }
}

INSTANTIATE_TEST_SUITE_P(DeviceMath, DoubleFunction, ::testing::ValuesIn(double_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

// Exact, whatever the operands: normal, subnormal, far apart.
TEST(DeviceMath, RemaindersOfFloats) {
  std::vector<float> x{1e-40F, -3e-41F, 1e-45F, 1.1754942e-38F, 2e-38F, 5e-39F, 1.5F, -7.25F,
                       1e-38F, 3.4e38F, 7e-42F, 1e-30F,         1e20F,  3.0F,   0.1F, 1e10F};
  const std::size_t n = x.size();
  for (std::size_t i = n; i < n * n; ++i) x.push_back(x[i % n]);  // each by each: x[i % 16] by x[i / 16]
  const std::vector<std::string> calls = {
      "fmodf(x[i % 16], x[i / 16])", "remainderf(x[i % 16], x[i / 16])",
      "([](float a, float b) { int q; float r = remquof(a, b, &q); return q & 1 ? r : -r; })(x[i % 16], x[i / 16])"};
  Calls<float> program(calls);
  const std::vector<float> mod = program.apply(calls[0], x), remainder = program.apply(calls[1], x),
                           signed_by_quotient = program.apply(calls[2], x);
  for (std::size_t i = 0; i < n * n; ++i) {
    const float a = x[i % n], b = x[i / n];
    EXPECT_EQ(mod[i], std::fmod(a, b)) << a << ", " << b;
    EXPECT_EQ(remainder[i], std::remainder(a, b)) << a << ", " << b;
    int q = 0;
    const float r = std::remquo(a, b, &q);
    EXPECT_EQ(signed_by_quotient[i], (q & 1) != 0 ? r : -r) << a << ", " << b;
  }
}

TEST(DeviceMath, PowersOfFloats) {
  std::vector<float> x;
  for (const double value : spread(1e-3, 1e3, 1000)) x.push_back(static_cast<float>(value));
  const std::vector<float> y = apply<float>("powf(x[i], 3.7f)", x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_LE(ulp_error(y[i], std::pow(static_cast<long double>(x[i]), static_cast<long double>(3.7f))), 5) << x[i];
  }
}

TEST(DeviceMath, EdgesFollowTheCLibrary) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {0.0f, -0.0f, inf, -inf, nan, -1.0f, 1000.0f, -1000.0f};
  Calls<float> program({"expf(x[i])", "logf(x[i])", "sinf(x[i])", "cosf(x[i])"});
  const std::vector<float> e = program.apply("expf(x[i])", x), l = program.apply("logf(x[i])", x),
                           s = program.apply("sinf(x[i])", x), c = program.apply("cosf(x[i])", x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto same = [&](float value, float expected) {
      return std::isnan(expected) ? std::isnan(value) : std::abs(value - expected) < 1e-5f || value == expected;
    };
    EXPECT_TRUE(same(e[i], std::exp(x[i]))) << "exp " << x[i] << " = " << e[i];
    EXPECT_TRUE(same(l[i], std::log(x[i]))) << "log " << x[i] << " = " << l[i];
    EXPECT_TRUE(same(s[i], std::sin(x[i]))) << "sin " << x[i] << " = " << s[i];
    EXPECT_TRUE(same(c[i], std::cos(x[i]))) << "cos " << x[i] << " = " << c[i];
  }
}

TEST(DeviceMath, MinimumAndMaximumKeepTheirType) {
  const std::vector<float> x = {0.25f, 2.75f, -3.5f};
  Calls<float> program({"max(x[i], 0.5f)", "min(x[i], 0.5f)", "(float)max((unsigned)x[0], 7u)",
                        "(float)min(1ll << 40, (long long)n)", "trunc(x[i])"});
  EXPECT_EQ(program.apply("max(x[i], 0.5f)", x), (std::vector<float>{0.5f, 2.75f, 0.5f}));
  EXPECT_EQ(program.apply("min(x[i], 0.5f)", x), (std::vector<float>{0.25f, 0.5f, -3.5f}));
  EXPECT_EQ(program.apply("(float)max((unsigned)x[0], 7u)", x)[0], 7.0f);
  EXPECT_EQ(program.apply("(float)min(1ll << 40, (long long)n)", x)[0], 3.0f);
  EXPECT_EQ(program.apply("trunc(x[i])", x), (std::vector<float>{0.0f, 2.0f, -3.0f}));
}

TEST(DeviceMath, FastMathUsesTheSpecialFunctionUnit) {
  const std::string ptx =
      ptx_of(kernel_of("sinf(x[i]) + logf(x[i]) / sqrtf(x[i]) + expf(x[i])", "float"), "--use_fast_math");
  EXPECT_EQ(count(ptx, "sin.approx"), 1u);
  EXPECT_EQ(count(ptx, "lg2.approx"), 1u);
  EXPECT_EQ(count(ptx, "ex2.approx"), 1u);
  EXPECT_EQ(count(ptx, "sqrt.approx"), 1u);
  EXPECT_EQ(count(ptx, "div.approx"), 1u);
  EXPECT_EQ(count(ptx, "div.rn"), 0u);
}

TEST(DeviceMath, ExpfIsShort) {
  const std::string ptx = ptx_of(kernel_of("expf(x[i])", "float"));
  EXPECT_EQ(count(ptx, "ex2.approx.f32"), 2u);
  EXPECT_LE(count(ptx, ";\n"), 50u);  // index arithmetic and declarations included
}

// Of constants, too: clang takes the truncating ones for C++'s conversions, which leave these cases undefined.
TEST(DeviceMath, ConversionsOfWhatDoesNotFitAreDefined) {
  KernelRunner runner(ptx_of(R"(
extern "C" __global__ void k(long long* y, float f, double d) {
  y[0] = __float2int_rz(3e9f);
  y[1] = __float2uint_rz(-1.0f);
  y[2] = __float2ll_rz(-1e30f);
  y[3] = __float2ull_rz(1e30f);
  y[4] = __double2int_rz(-3e9);
  y[5] = __double2uint_rz(5e9);
  y[6] = __double2ll_rz(1e30);
  y[7] = __double2ull_rz(-2.0);
  y[8] = __float2int_rn(f);
  y[9] = __float2ll_rz(f);
  y[10] = __double2uint_rd(d);
  y[11] = __double2ull_ru(d);
})"));
  const Address y = runner.upload(std::vector<long long>(12));
  runner.run("k", {1}, {1}, 0, y, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN());
  constexpr long long low = std::numeric_limits<long long>::min(), high = std::numeric_limits<long long>::max();
  EXPECT_EQ(runner.download<long long>(y, 12), (std::vector<long long>{0x7fffffff, 0, low, -1, -0x80000000ll,
                                                                       0xffffffff, high, 0, 0, low, 0x80000000, low}));
}

TEST(DeviceMath, ConversionsFromIntegersRoundTowardsZero) {
  KernelRunner runner(ptx_of(R"(
extern "C" __global__ void k(double* y, long long x) {
  y[0] = __int2float_rz((int)x);
  y[1] = __uint2float_rz((unsigned)-x);
  y[2] = __ll2float_rz(-(1ll << 62) - x);
  y[3] = __ull2float_rz(~0ull - x);
  y[4] = __ll2double_rz((1ll << 62) - x);
  y[5] = __ull2double_rz(~0ull - x);
})"));
  const Address y = runner.upload(std::vector<double>(6));
  runner.run("k", {1}, {1}, 0, y, 0x7fffffffll);
  EXPECT_EQ(runner.download<double>(y, 6),
            (std::vector<double>{0x1.fffffep+30, 0x1p31, -0x1p62, 0x1.fffffep+63, 0x1.fffffffcp+61, 0x1.ffffffffp+63}));
}

TEST(DeviceMath, ScalingByPowersOfTwoRoundsOnce) {
  KernelRunner runner(ptx_of(R"(
extern "C" __global__ void k(const double* x, const int* n, double* y, float* z) {
  const int i = threadIdx.x;
  y[i] = ldexp(x[i], n[i]);
  z[i] = ldexpf((float)x[i], n[i]);
})"));
  std::vector<double> x;
  std::vector<int> n;
  for (const double value : {0.0, -0.0, 1.0, -1.5e-40, 0x1.fffffffffffffp+0, 4.9e-324, 1.7e308, 3e38,
                             std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const int by : {0, 1, -1, 60, -149, -1022, -1023, -1074, 1100, -2100, 2100, 1 << 30, -(1 << 30)}) {
      x.push_back(value);
      n.push_back(by);
    }
  }
  const Address y = runner.upload(std::vector<double>(x.size())), z = runner.upload(std::vector<float>(x.size()));
  runner.run("k", {1}, {static_cast<unsigned>(x.size())}, 0, runner.upload(x), runner.upload(n), y, z);
  const auto doubles = runner.download<double>(y, x.size());
  const auto floats = runner.download<float>(z, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto same = [](auto a, auto b) {
      return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
    };
    EXPECT_PRED2(same, doubles[i], std::ldexp(x[i], n[i])) << x[i] << ", " << n[i];
    EXPECT_PRED2(same, floats[i], std::ldexp(static_cast<float>(x[i]), n[i])) << x[i] << ", " << n[i];
  }
}

TEST(DeviceMath, IntegerIntrinsics) {
  const std::vector<std::pair<std::string, float>> expected = {
      {"__popc(0xf0f0 + n - 1)", 8.0f},
      {"__clz(n)", 31.0f},
      {"__clz(n - 1)", 32.0f},
      {"__ffs(n << 4)", 5.0f},
      {"__ffs(n - 1)", 0.0f},
      {"__mul24(n + 6, -3)", -21.0f},
      {"__umulhi(0x80000000u, (unsigned)n * 4)", 2.0f},
      {"__brev(n) >> 24", 128.0f},
      {"__float_as_int(x[0]) >> 23", 127.0f},
      {"__float2int_rn(x[0] * 2.5f)", 2.0f},
      {"__sad(n, 5, 10u)", 14.0f},
  };
  std::vector<std::string> calls;
  for (const auto& [expression, value] : expected) calls.push_back("(float)(" + expression + ")");
  Calls<float> program(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(program.apply(calls[i], {1.0f})[0], expected[i].second) << calls[i];
  }
}

}  // namespace device_math_test
}  // namespace warpfold::host
