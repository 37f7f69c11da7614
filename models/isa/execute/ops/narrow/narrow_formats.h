// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 side by side, for what is defined alike for both.
#pragma once

#include <type_traits>

#include "warpfold/isa/execute/ops/narrow/half.h"

namespace warpfold::isa {

// What templates over the two formats need to know of each.
struct HalfFormat {
  using Number = Half;
  using Pair = HalfPair;
  static constexpr const char* kName = "f16";
  static float widen(Half a) { return static_cast<float>(a.value()); }
  static constexpr u32 kGreatest = 0x7bff;
  static Half narrow(float a, Round mode = Round::kNearest) { return round_to_half(a, mode); }
};
struct BfloatFormat {
  using Number = Bfloat;
  using Pair = BfloatPair;
  static constexpr const char* kName = "bf16";
  static float widen(Bfloat a) { return a.value(); }
  static constexpr u32 kGreatest = 0x7f7f;
  static Bfloat narrow(float a, Round mode = Round::kNearest) { return round_to_bfloat(a, mode); }
};

template <class Number>
bool is_nan_of(Number a, u32 infinity) {
  return (static_cast<u32>(a) & 0x7fff) > infinity;
}
template <class Format>
inline constexpr u32 kInfinity = std::is_same_v<Format, HalfFormat> ? 0x7c00 : 0x7f80;

// .relu: negative results become +0, NaN stays.
template <class Format>
typename Format::Number rectified(typename Format::Number a) {
  const auto bits = static_cast<u32>(a);
  if (is_nan_of(a, kInfinity<Format>)) return typename Format::Number(0x7fff);
  return typename Format::Number((bits & 0x8000) != 0 ? 0 : bits);
}

}  // namespace warpfold::isa
