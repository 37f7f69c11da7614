// SPDX-License-Identifier: Apache-2.0
// Conversions between floats, two or four, and floating-point numbers of four, six and eight bits, or exponents (PTX
// ISA §9.7.9, cvt; the formats are those of OCP's 8-bit and microscaling specifications).
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>

#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

// A sign, an exponent and a fraction. kGreatest is the code of the greatest number; of what lies above it, kNan, if
// there is one, is no number, and what lies between them is infinity.
struct E4m3 {
  static constexpr const char* kName = "e4m3";
  static constexpr int kExponent = 4, kFraction = 3;
  static constexpr u32 kGreatest = 0x7e, kNan = 0x7f;
  using Pair = u16;
};
struct E5m2 {
  static constexpr const char* kName = "e5m2";
  static constexpr int kExponent = 5, kFraction = 2;
  static constexpr u32 kGreatest = 0x7b, kNan = 0x7f;
  using Pair = u16;
};
struct E2m3 {
  static constexpr const char* kName = "e2m3";
  static constexpr int kExponent = 2, kFraction = 3;
  static constexpr u32 kGreatest = 0x1f, kNan = 0;
  using Pair = u16;
};
struct E3m2 {
  static constexpr const char* kName = "e3m2";
  static constexpr int kExponent = 3, kFraction = 2;
  static constexpr u32 kGreatest = 0x1f, kNan = 0;
  using Pair = u16;
};
struct E2m1 {
  static constexpr const char* kName = "e2m1";
  static constexpr int kExponent = 2, kFraction = 1;
  static constexpr u32 kGreatest = 0x7, kNan = 0;
  using Pair = u8;
};

template <class Format>
inline constexpr int kBias = (1 << (Format::kExponent - 1)) - 1;
template <class Format>
inline constexpr u32 kSign = u32{1} << (Format::kExponent + Format::kFraction);

template <class Format>
double magnitude(u32 code) {
  const int exponent = static_cast<int>(code >> Format::kFraction);
  const u32 fraction = code & ((u32{1} << Format::kFraction) - 1);
  // Those with the exponent 0 have no leading one.
  const u32 digits = exponent == 0 ? fraction : fraction | u32{1} << Format::kFraction;
  return std::ldexp(digits, std::max(exponent, 1) - kBias<Format> - Format::kFraction);
}

// Digits to the nearest even number of them.
struct ToNearest {
  u32 operator()(double digits) const { return static_cast<u32>(std::nearbyint(digits)); }
};
// .rs: up if adding random bits to what is behind the last digit carries into it. `random` is these as a fraction.
struct ByChance {
  double random;
  u32 operator()(double digits) const { return static_cast<u32>(digits + random); }
};

// What is greater than the greatest becomes that (.satfinite, without which PTX has no such form).
template <class Format, bool Relu, class Whole = ToNearest>
u32 narrowed(double value, Whole whole = {}) {
  if (std::isnan(value)) return Format::kNan != 0 ? Format::kNan : Format::kGreatest;
  if (Relu && value < 0) value = 0;
  const u32 sign = std::signbit(value) && !(Relu && value == 0) ? kSign<Format> : 0;
  const double size = std::fabs(value), greatest = magnitude<Format>(Format::kGreatest);
  if (size >= greatest) return sign | Format::kGreatest;
  // In units of the last digit: codes follow each other as numbers do, from one exponent to the next, too.
  const int exponent = size == 0 ? 1 - kBias<Format> : std::max(std::ilogb(size), 1 - kBias<Format>);
  const u32 digits = whole(std::ldexp(size, Format::kFraction - exponent));
  const u32 code = (static_cast<u32>(exponent + kBias<Format> - 1) << Format::kFraction) + digits;
  return sign | code;
}

template <class Format, bool Relu>
Half widened(u32 code) {
  const u32 size = code & (kSign<Format> - 1);
  const bool negative = (code & kSign<Format>) != 0;
  if (Format::kNan != 0 && size > Format::kGreatest) {
    const bool infinite = size == Format::kGreatest + 1 && size < Format::kNan;
    return Half(!infinite ? 0x7fff : !negative ? 0x7c00 : Relu ? 0 : 0xfc00);
  }
  if (Relu && negative) return Half(0);
  return round_to_half(negative ? -magnitude<Format>(size) : magnitude<Format>(size), Round::kNearest);
}

// The first operand, or the upper half, goes to the upper half.
template <class Format, bool Relu>
[[gnu::cold]] void add_conversions(OpRegistry& ops) {
  using Pair = typename Format::Pair;
  constexpr unsigned kUpper = 4 * sizeof(Pair);
  const std::string relu = Relu ? ".relu" : "", name = std::string(".") + Format::kName + "x2";
  ops.add<kSeldom>("cvt.rn" + relu + ".satfinite" + name + ".f32", [](float a, float b) -> Pair {
    return static_cast<Pair>(narrowed<Format, Relu>(a) << kUpper | narrowed<Format, Relu>(b));
  });
  ops.add<kSeldom>("cvt.rn" + relu + ".f16x2" + name, [](Pair a) -> HalfPair {
    return HalfPair::of(widened<Format, Relu>(a & ((u32{1} << kUpper) - 1)), widened<Format, Relu>(a >> kUpper));
  });
  if constexpr (Format::kNan != 0) {
    ops.add<kSeldom>("cvt.rn" + relu + ".satfinite" + name + ".f16x2", [](HalfPair a) -> Pair {
      return static_cast<Pair>(narrowed<Format, Relu>(a.high().value()) << kUpper |
                               narrowed<Format, Relu>(a.low().value()));
    });
  }
}

