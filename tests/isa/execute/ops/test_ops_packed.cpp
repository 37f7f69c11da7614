// SPDX-License-Identifier: Apache-2.0
// Instructions on the bytes and half-words of a word, against arithmetic on arrays of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/isa/op_harness.h"

namespace warpfold::isa {
namespace ops_packed_test {

std::vector<Operands> operands() {
  std::vector<Operands> batch;
  std::mt19937_64 random(12);
  const std::vector<std::uint64_t> edges = {0, 0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80007fff, 0x01020304, 0xfffe0001};
  for (const std::uint64_t a : edges) {
    for (const std::uint64_t b : edges) batch.push_back({a, b, random() & 0xffffffff});
  }
  for (int i = 0; i < 3000; ++i) batch.push_back({random() & 0xffffffff, random() & 0xffffffff, random() & 0xffffffff});
  return batch;
}

std::vector<int> parts(std::uint64_t word, unsigned bits, bool is_signed) {
  std::vector<int> values;
  for (unsigned at = 0; at < 32; at += bits) {
    int value = static_cast<int>(word >> at & ((1U << bits) - 1));
    if (is_signed && value >= 1 << (bits - 1)) value -= 1 << bits;
    values.push_back(value);
  }
  return values;
}

template <class Expected>
void expect(const std::string& name, const std::vector<std::string>& modifiers, Expected expected) {
  const auto batch = operands();
  const auto got = run_batch(find_op(name, modifiers).value(), batch);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ASSERT_EQ(got[i][0], std::uint64_t{expected(batch[i])})
        << name << std::hex << " " << batch[i][0] << " " << batch[i][1] << " " << batch[i][2];
  }
}

TEST(Packed, DotProductsOfTwo) {
  for (const bool sa : {false, true}) {
    for (const bool sb : {false, true}) {
      for (const bool high : {false, true}) {
        expect("dp2a", {high ? "hi" : "lo", sa ? "s32" : "u32", sb ? "s32" : "u32"}, [&](const Operands& o) {
          const auto a = parts(o[0], 16, sa), b = parts(o[1], 8, sb);
          const std::int64_t sum = std::int64_t{a[0]} * b[high ? 2 : 0] + std::int64_t{a[1]} * b[high ? 3 : 1];
          return static_cast<std::uint32_t>(sum + static_cast<std::int64_t>(o[2]));
        });
      }
    }
  }
}

TEST(Packed, HalfWords) {
  using Operation = int (*)(int, int);
  const std::vector<std::pair<std::string, Operation>> operations = {
      {"add", [](int a, int b) { return a + b; }},
      {"min", [](int a, int b) { return std::min(a, b); }},
      {"max", [](int a, int b) { return std::max(a, b); }}};
  for (const auto& [name, operation] : operations) {
    for (const bool is_signed : {false, true}) {
      for (const bool relu : {false, true}) {
        if (relu && (!is_signed || name == "add")) continue;
        std::vector<std::string> modifiers{is_signed ? "s16x2" : "u16x2"};
        if (relu) modifiers.insert(modifiers.begin(), "relu");
        expect(name, modifiers, [&](const Operands& o) {
          const auto a = parts(o[0], 16, is_signed), b = parts(o[1], 16, is_signed);
          std::uint32_t word = 0;
          for (unsigned k = 0; k < 2; ++k) {
            const int value = operation(a[k], b[k]);
            word |= static_cast<std::uint32_t>((relu ? std::max(value, 0) : value) & 0xffff) << 16 * k;
          }
          return word;
        });
      }
    }
    if (name == "add") continue;
    expect(name, {"relu", "s32"}, [&](const Operands& o) {
      const int a = static_cast<std::int32_t>(o[0]), b = static_cast<std::int32_t>(o[1]);
      return static_cast<std::uint32_t>(std::max(operation(a, b), 0));
    });
  }
}

TEST(Packed, VideoInstructions) {
  using Operation = int (*)(int, int);
  const std::vector<std::pair<std::string, Operation>> operations = {
      {"vadd", [](int a, int b) { return a + b; }},
      {"vsub", [](int a, int b) { return a - b; }},
      {"vabsdiff", [](int a, int b) { return std::abs(a - b); }},
      {"vmin", [](int a, int b) { return std::min(a, b); }},
      {"vmax", [](int a, int b) { return std::max(a, b); }},
      {"vavrg", [](int a, int b) { return (a + b + (a + b >= 0 ? 1 : -1)) / 2; }}};
  for (const unsigned bits : {8U, 16U}) {
    for (const bool is_signed : {false, true}) {
      const std::string type = is_signed ? "s32" : "u32";
      for (const auto& [name, operation] : operations) {
        const auto each = [&](const Operands& o, auto visit) {
          const auto a = parts(o[0], bits, is_signed), b = parts(o[1], bits, is_signed);
          for (std::size_t k = 0; k < a.size(); ++k) visit(k, operation(a[k], b[k]));
        };
        const std::string opcode = name + std::to_string(32 / bits);
        expect(opcode, {type, type, type, "add"}, [&](const Operands& o) {
          auto sum = static_cast<std::uint32_t>(o[2]);
          each(o, [&](std::size_t, int value) { sum += static_cast<std::uint32_t>(value); });
          return sum;
        });
        expect(opcode, {type, type, type, "sat"}, [&](const Operands& o) {
          std::uint32_t word = 0;
          const int low = is_signed ? -(1 << (bits - 1)) : 0, high = (1 << (is_signed ? bits - 1 : bits)) - 1;
          each(o, [&](std::size_t k, int value) {
            word |= (static_cast<std::uint32_t>(std::clamp(value, low, high)) & ((1U << bits) - 1)) << bits * k;
          });
          return word;
        });
      }
      expect("vset" + std::to_string(32 / bits), {type, type, "lt", "add"}, [&](const Operands& o) {
        const auto a = parts(o[0], bits, is_signed), b = parts(o[1], bits, is_signed);
        auto sum = static_cast<std::uint32_t>(o[2]);
        for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] < b[k] ? 1 : 0;
        return sum;
      });
    }
  }
}

