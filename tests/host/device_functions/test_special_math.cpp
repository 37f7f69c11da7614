// SPDX-License-Identifier: Apache-2.0
// Device functions beyond the C library's common ones, against MPFR. Bounds are in units of the last place; those of
// Bessel functions are of the last place of 1, since they oscillate around zero.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace special_math_test {

class Real {
 public:
  Real() { mpfr_init2(value_, 160); }
  explicit Real(double value) : Real() { mpfr_set_d(value_, value, MPFR_RNDN); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

using Reference = std::function<void(mpfr_ptr, mpfr_ptr)>;
using OneArgument = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

Reference of(OneArgument function) {
  return [=](mpfr_ptr r, mpfr_ptr x) { function(r, x, MPFR_RNDN); };
}
Reference bessel(int (*function)(mpfr_ptr, long, mpfr_srcptr, mpfr_rnd_t), long order) {
  return [=](mpfr_ptr r, mpfr_ptr x) { function(r, order, x, MPFR_RNDN); };
}
Reference modified_bessel(int order) {
  return [=](mpfr_ptr r, mpfr_ptr x) {
    mpfr_set_ld(r, std::cyl_bessel_il(static_cast<long double>(order), mpfr_get_ld(x, MPFR_RNDN)), MPFR_RNDN);
  };
}

// Newton's method on log erfc, which is concave: it converges from 0, for x in (0, 1].
void erfc_inverse(mpfr_ptr y, mpfr_ptr x) {
  Real erfc, slope, step;
  mpfr_set_ui(y, 0, MPFR_RNDN);
  for (int i = 0; i < 20; ++i) {
    mpfr_erfc(erfc, y, MPFR_RNDN);
    mpfr_sqr(slope, y, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDN);
    mpfr_div(step, erfc, x, MPFR_RNDN);
    mpfr_log(step, step, MPFR_RNDN);
    mpfr_mul(step, step, erfc, MPFR_RNDN);
    mpfr_mul(step, step, slope, MPFR_RNDN);
    mpfr_mul_d(step, step, 0.8862269254527580, MPFR_RNDN);  // √π/2, near enough: 20 steps even that out
    mpfr_add(y, y, step, MPFR_RNDN);
  }
}
void erfcinv(mpfr_ptr r, mpfr_ptr x) {
  if (mpfr_cmp_ui(x, 1) <= 0) return erfc_inverse(r, x);
  Real mirrored;
  mpfr_ui_sub(mirrored, 2, x, MPFR_RNDN);
  erfc_inverse(r, mirrored);
  mpfr_neg(r, r, MPFR_RNDN);
}
void erfinv(mpfr_ptr r, mpfr_ptr x) {
  Real complement;
  mpfr_ui_sub(complement, 1, x, MPFR_RNDN);
  erfcinv(r, complement);
}
void normcdfinv(mpfr_ptr r, mpfr_ptr x) {
  Real twice, root;
  mpfr_mul_ui(twice, x, 2, MPFR_RNDN);
  erfcinv(r, twice);
  mpfr_sqrt_ui(root, 2, MPFR_RNDN);
  mpfr_mul(r, r, root, MPFR_RNDN);
  mpfr_neg(r, r, MPFR_RNDN);
}
void normcdf(mpfr_ptr r, mpfr_ptr x) {
  mpfr_sqrt_ui(r, 2, MPFR_RNDN);
  mpfr_div(r, x, r, MPFR_RNDN);
  mpfr_neg(r, r, MPFR_RNDN);
  mpfr_erfc(r, r, MPFR_RNDN);
  mpfr_div_ui(r, r, 2, MPFR_RNDN);
}
void erfcx(mpfr_ptr r, mpfr_ptr x) {
  Real square;
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_erfc(r, x, MPFR_RNDN);
  mpfr_mul(r, r, square, MPFR_RNDN);
}
Reference of_pi(OneArgument function) {
  return [=](mpfr_ptr r, mpfr_ptr x) {
    Real pi;
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul(r, x, pi, MPFR_RNDN);
    function(r, r, MPFR_RNDN);
  };
}
void rcbrt(mpfr_ptr r, mpfr_ptr x) {
  mpfr_cbrt(r, x, MPFR_RNDN);
  mpfr_ui_div(r, 1, r, MPFR_RNDN);
}
void rhypot_three(mpfr_ptr r, mpfr_ptr x) {
  Real three(3);
  mpfr_hypot(r, x, three, MPFR_RNDN);
  mpfr_ui_div(r, 1, r, MPFR_RNDN);
}
void norm_one_two(mpfr_ptr r, mpfr_ptr x) {
  mpfr_sqr(r, x, MPFR_RNDN);
  mpfr_add_ui(r, r, 5, MPFR_RNDN);
  mpfr_sqrt(r, r, MPFR_RNDN);
}
void log_gamma(mpfr_ptr r, mpfr_ptr x) {
  int sign = 0;
  mpfr_lgamma(r, &sign, x, MPFR_RNDN);
}

enum class Unit { kOfResult, kOfOne };

struct Case {
  const char* name;  // of the kernels
  const char* call;  // with F for the suffix of float functions
  double low, high;  // spread evenly in the logarithm when low > 0
  double max_ulp_double, max_ulp_float;
  Unit unit;
  Reference reference;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"j0", "j0F(v)", -700, 700, 8, 1, Unit::kOfOne, bessel(mpfr_jn, 0)},
      {"j1", "j1F(v)", -700, 700, 8, 1, Unit::kOfOne, bessel(mpfr_jn, 1)},
      {"j3", "jnF(3, v)", 1e-3, 500, 8, 1, Unit::kOfOne, bessel(mpfr_jn, 3)},
      {"j30", "jnF(-30, v)", -90, 90, 8, 1, Unit::kOfOne, bessel(mpfr_jn, -30)},
      {"y0", "y0F(v)", 1e-10, 700, 8, 1, Unit::kOfOne, bessel(mpfr_yn, 0)},
      {"y1", "y1F(v)", 1e-10, 700, 8, 1, Unit::kOfOne, bessel(mpfr_yn, 1)},
      {"y4", "ynF(4, v)", 0.5, 500, 16, 1, Unit::kOfOne, bessel(mpfr_yn, 4)},
      {"i0", "cyl_bessel_i0F(v)", 0, 85, 8, 1, Unit::kOfResult, modified_bessel(0)},
      {"i1", "cyl_bessel_i1F(v)", 0, 85, 8, 1, Unit::kOfResult, modified_bessel(1)},
      {"erfinv", "erfinvF(v)", -0.99999, 0.99999, 8, 1, Unit::kOfResult, erfinv},
      {"erfcinv", "erfcinvF(v)", 1e-30, 1.9999, 8, 1, Unit::kOfResult, erfcinv},
      {"normcdfinv", "normcdfinvF(v)", 1e-30, 0.9999, 8, 1, Unit::kOfResult, normcdfinv},
      {"erfcx", "erfcxF(v)", -9, 30, 8, 1, Unit::kOfResult, erfcx},
      {"normcdf", "normcdfF(v)", -12, 8, 8, 1, Unit::kOfResult, normcdf},
      {"lgamma", "lgammaF(v)", 3, 1e5, 8, 8, Unit::kOfResult, log_gamma},
      {"tgamma", "tgammaF(v)", 0.01, 171, 16, 1, Unit::kOfResult, of(mpfr_gamma)},
      {"tgamma_negative", "tgammaF(v)", -20.3, 0.4, 32, 1, Unit::kOfResult, of(mpfr_gamma)},
      {"sinpi", "sinpiF(v)", -1000, 1000, 4, 4, Unit::kOfResult, of_pi(mpfr_sin)},
      {"cospi", "cospiF(v)", -1000, 1000, 4, 4, Unit::kOfResult, of_pi(mpfr_cos)},
      {"exp10", "exp10F(v)", -37, 38, 4, 4, Unit::kOfResult, of(mpfr_exp10)},
      {"rcbrt", "rcbrtF(v)", 1e-30, 1e30, 4, 4, Unit::kOfResult, rcbrt},
      {"rhypot", "rhypotF(v, 3)", -100, 100, 4, 4, Unit::kOfResult, rhypot_three},
      {"norm3d", "norm3dF(v, 1, 2)", -100, 100, 4, 4, Unit::kOfResult, norm_one_two},
      {"asinh", "asinhF(v)", 1e-5, 1e5, 4, 4, Unit::kOfResult, of(mpfr_asinh)},
      {"acosh", "acoshF(v)", 1.001, 1e5, 4, 4, Unit::kOfResult, of(mpfr_acosh)},
      {"atanh", "atanhF(v)", 1e-5, 0.999, 4, 4, Unit::kOfResult, of(mpfr_atanh)},
      {"erfc", "erfcF(v)", -4, 25, 8, 1e9, Unit::kOfResult, of(mpfr_erfc)},
  };
  return all;
}

