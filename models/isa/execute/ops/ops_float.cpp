// SPDX-License-Identifier: Apache-2.0
// Floating-point sums, products, signs, extremes and tests (PTX ISA §9.7.3). Round to nearest is the host's arithmetic;
// the directed modes are soft_float's.
#include <cmath>

#include "warpfold/isa/execute/ops/op_registry.h"
#include "warpfold/isa/execute/ops/soft_float.h"

namespace warpfold::isa {
namespace {

template <class F, Round Mode>
F add(F a, F b) {
  if constexpr (Mode == Round::kNearest)
    return a + b;
  else
    return soft::add(a, b, Mode);
}
template <class F, Round Mode>
F multiply(F a, F b) {
  if constexpr (Mode == Round::kNearest)
    return a * b;
  else
    return soft::multiply(a, b, Mode);
}
template <class F, Round Mode>
F multiply_add(F a, F b, F c) {
  if constexpr (Mode == Round::kNearest)
    return std::fma(a, b, c);
  else
    return soft::fma(a, b, c, Mode);
}

// Both floats of a double word.
template <class Op, class... Pairs>
u64 on_floats(Pairs... pairs) {
  const float low = Op{}(from_bits<float>(static_cast<u32>(pairs))...);
  const float high = Op{}(from_bits<float>(static_cast<u32>(pairs >> 32))...);
  return u64{bits_of(high)} << 32 | bits_of(low);
}

template <class F, Round Mode, bool Ftz, bool Sat>
[[gnu::cold]] void add_arithmetic(OpRegistry& ops, const std::string& suffix, Unit unit) {
  constexpr bool kUnusual = Mode != Round::kNearest || Sat;
  const auto sum = [](F a, F b) -> F {
    a = operand<Ftz>(a), b = operand<Ftz>(b);
    return deliver<Ftz, Sat>(add<F, Mode>(a, b), a, b);
  };
  const auto difference = [](F a, F b) -> F {
    a = operand<Ftz>(a), b = operand<Ftz>(b);
    return deliver<Ftz, Sat>(add<F, Mode>(a, -b), a, b);
  };
  const auto product = [](F a, F b) -> F {
    a = operand<Ftz>(a), b = operand<Ftz>(b);
    return deliver<Ftz, Sat>(multiply<F, Mode>(a, b), a, b);
  };
  const auto fused = [](F a, F b, F c) -> F {
    a = operand<Ftz>(a), b = operand<Ftz>(b), c = operand<Ftz>(c);
    return deliver<Ftz, Sat>(multiply_add<F, Mode>(a, b, c), a, b, c);
  };
  ops.add<kUnusual>("add" + suffix, sum, unit);
  ops.add<kUnusual>("sub" + suffix, difference, unit);
  ops.add<kUnusual>("mul" + suffix, product, unit);
  ops.add<kUnusual>("fma" + suffix, fused, unit);
  ops.add<kUnusual>("mad" + suffix, fused, unit);  // the same from sm_20 on
  if constexpr (sizeof(F) == 4 && !Sat) {
    ops.add<kSeldom>(
        "add" + suffix + "x2", [](u64 a, u64 b) -> u64 { return on_floats<decltype(sum)>(a, b); }, unit);
    ops.add<kSeldom>(
        "sub" + suffix + "x2", [](u64 a, u64 b) -> u64 { return on_floats<decltype(difference)>(a, b); }, unit);
    ops.add<kSeldom>(
        "mul" + suffix + "x2", [](u64 a, u64 b) -> u64 { return on_floats<decltype(product)>(a, b); }, unit);
    ops.add<kSeldom>(
        "fma" + suffix + "x2", [](u64 a, u64 b, u64 c) -> u64 { return on_floats<decltype(fused)>(a, b, c); }, unit);
  }
}

// Without a rounding modifier: round to nearest. fma and mad must name one (PTX ISA §9.7.3, fma), so those spellings
// are dropped again.
template <class F, Round Mode, bool Ftz, bool Sat>
[[gnu::cold]] void add_rounded(OpRegistry& ops) {
  const std::string rest = std::string(ftz_text(Ftz)) + sat_text(Sat) + type_suffix<F>();
  const Unit unit = float_unit<F>();
  add_arithmetic<F, Mode, Ftz, Sat>(ops, round_text(Mode) + rest, unit);
  if constexpr (Mode == Round::kNearest) {
    for (const std::string name : {"add", "sub", "mul"}) {
      ops.add(name + rest, *ops.find(name + ".rn" + rest));
      if constexpr (sizeof(F) == 4 && !Sat) ops.add(name + rest + "x2", *ops.find(name + ".rn" + rest + "x2"));
    }
  }
}

template <class F, bool Ftz, bool Sat>
[[gnu::cold]] void add_all_roundings(OpRegistry& ops) {
  add_rounded<F, Round::kNearest, Ftz, Sat>(ops);
  add_rounded<F, Round::kZero, Ftz, Sat>(ops);
  add_rounded<F, Round::kDown, Ftz, Sat>(ops);
  add_rounded<F, Round::kUp, Ftz, Sat>(ops);
}

// One NaN gives the other operand, two give NaN; −0 is below +0 (PTX ISA §9.7.3, min, max).
template <class F, bool Max>
F extreme(F a, F b) {
  const bool takes_a = Max ? a > b : a < b;
  const auto equal = Max ? bits_of(a) & bits_of(b) : bits_of(a) | bits_of(b);  // matters for zeros of both signs
  const F ordered = a == b ? from_bits<F>(equal) : takes_a ? a : b;
  return is_nan(a) ? b : is_nan(b) ? a : ordered;
}

// Of three numbers, or of their magnitudes; with Nan, one that is none gives NaN. The decoder names them min3 and max3.
template <bool Max, bool Ftz, bool Nan, bool Abs>
[[gnu::cold]] void add_extreme_of_three(OpRegistry& ops) {
  const std::string opcode =
      std::string(Max ? "max3" : "min3") + ftz_text(Ftz) + (Nan ? ".NaN" : "") + (Abs ? ".abs" : "") + ".f32";
  ops.add<kSeldom>(
      opcode,
      [](float a, float b, float c) -> float {
        for (float* const x : {&a, &b, &c}) {
          *x = operand<Ftz>(*x);
          if constexpr (Abs) *x = from_bits<float>(bits_of(*x) & ~kSignBit<float>);
        }
        if (Nan && (is_nan(a) || is_nan(b) || is_nan(c))) return nan_result<float>();
        return deliver<Ftz, false>(extreme<float, Max>(extreme<float, Max>(a, b), c), a, b, c);
      },
      Unit::kFloat);
}

template <bool Max, bool Ftz>
[[gnu::cold]] void add_extremes_of_three(OpRegistry& ops) {
  add_extreme_of_three<Max, Ftz, false, false>(ops);
  add_extreme_of_three<Max, Ftz, false, true>(ops);
  add_extreme_of_three<Max, Ftz, true, false>(ops);
  add_extreme_of_three<Max, Ftz, true, true>(ops);
}

// .NaN: any NaN operand gives NaN. .xorsign.abs: of the magnitudes, with the sign of the product.
template <bool Max, bool Ftz>
[[gnu::cold]] void add_single_extremes(OpRegistry& ops) {
  const std::string name = std::string(Max ? "max" : "min") + ftz_text(Ftz);
  const auto with_nan = [](float a, float b) {
    a = operand<Ftz>(a), b = operand<Ftz>(b);
    return is_nan(a) || is_nan(b) ? nan_result<float>() : extreme<float, Max>(a, b);
  };
  ops.add(
      name + ".NaN.f32", [](float a, float b) -> float { return decltype(with_nan){}(a, b); }, Unit::kFloat);
  const auto add_signed = [&](const char* nan, auto extreme_of) {
    using Extreme = decltype(extreme_of);
    ops.add(
        name + nan + ".xorsign.abs.f32",
        [](float a, float b) -> float {
          const u32 sign = (bits_of(a) ^ bits_of(b)) & kSignBit<float>;
          const float x = from_bits<float>(bits_of(operand<Ftz>(a)) & ~kSignBit<float>);
          const float y = from_bits<float>(bits_of(operand<Ftz>(b)) & ~kSignBit<float>);
          const float picked = Extreme{}(x, y);
          return is_nan(picked) ? nan_result<float>() : from_bits<float>(bits_of(picked) | sign);
        },
        Unit::kFloat);
  };
  add_signed("", [](float x, float y) { return extreme<float, Max>(x, y); });
  add_signed(".NaN", with_nan);
}

template <class F, bool Ftz>
[[gnu::cold]] void add_extremes(OpRegistry& ops, const std::string& rest, Unit unit) {
  ops.add(
      "min" + rest,
      [](F a, F b) -> F {
        a = operand<Ftz>(a), b = operand<Ftz>(b);
        return deliver<Ftz, false>(extreme<F, false>(a, b), a, b);
      },
      unit);
  ops.add(
      "max" + rest,
      [](F a, F b) -> F {
        a = operand<Ftz>(a), b = operand<Ftz>(b);
        return deliver<Ftz, false>(extreme<F, true>(a, b), a, b);
      },
      unit);
  if constexpr (sizeof(F) == 4) {
    add_extremes_of_three<false, Ftz>(ops);
    add_extremes_of_three<true, Ftz>(ops);
    add_single_extremes<false, Ftz>(ops);
    add_single_extremes<true, Ftz>(ops);
  }
}

template <class F, bool Ftz>
[[gnu::cold]] void add_signs(OpRegistry& ops) {
  const std::string rest = std::string(ftz_text(Ftz)) + type_suffix<F>();
  const Unit unit = float_unit<F>();
  ops.add(
      "abs" + rest, [](F a) -> F { return from_bits<F>(bits_of(operand<Ftz>(a)) & ~kSignBit<F>); }, unit);
  ops.add(
      "neg" + rest, [](F a) -> F { return from_bits<F>(bits_of(operand<Ftz>(a)) ^ kSignBit<F>); }, unit);
  add_extremes<F, Ftz>(ops, rest, unit);
}

template <class F>
[[gnu::cold]] void add_tests(OpRegistry& ops) {
  const std::string type = type_suffix<F>();
  constexpr BitsOf<F> least_normal = bits_of(std::numeric_limits<F>::min());
  static constexpr auto magnitude = [](F a) { return bits_of(a) & ~kSignBit<F>; };
  ops.add("copysign" + type,
          [](F a, F b) -> F { return from_bits<F>((bits_of(a) & kSignBit<F>) | (bits_of(b) & ~kSignBit<F>)); });
  ops.add("testp.finite" + type, [](F a) -> bool { return is_finite(a); });
  ops.add("testp.infinite" + type, [](F a) -> bool { return magnitude(a) == kInfinityBits<F>; });
  ops.add("testp.number" + type, [](F a) -> bool { return !is_nan(a); });
  ops.add("testp.notanumber" + type, [](F a) -> bool { return is_nan(a); });
  ops.add("testp.normal" + type, [](F a) -> bool { return is_finite(a) && magnitude(a) >= least_normal; });
  ops.add("testp.subnormal" + type, [](F a) -> bool { return magnitude(a) != 0 && magnitude(a) < least_normal; });
}

}  // namespace

[[gnu::cold]] void add_float_ops(OpRegistry& ops) {
  add_all_roundings<float, false, false>(ops);
  add_all_roundings<float, true, false>(ops);
  add_all_roundings<float, false, true>(ops);
  add_all_roundings<float, true, true>(ops);
  add_all_roundings<double, false, false>(ops);
  add_signs<float, false>(ops);
  add_signs<float, true>(ops);
  add_signs<double, false>(ops);
  add_tests<float>(ops);
  add_tests<double>(ops);
}

}  // namespace warpfold::isa
