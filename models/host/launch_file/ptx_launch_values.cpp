// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/launch_file/ptx_launch_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "warpfold/common/error.h"
#include "warpfold/common/number.h"

namespace warpfold::host {
namespace {

// Calls `body` with a value of the C++ type that `type` stands for.
template <class Body>
auto with_type(ValueType type, Body body) {
  switch (type) {
    case ValueType::kU8:
      return body(std::uint8_t{});
    case ValueType::kS8:
      return body(std::int8_t{});
    case ValueType::kU16:
      return body(std::uint16_t{});
    case ValueType::kS16:
      return body(std::int16_t{});
    case ValueType::kU32:
      return body(std::uint32_t{});
    case ValueType::kS32:
      return body(std::int32_t{});
    case ValueType::kU64:
      return body(std::uint64_t{});
    case ValueType::kS64:
      return body(std::int64_t{});
    case ValueType::kF32:
      return body(float{});
    case ValueType::kF64:
      break;
  }
  return body(double{});
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
std::vector<std::byte> to_bytes(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class T>
std::optional<T> parse(std::string_view text) {
  if constexpr (std::is_integral_v<T>) {
    if (text.starts_with("0x") || text.starts_with("0X")) return number_in<T>(text.substr(2), 16);
  }
  return number_in<T>(text);
}

// SplitMix64: small, and the same on every machine.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

const std::vector<std::string>& value_type_names() {
  static const std::vector<std::string> names = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"};
  return names;
}

std::optional<ValueType> value_type(std::string_view name) {
  const auto& names = value_type_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<ValueType>(found - names.begin());
}

std::size_t bytes_of(ValueType type) {
  return with_type(type, [](auto value) { return sizeof value; });
}

std::optional<std::vector<std::byte>> encode(ValueType type, std::string_view text) {
  return with_type(type, [&](auto zero) -> std::optional<std::vector<std::byte>> {
    const auto value = parse<decltype(zero)>(text);
    if (!value) return std::nullopt;
    return to_bytes(*value);
  });
}

std::string decode(ValueType type, const std::byte* at) {
  return with_type(type, [&](auto zero) { return fmt::format("{}", +load<decltype(zero)>(at)); });
}

double as_number(ValueType type, const std::byte* at) {
  return with_type(type, [&](auto zero) { return static_cast<double>(load<decltype(zero)>(at)); });
}

bool matches(ValueType type, const std::byte* value, const std::byte* expected, double tolerance) {
  if (std::memcmp(value, expected, bytes_of(type)) == 0) return true;
  if (type != ValueType::kF32 && type != ValueType::kF64) return false;
  const double a = as_number(type, value), b = as_number(type, expected);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

std::vector<std::byte> random_values(ValueType type, std::size_t count, double low, double high, std::uint64_t seed) {
  std::vector<std::byte> bytes;
  bytes.reserve(count * bytes_of(type));
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t i = 0; i < count; ++i) {
      const double unit = static_cast<double>(next_random(seed) >> 11) * 0x1p-53;  // [0, 1)
      const double span = std::is_integral_v<T> ? high - low + 1.0 : high - low;
      const double drawn = low + unit * span;
      const auto one = to_bytes(static_cast<T>(std::is_integral_v<T> ? std::min(std::floor(drawn), high) : drawn));
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
  });
  return bytes;
}

std::optional<std::vector<std::byte>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return bytes;
}

}  // namespace warpfold::host