// The random bits of each of four numbers, of which the first becomes the upper one. Of eight and six bits: a pair has
// 16, which the first reads from behind. The manual leaves that and the places of four bits' to figures; the former is
// what chips were measured to do, the latter decision: each half of the word has a byte of the first pair above one of
// the second.
template <class Format>
double chance(unsigned number, u32 bits) {
  if (kSign<Format> == 8) {
    constexpr std::array<unsigned, 4> kShift{24, 8, 16, 0};
    return (bits >> kShift[number] & 0xff) * 0x1p-8;
  }
  u32 half = number < 2 ? bits >> 16 : bits & 0xffff;
  if (number % 2 == 0) {
    u32 reversed = 0;
    for (unsigned k = 0; k < 16; ++k) reversed |= (half >> k & 1) << (15 - k);
    half = reversed;
  }
  return half * 0x1p-16;
}

// cvt.rs.satfinite.e4m3x4.f32 d, {a, b, e, f}, rbits, as compound_forms.cpp leaves it: two floats each to an operand.
template <class Format, bool Relu>
[[gnu::cold]] void add_conversion_of_four(OpRegistry& ops) {
  using Four = std::conditional_t<sizeof(typename Format::Pair) == 1, u16, u32>;
  ops.add<kSeldom>(std::string("cvt.rs") + (Relu ? ".relu" : "") + ".satfinite." + Format::kName + "x4.f32",
                   [](u64 ab, u64 ef, u32 bits) -> Four {
                     const std::array<u64, 4> floats{ab, ab >> 32, ef, ef >> 32};
                     u32 four = 0;
                     for (unsigned k = 0; k < 4; ++k) {
                       const auto number = from_bits<float>(static_cast<u32>(floats[k]));
                       four =
                           four << 2 * sizeof(Four) | narrowed<Format, Relu>(number, ByChance{chance<Format>(k, bits)});
                     }
                     return static_cast<Four>(four);
                   });
}

template <class Format>
[[gnu::cold]] void add_format(OpRegistry& ops) {
  add_conversions<Format, false>(ops);
  add_conversions<Format, true>(ops);
  add_conversion_of_four<Format, false>(ops);
  add_conversion_of_four<Format, true>(ops);
}

// ue8m0: an exponent alone, 2^(code - 127); 255 is no number. Towards zero, or up; what is too great is NaN, with
// .satfinite the greatest. Signs are lost.
template <bool Up, bool Finite>
u32 exponent_of(float value) {
  constexpr u32 kNan = 0xff, kGreatest = 0xfe;
  if (is_nan(value)) return kNan;
  const u32 bits = bits_of(value) & ~kSignBit<float>;
  const u32 fraction = bits & 0x7fffff;
  u32 code = bits >> 23;
  if (code == 0) {
    // Subnormal: 2^-127 is half of the least normal number, and the least code.
    code = Up && fraction > 0x400000 ? 1 : 0;
  } else if (code < kNan && Up && fraction != 0) {
    ++code;
  }
  return code < kNan ? code : Finite ? kGreatest : kNan;
}

template <bool Up, bool Finite>
[[gnu::cold]] void add_exponents(OpRegistry& ops) {
  const std::string name = std::string(Up ? "cvt.rp" : "cvt.rz") + (Finite ? ".satfinite" : "") + ".ue8m0x2";
  ops.add<kSeldom>(name + ".f32", [](float a, float b) -> u16 {
    return static_cast<u16>(exponent_of<Up, Finite>(a) << 8 | exponent_of<Up, Finite>(b));
  });
  ops.add<kSeldom>(name + ".bf16x2", [](BfloatPair a) -> u16 {
    return static_cast<u16>(exponent_of<Up, Finite>(a.high().value()) << 8 | exponent_of<Up, Finite>(a.low().value()));
  });
}

Bfloat power_of(u32 code) { return Bfloat(code == 0xff ? 0x7fff : code == 0 ? 0x40 : code << 7); }

}  // namespace

[[gnu::cold]] void add_minifloat_ops(OpRegistry& ops) {
  add_format<E4m3>(ops);
  add_format<E5m2>(ops);
  add_format<E2m3>(ops);
  add_format<E3m2>(ops);
  add_format<E2m1>(ops);
  add_exponents<false, false>(ops);
  add_exponents<false, true>(ops);
  add_exponents<true, false>(ops);
  add_exponents<true, true>(ops);
  ops.add<kSeldom>("cvt.rn.bf16x2.ue8m0x2",
                   [](u16 a) -> BfloatPair { return BfloatPair::of(power_of(a & 0xff), power_of(a >> 8)); });
}

}  // namespace warpfold::isa
