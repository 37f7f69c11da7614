// SPDX-License-Identifier: Apache-2.0
// Exactly rounded arithmetic in integers, for the directed rounding modes: the host's own mode is never touched.
#pragma once

#include "warpfold/isa/execute/ops/float_types.h"

namespace warpfold::isa {

enum class Round : std::uint8_t { kNearest, kZero, kDown, kUp };

constexpr const char* round_text(Round round) {
  switch (round) {
    case Round::kNearest:
      return ".rn";
    case Round::kZero:
      return ".rz";
    case Round::kDown:
      return ".rm";
    case Round::kUp:
      return ".rp";
  }
  return "";
}

namespace soft {

// (−1)^negative × mantissa × 2^exponent, where bit 0 of the mantissa also stands for anything smaller ("sticky").
struct Number {
  bool negative = false;
  int exponent = 0;
  u128 mantissa = 0;
};

// Rounds to float or double. A zero mantissa gives the zero of the number's sign.
template <class F>
F round(const Number& number, Round mode);

// NaN and infinite operands and results that are NaN follow the host's arithmetic, which rounding does not change.
template <class F>
F fma(F a, F b, F c, Round mode);
template <class F>
F add(F a, F b, Round mode);
template <class F>
F multiply(F a, F b, Round mode);
template <class F>
F divide(F a, F b, Round mode);
template <class F>
F square_root(F a, Round mode);

float narrow(double a, Round mode);  // cvt.f32.f64
template <class F>
F from_integer(bool negative, u64 magnitude, Round mode);

}  // namespace soft
}  // namespace warpfold::isa
