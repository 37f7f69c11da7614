// SPDX-License-Identifier: Apache-2.0
// Runs an opcode of the table over many operand values, to be compared with a reference of another origin.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "warpfold/isa/execute/ops/op_table.h"

namespace warpfold::isa {

// An opcode taken apart: name, modifiers, and those of the modifiers that are types.
struct Opcode {
  struct Type {
    char kind;
    unsigned bits;
  };
  std::string text, name;
  std::vector<std::string> modifiers;
  std::vector<Type> types;

  explicit Opcode(const std::string& opcode) : text(opcode) {
    for (std::size_t at = 0; at <= opcode.size();) {
      const std::size_t dot = std::min(opcode.find('.', at), opcode.size());
      modifiers.push_back(opcode.substr(at, dot - at));
      at = dot + 1;
    }
    name = modifiers.front();
    modifiers.erase(modifiers.begin());
    for (const std::string& modifier : modifiers) {
      const std::string digits = modifier.substr(1);
      const bool number = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                         [](unsigned char c) { return std::isdigit(c) != 0; });
      if (number && std::string("busf").find(modifier[0]) != std::string::npos) {
        types.push_back({modifier[0], static_cast<unsigned>(std::stoul(digits))});
      }
    }
  }
  bool has(const std::string& modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
  }
  OpInfo info() const { return find_op(name, modifiers).value(); }
};

// All opcodes of these names ("add", "sub"), as the table has them, but those of 16-bit floats and TF32
// (test_ops_half.cpp, test_ops_narrow_float.cpp), of carries (test_ops_carry.cpp), of packs (test_ops_packed.cpp) and
// of pairs (there, and test_ops_float.cpp) and fours.
inline std::vector<Opcode> opcodes_named(std::initializer_list<const char*> names) {
  std::vector<Opcode> found;
  for (const std::string& text : op_names()) {
    const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
    if (has("f16") || has(".cc") || has(".xorsign") || has(".tf32") || has(".pack") || has("x2") || has("x4") ||
        has(".relu")) {
      continue;
    }
    Opcode opcode(text);
    if (std::find(names.begin(), names.end(), opcode.name) != names.end()) found.push_back(std::move(opcode));
  }
  return found;
}

using Operands = std::array<std::uint64_t, 4>;
using Results = std::array<std::uint64_t, 2>;

inline std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

// Executes `info` on a batch; results masked to their width. The word bits above a narrow operand are noise.
inline std::vector<Results> run_batch(const OpInfo& info, std::span<const Operands> batch) {
  alignas(64) std::array<std::array<std::uint32_t, kMaxLanes>, 12> words;
  std::vector<Results> results;
  for (std::size_t first = 0; first < batch.size(); first += 32) {
    const std::size_t count = std::min<std::size_t>(32, batch.size() - first);
    for (auto& word : words) word.fill(0xdeadbeef);
    LaneArrays arrays{};
    for (unsigned k = 0; k < info.s_count; ++k) {
      const unsigned bits = info.s[k].bits;
      for (std::size_t lane = 0; lane < count; ++lane) {
        const std::uint64_t value = batch[first + lane][k];
        const bool narrow = bits < 32 && info.s[k].kind != 'p';
        words[2 * k][lane] = static_cast<std::uint32_t>(narrow ? value | (0xa5a5a5a5ULL << bits) : value);
        words[2 * k + 1][lane] = static_cast<std::uint32_t>(value >> 32);
      }
      arrays.s[k] = {words[2 * k].data(), bits == 64 ? words[2 * k + 1].data() : nullptr};
    }
    for (unsigned k = 0; k < info.d_count; ++k) {
      arrays.d[k] = {words[8 + 2 * k].data(), info.d[k].bits == 64 ? words[9 + 2 * k].data() : nullptr};
    }
    info.compute(arrays, 32);
    for (std::size_t lane = 0; lane < count; ++lane) {
      Results result{};
      for (unsigned k = 0; k < info.d_count; ++k) {
        const std::uint64_t value = std::uint64_t{words[9 + 2 * k][lane]} << 32 | words[8 + 2 * k][lane];
        result[k] = info.d[k].kind == 'p' ? value & 0xffffffff : low_bits(value, info.d[k].bits);
      }
      results.push_back(result);
    }
  }
  return results;
}

inline std::vector<std::uint64_t> integer_edges(unsigned bits) {
  std::vector<std::uint64_t> values{0,  1,  2,  3,  4,  5,   7,   8,   15,  16,  17,     24,    31,
                                    32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 0x1234, 0x8421};
  for (const unsigned at : {bits - 1, bits / 2}) {
    const std::uint64_t power = std::uint64_t{1} << at;
    values.insert(values.end(), {power - 1, power, power + 1});
  }
  for (std::uint64_t small = 1; small < 6; ++small) values.push_back(std::uint64_t{0} - small);
  values.insert(values.end(), {0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0x0123456789abcdef, 0xfedcba9876543210});
  for (std::uint64_t& value : values) value = low_bits(value, bits);
  return values;
}

