// SPDX-License-Identifier: Apache-2.0
// bf16 arithmetic, and what f16 and bf16 have alike: minima, maxima, rectified results, approximate functions (PTX ISA
// §9.7.4).
#include <string>

#include "warpfold/isa/execute/ops/approximate.h"
#include "warpfold/isa/execute/ops/narrow/narrow_formats.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {

Bfloat round_to_bfloat(float value, Round mode) {
  const u32 bits = bits_of(value);
  if (is_nan(value)) return Bfloat(0x7fff);
  const bool outwards = mode == ((bits >> 31) != 0 ? Round::kDown : Round::kUp);
  const u32 up = mode == Round::kNearest ? 0x7fff + (bits >> 16 & 1) : outwards ? 0xffff : 0;
  return Bfloat((bits + up) >> 16);
}

// Rounded to an odd float where it is inexact, of which 24 bits tell everything that rounding to 8 needs to know.
Bfloat round_between(float below, float above) {
  return round_to_bfloat((bits_of(below) & 1) != 0 ? below : above, Round::kNearest);
}

Bfloat fused(Bfloat a, Bfloat b, Bfloat c) {
  const float below = soft::fma(a.value(), b.value(), c.value(), Round::kDown);
  const float above = soft::fma(a.value(), b.value(), c.value(), Round::kUp);
  if (is_nan(below)) return Bfloat(0x7fff);
  // An exact zero has a sign by the rounding mode.
  if (below == 0.0F && above == 0.0F) return Bfloat(bits_of(a.value() * b.value() + c.value()) >> 16);
  return round_between(below, above);
}

namespace {

Half fused(Half a, Half b, Half c) { return round_to_half(a.value() * b.value() + c.value(), Round::kNearest); }

template <class Format, class F>
[[gnu::cold]] void add_unary(OpRegistry& ops, const std::string& name, F, Unit unit) {
  using Number = typename Format::Number;
  using Pair = typename Format::Pair;
  ops.add(
      name + "." + Format::kName, [](Number a) -> Number { return F{}(a); }, unit);
  ops.add(
      name + "." + Format::kName + "x2", [](Pair a) -> Pair { return Pair::of(F{}(a.low()), F{}(a.high())); }, unit);
}

template <class Format, bool Seldom = false, class F>
[[gnu::cold]] void add_binary(OpRegistry& ops, const std::string& name, F) {
  using Number = typename Format::Number;
  using Pair = typename Format::Pair;
  ops.add<Seldom>(
      name + "." + Format::kName, [](Number a, Number b) -> Number { return F{}(a, b); }, Unit::kFloat);
  ops.add<Seldom>(
      name + "." + Format::kName + "x2",
      [](Pair a, Pair b) -> Pair { return Pair::of(F{}(a.low(), b.low()), F{}(a.high(), b.high())); }, Unit::kFloat);
}

template <class Format, bool Seldom = false, class F>
[[gnu::cold]] void add_ternary(OpRegistry& ops, const std::string& name, F) {
  using Number = typename Format::Number;
  using Pair = typename Format::Pair;
  ops.add<Seldom>(
      name + "." + Format::kName, [](Number a, Number b, Number c) -> Number { return F{}(a, b, c); }, Unit::kFloat);
  ops.add<Seldom>(
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

// .xorsign.abs: of the magnitudes, with the sign of the product.
template <class Format, bool Max, bool Nan>
typename Format::Number signed_extreme(typename Format::Number a, typename Format::Number b) {
  using Number = typename Format::Number;
  const auto x = static_cast<u32>(a), y = static_cast<u32>(b);
  const Number result = extreme<Format, Max, Nan>(Number(x & 0x7fff), Number(y & 0x7fff));
  return is_nan_of(result, kInfinity<Format>) ? result : Number(static_cast<u32>(result) | ((x ^ y) & 0x8000));
}

template <class Format, bool Max, bool Nan>
[[gnu::cold]] void add_extreme(OpRegistry& ops) {
  using Number = typename Format::Number;
  const std::string name = Max ? "max" : "min", nan = Nan ? ".NaN" : "";
  add_binary<Format>(ops, name + nan, [](Number a, Number b) { return extreme<Format, Max, Nan>(a, b); });
  add_binary<Format, kSeldom>(ops, name + nan + ".xorsign.abs",
                              [](Number a, Number b) { return signed_extreme<Format, Max, Nan>(a, b); });
  if constexpr (std::is_same_v<Format, HalfFormat>) {
    add_binary<Format, kSeldom>(ops, name + ".ftz" + nan,
                                [](Half a, Half b) { return extreme<Format, Max, Nan>(flush(a), flush(b)); });
    add_binary<Format, kSeldom>(ops, name + ".ftz" + nan + ".xorsign.abs",
                                [](Half a, Half b) { return signed_extreme<Format, Max, Nan>(flush(a), flush(b)); });
  }
}

template <class Format>
[[gnu::cold]] void add_extremes(OpRegistry& ops) {
  add_extreme<Format, false, false>(ops);
  add_extreme<Format, false, true>(ops);
  add_extreme<Format, true, false>(ops);
  add_extreme<Format, true, true>(ops);
}

// .oob: +0 where a factor is what copies of tensors have for what lies outside. That is one NaN for both formats, which
// the manual does not give: its value, and that signs do not matter, is what chips were measured to have.
template <class Format>
typename Format::Number fused_inside(typename Format::Number a, typename Format::Number b, typename Format::Number c) {
  constexpr u32 kOutside = 0x7ff7;
  const bool outside = (static_cast<u32>(a) & 0x7fff) == kOutside || (static_cast<u32>(b) & 0x7fff) == kOutside;
  return outside ? typename Format::Number(0) : fused(a, b, c);
}

template <class Format>
[[gnu::cold]] void add_fused_inside(OpRegistry& ops) {
  using Number = typename Format::Number;
  add_ternary<Format, kSeldom>(ops, "fma.rn.oob",
                               [](Number a, Number b, Number c) { return fused_inside<Format>(a, b, c); });
  add_ternary<Format, kSeldom>(ops, "fma.rn.oob.relu", [](Number a, Number b, Number c) {
    return rectified<Format>(fused_inside<Format>(a, b, c));
  });
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
  const auto fused_half = [](Half a, Half b, Half c) { return rectified<H>(fused(a, b, c)); };
  using Fused = decltype(fused_half);
  add_ternary<H>(ops, "fma.rn.relu", fused_half);
  add_ternary<H, kSeldom>(ops, "fma.rn.ftz.relu",
                          [](Half a, Half b, Half c) { return flush(Fused{}(flush(a), flush(b), flush(c))); });
}

}  // namespace

Half extreme_of(Half a, Half b, bool greater) {
  return greater ? extreme<HalfFormat, true, false>(a, b) : extreme<HalfFormat, false, false>(a, b);
}
Bfloat extreme_of(Bfloat a, Bfloat b, bool greater) {
  return greater ? extreme<BfloatFormat, true, false>(a, b) : extreme<BfloatFormat, false, false>(a, b);
}

[[gnu::cold]] void add_narrow_float_ops(OpRegistry& ops) {
  add_bfloat_arithmetic(ops);
  add_extremes<HalfFormat>(ops);
  add_extremes<BfloatFormat>(ops);
  add_fused_inside<HalfFormat>(ops);
  add_fused_inside<BfloatFormat>(ops);
  add_functions(ops);
}

}  // namespace warpfold::isa