TEST(Packed, MasksExtensionsAndPacks) {
  std::vector<Operands> fields;
  for (std::uint64_t a = 0; a < 40; ++a) {
    for (std::uint64_t b = 0; b < 40; ++b) fields.push_back({a, b, 0});
  }
  const auto mask = run_batch(find_op("bmsk", std::vector<std::string>{"clamp", "b32"}).value(), fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::uint32_t expected = 0;
    for (std::uint64_t bit = fields[i][0]; bit < std::min<std::uint64_t>(32, fields[i][0] + fields[i][1]); ++bit) {
      expected |= std::uint32_t{1} << bit;
    }
    ASSERT_EQ(mask[i][0], expected) << fields[i][0] << " " << fields[i][1];
  }
  std::vector<Operands> values;
  for (std::uint64_t bits = 0; bits < 36; ++bits) values.push_back({0x9abcdef5, bits});
  const auto extended = run_batch(find_op("szext", std::vector<std::string>{"clamp", "s32"}).value(), values);
  for (std::uint64_t bits = 1; bits < 32; ++bits) {
    const std::int64_t low = 0x9abcdef5 & ((1LL << bits) - 1);
    const std::int64_t expected = (low >> (bits - 1)) != 0 ? low - (1LL << bits) : low;
    ASSERT_EQ(static_cast<std::int32_t>(extended[bits][0]), expected) << bits;
  }
  EXPECT_EQ(extended[0][0], 0U);
  EXPECT_EQ(extended[35][0], 0x9abcdef5U);
  const auto clamped = [](std::uint64_t word, int low, int high) {
    return std::clamp(static_cast<std::int32_t>(static_cast<std::uint32_t>(word)), low, high);
  };
  expect("cvt", {"pack", "sat", "s16", "s32"}, [&](const Operands& o) {
    return static_cast<std::uint32_t>(clamped(o[0], -32768, 32767)) << 16 |
           (static_cast<std::uint32_t>(clamped(o[1], -32768, 32767)) & 0xffff);
  });
  expect("cvt", {"pack", "sat", "s4", "s32", "b32"}, [](const Operands& o) {
    const auto field = [&](unsigned k) {
      return std::uint64_t{0xf} & static_cast<std::uint64_t>(std::clamp(static_cast<std::int32_t>(o[k]), -8, 7));
    };
    return (o[2] << 8 & 0xffffffff) | field(0) << 4 | field(1);
  });
  expect("cvt", {"pack", "sat", "u2", "s32", "b32"}, [](const Operands& o) {
    const auto field = [&](unsigned k) {
      return static_cast<std::uint64_t>(std::clamp(static_cast<std::int32_t>(o[k]), 0, 3));
    };
    return (o[2] << 4 & 0xffffffff) | field(0) << 2 | field(1);
  });
  expect("cvt", {"pack", "sat", "u8", "s32", "b32"}, [&](const Operands& o) {
    return static_cast<std::uint32_t>(o[2]) << 16 | static_cast<std::uint32_t>(clamped(o[0], 0, 255)) << 8 |
           static_cast<std::uint32_t>(clamped(o[1], 0, 255));
  });
}

}  // namespace ops_packed_test
}  // namespace warpfold::isa
