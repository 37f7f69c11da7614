// SPDX-License-Identifier: Apache-2.0
// Conversions of f16, bf16 and tf32 from and to integers and wider floats, alone and in pairs (PTX ISA §9.7.9, cvt).
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "warpfold/isa/execute/ops/narrow/narrow_formats.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

template <Round Mode>
using RoundConstant = std::integral_constant<Round, Mode>;

// f(mode) for each rounding mode, as a type.
template <class F>
[[gnu::cold]] void for_roundings(F f) {
  f(RoundConstant<Round::kNearest>());
  f(RoundConstant<Round::kZero>());
  f(RoundConstant<Round::kDown>());
  f(RoundConstant<Round::kUp>());
}

// .satfinite: the greatest number takes the place of infinity.
template <class Format>
typename Format::Number finite(typename Format::Number a) {
  const auto bits = static_cast<u32>(a);
  return (bits & 0x7fff) == kInfinity<Format> ? typename Format::Number((bits & 0x8000) | Format::kGreatest) : a;
}

template <class Format, bool Relu, bool Finite>
typename Format::Number finished(typename Format::Number result) {
  if constexpr (Finite) result = finite<Format>(result);
  return Relu ? rectified<Format>(result) : result;
}

template <class Format, Round Mode, bool Relu, bool Finite>
typename Format::Number narrowed(float a) {
  return finished<Format, Relu, Finite>(Format::narrow(a, Mode));
}

// One float, and {high, low} of two.
template <class Format, Round Mode, bool Relu, bool Finite>
[[gnu::cold]] void add_narrowing(OpRegistry& ops) {
  using Number = typename Format::Number;
  using Pair = typename Format::Pair;
  const std::string name =
      std::string("cvt") + round_text(Mode) + (Relu ? ".relu" : "") + (Finite ? ".satfinite." : ".") + Format::kName;
  // The plain ones of f16 stand beside its arithmetic.
  if constexpr (Relu || Finite || std::is_same_v<Format, BfloatFormat>) {
    ops.add<Finite>(name + ".f32", [](float a) -> Number { return narrowed<Format, Mode, Relu, Finite>(a); });
  }
  ops.add<Finite>(name + "x2.f32", [](float a, float b) -> Pair {
    return Pair::of(narrowed<Format, Mode, Relu, Finite>(b), narrowed<Format, Mode, Relu, Finite>(a));
  });
}

// .rs: random bits are added to those behind the last digit, where the sum is cut. Of f16 there are 13.
Half by_chance(HalfFormat /*format*/, float a, u32 bits) {
  const double size = std::fabs(double{a});
  const int last = std::max(size == 0 ? -14 : std::ilogb(size), -14) - 10;
  const double sum = size + std::ldexp(bits & 0x1fff, last - 13);
  return round_to_half(std::copysign(sum, double{a}), sum < 0x1p16 ? Round::kZero : Round::kNearest);
}
Bfloat by_chance(BfloatFormat /*format*/, float a, u32 bits) {
  return is_nan(a) ? Bfloat(0x7fff) : Bfloat((bits_of(a) + bits) >> 16);
}

// The upper half of the random bits is the first one's.
template <class Format, bool Relu, bool Finite>
[[gnu::cold]] void add_chance(OpRegistry& ops) {
  using Pair = typename Format::Pair;
  ops.add<kSeldom>(
      std::string("cvt.rs") + (Relu ? ".relu" : "") + (Finite ? ".satfinite." : ".") + Format::kName + "x2.f32",
      [](float a, float b, u32 bits) -> Pair {
        return Pair::of(finished<Format, Relu, Finite>(by_chance(Format{}, b, bits & 0xffff)),
                        finished<Format, Relu, Finite>(by_chance(Format{}, a, bits >> 16)));
      });
}

template <class Format>
[[gnu::cold]] void add_chances(OpRegistry& ops) {
  add_chance<Format, false, false>(ops);
  add_chance<Format, false, true>(ops);
  add_chance<Format, true, false>(ops);
  add_chance<Format, true, true>(ops);
}

