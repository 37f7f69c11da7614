// SPDX-License-Identifier: Apache-2.0
// Half precision (PTX ISA §9.7.4 and §9.7.9): sums, products, signs and conversions. Computed in double, whose result
// is then rounded to half: sums and products of halves are exact there, and a fused operation is inexact only where its
// smaller part is too small to reach the point between two halves.
#include <cmath>

#include "warpfold/isa/execute/ops/narrow/half.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {

double Half::value() const {
  const unsigned exponent = bits_ >> 10 & 31, mantissa = bits_ & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = mantissa * 0x1p-24;
  } else {
    magnitude = from_bits<double>(u64{exponent + 1008} << 52 | u64{mantissa} << 42);
  }
  return (bits_ & 0x8000) != 0 ? -magnitude : magnitude;
}

Half round_to_half(double value, Round mode) {
  constexpr u32 infinity = 0x7c00, largest = 0x7bff;
  if (is_nan(value)) return Half(0x7fff);
  const bool negative = std::signbit(value);
  const u32 sign = negative ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  const bool outwards = mode == (negative ? Round::kDown : Round::kUp);
  if (magnitude >= 0x1p16) {
    const bool infinite = mode == Round::kNearest || outwards || std::isinf(value);
    return Half(sign | (infinite ? infinity : largest));
  }
  // Units of the last place: from 2^-24 on, one step of the exponent field for each doubling above 2^-14.
  const int exponent = static_cast<int>(bits_of(magnitude) >> 52) - 1023;
  const u32 field = exponent > -14 ? static_cast<u32>(exponent + 14) : 0;
  const double units = magnitude * from_bits<double>(u64{1023 + 24 - field} << 52);
  auto whole = static_cast<u32>(units);
  const double rest = units - whole;
  const bool up = mode == Round::kNearest ? rest > 0.5 || (rest == 0.5 && whole % 2 == 1) : outwards && rest > 0;
  return Half(sign | ((field << 10) + whole + (up ? 1 : 0)));
}

namespace {

template <bool Ftz>
double value_of(Half a) {
  return Ftz ? flush(a).value() : a.value();
}

template <bool Ftz, bool Sat>
Half deliver_half(double value) {
  if constexpr (Sat) value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
  const Half result = round_to_half(value, Round::kNearest);
  return Ftz ? flush(result) : result;
}

template <bool Seldom, class F>
[[gnu::cold]] void add_both_shapes(OpRegistry& ops, const std::string& name, F) {
  ops.add<Seldom>(
      name + ".f16", [](Half a, Half b) -> Half { return F{}(a, b); }, Unit::kFloat);
  ops.add<Seldom>(
      name + ".f16x2",
      [](HalfPair a, HalfPair b) -> HalfPair { return HalfPair::of(F{}(a.low(), b.low()), F{}(a.high(), b.high())); },
      Unit::kFloat);
}

template <bool Ftz, bool Sat>
[[gnu::cold]] void add_half_arithmetic(OpRegistry& ops) {
  const auto sum = [](Half a, Half b) { return deliver_half<Ftz, Sat>(value_of<Ftz>(a) + value_of<Ftz>(b)); };
  const auto difference = [](Half a, Half b) { return deliver_half<Ftz, Sat>(value_of<Ftz>(a) - value_of<Ftz>(b)); };
  const auto product = [](Half a, Half b) { return deliver_half<Ftz, Sat>(value_of<Ftz>(a) * value_of<Ftz>(b)); };
  const std::string rest = std::string(ftz_text(Ftz)) + sat_text(Sat);
  for (const std::string rounding : {"", ".rn"}) {
    add_both_shapes<Ftz>(ops, "add" + rounding + rest, sum);
    add_both_shapes<Ftz>(ops, "sub" + rounding + rest, difference);
    add_both_shapes<Ftz>(ops, "mul" + rounding + rest, product);
  }
  const auto fused = [](Half a, Half b, Half c) {
    return deliver_half<Ftz, Sat>(value_of<Ftz>(a) * value_of<Ftz>(b) + value_of<Ftz>(c));
  };
  using Fused = decltype(fused);
  ops.add<Ftz>(
      "fma.rn" + rest + ".f16", [](Half a, Half b, Half c) -> Half { return Fused{}(a, b, c); }, Unit::kFloat);
  ops.add<Ftz>(
      "fma.rn" + rest + ".f16x2",
      [](HalfPair a, HalfPair b, HalfPair c) -> HalfPair {
        return HalfPair::of(Fused{}(a.low(), b.low(), c.low()), Fused{}(a.high(), b.high(), c.high()));
      },
      Unit::kFloat);
}

template <Round Mode, bool Ftz, bool Sat>
[[gnu::cold]] void add_to_half(OpRegistry& ops) {
  const std::string mode = std::string("cvt") + round_text(Mode) + ftz_text(Ftz) + sat_text(Sat);
  const auto narrow = [](double value) {
    if constexpr (Sat) value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
    return round_to_half(value, Mode);
  };
  using Narrow = decltype(narrow);
  ops.add<Ftz || Sat>(mode + ".f16.f32", [](float a) -> Half { return Narrow{}(operand<Ftz>(a)); });
  if constexpr (!Ftz) {
    ops.add<Sat>(
        mode + ".f16.f64", [](double a) -> Half { return Narrow{}(a); }, Unit::kFp64);
  }
}

template <Round Mode>
[[gnu::cold]] void add_all_to_half(OpRegistry& ops) {
  add_to_half<Mode, false, false>(ops);
  add_to_half<Mode, false, true>(ops);
  add_to_half<Mode, true, false>(ops);
  add_to_half<Mode, true, true>(ops);
}

}  // namespace

