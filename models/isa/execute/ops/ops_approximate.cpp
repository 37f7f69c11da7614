// SPDX-License-Identifier: Apache-2.0
// The approximate functions (PTX ISA §9.7.3: div.approx, div.full, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh). PTX
// bounds their error; these stay well inside, computed in double with operations that every host rounds alike, so that
// results do not depend on it.
#include <array>
#include <cmath>

#include "warpfold/isa/execute/ops/approximate.h"
#include "warpfold/isa/execute/ops/float_types.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

// a[0] + a[1] x + a[2] x² + …
template <std::size_t N>
double polynomial(const std::array<double, N>& a, double x) {
  double sum = a[N - 1];
  for (std::size_t k = N - 1; k-- > 0;) sum = sum * x + a[k];
  return sum;
}

// To the nearest integer, for |x| < 2^51: adding 1.5·2^52 leaves no fraction bits.
constexpr double kRounder = 6755399441055744.0;
double nearest_integer(double x) { return (x + kRounder) - kRounder; }

// The integer in the low bits of nearest_integer's intermediate sum.
u64 integer_bits(double x) { return bits_of(x + kRounder); }

// 2^x = 2^n · e^(f ln 2), |f| ≤ 1/2: ten terms of e's series leave an error below 2^-37.
double exp2(double wide) {
  static constexpr double ln2 = 0.6931471805599453094;
  static constexpr std::array<double, 10> inverse_factorial{
      1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
  const double clamped = wide > 200.0 ? 200.0 : wide > -200.0 ? wide : -200.0;  // beyond: infinite or zero as a float
  const double fraction = clamped - nearest_integer(clamped);
  const double power = from_bits<double>((integer_bits(clamped) + 1023) << 52);
  return polynomial(inverse_factorial, fraction * ln2) * power;
}

float exp2(float x) { return static_cast<float>(exp2(static_cast<double>(x))); }

// 1 − 2/(e^2|x| + 1); near zero, where that cancels, the begin of the series.
float tanh(float x) {
  static constexpr double two_over_ln2 = 2.8853900817779268147;
  const double wide = x, magnitude = std::fabs(wide);
  const double near_zero = magnitude - magnitude * magnitude * magnitude / 3;
  const double elsewhere = 1.0 - 2.0 / (exp2(magnitude * two_over_ln2) + 1.0);
  return static_cast<float>(std::copysign(magnitude < 0x1p-6 ? near_zero : elsewhere, wide));
}

// log2(2^e · m) = e + 2/ln 2 · atanh((m − 1)/(m + 1)), m in [√½, √2): eight terms leave a relative error below 2^-42.
float log2(float x) {
  static constexpr double two_over_ln2 = 2.8853900817779268147;
  static constexpr std::array<double, 8> odd{1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15};
  static constexpr u64 sqrt_half = 0x3fe6a09e667f3bcd;
  const double wide = x;  // a normal number, even if x is subnormal
  const u64 offset = bits_of(wide) - sqrt_half;
  const auto exponent = static_cast<double>(static_cast<s32>(static_cast<s64>(offset) >> 52));
  const double m = from_bits<double>((offset & 0xfffffffffffff) + sqrt_half);
  const double s = (m - 1.0) / (m + 1.0);
  const auto result = static_cast<float>(exponent + two_over_ln2 * s * polynomial(odd, s * s));
  const float at_edge = x == 0.0F ? -std::numeric_limits<float>::infinity()
                                  : from_bits<float>(x > 0.0F ? kInfinityBits<float> : kCanonicalNanF32);
  return x > 0.0F && is_finite(x) ? result : at_edge;
}

// x = k · π/2 + r, |r| ≤ π/4, with π/2 in three parts of 33 bits and a rest: exact products for k < 2^20. PTX states no
// bound beyond |x| = 100 π; the clamp keeps the result in [−1, 1] there.
struct Reduced {
  double r;
  u64 quadrant;
};
Reduced reduce(float x) {
  static constexpr double two_over_pi = 0.63661977236758134308;
  static constexpr double pi_2_a = 0x1.921fb544p+0, pi_2_b = 0x1.0b4611a6p-34, pi_2_c = 0x1.3198a2e037073p-69;
  static constexpr double limit = 0.7854;
  const double wide = is_finite(x) ? x : 0.0F;
  const double bounded = wide > 0x1p50 ? 0x1p50 : wide < -0x1p50 ? -0x1p50 : wide;
  const double k = nearest_integer(bounded * two_over_pi);
  const double r = ((bounded - k * pi_2_a) - k * pi_2_b) - k * pi_2_c;
  return {r > limit ? limit : r < -limit ? -limit : r, integer_bits(bounded * two_over_pi)};
}

double sine_near_zero(double r) {
  static constexpr std::array<double, 7> series{1.0,          -1.0 / 6,        1.0 / 120,         -1.0 / 5040,
                                                1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0};
  return r * polynomial(series, r * r);
}
double cosine_near_zero(double r) {
  static constexpr std::array<double, 7> series{1.0,         -1.0 / 2,       1.0 / 24,         -1.0 / 720,
                                                1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600.0};
  return polynomial(series, r * r);
}

// sin(x + quarters · π/2)
template <unsigned Quarters>
float sine(float x) {
  const Reduced reduced = reduce(x);
  const u64 quadrant = reduced.quadrant + Quarters;
  const double s = sine_near_zero(reduced.r), c = cosine_near_zero(reduced.r);
  const double magnitude = quadrant & 1 ? c : s;
  const auto result = static_cast<float>(quadrant & 2 ? -magnitude : magnitude);
  return is_finite(x) ? result : from_bits<float>(kCanonicalNanF32);
}

// a · (1/b), where 1/b is zero for |b| > 2^126 (PTX ISA §9.7.3, div.approx).
float fast_divide(float a, float b) {
  const u32 magnitude = bits_of(b) & ~kSignBit<float>;
  const bool vanishes = magnitude > bits_of(0x1p126F) && magnitude < kInfinityBits<float>;
  const float zero = from_bits<float>(bits_of(b) & kSignBit<float>);
  return vanishes ? a * zero : a / b;
}

double reciprocal_root(double x) { return 1.0 / std::sqrt(x); }

// Only the upper word of the operand counts and only that of the result is given (PTX ISA §9.7.3, rcp.approx.ftz.f64).
constexpr u64 kUpperWord = 0xffffffff00000000;
double upper_word(double x) { return from_bits<double>(bits_of(x) & kUpperWord); }
double upper_word_result(double x) { return is_nan(x) ? from_bits<double>(0x7fffffff00000000) : flush(upper_word(x)); }

template <bool Ftz>
[[gnu::cold]] void add_single(OpRegistry& ops) {
  const std::string suffix = std::string(ftz_text(Ftz)) + ".f32";
  const auto one = [&ops, &suffix](const char* name, auto function) {
    using Function = decltype(function);
    ops.add(
        name + suffix, [](float a) -> float { return deliver<Ftz, false>(Function{}(operand<Ftz>(a))); }, Unit::kSfu);
  };
  one("ex2.approx", [](float a) { return approximate_exp2(a); });
  one("lg2.approx", [](float a) { return log2(a); });
  one("sin.approx", [](float a) { return bits_of(a) << 1 == 0 ? a : sine<0>(a); });
  one("cos.approx", [](float a) { return sine<1>(a); });
  one("rcp.approx", [](float a) { return 1.0F / a; });
  one("sqrt.approx", [](float a) { return std::sqrt(a); });
  one("rsqrt.approx", [](float a) { return static_cast<float>(reciprocal_root(a)); });
  ops.add(
      "div.approx" + suffix,
      [](float a, float b) -> float { return deliver<Ftz, false>(fast_divide(operand<Ftz>(a), operand<Ftz>(b))); },
      Unit::kSfu);
  ops.add(
      "div.full" + suffix,
      [](float a, float b) -> float { return deliver<Ftz, false>(operand<Ftz>(a) / operand<Ftz>(b)); }, Unit::kSfu);
}

}  // namespace

float approximate_exp2(float x) { return is_nan(x) ? x : exp2(x); }
float approximate_tanh(float x) { return is_nan(x) ? x : tanh(x); }

[[gnu::cold]] void add_approximate_ops(OpRegistry& ops) {
  ops.add(
      "tanh.approx.f32", [](float a) -> float { return deliver<false, false>(approximate_tanh(a)); }, Unit::kSfu);
  add_single<false>(ops);
  add_single<true>(ops);
  ops.add(
      "rsqrt.approx.f64", [](double a) -> double { return deliver<false, false>(reciprocal_root(a), a); }, Unit::kFp64);
  ops.add(
      "rcp.approx.ftz.f64", [](double a) -> double { return upper_word_result(1.0 / flush(upper_word(a))); },
      Unit::kFp64);
  ops.add(
      "rsqrt.approx.ftz.f64",
      [](double a) -> double { return upper_word_result(reciprocal_root(flush(upper_word(a)))); }, Unit::kFp64);
}

}  // namespace warpfold::isa
