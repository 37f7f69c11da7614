// SPDX-License-Identifier: Apache-2.0
// cvt between integers, between integers and floating point, and between float and double (PTX ISA §9.7.9, cvt).
#include <cmath>

#include "warpfold/isa/execute/ops/op_registry.h"
#include "warpfold/isa/execute/ops/soft_float.h"

namespace warpfold::isa {
namespace {

// ".sat" limits to the range of the destination; without it the low bits are taken.
template <class D, class S>
D saturate_integer(S a) {
  if constexpr (std::is_signed_v<S>) {
    if constexpr (std::is_unsigned_v<D>) {
      if (a < 0) return 0;
      return saturate_integer<D>(static_cast<Unsigned<S>>(a));
    } else {
      return saturate<D>(static_cast<s64>(a));
    }
  } else {
    constexpr auto high = static_cast<u64>(std::numeric_limits<D>::max());
    return static_cast<u64>(a) > high ? std::numeric_limits<D>::max() : static_cast<D>(a);
  }
}

template <class D, class S>
[[gnu::cold]] void add_integer_pair(OpRegistry& ops) {
  const std::string types = type_suffix<D>() + type_suffix<S>();
  ops.add("cvt" + types, [](S a) -> D { return static_cast<D>(a); });
  ops.add<kSeldom>("cvt.sat" + types, [](S a) -> D { return saturate_integer<D, S>(a); });
}

template <class F, class S, Round Mode>
F from_integer(S a) {
  if constexpr (Mode == Round::kNearest) {
    return static_cast<F>(a);
  } else {
    const bool negative = a < S{0};
    const u64 magnitude = negative ? u64{0} - static_cast<u64>(static_cast<s64>(a)) : static_cast<u64>(a);
    return soft::from_integer<F>(negative, magnitude, Mode);
  }
}

template <class F, class S, Round Mode>
[[gnu::cold]] void add_from_integer(OpRegistry& ops) {
  const std::string types = type_suffix<F>() + type_suffix<S>();
  const Unit unit = sizeof(F) == 8 ? Unit::kFp64 : Unit::kAlu;
  const std::string mode = round_text(Mode);
  ops.add<Mode != Round::kNearest>(
      "cvt" + mode + types, [](S a) -> F { return from_integer<F, S, Mode>(a); }, unit);
  ops.add<kSeldom>(
      "cvt" + mode + ".sat" + types, [](S a) -> F { return deliver<false, true>(from_integer<F, S, Mode>(a)); }, unit);
}

// To an integral value, as a floating-point number. These functions are exact, and instructions on the hosts that
// matter.
template <Round Mode, class F>
F integral(F a) {
  switch (Mode) {
    case Round::kNearest:
      return std::nearbyint(a);
    case Round::kZero:
      return std::trunc(a);
    case Round::kDown:
      return std::floor(a);
    case Round::kUp:
      return std::ceil(a);
  }
}

constexpr const char* integral_text(Round mode) {
  switch (mode) {
    case Round::kNearest:
      return ".rni";
    case Round::kZero:
      return ".rzi";
    case Round::kDown:
      return ".rmi";
    case Round::kUp:
      return ".rpi";
  }
  return "";
}

// PTX ISA §9.7.9, cvt: 0 from 16- and 32-bit floats to at most 32 bits, else the most significant bit alone.
template <class D, class F>
constexpr D kNanAsInteger = sizeof(F) < 8 && sizeof(D) < 8 ? D{0} : static_cast<D>(u64{1} << (8 * sizeof(D) - 1));

// Out-of-range values give the nearest end of the range, with or without .sat.
template <class D, Round Mode, class F>
D to_integer(F a) {
  if (is_nan(a)) return kNanAsInteger<D, F>;
  const double value = integral<Mode>(static_cast<double>(a));
  if constexpr (sizeof(D) <= 4) {
    constexpr double low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
    const double at_least = value > low ? value : low;
    const double within = at_least < high ? at_least : high;
    return static_cast<D>(static_cast<s64>(within));
  } else {
    constexpr double beyond = std::is_signed_v<D> ? 0x1p63 : 0x1p64;
    constexpr double low = std::is_signed_v<D> ? -0x1p63 : 0.0;
    if (value <= low) return std::numeric_limits<D>::min();
    return value >= beyond ? std::numeric_limits<D>::max() : static_cast<D>(value);
  }
}

template <class D, class F, Round Mode>
[[gnu::cold]] void add_to_integer(OpRegistry& ops) {
  const std::string types = type_suffix<D>() + type_suffix<F>();
  const std::string mode = std::string("cvt") + integral_text(Mode);
  const Unit unit = sizeof(F) == 8 ? Unit::kFp64 : Unit::kAlu;
  constexpr bool kNoCast = sizeof(D) < 4 || (sizeof(D) == 8 && Mode != Round::kZero);
  const OpInfo info = make_op<kNoCast>(unit, [](F a) -> D { return to_integer<D, Mode>(a); });
  ops.add(mode + types, info);
  ops.add(mode + ".sat" + types, info);
  if constexpr (sizeof(F) == 4) {
    const OpInfo flushed = make_op<kNoCast>(unit, [](F a) -> D { return to_integer<D, Mode>(flush(a)); });
    ops.add(mode + ".ftz" + types, flushed);
    ops.add(mode + ".ftz.sat" + types, flushed);
  }
}

template <class S, Round Mode>
[[gnu::cold]] void add_integer_and_float(OpRegistry& ops) {
  add_from_integer<float, S, Mode>(ops);
  add_from_integer<double, S, Mode>(ops);
  add_to_integer<S, float, Mode>(ops);
  add_to_integer<S, double, Mode>(ops);
}

template <class S>
[[gnu::cold]] void add_integer_and_float_roundings(OpRegistry& ops) {
  add_integer_and_float<S, Round::kNearest>(ops);
  add_integer_and_float<S, Round::kZero>(ops);
  add_integer_and_float<S, Round::kDown>(ops);
  add_integer_and_float<S, Round::kUp>(ops);
}

// The payload travels with the sign, its top bits first.
double widen(float a) {
  const u64 nan = u64{bits_of(a) & kSignBit<float>} << 32 | 0x7ff8000000000000 | u64{bits_of(a) & 0x7fffff} << 29;
  return is_nan(a) ? from_bits<double>(nan) : static_cast<double>(a);
}

template <Round Mode>
float narrow(double a) {
  if constexpr (Mode == Round::kNearest)
    return static_cast<float>(a);
  else
    return soft::narrow(a, Mode);
}

template <bool Ftz, bool Sat>
[[gnu::cold]] void add_float_pairs(OpRegistry& ops) {
  const std::string suffix = std::string(ftz_text(Ftz)) + sat_text(Sat);
  const auto narrowing = [&](const char* mode, auto function) {
    using Function = decltype(function);
    ops.add(
        "cvt" + std::string(mode) + suffix + ".f32.f64",
        [](double a) -> float { return deliver<Ftz, Sat>(Function{}(a)); }, Unit::kFp64);
  };
  narrowing(".rn", [](double a) { return narrow<Round::kNearest>(a); });
  narrowing(".rz", [](double a) { return narrow<Round::kZero>(a); });
  narrowing(".rm", [](double a) { return narrow<Round::kDown>(a); });
  narrowing(".rp", [](double a) { return narrow<Round::kUp>(a); });
  ops.add(
      "cvt" + suffix + ".f64.f32",
      [](float a) -> double {
        const double wide = widen(operand<Ftz>(a));
        return deliver<false, Sat>(wide, wide);
      },
      Unit::kFp64);
  ops.add("cvt" + suffix + ".f32.f32", [](float a) -> float { return deliver<Ftz, Sat>(operand<Ftz>(a)); });
  if constexpr (!Ftz) {
    ops.add(
        "cvt" + suffix + ".f64.f64", [](double a) -> double { return deliver<false, Sat>(a, a); }, Unit::kFp64);
  }
}

template <class F, Round Mode, bool Ftz, bool Sat>
[[gnu::cold]] void add_to_integral(OpRegistry& ops) {
  const std::string suffix = std::string(integral_text(Mode)) + ftz_text(Ftz) + sat_text(Sat);
  const Unit unit = sizeof(F) == 8 ? Unit::kFp64 : Unit::kAlu;
  ops.add<Ftz || Sat>(
      "cvt" + suffix + type_suffix<F>() + type_suffix<F>(),
      [](F a) -> F {
        a = operand<Ftz>(a);
        return deliver<Ftz, Sat>(integral<Mode>(a), a);
      },
      unit);
}

template <Round Mode>
[[gnu::cold]] void add_to_integral_forms(OpRegistry& ops) {
  add_to_integral<float, Mode, false, false>(ops);
  add_to_integral<float, Mode, false, true>(ops);
  add_to_integral<float, Mode, true, false>(ops);
  add_to_integral<float, Mode, true, true>(ops);
  add_to_integral<double, Mode, false, false>(ops);
  add_to_integral<double, Mode, false, true>(ops);
}

template <class... T>
struct Types {};
using Integers = Types<u8, s8, u16, s16, u32, s32, u64, s64>;

template <class D, class... S>
[[gnu::cold]] void add_integer_row(OpRegistry& ops, Types<S...>) {
  (add_integer_pair<D, S>(ops), ...);
}
template <class... D>
[[gnu::cold]] void add_integer_pairs(OpRegistry& ops, Types<D...>) {
  (add_integer_row<D>(ops, Integers{}), ...);
}
template <class... S>
[[gnu::cold]] void add_mixed_pairs(OpRegistry& ops, Types<S...>) {
  (add_integer_and_float_roundings<S>(ops), ...);
}

}  // namespace

[[gnu::cold]] void add_integer_conversions(OpRegistry& ops) { add_integer_pairs(ops, Integers{}); }

[[gnu::cold]] void add_float_conversions(OpRegistry& ops) {
  add_mixed_pairs(ops, Integers{});
  add_float_pairs<false, false>(ops);
  add_float_pairs<false, true>(ops);
  add_float_pairs<true, false>(ops);
  add_float_pairs<true, true>(ops);
  add_to_integral_forms<Round::kNearest>(ops);
  add_to_integral_forms<Round::kZero>(ops);
  add_to_integral_forms<Round::kDown>(ops);
  add_to_integral_forms<Round::kUp>(ops);
}

}  // namespace warpfold::isa
