// SPDX-License-Identifier: Apache-2.0
// The integer types of PTX and the exact arithmetic between their widths.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace warpfold::isa {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;
__extension__ using s128 = __int128;

template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class T>
inline constexpr unsigned kBits = 8 * sizeof(T);

namespace detail {
template <class T>
struct Double;
template <>
struct Double<u8> {
  using Type = u16;
};
template <>
struct Double<s8> {
  using Type = s16;
};
template <>
struct Double<u16> {
  using Type = u32;
};
template <>
struct Double<s16> {
  using Type = s32;
};
template <>
struct Double<u32> {
  using Type = u64;
};
template <>
struct Double<s32> {
  using Type = s64;
};
template <>
struct Double<u64> {
  using Type = u128;
};
template <>
struct Double<s64> {
  using Type = s128;
};
}  // namespace detail

// Twice as wide, same signedness.
template <class T>
using Wide = typename detail::Double<T>::Type;

// Wrap-around arithmetic; in 64 bits throughout, because C++ promotes 16-bit operands to a signed int that can
// overflow.
template <class T>
constexpr T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <class T>
constexpr T wrapping_sub(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
template <class T>
constexpr T wrapping_mul(T a, T b) {
  if constexpr (sizeof(T) <= 4)
    return static_cast<T>(static_cast<u32>(a) * static_cast<u32>(b));
  else
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T>
constexpr T high_mul(T a, T b) {
  return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> kBits<T>);
}
template <class T>
constexpr Wide<T> wide_mul(T a, T b) {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}

template <class T, class W>
constexpr T saturate(W value) {
  constexpr W low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

}  // namespace warpfold::isa
