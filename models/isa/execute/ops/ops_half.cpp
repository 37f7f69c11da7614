// SPDX-License-Identifier: Apache-2.0
// Half precision (PTX ISA §9.7.4 and §9.7.9): sums, products, signs and conversions. Computed in double, whose result
// is then rounded to half: sums and products of halves are exact there, and a fused operation is inexact only where its
// smaller part is too small to reach the point between two halves.
#include <cmath>

#include "warpfold/isa/execute/ops/half.h"
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

template <bool Sat>
Half deliver_half(double value) {
  if constexpr (Sat) value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
  return round_to_half(value, Round::kNearest);
}

template <class F>
[[gnu::cold]] void add_both_shapes(OpRegistry& ops, const std::string& name, F) {
  ops.add(
      name + ".f16", [](Half a, Half b) -> Half { return F{}(a, b); }, Unit::kFloat);
  ops.add(
      name + ".f16x2",
      [](HalfPair a, HalfPair b) -> HalfPair { return HalfPair::of(F{}(a.low(), b.low()), F{}(a.high(), b.high())); },
      Unit::kFloat);
}

template <bool Sat>
[[gnu::cold]] void add_half_arithmetic(OpRegistry& ops) {
  const auto sum = [](Half a, Half b) { return deliver_half<Sat>(a.value() + b.value()); };
  const auto difference = [](Half a, Half b) { return deliver_half<Sat>(a.value() - b.value()); };
  const auto product = [](Half a, Half b) { return deliver_half<Sat>(a.value() * b.value()); };
  for (const std::string rounding : {"", ".rn"}) {
    add_both_shapes(ops, "add" + rounding + sat_text(Sat), sum);
    add_both_shapes(ops, "sub" + rounding + sat_text(Sat), difference);
    add_both_shapes(ops, "mul" + rounding + sat_text(Sat), product);
  }
  const std::string fused = std::string("fma.rn") + sat_text(Sat);
  ops.add(
      fused + ".f16",
      [](Half a, Half b, Half c) -> Half { return deliver_half<Sat>(a.value() * b.value() + c.value()); },
      Unit::kFloat);
  ops.add(
      fused + ".f16x2",
      [](HalfPair a, HalfPair b, HalfPair c) -> HalfPair {
        return HalfPair::of(deliver_half<Sat>(a.low().value() * b.low().value() + c.low().value()),
                            deliver_half<Sat>(a.high().value() * b.high().value() + c.high().value()));
      },
      Unit::kFloat);
}

template <Round Mode>
[[gnu::cold]] void add_to_half(OpRegistry& ops) {
  const std::string mode = std::string("cvt") + round_text(Mode);
  ops.add(mode + ".f16.f32", [](float a) -> Half { return round_to_half(a, Mode); });
  ops.add(
      mode + ".f16.f64", [](double a) -> Half { return round_to_half(a, Mode); }, Unit::kFp64);
}

}  // namespace

[[gnu::cold]] void add_half_ops(OpRegistry& ops) {
  add_half_arithmetic<false>(ops);
  add_half_arithmetic<true>(ops);
  ops.add("neg.f16", [](Half a) -> Half { return Half(static_cast<u32>(a) ^ 0x8000); });
  ops.add("abs.f16", [](Half a) -> Half { return Half(static_cast<u32>(a) & 0x7fff); });
  ops.add("neg.f16x2", [](HalfPair a) -> HalfPair { return {a.bits ^ 0x80008000}; });
  ops.add("abs.f16x2", [](HalfPair a) -> HalfPair { return {a.bits & 0x7fff7fff}; });
  add_to_half<Round::kNearest>(ops);
  add_to_half<Round::kZero>(ops);
  add_to_half<Round::kDown>(ops);
  add_to_half<Round::kUp>(ops);
  ops.add("cvt.f32.f16", [](Half a) -> float { return deliver<false, false>(static_cast<float>(a.value())); });
  ops.add(
      "cvt.f64.f16", [](Half a) -> double { return a.value(); }, Unit::kFp64);
}

}  // namespace warpfold::isa
