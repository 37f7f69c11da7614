// SPDX-License-Identifier: Apache-2.0
// Exactly rounded arithmetic in integers.
#include "warpfold/isa/execute/ops/soft_float.h"

#include <cmath>
#include <utility>

namespace warpfold::isa::soft {
namespace {

template <class F>
inline constexpr int kPrecision = std::numeric_limits<F>::digits;  // 24, 53
template <class F>
inline constexpr int kLowestExponent = std::numeric_limits<F>::min_exponent - 1;  // of a normal number: −126, −1022

int top_bit(u128 value) {
  const auto high = static_cast<u64>(value >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<u64>(value));
}

// Moves right by `by` bits, keeping a trace of what falls off.
u128 shift_right_sticky(u128 value, int by) {
  if (by <= 0) return value;
  if (by > 127) return value != 0;
  const u128 lost = value & ((u128{1} << by) - 1);
  return value >> by | (lost != 0);
}

template <class F>
Number unpack(F x) {
  constexpr int fraction_bits = kPrecision<F> - 1;
  const auto bits = bits_of(x);
  const int field = static_cast<int>((bits & kInfinityBits<F>) >> fraction_bits);
  Number number;
  number.negative = (bits & kSignBit<F>) != 0;
  number.mantissa = bits & ((BitsOf<F>{1} << fraction_bits) - 1);
  if (field != 0) number.mantissa |= u128{1} << fraction_bits;
  number.exponent = (field != 0 ? field - 1 : 0) + kLowestExponent<F> - fraction_bits;
  return number;
}

template <class F>
F zero(bool negative) {
  return negative ? -F{0} : F{0};
}

// Leading bit to position 126, so that a sum of two has room.
void normalise(Number& number) {
  const int shift = 126 - top_bit(number.mantissa);
  number.mantissa <<= shift;
  number.exponent -= shift;
}

// The sum of two non-zero numbers. Aligned at bit 126, a mantissa of at most 106 bits loses bits only to a shift of
// more than 20; then the difference keeps its leading bit at 125 or above, far from the sticky bit.
template <class F>
F sum(Number a, Number b, Round mode) {
  normalise(a);
  normalise(b);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) std::swap(a, b);
  b.mantissa = shift_right_sticky(b.mantissa, a.exponent - b.exponent);
  if (a.negative == b.negative) {
    a.mantissa += b.mantissa;
  } else {
    a.mantissa -= b.mantissa;
    if (a.mantissa == 0) return zero<F>(mode == Round::kDown);
  }
  return round<F>(a, mode);
}

bool rounds_up(bool negative, bool odd, u128 rest, u128 half, Round mode) {
  switch (mode) {
    case Round::kNearest:
      return rest > half || (rest == half && odd);
    case Round::kZero:
      return false;
    case Round::kDown:
      return negative && rest != 0;
    case Round::kUp:
      return !negative && rest != 0;
  }
  return false;
}

// Whether what lies beyond the largest number becomes infinite.
bool overflows_to_infinity(bool negative, Round mode) {
  return mode == Round::kNearest || mode == (negative ? Round::kDown : Round::kUp);
}

}  // namespace

template <class F>
F round(const Number& number, Round mode) {
  if (number.mantissa == 0) return zero<F>(number.negative);
  constexpr int fraction_bits = kPrecision<F> - 1;
  const int leading = number.exponent + top_bit(number.mantissa);
  const int unit =
      (leading > kLowestExponent<F> ? leading : kLowestExponent<F>)-fraction_bits;  // exponent of the last bit
  const int shift = unit - number.exponent;
  u128 kept = 0;
  if (shift <= 0) {
    kept = number.mantissa << -shift;
  } else {
    const u128 scaled = shift_right_sticky(number.mantissa, shift - 2);  // two more bits: the half and what lies below
    kept = shift < 2 ? scaled >> shift : scaled >> 2;
    const u128 rest = shift < 2 ? (scaled & 1) << 1 : scaled & 3;
    kept += rounds_up(number.negative, (kept & 1) != 0, rest, 2, mode);
  }
  // The leading bit of a normal number adds one to the exponent field; so does a carry out of the fraction.
  const int field = unit + fraction_bits - kLowestExponent<F>;
  const auto sign = number.negative ? kSignBit<F> : BitsOf<F>{0};
  constexpr int highest_field = (1 << (kBits<BitsOf<F>> - kPrecision<F>)) - 2;
  if (field >= highest_field ||
      ((static_cast<u64>(field) << fraction_bits) + static_cast<u64>(kept)) >= kInfinityBits<F>) {
    const auto magnitude = overflows_to_infinity(number.negative, mode) ? kInfinityBits<F> : kInfinityBits<F> - 1;
    return from_bits<F>(static_cast<BitsOf<F>>(magnitude | sign));
  }
  return from_bits<F>(
      static_cast<BitsOf<F>>(((static_cast<BitsOf<F>>(field) << fraction_bits) + static_cast<BitsOf<F>>(kept)) | sign));
}