inline std::vector<std::uint64_t> float_edges(unsigned bits) {
  const unsigned fraction = bits == 32 ? 23 : 52;
  const std::uint64_t infinity = bits == 32 ? 0x7f800000 : 0x7ff0000000000000, sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t bias = bits == 32 ? 127 : 1023, one = bias << fraction,
                      quiet = std::uint64_t{1} << (fraction - 1);
  std::vector<std::uint64_t> values{0,
                                    1,
                                    2,
                                    3,
                                    quiet,
                                    (std::uint64_t{1} << fraction) - 1,
                                    std::uint64_t{1} << fraction,
                                    (std::uint64_t{1} << fraction) + 1,
                                    infinity - 1,
                                    infinity - 2,
                                    infinity,
                                    infinity | 1,
                                    infinity | quiet | 5,
                                    one - 1,
                                    one,
                                    one + 1,
                                    one - quiet,
                                    one + quiet,
                                    (bias + 1) << fraction,
                                    ((bias + 1) << fraction) + quiet / 2,
                                    one | 0x2aaaaa,
                                    one | 0x155555};
  for (const std::uint64_t exponent : {7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 126}) {
    const std::uint64_t power = (bias + exponent) << fraction;
    values.insert(values.end(), {power - 1, power, power + 1});
  }
  if (bits == 64) {  // around the range of float
    for (const std::uint64_t exponent : {897, 896, 874, 873, 872, 1150, 1151}) {
      values.insert(values.end(), {exponent << 52, (exponent << 52) - 1, (exponent << 52) + 1,
                                   (exponent << 52) | 0x8000000, (exponent << 52) | 0xffffffff0000000});
    }
  }
  const std::size_t positive = values.size();
  for (std::size_t k = 0; k < positive; ++k) values.push_back(values[k] | sign);
  return values;
}

inline std::vector<std::uint64_t> edges(OpInfo::Operand operand) {
  if (operand.kind == 'p') return {0, 1};
  return operand.kind == 'f' ? float_edges(operand.bits) : integer_edges(operand.bits);
}

// A random operand: any bits, or (half the time, for floats) an ordinary magnitude, so that sums cancel and products
// stay finite.
inline std::uint64_t random_operand(OpInfo::Operand operand, std::mt19937_64& random) {
  if (operand.kind == 'p') return random() & 1;
  std::uint64_t value = random();
  if (operand.kind == 'f') {
    if (value & 1) return low_bits(random(), operand.bits);
    const unsigned fraction = operand.bits == 32 ? 23 : 52;
    const std::uint64_t bias = operand.bits == 32 ? 127 : 1023, exponent = bias - 3 + (value >> 1) % 7;
    const std::uint64_t sign = (value >> 8 & 1) << (operand.bits - 1);
    return sign | exponent << fraction | low_bits(random(), fraction);
  }
  if (value & 1) value = random() >> (random() % 64);  // small ones too
  return low_bits(value & 2 ? value : ~value, operand.bits);
}

// Edge values in every combination (thinned to a few thousand where there are more), then random ones.
inline std::vector<Operands> operand_sets(const OpInfo& info, std::size_t most = 4000, std::size_t random_sets = 2000) {
  std::mt19937_64 random(info.s_count * 7919U + info.s[0].bits);
  std::array<std::vector<std::uint64_t>, 4> values;
  std::size_t combinations = 1;
  for (unsigned k = 0; k < info.s_count; ++k) combinations *= (values[k] = edges(info.s[k])).size();
  std::vector<Operands> sets;
  for (std::size_t n = 0; n < std::min(most, combinations); ++n) {
    std::size_t which = combinations <= most ? n : random() % combinations;
    Operands operands{};
    for (unsigned k = 0; k < info.s_count; ++k) {
      operands[k] = values[k][which % values[k].size()];
      which /= values[k].size();
    }
    sets.push_back(operands);
  }
  for (std::size_t n = 0; n < random_sets; ++n) {
    Operands operands{};
    for (unsigned k = 0; k < info.s_count; ++k) operands[k] = random_operand(info.s[k], random);
    sets.push_back(operands);
  }
  return sets;
}

inline std::string describe(const Opcode& opcode, const Operands& operands, unsigned count, std::uint64_t result) {
  std::string text = opcode.text + "(";
  std::array<char, 32> number;
  for (unsigned k = 0; k < count; ++k) {
    std::snprintf(number.data(), number.size(), "%s%#llx", k == 0 ? "" : ", ",
                  static_cast<unsigned long long>(operands[k]));
    text += number.data();
  }
  std::snprintf(number.data(), number.size(), ") = %#llx", static_cast<unsigned long long>(result));
  return text + number.data();
}

// The first result equals reference(operands) for every operand set.
inline void expect_exact(const Opcode& opcode, const std::function<std::uint64_t(const Operands&)>& reference,
                         std::size_t most = 4000, std::size_t random_sets = 2000) {
  const OpInfo info = opcode.info();
  const std::vector<Operands> sets = operand_sets(info, most, random_sets);
  const std::vector<Results> results = run_batch(info, sets);
  unsigned failures = 0;
  for (std::size_t n = 0; n < sets.size() && failures < 3; ++n) {
    const std::uint64_t expected = reference(sets[n]);
    if (results[n][0] == expected) continue;
    ++failures;
    ADD_FAILURE() << describe(opcode, sets[n], info.s_count, results[n][0]) << ", expected 0x" << std::hex << expected;
  }
}

}  // namespace warpfold::isa
