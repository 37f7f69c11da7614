// SPDX-License-Identifier: Apache-2.0
// What PTX's floating-point instructions have in common: NaN results, flushing, saturation (PTX ISA §9.7.3).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "warpfold/isa/execute/ops/integer_types.h"

namespace warpfold::isa {

template <class F>
using BitsOf = std::conditional_t<sizeof(F) == 4, u32, u64>;

template <class F>
constexpr BitsOf<F> bits_of(F value) {
  return std::bit_cast<BitsOf<F>>(value);
}
template <class F>
constexpr F from_bits(BitsOf<F> bits) {
  return std::bit_cast<F>(bits);
}

template <class F>
inline constexpr BitsOf<F> kSignBit = BitsOf<F>{1} << (kBits<BitsOf<F>> - 1);
template <class F>
inline constexpr BitsOf<F> kInfinityBits = bits_of(std::numeric_limits<F>::infinity());
template <class F>
inline constexpr BitsOf<F> kQuietBit = BitsOf<F>{1} << (std::numeric_limits<F>::digits - 2);

template <class F>
constexpr bool is_nan(F x) {
  return x != x;
}
template <class F>
constexpr bool is_finite(F x) {
  return (bits_of(x) & kInfinityBits<F>) != kInfinityBits<F>;
}

// Single-precision results that are NaN are this one; double precision keeps the payload of the first NaN operand,
// quieted, and makes the other one itself. (PTX leaves f32's open and asks for payloads in f64; hosts differ by operand
// order.)
inline constexpr u32 kCanonicalNanF32 = 0x7fffffff;
inline constexpr u64 kGeneratedNanF64 = 0xfff8000000000000;

template <class F, class... A>
constexpr F nan_result(A... operands) {
  if constexpr (sizeof(F) == 4) {
    return from_bits<F>(kCanonicalNanF32);
  } else {
    u64 bits = kGeneratedNanF64;
    bool found = false;
    ((bits = !found && is_nan(operands) ? bits_of(operands) | kQuietBit<F> : bits, found = found || is_nan(operands)),
     ...);
    return from_bits<F>(bits);
  }
}

template <class F>
constexpr F flush(F x) {
  const BitsOf<F> bits = bits_of(x);
  return from_bits<F>((bits & kInfinityBits<F>) == 0 ? bits & kSignBit<F> : bits);
}

template <bool Ftz, class F>
constexpr F operand(F x) {
  if constexpr (Ftz) return flush(x);
  return x;
}

// `x` as the instruction delivers it: NaN as above, flushed with .ftz, in [+0, 1] with .sat (NaN gives +0).
template <bool Ftz, bool Sat, class F, class... A>
constexpr F deliver(F x, A... operands) {
  if constexpr (Sat) {
    const F low = x > F{0} ? x : F{0};
    x = low < F{1} ? low : F{1};
  } else {
    x = is_nan(x) ? nan_result<F>(operands...) : x;
  }
  return operand<Ftz>(x);
}

// The modifiers as they are written.
constexpr const char* ftz_text(bool ftz) { return ftz ? ".ftz" : ""; }
constexpr const char* sat_text(bool sat) { return sat ? ".sat" : ""; }

}  // namespace warpfold::isa
