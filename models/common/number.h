// SPDX-License-Identifier: Apache-2.0
// Numbers that users write.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

namespace warpfold {

// The number that the text is, all of it: no spaces, no sign before an unsigned one, within T's range. The base is of
// whole numbers; real ones are decimal.
template <class T>
std::optional<T> number_in(std::string_view text, [[maybe_unused]] int base = 10) {
  const char* const end = text.data() + text.size();
  T value{};
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<T>) {
    read = std::from_chars(text.data(), end, value);
  } else {
    read = std::from_chars(text.data(), end, value, base);
  }
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

}  // namespace warpfold
