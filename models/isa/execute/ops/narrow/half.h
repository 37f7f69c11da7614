// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers of 16 bits, alone and in pairs, as lanes hold them: PTX's f16, f16x2, bf16 and bf16x2.
#pragma once

#include "warpfold/isa/execute/ops/soft_float.h"

namespace warpfold::isa {

class Half {
 public:
  explicit constexpr Half(u32 bits) : bits_(static_cast<u16>(bits)) {}
  explicit constexpr operator u32() const { return bits_; }
  double value() const;  // exact; a NaN stays one

 private:
  u16 bits_;
};

// .ftz: a subnormal number becomes the zero of its sign.
constexpr Half flush(Half a) {
  const auto bits = static_cast<u32>(a);
  return Half((bits & 0x7c00) == 0 ? bits & 0x8000 : bits);
}

struct HalfPair {
  u32 bits;
  Half low() const { return Half(bits); }
  Half high() const { return Half(bits >> 16); }
  static HalfPair of(Half low, Half high) { return {static_cast<u32>(low) | static_cast<u32>(high) << 16}; }
};

// Rounds once. NaN gives the NaN of f16 instructions, 0x7fff.
Half round_to_half(double value, Round mode);

// The upper half of a float.
class Bfloat {
 public:
  explicit constexpr Bfloat(u32 bits) : bits_(static_cast<u16>(bits)) {}
  explicit constexpr operator u32() const { return bits_; }
  constexpr float value() const { return from_bits<float>(u32{bits_} << 16); }

 private:
  u16 bits_;
};

struct BfloatPair {
  u32 bits;
  Bfloat low() const { return Bfloat(bits); }
  Bfloat high() const { return Bfloat(bits >> 16); }
  static BfloatPair of(Bfloat low, Bfloat high) { return {static_cast<u32>(low) | static_cast<u32>(high) << 16}; }
};

// Rounds once. NaN gives 0x7fff.
Bfloat round_to_bfloat(float value, Round mode);
// Of a number between two floats, which are its neighbours or both itself.
Bfloat round_between(float below, float above);
// a b + c, rounded to nearest once.
Bfloat fused(Bfloat a, Bfloat b, Bfloat c);
// The lesser or the greater; of a number and a NaN the number. −0 is below +0.
Half extreme_of(Half a, Half b, bool greater);
Bfloat extreme_of(Bfloat a, Bfloat b, bool greater);

}  // namespace warpfold::isa