template <class F>
F fma(F a, F b, F c, Round mode) {
  if (!is_finite(a) || !is_finite(b)) return a * b + c;
  if (!is_finite(c)) return c;  // the host's product might overflow
  Number product = unpack(a);
  const Number factor = unpack(b), addend = unpack(c);
  product.negative ^= factor.negative;
  product.mantissa *= factor.mantissa;
  product.exponent += factor.exponent;
  if (product.mantissa == 0 && addend.mantissa == 0) {
    return zero<F>(product.negative == addend.negative ? product.negative : mode == Round::kDown);
  }
  if (product.mantissa == 0) return c;
  if (addend.mantissa == 0) return round<F>(product, mode);
  return sum<F>(product, addend, mode);
}

template <class F>
F add(F a, F b, Round mode) {
  return fma(a, F{1}, b, mode);
}

template <class F>
F multiply(F a, F b, Round mode) {
  if (!is_finite(a) || !is_finite(b)) return a * b;
  Number product = unpack(a);
  const Number factor = unpack(b);
  product.negative ^= factor.negative;
  product.mantissa *= factor.mantissa;
  product.exponent += factor.exponent;
  return round<F>(product, mode);
}

template <class F>
F divide(F a, F b, Round mode) {
  if (!is_finite(a) || !is_finite(b) || b == F{0}) return a / b;
  Number dividend = unpack(a), divisor = unpack(b);
  const bool negative = dividend.negative != divisor.negative;
  if (dividend.mantissa == 0) return zero<F>(negative);
  normalise(dividend);
  normalise(divisor);
  const u128 by = divisor.mantissa >> 64;  // at most 53 bits long: nothing is lost
  const u128 quotient = dividend.mantissa / by, rest = dividend.mantissa % by;
  return round<F>({negative, dividend.exponent - divisor.exponent - 64 - 1, quotient << 1 | (rest != 0)}, mode);
}

template <class F>
F square_root(F a, Round mode) {
  if (!is_finite(a) || a <= F{0}) return std::sqrt(a);  // NaN, infinity, ±0 and negative numbers: nothing is rounded
  Number number = unpack(a);
  normalise(number);
  if (number.exponent % 2 != 0) {
    number.mantissa >>= 1;  // the last of its bits is zero
    ++number.exponent;
  }
  u128 root = 0, rest = number.mantissa;
  for (u128 bit = u128{1} << 126; bit != 0; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return round<F>({false, number.exponent / 2 - 1, root << 1 | (rest != 0)}, mode);
}

float narrow(double a, Round mode) {
  if (!is_finite(a)) return static_cast<float>(a);
  return round<float>(unpack(a), mode);
}

template <class F>
F from_integer(bool negative, u64 magnitude, Round mode) {
  return magnitude == 0 ? F{0} : round<F>({negative, 0, magnitude}, mode);
}

template float round(const Number&, Round);
template double round(const Number&, Round);
template float fma(float, float, float, Round);
template double fma(double, double, double, Round);
template float add(float, float, Round);
template double add(double, double, Round);
template float multiply(float, float, Round);
template double multiply(double, double, Round);
template float divide(float, float, Round);
template double divide(double, double, Round);
template float square_root(float, Round);
template double square_root(double, Round);
template float from_integer(bool, u64, Round);
template double from_integer(bool, u64, Round);

}  // namespace warpfold::isa::soft
