// SPDX-License-Identifier: Apache-2.0
// Conversions between pairs of floats and floating-point numbers of four, six and eight bits, or exponents (PTX ISA
// §9.7.9, cvt; the formats are those of OCP's 8-bit and microscaling specifications).
#include <algorithm>
#include <cmath>
#include <string>

#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

// A sign, an exponent and a fraction. kGreatest is the code of the greatest number; of what lies above it, kNan, if
// there is one, is no number, and what lies between them is infinity.
struct E4m3 {
  static constexpr const char* kName = "e4m3x2";
  static constexpr int kExponent = 4, kFraction = 3;
  static constexpr u32 kGreatest = 0x7e, kNan = 0x7f;
  using Pair = u16;
};
struct E5m2 {
  static constexpr const char* kName = "e5m2x2";
  static constexpr int kExponent = 5, kFraction = 2;
  static constexpr u32 kGreatest = 0x7b, kNan = 0x7f;
  using Pair = u16;
};
struct E2m3 {
  static constexpr const char* kName = "e2m3x2";
  static constexpr int kExponent = 2, kFraction = 3;
  static constexpr u32 kGreatest = 0x1f, kNan = 0;
  using Pair = u16;
};
struct E3m2 {
  static constexpr const char* kName = "e3m2x2";
  static constexpr int kExponent = 3, kFraction = 2;
  static constexpr u32 kGreatest = 0x1f, kNan = 0;
  using Pair = u16;
};
struct E2m1 {
  static constexpr const char* kName = "e2m1x2";
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

// To nearest even. What is greater than the greatest becomes that (.satfinite, without which PTX has no such form).
template <class Format, bool Relu>
u32 narrowed(double value) {
  if (std::isnan(value)) return Format::kNan != 0 ? Format::kNan : Format::kGreatest;
  if (Relu && value < 0) value = 0;
  const u32 sign = std::signbit(value) && !(Relu && value == 0) ? kSign<Format> : 0;
  const double size = std::fabs(value), greatest = magnitude<Format>(Format::kGreatest);
  if (size >= greatest) return sign | Format::kGreatest;
  // In units of the last digit: codes follow each other as numbers do, from one exponent to the next, too.
  const int exponent = size == 0 ? 1 - kBias<Format> : std::max(std::ilogb(size), 1 - kBias<Format>);
  const auto digits = static_cast<u32>(std::nearbyint(std::ldexp(size, Format::kFraction - exponent)));
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
  const std::string relu = Relu ? ".relu" : "", name = std::string(".") + Format::kName;
  ops.add<kSeldom>("cvt.rn.satfinite" + relu + name + ".f32", [](float a, float b) -> Pair {
    return static_cast<Pair>(narrowed<Format, Relu>(a) << kUpper | narrowed<Format, Relu>(b));
  });
  ops.add<kSeldom>("cvt.rn" + relu + ".f16x2" + name, [](Pair a) -> HalfPair {
    return HalfPair::of(widened<Format, Relu>(a & ((u32{1} << kUpper) - 1)), widened<Format, Relu>(a >> kUpper));
  });
  if constexpr (Format::kNan != 0) {
    ops.add<kSeldom>("cvt.rn.satfinite" + relu + name + ".f16x2", [](HalfPair a) -> Pair {
      return static_cast<Pair>(narrowed<Format, Relu>(a.high().value()) << kUpper |
                               narrowed<Format, Relu>(a.low().value()));
    });
  }
}

template <class Format>
[[gnu::cold]] void add_format(OpRegistry& ops) {
  add_conversions<Format, false>(ops);
  add_conversions<Format, true>(ops);
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