// All kernels in one translation unit.
KernelRunner& special_kernels() {
  static KernelRunner runner([] {
    std::string text;
    for (const Case& test : cases()) {
      for (const bool single : {true, false}) {
        std::string call;
        for (const char c : std::string_view(test.call)) {
          if (c != 'F') call.push_back(c);
          if (c == 'F' && single) call.push_back('f');
        }
        text += fmt::format(
            "extern \"C\" __global__ void {0}{1}_kernel({2}* x) {{\n"
            "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  const {2} v = x[i];\n  x[i] = {3};\n}}\n",
            test.name, single ? "f" : "", single ? "float" : "double", call);
      }
    }
    return ptx_of(text);
  }());
  return runner;
}

template <class T>
void expect_within(const Case& test, double bound, const std::string& kernel) {
  constexpr unsigned kValues = 128;
  std::vector<T> x;
  for (unsigned i = 0; i < kValues; ++i) {
    const double t = (i + 0.5) / kValues;
    x.push_back(static_cast<T>(test.low > 0 ? std::exp(std::log(test.low) + t * std::log(test.high / test.low))
                                            : test.low + t * (test.high - test.low)));
  }
  KernelRunner& runner = special_kernels();
  const Address at = runner.upload(x);
  runner.run(kernel, {kValues / 128}, {128}, 0, at);
  const std::vector<T> y = runner.download<T>(at, kValues);
  double worst = 0, worst_at = 0;
  Real expected, error;
  for (unsigned i = 0; i < kValues; ++i) {
    Real argument(static_cast<double>(x[i]));
    test.reference(expected, argument);
    const double rough = std::fabs(mpfr_get_d(expected, MPFR_RNDN));
    if (rough > static_cast<double>(std::numeric_limits<T>::max()) ||
        rough < static_cast<double>(std::numeric_limits<T>::min()))
      continue;
    const double scale = test.unit == Unit::kOfOne && sizeof(T) == 8 ? std::max(rough, 1.0) : rough;
    mpfr_d_sub(error, static_cast<double>(y[i]), expected, MPFR_RNDN);
    const double ulp = std::ldexp(1.0, std::ilogb(scale) - std::numeric_limits<T>::digits + 1);
    const double ulps = std::fabs(mpfr_get_d(error, MPFR_RNDN)) / ulp;
    if (!(ulps <= worst)) worst = ulps, worst_at = static_cast<double>(x[i]);
  }
  EXPECT_LE(worst, bound) << kernel << " of " << worst_at;
  ::testing::Test::RecordProperty(kernel, std::to_string(worst));
}

