// SPDX-License-Identifier: Apache-2.0
// Typed values of a launch description: text to bytes and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold::host {

enum class ValueType : std::uint8_t { kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64, kF32, kF64 };

const std::vector<std::string>& value_type_names();  // u8 … f64, in the order of ValueType
std::optional<ValueType> value_type(std::string_view name);
std::size_t bytes_of(ValueType type);

// Nothing when the text is no number, or not one of this type. Integers may be hexadecimal (0x…).
std::optional<std::vector<std::byte>> encode(ValueType type, std::string_view text);
std::string decode(ValueType type, const std::byte* at);
double as_number(ValueType type, const std::byte* at);

// Equal bytes; for floating point also |value − expected| ≤ tolerance · max(1, |expected|), and NaN equals NaN.
bool matches(ValueType type, const std::byte* value, const std::byte* expected, double tolerance);

// `count` values drawn evenly from [low, high] (floating point: [low, high)), the same for the same seed everywhere.
std::vector<std::byte> random_values(ValueType type, std::size_t count, double low, double high, std::uint64_t seed);

// "0a1B…" to bytes; nothing for anything else.
std::optional<std::vector<std::byte>> from_hex(std::string_view text);

}  // namespace warpfold::host