[[gnu::cold]] void add_half_ops(OpRegistry& ops) {
  add_half_arithmetic<false, false>(ops);
  add_half_arithmetic<false, true>(ops);
  add_half_arithmetic<true, false>(ops);
  add_half_arithmetic<true, true>(ops);
  ops.add("neg.f16", [](Half a) -> Half { return Half(static_cast<u32>(a) ^ 0x8000); });
  ops.add("abs.f16", [](Half a) -> Half { return Half(static_cast<u32>(a) & 0x7fff); });
  ops.add("neg.f16x2", [](HalfPair a) -> HalfPair { return {a.bits ^ 0x80008000}; });
  ops.add("abs.f16x2", [](HalfPair a) -> HalfPair { return {a.bits & 0x7fff7fff}; });
  ops.add<kSeldom>("neg.ftz.f16", [](Half a) -> Half { return Half(static_cast<u32>(flush(a)) ^ 0x8000); });
  ops.add<kSeldom>("abs.ftz.f16", [](Half a) -> Half { return Half(static_cast<u32>(flush(a)) & 0x7fff); });
  ops.add<kSeldom>("neg.ftz.f16x2", [](HalfPair a) -> HalfPair {
    return {HalfPair::of(flush(a.low()), flush(a.high())).bits ^ 0x80008000};
  });
  ops.add<kSeldom>("abs.ftz.f16x2", [](HalfPair a) -> HalfPair {
    return {HalfPair::of(flush(a.low()), flush(a.high())).bits & 0x7fff7fff};
  });
  add_all_to_half<Round::kNearest>(ops);
  add_all_to_half<Round::kZero>(ops);
  add_all_to_half<Round::kDown>(ops);
  add_all_to_half<Round::kUp>(ops);
  const OpInfo widened =
      make_op(Unit::kAlu, [](Half a) -> float { return deliver<false, false>(static_cast<float>(a.value())); });
  ops.add("cvt.f32.f16", widened);
  ops.add("cvt.ftz.f32.f16", widened);  // every half is a normal float
  ops.add(
      "cvt.f64.f16", [](Half a) -> double { return a.value(); }, Unit::kFp64);
}

}  // namespace warpfold::isa