class SpecialFunction : public ::testing::TestWithParam<Case> {};

TEST_P(SpecialFunction, StaysWithinItsBound) {
  const Case& test = GetParam();
  expect_within<double>(test, test.max_ulp_double, std::string(test.name) + "_kernel");
  expect_within<float>(test, test.max_ulp_float, std::string(test.name) + "f_kernel");
}

INSTANTIATE_TEST_SUITE_P(SpecialMath, SpecialFunction, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SpecialMath, Edges) {
  KernelRunner runner(ptx_of(R"(
extern "C" __global__ void k(double* r, double zero, double inf) {
  const double nan = inf - inf;
  r[0] = erfinv(1 + zero); r[1] = erfinv(zero - 1); r[2] = erfcinv(zero); r[3] = erfcinv(2 + zero);
  r[4] = normcdfinv(zero); r[5] = normcdfinv(1 + zero); r[6] = y0(zero); r[7] = j0(inf); r[8] = erfcx(inf);
  r[9] = cyl_bessel_i0(inf); r[10] = jn(5, zero); r[11] = erfinv(zero); r[12] = normcdf(inf); r[13] = normcdf(-inf);
  r[14] = erfinv(1.5 + zero); r[15] = y1(-1 - zero); r[16] = j1(nan); r[17] = erfcx(nan); r[18] = erfcinv(-1 - zero); r[19] = tgamma(-3 - zero);
})"));
  const Address r = runner.upload(std::vector<double>(20));
  const double inf = std::numeric_limits<double>::infinity();
  runner.run("k", {1}, {1}, 0, r, 0.0, inf);
  const std::vector<double> y = runner.download<double>(r, 20);
  EXPECT_EQ(std::vector<double>(y.begin(), y.begin() + 14),
            (std::vector<double>{inf, -inf, inf, -inf, -inf, inf, -inf, 0, 0, inf, 0, 0, 1, 0}));
  for (std::size_t i = 14; i < 20; ++i) EXPECT_TRUE(std::isnan(y[i])) << i;
}

}  // namespace special_math_test
}  // namespace warpfold::host
