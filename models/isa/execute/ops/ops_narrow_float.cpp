// SPDX-License-Identifier: Apache-2.0
// bf16 arithmetic, and what f16 and bf16 have alike: minima, maxima, rectified results, approximate functions,
// conversions in pairs (PTX ISA §9.7.4, §9.7.9).
#include <string>

#include "warpfold/isa/execute/ops/approximate.h"
#include "warpfold/isa/execute/ops/half.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {

Bfloat round_to_bfloat(float value, Round mode) {
  const u32 bits = bits_of(value);
  if (is_nan(value)) return Bfloat(0x7fff);
  const u32 up = mode == Round::kNearest ? 0x7fff + (bits >> 16 & 1) : 0;
  return Bfloat((bits + up) >> 16);
}

// Rounded to an odd float where it is inexact, of which 24 bits tell everything that rounding to 8 needs to know.
Bfloat fused(Bfloat a, Bfloat b, Bfloat c) {
  const float below = soft::fma(a.value(), b.value(), c.value(), Round::kDown);
  const float above = soft::fma(a.value(), b.value(), c.value(), Round::kUp);
  if (is_nan(below)) return Bfloat(0x7fff);
  // An exact zero has a sign by the rounding mode.
  if (below == 0.0F && above == 0.0F) return Bfloat(bits_of(a.value() * b.value() + c.value()) >> 16);
  return round_to_bfloat((bits_of(below) & 1) != 0 ? below : above, Round::kNearest);
}