template <class Format, Round Mode>
[[gnu::cold]] void add_narrowings(OpRegistry& ops) {
  add_narrowing<Format, Mode, false, false>(ops);
  add_narrowing<Format, Mode, false, true>(ops);
  add_narrowing<Format, Mode, true, false>(ops);
  add_narrowing<Format, Mode, true, true>(ops);
}

// Towards one side the two steps of a rounding go the same way; to nearest, both neighbours tell.
template <Round Mode, class Narrow>
Bfloat bfloat_by(Narrow narrow) {
  if constexpr (Mode == Round::kNearest) return round_between(narrow(Round::kDown), narrow(Round::kUp));
  return round_to_bfloat(narrow(Mode), Mode);
}

template <Round Mode>
Bfloat bfloat_of(double a) {
  if (is_nan(a)) return Bfloat(0x7fff);
  return bfloat_by<Mode>([a](Round mode) { return soft::narrow(a, mode); });
}

template <Round Mode, class S>
Bfloat bfloat_of_integer(S a) {
  const bool negative = a < S{0};
  const u64 magnitude = negative ? u64{0} - static_cast<u64>(static_cast<s64>(a)) : static_cast<u64>(a);
  return bfloat_by<Mode>([=](Round mode) { return soft::from_integer<float>(negative, magnitude, mode); });
}

[[gnu::cold]] void add_bfloat_and_floats(OpRegistry& ops) {
  for_roundings([&](auto mode) {
    constexpr Round kMode = decltype(mode)::value;
    const std::string name = std::string("cvt") + round_text(kMode) + ".bf16";
    if constexpr (kMode == Round::kDown || kMode == Round::kUp) {
      ops.add<kSeldom>(name + ".f32", [](float a) -> Bfloat { return round_to_bfloat(a, decltype(mode)::value); });
    }
    ops.add<kSeldom>(
        name + ".f64", [](double a) -> Bfloat { return bfloat_of<decltype(mode)::value>(a); }, Unit::kFp64);
  });
  ops.add("cvt.f32.bf16", [](Bfloat a) -> float { return deliver<false, false>(a.value()); });
  ops.add<kSeldom>(
      "cvt.f64.bf16", [](Bfloat a) -> double { return deliver<false, false>(static_cast<double>(a.value())); },
      Unit::kFp64);
}

double wide(Half a) { return a.value(); }
double wide(Bfloat a) { return static_cast<double>(a.value()); }

// Out-of-range values give the nearest end of the range, with or without .sat.
template <class S>
S to_integer(double value) {
  if (is_nan(value)) return sizeof(S) < 8 ? S{0} : static_cast<S>(u64{1} << 63);
  constexpr auto low = std::numeric_limits<S>::min(), high = std::numeric_limits<S>::max();
  if (value <= static_cast<double>(low)) return low;
  return value >= static_cast<double>(high) ? high : static_cast<S>(value);
}

// f(mode, function) for each way to an integral number, which is exact.
template <class F>
[[gnu::cold]] void for_integral_modes(F f) {
  f("rni", [](double a) { return __builtin_nearbyint(a); });
  f("rzi", [](double a) { return __builtin_trunc(a); });
  f("rmi", [](double a) { return __builtin_floor(a); });
  f("rpi", [](double a) { return __builtin_ceil(a); });
}

template <class Format, class S>
[[gnu::cold]] void add_to_integer(OpRegistry& ops) {
  using Number = typename Format::Number;
  for_integral_modes([&](const char* mode, auto integral) {
    using Integral = decltype(integral);
    const OpInfo info = make_op<std::is_same_v<Format, BfloatFormat>>(
        Unit::kAlu, [](Number a) -> S { return to_integer<S>(Integral{}(wide(a))); });
    const std::string types = type_suffix<S>() + "." + Format::kName;
    ops.add(std::string("cvt.") + mode + types, info);
    ops.add(std::string("cvt.") + mode + ".sat" + types, info);
  });
}

