// SPDX-License-Identifier: Apache-2.0
// Half-precision numbers, alone and in pairs, as lanes hold them: PTX's f16 and f16x2.
#pragma once

#include "warpfold/isa/execute/soft_float.h"

namespace warpfold::isa {

class Half {
 public:
  explicit constexpr Half(u32 bits) : bits_(static_cast<u16>(bits)) {}
  explicit constexpr operator u32() const { return bits_; }
  double value() const;  // exact; a NaN stays one

 private:
  u16 bits_;
};

struct HalfPair {
  u32 bits;
  Half low() const { return Half(bits); }
  Half high() const { return Half(bits >> 16); }
  static HalfPair of(Half low, Half high) { return {static_cast<u32>(low) | static_cast<u32>(high) << 16}; }
};

// Rounds once. NaN gives the NaN of f16 instructions, 0x7fff.
Half round_to_half(double value, Round mode);

}  // namespace warpfold::isa