namespace {

// What templates over the two formats need to know of each.
struct HalfFormat {
  using Number = Half;
  using Pair = HalfPair;
  static constexpr const char* kName = "f16";
  static float widen(Half a) { return static_cast<float>(a.value()); }
  static Half narrow(float a) { return round_to_half(a, Round::kNearest); }
  static Half truncate(float a) { return round_to_half(a, Round::kZero); }
};
struct BfloatFormat {
  using Number = Bfloat;
  using Pair = BfloatPair;
  static constexpr const char* kName = "bf16";
  static float widen(Bfloat a) { return a.value(); }
  static Bfloat narrow(float a) { return round_to_bfloat(a, Round::kNearest); }
  static Bfloat truncate(float a) { return round_to_bfloat(a, Round::kZero); }
};

template <class Number>
bool is_nan_of(Number a, u32 infinity) {
  return (static_cast<u32>(a) & 0x7fff) > infinity;
}
template <class Format>
inline constexpr u32 kInfinity = std::is_same_v<Format, HalfFormat> ? 0x7c00 : 0x7f80;

// .relu: negative results become +0, NaN stays.
template <class Format>
typename Format::Number rectified(typename Format::Number a) {
  const auto bits = static_cast<u32>(a);
  if (is_nan_of(a, kInfinity<Format>)) return typename Format::Number(0x7fff);
  return typename Format::Number((bits & 0x8000) != 0 ? 0 : bits);
}

template <class Format, class F>
[[gnu::cold]] void add_unary(OpRegistry& ops, const std::string& name, F, Unit unit) {
  using Number = typename Format::Number;
  using Pair = typename Format::Pair;
  ops.add(
      name + "." + Format::kName, [](Number a) -> Number { return F{}(a); }, unit);
  ops.add(
      name + "." + Format::kName + "x2", [](Pair a) -> Pair { return Pair::of(F{}(a.low()), F{}(a.high())); }, unit);
}

template <class Format, class F>
[[gnu::cold]] void add_binary(OpRegistry& ops, const std::string& name, F) {
  using Number = typename Format::Number;
  using Pair = typename Format::Pair;
  ops.add(
      name + "." + Format::kName, [](Number a, Number b) -> Number { return F{}(a, b); }, Unit::kFloat);
  ops.add(
      name + "." + Format::kName + "x2",
      [](Pair a, Pair b) -> Pair { return Pair::of(F{}(a.low(), b.low()), F{}(a.high(), b.high())); }, Unit::kFloat);
}

template <class Format, class F>
[[gnu::cold]] void add_ternary(OpRegistry& ops, const std::string& name, F) {
  using Number = typename Format::Number;
  using Pair = typename Format::Pair;
  ops.add(
      name + "." + Format::kName, [](Number a, Number b, Number c) -> Number { return F{}(a, b, c); }, Unit::kFloat);
  ops.add(
      name + "." + Format::kName + "x2",
      [](Pair a, Pair b, Pair c) -> Pair {
        return Pair::of(F{}(a.low(), b.low(), c.low()), F{}(a.high(), b.high(), c.high()));
      },
      Unit::kFloat);
}

// One NaN gives the other operand, or NaN with .NaN; −0 is below +0.
template <class Format, bool Max, bool Nan>
typename Format::Number extreme(typename Format::Number a, typename Format::Number b) {
  using Number = typename Format::Number;
  const bool a_nan = is_nan_of(a, kInfinity<Format>), b_nan = is_nan_of(b, kInfinity<Format>);
  if ((a_nan && b_nan) || (Nan && (a_nan || b_nan))) return Number(0x7fff);
  if (a_nan || b_nan) return a_nan ? b : a;
  const auto order = [](Number x) {
    const auto bits = static_cast<u32>(x);
    return (bits & 0x8000) != 0 ? -1 - static_cast<s32>(bits & 0x7fff) : static_cast<s32>(bits);
  };
  return (order(a) > order(b)) == Max ? a : b;
}

template <class Format>
[[gnu::cold]] void add_extremes(OpRegistry& ops) {
  using Number = typename Format::Number;
  add_binary<Format>(ops, "min", [](Number a, Number b) { return extreme<Format, false, false>(a, b); });
  add_binary<Format>(ops, "max", [](Number a, Number b) { return extreme<Format, true, false>(a, b); });
  add_binary<Format>(ops, "min.NaN", [](Number a, Number b) { return extreme<Format, false, true>(a, b); });
  add_binary<Format>(ops, "max.NaN", [](Number a, Number b) { return extreme<Format, true, true>(a, b); });
}

// {high, low} of two floats.
template <class Format, class F>
[[gnu::cold]] void add_pack(OpRegistry& ops, const std::string& rounding, F) {
  using Number = typename Format::Number;
  using Pair = typename Format::Pair;
  const std::string type = std::string(".") + Format::kName;
  ops.add("cvt" + rounding + type + "x2.f32", [](float a, float b) -> Pair { return Pair::of(F{}(b), F{}(a)); });
  ops.add("cvt" + rounding + ".relu" + type + "x2.f32",
          [](float a, float b) -> Pair { return Pair::of(rectified<Format>(F{}(b)), rectified<Format>(F{}(a))); });
  ops.add("cvt" + rounding + ".relu" + type + ".f32", [](float a) -> Number { return rectified<Format>(F{}(a)); });
}

template <class Format>
[[gnu::cold]] void add_packs(OpRegistry& ops) {
  add_pack<Format>(ops, ".rn", [](float a) { return Format::narrow(a); });
  add_pack<Format>(ops, ".rz", [](float a) { return Format::truncate(a); });
}

[[gnu::cold]] void add_bfloat_arithmetic(OpRegistry& ops) {
  using B = BfloatFormat;
  // Sums and products are fused operations with one or minus zero: round once, as all of them do.
  const auto sum = [](Bfloat a, Bfloat b) { return fused(a, Bfloat(0x3f80), b); };
  const auto difference = [](Bfloat a, Bfloat b) { return fused(b, Bfloat(0xbf80), a); };
  const auto product = [](Bfloat a, Bfloat b) {
    const u32 sign = (static_cast<u32>(a) ^ static_cast<u32>(b)) & 0x8000;
    return fused(a, b, Bfloat(sign));
  };
  for (const std::string rounding : {"", ".rn"}) {
    add_binary<B>(ops, "add" + rounding, sum);
    add_binary<B>(ops, "sub" + rounding, difference);
    add_binary<B>(ops, "mul" + rounding, product);
  }
  add_ternary<B>(ops, "fma.rn", [](Bfloat a, Bfloat b, Bfloat c) { return fused(a, b, c); });
  add_ternary<B>(ops, "fma.rn.relu", [](Bfloat a, Bfloat b, Bfloat c) { return rectified<B>(fused(a, b, c)); });
  add_unary<B>(
      ops, "neg", [](Bfloat a) { return Bfloat(static_cast<u32>(a) ^ 0x8000); }, Unit::kAlu);
  add_unary<B>(
      ops, "abs", [](Bfloat a) { return Bfloat(static_cast<u32>(a) & 0x7fff); }, Unit::kAlu);
  ops.add("cvt.rn.bf16.f32", [](float a) -> Bfloat { return BfloatFormat::narrow(a); });
  ops.add("cvt.rz.bf16.f32", [](float a) -> Bfloat { return BfloatFormat::truncate(a); });
  ops.add("cvt.f32.bf16", [](Bfloat a) -> float { return deliver<false, false>(a.value()); });
}

[[gnu::cold]] void add_functions(OpRegistry& ops) {
  using H = HalfFormat;
  using B = BfloatFormat;
  add_unary<H>(
      ops, "ex2.approx", [](Half a) { return H::narrow(approximate_exp2(H::widen(a))); }, Unit::kSfu);
  add_unary<B>(
      ops, "ex2.approx.ftz", [](Bfloat a) { return B::narrow(flush(approximate_exp2(flush(a.value())))); }, Unit::kSfu);
  add_unary<H>(
      ops, "tanh.approx", [](Half a) { return H::narrow(approximate_tanh(H::widen(a))); }, Unit::kSfu);
  add_unary<B>(
      ops, "tanh.approx", [](Bfloat a) { return B::narrow(approximate_tanh(a.value())); }, Unit::kSfu);
  add_ternary<H>(ops, "fma.rn.relu", [](Half a, Half b, Half c) {
    return rectified<H>(round_to_half(a.value() * b.value() + c.value(), Round::kNearest));
  });
}

// Ties go away from zero: 10 bits of fraction stay.
u32 round_to_tf32(float a) {
  const u32 bits = bits_of(a);
  if (is_nan(a)) return 0x7fffffff;
  return is_finite(a) ? (bits + 0x1000) & ~u32{0x1fff} : bits;
}

// All integers of up to 53 bits, and those beyond what a half can hold, are as good in double.
template <class S>
[[gnu::cold]] void add_half_and_integer(OpRegistry& ops) {
  const std::string type = type_suffix<S>();
  const auto round = [&](auto mode) {
    constexpr Round kMode = decltype(mode)::value;
    ops.add("cvt" + std::string(round_text(kMode)) + ".f16" + type,
            [](S a) -> Half { return round_to_half(static_cast<double>(a), decltype(mode)::value); });
  };
  round(std::integral_constant<Round, Round::kNearest>());
  round(std::integral_constant<Round, Round::kZero>());
  round(std::integral_constant<Round, Round::kDown>());
  round(std::integral_constant<Round, Round::kUp>());
  const auto back = [&](const char* mode, auto integral) {
    using Integral = decltype(integral);
    ops.add(std::string("cvt.") + mode + type + ".f16", [](Half a) -> S {
      const double value = Integral{}(a.value());
      if (is_nan(value)) return sizeof(S) < 8 ? S{0} : static_cast<S>(u64{1} << 63);
      if (value >= 0x1p63) return std::numeric_limits<S>::max();
      if (value < -0x1p63) return std::numeric_limits<S>::min();
      constexpr auto low = std::numeric_limits<S>::min(), high = std::numeric_limits<S>::max();
      if (value <= static_cast<double>(low)) return low;
      return value >= static_cast<double>(high) ? high : static_cast<S>(value);
    });
  };
  back("rni", [](double a) { return __builtin_nearbyint(a); });
  back("rzi", [](double a) { return __builtin_trunc(a); });
  back("rmi", [](double a) { return __builtin_floor(a); });
  back("rpi", [](double a) { return __builtin_ceil(a); });
}

[[gnu::cold]] void add_half_integral(OpRegistry& ops) {
  const auto add = [&](const char* mode, auto integral) {
    using Integral = decltype(integral);
    ops.add(std::string("cvt.") + mode + ".f16.f16",
            [](Half a) -> Half { return round_to_half(Integral{}(a.value()), Round::kNearest); });
  };
  add("rni", [](double a) { return __builtin_nearbyint(a); });
  add("rzi", [](double a) { return __builtin_trunc(a); });
  add("rmi", [](double a) { return __builtin_floor(a); });
  add("rpi", [](double a) { return __builtin_ceil(a); });
  ops.add("cvt.f16.f16", [](Half a) -> Half { return round_to_half(a.value(), Round::kNearest); });
  ops.add("cvt.sat.f16.f16", [](Half a) -> Half {
    const double value = a.value();
    return round_to_half(value > 0 ? (value < 1 ? value : 1.0) : 0.0, Round::kNearest);
  });
}

}  // namespace

[[gnu::cold]] void add_narrow_float_ops(OpRegistry& ops) {
  add_bfloat_arithmetic(ops);
  add_extremes<HalfFormat>(ops);
  add_extremes<BfloatFormat>(ops);
  add_packs<HalfFormat>(ops);
  add_packs<BfloatFormat>(ops);
  add_functions(ops);
  ops.add("cvt.rna.tf32.f32", [](float a) -> u32 { return round_to_tf32(a); });
  add_half_integral(ops);
  add_half_and_integer<u8>(ops);
  add_half_and_integer<s8>(ops);
  add_half_and_integer<u16>(ops);
  add_half_and_integer<s16>(ops);
  add_half_and_integer<u32>(ops);
  add_half_and_integer<s32>(ops);
  add_half_and_integer<u64>(ops);
  add_half_and_integer<s64>(ops);
}

}  // namespace warpfold::isa