// All integers of up to 53 bits, and those beyond what a half can hold, are as good in double.
template <class S>
[[gnu::cold]] void add_integer(OpRegistry& ops) {
  const std::string type = type_suffix<S>();
  for_roundings([&](auto mode) {
    const std::string name = std::string("cvt") + round_text(decltype(mode)::value);
    ops.add(name + ".f16" + type,
            [](S a) -> Half { return round_to_half(static_cast<double>(a), decltype(mode)::value); });
    ops.add<kSeldom>(name + ".sat.f16" + type, [](S a) -> Half { return Half(a > S{0} ? 0x3c00 : 0); });
    ops.add<kSeldom>(name + ".bf16" + type, [](S a) -> Bfloat { return bfloat_of_integer<decltype(mode)::value>(a); });
  });
  add_to_integer<HalfFormat, S>(ops);
  add_to_integer<BfloatFormat, S>(ops);
}

template <class... S>
[[gnu::cold]] void add_integers(OpRegistry& ops) {
  (add_integer<S>(ops), ...);
}

[[gnu::cold]] void add_integral(OpRegistry& ops) {
  for_integral_modes([&](const char* mode, auto integral) {
    using Integral = decltype(integral);
    const std::string name = std::string("cvt.") + mode;
    ops.add(name + ".f16.f16", [](Half a) -> Half { return round_to_half(Integral{}(a.value()), Round::kNearest); });
    ops.add<kSeldom>(name + ".bf16.bf16", [](Bfloat a) -> Bfloat {
      return round_to_bfloat(static_cast<float>(Integral{}(wide(a))), Round::kNearest);
    });
  });
  ops.add("cvt.f16.f16", [](Half a) -> Half { return round_to_half(a.value(), Round::kNearest); });
  ops.add("cvt.sat.f16.f16", [](Half a) -> Half {
    const double value = a.value();
    return round_to_half(value > 0 ? (value < 1 ? value : 1.0) : 0.0, Round::kNearest);
  });
}

// tf32: a float of which 10 bits of fraction stay. `up` is added below them.
template <bool Relu, bool Finite>
u32 tf32_of(float a, u32 up) {
  constexpr u32 kFraction = ~u32{0x1fff}, infinity = kInfinityBits<float>, greatest = 0x7f7fe000;
  if (is_nan(a)) return 0x7fffffff;
  u32 bits = is_finite(a) ? (bits_of(a) + up) & kFraction : bits_of(a);
  if (Relu && (bits & kSignBit<float>) != 0) return 0;
  if (Finite && (bits & ~kSignBit<float>) == infinity) bits = (bits & kSignBit<float>) | greatest;
  return bits;
}

template <bool Relu, bool Finite>
[[gnu::cold]] void add_tf32(OpRegistry& ops) {
  const std::string rest = std::string(Relu ? ".relu" : "") + (Finite ? ".satfinite" : "") + ".tf32.f32";
  ops.add<kSeldom>("cvt.rn" + rest,
                   [](float a) -> u32 { return tf32_of<Relu, Finite>(a, 0xfff + (bits_of(a) >> 13 & 1)); });
  ops.add<kSeldom>("cvt.rz" + rest, [](float a) -> u32 { return tf32_of<Relu, Finite>(a, 0); });
  // Ties go away from zero.
  if constexpr (!Relu) {
    ops.add<Finite>("cvt.rna" + rest, [](float a) -> u32 { return tf32_of<Relu, Finite>(a, 0x1000); });
  }
}

}  // namespace

[[gnu::cold]] void add_narrow_conversions(OpRegistry& ops) {
  add_narrowings<HalfFormat, Round::kNearest>(ops);
  add_narrowings<HalfFormat, Round::kZero>(ops);
  add_narrowings<BfloatFormat, Round::kNearest>(ops);
  add_narrowings<BfloatFormat, Round::kZero>(ops);
  add_chances<HalfFormat>(ops);
  add_chances<BfloatFormat>(ops);
  add_bfloat_and_floats(ops);
  add_integral(ops);
  add_integers<u8, s8, u16, s16, u32, s32, u64, s64>(ops);
  add_tf32<false, false>(ops);
  add_tf32<false, true>(ops);
  add_tf32<true, false>(ops);
  add_tf32<true, true>(ops);
}

}  // namespace warpfold::isa
