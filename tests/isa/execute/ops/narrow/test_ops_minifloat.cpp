// SPDX-License-Identifier: Apache-2.0
// Conversions to and from floats of four, six and eight bits, against the nearest of all numbers that a format has.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/isa/op_harness.h"

namespace warpfold::isa {
namespace ops_minifloat_test {

struct Format {
  std::string name;
  unsigned exponent, fraction;
  unsigned greatest;  // code of the greatest number
  bool nan;
  unsigned bits() const { return 1 + exponent + fraction; }
  unsigned slot() const { return bits() == 4 ? 4 : 8; }
  // Not by the model's formula: counts up, a step at a time, whose size doubles with the exponent.
  std::vector<double> numbers() const {
    std::vector<double> all{0};
    double step = std::exp2(1 - (std::exp2(exponent - 1) - 1) - fraction);
    while (all.size() <= greatest) {
      const std::size_t last = all.size() - 1;
      if (last >= 2U << fraction && last % (1U << fraction) == 0) step *= 2;
      all.push_back(all.back() + step);
    }
    return all;
  }
  unsigned code_of(double value, bool relu) const {
    if (std::isnan(value)) return nan ? 0x7f : greatest;
    const bool negative = std::signbit(value);
    if (relu && negative) return 0;
    const auto all = numbers();
    unsigned best = 0;
    for (unsigned code = 1; code < all.size(); ++code) {
      const double better = std::fabs(std::fabs(value) - all[code]) - std::fabs(std::fabs(value) - all[best]);
      if (better < 0 || (better == 0 && code % 2 == 0)) best = code;
    }
    if (std::fabs(value) > all.back()) best = greatest;
    return best | (negative ? 1U << (bits() - 1) : 0);
  }
};

const std::vector<Format> kFormats{{"e4m3x2", 4, 3, 0x7e, true},
                                   {"e5m2x2", 5, 2, 0x7b, true},
                                   {"e2m3x2", 2, 3, 0x1f, false},
                                   {"e3m2x2", 3, 2, 0x1f, false},
                                   {"e2m1x2", 2, 1, 0x7, false}};

std::vector<std::string> modifiers(std::vector<std::string> first, bool relu, const std::string& to,
                                   const std::string& from) {
  if (relu) first.push_back("relu");
  first.push_back(to);
  first.push_back(from);
  return first;
}

// Every number, what lies half way between two and a little beside that, and what is no number of the format.
std::vector<float> floats(const Format& format) {
  std::vector<float> values{0.0F,
                            -0.0F,
                            1e30F,
                            -1e30F,
                            1e-30F,
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()};
  const auto numbers = format.numbers();
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const double next = n + 1 < numbers.size() ? numbers[n + 1] : 2 * numbers[n];
    const auto middle = static_cast<float>((numbers[n] + next) / 2);
    for (const float value :
         {static_cast<float>(numbers[n]), middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e30F)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

TEST(Minifloat, FloatsRoundToTheNearest) {
  for (const Format& format : kFormats) {
    for (const bool relu : {false, true}) {
      const auto values = floats(format);
      std::vector<Operands> batch;
      for (std::size_t n = 0; n < values.size(); ++n) {
        batch.push_back({std::bit_cast<std::uint32_t>(values[n]),
                         std::bit_cast<std::uint32_t>(values[(n * 7 + 3) % values.size()])});
      }
      const auto got =
          run_batch(find_op("cvt", modifiers({"rn", "satfinite"}, relu, format.name, "f32")).value(), batch);
      for (std::size_t n = 0; n < values.size(); ++n) {
        const unsigned upper = format.code_of(values[n], relu),
                       lower = format.code_of(values[(n * 7 + 3) % values.size()], relu);
        ASSERT_EQ(got[n][0], upper << format.slot() | lower) << format.name << relu << " " << values[n];
      }
    }
  }
}

// Away from zero where what lies above the number below, as a fraction of the way to the next, and `random` make one.
unsigned code_by_chance(const Format& format, double value, double random, bool relu) {
  const auto all = format.numbers();
  const bool negative = std::signbit(value);
  if (std::isnan(value) || (relu && negative) || std::fabs(value) >= all.back()) return format.code_of(value, relu);
  unsigned code = 0;
  while (all[code + 1] <= std::fabs(value)) ++code;
  if (std::fabs(value) - all[code] >= (1 - random) * (all[code + 1] - all[code])) ++code;
  return code | (negative ? 1U << (format.bits() - 1) : 0);
}

double reversed_fraction(unsigned bits) {
  double fraction = 0;
  for (unsigned k = 0; k < 16; ++k) fraction += (bits >> k & 1) * std::ldexp(1.0, -1 - static_cast<int>(k));
  return fraction;
}

TEST(Minifloat, FourFloatsAreRoundedByChance) {
  std::mt19937 random(11);
  for (const Format& format : kFormats) {
    const std::string name = format.name.substr(0, 4) + "x4";
    const auto values = floats(format);
    for (const bool relu : {false, true}) {
      std::vector<Operands> batch;
      std::vector<std::array<float, 4>> numbers;
      for (std::size_t n = 0; n < 16 * values.size(); ++n) {
        const auto one = [&](std::size_t k) {
          // Values of the list, and any between their neighbours.
          const float value = values[(n * 7 + k * 5) % values.size()];
          return n % 2 == 0 ? value : value * (1 + static_cast<float>(random() % 1024) / 4096);
        };
        numbers.push_back({one(0), one(1), one(2), one(3)});
        const auto pair = [&](unsigned k) {
          return std::bit_cast<std::uint32_t>(numbers.back()[k]) |
                 std::uint64_t{std::bit_cast<std::uint32_t>(numbers.back()[k + 1])} << 32;
        };
        constexpr std::array<std::uint32_t, 4> kEdges{0, 0xffffffff, 0x80008000, 0x7fff7fff};
        batch.push_back({pair(0), pair(2), n % 8 < 4 ? kEdges[n % 4] : random()});
      }
      const OpInfo info = find_op("cvt", relu ? std::vector<std::string>{"rs", "relu", "satfinite", name, "f32"}
                                              : std::vector<std::string>{"rs", "satfinite", name, "f32"})
                              .value();
      EXPECT_EQ(info.d[0].bits, format.bits() == 4 ? 16 : 32);
      const auto got = run_batch(info, batch);
      for (std::size_t n = 0; n < batch.size(); ++n) {
        const auto bits = static_cast<unsigned>(batch[n][2]);
        const unsigned upper = bits >> 16, lower = bits & 0xffff;
        std::array<double, 4> chance{reversed_fraction(upper), upper / 65536.0, reversed_fraction(lower),
                                     lower / 65536.0};
        if (format.bits() == 4) {
          chance = {(bits >> 24) / 256.0, (bits >> 8 & 255) / 256.0, (bits >> 16 & 255) / 256.0, (bits & 255) / 256.0};
        }
        unsigned expected = 0;
        for (unsigned k = 0; k < 4; ++k) {
          expected = expected << format.slot() | code_by_chance(format, numbers[n][k], chance[k], relu);
        }
        ASSERT_EQ(got[n][0], expected) << name << relu << " " << std::hex << bits << " " << numbers[n][0] << " "
                                       << numbers[n][1] << " " << numbers[n][2] << " " << numbers[n][3];
      }
    }
  }
}

double value_of_half(unsigned bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25));
}

TEST(Minifloat, EveryCodeIsWidenedAndComesBack) {
  for (const Format& format : kFormats) {
    for (const bool relu : {false, true}) {
      std::vector<Operands> batch;
      for (unsigned code = 0; code < 1U << format.bits(); ++code) batch.push_back({code << format.slot() | 1});
      const auto got = run_batch(find_op("cvt", modifiers({"rn"}, relu, "f16x2", format.name)).value(), batch);
      const auto numbers = format.numbers();
      for (unsigned code = 0; code < batch.size(); ++code) {
        const unsigned size = code & ((1U << (format.bits() - 1)) - 1);
        const bool negative = size != code;
        const double value = value_of_half(static_cast<unsigned>(got[code][0] >> 16));
        EXPECT_EQ(value_of_half(got[code][0] & 0xffff), numbers[1]);
        if (size > format.greatest) {
          const bool infinite = format.name == "e5m2x2" && size == 0x7c;
          EXPECT_EQ(std::isinf(value), infinite && !(relu && negative)) << format.name << code;
          EXPECT_EQ(std::isnan(value), !infinite) << format.name << code;
          continue;
        }
        EXPECT_EQ(value, relu && negative ? 0 : negative ? -numbers[size] : numbers[size]) << format.name << code;
        EXPECT_EQ(std::signbit(value), negative && !relu);
      }
    }
  }
}

TEST(Minifloat, HalvesOfEightBitFormats) {
  for (const Format& format : {kFormats[0], kFormats[1]}) {
    for (const bool relu : {false, true}) {
      std::vector<Operands> batch;
      for (unsigned bits = 0; bits < 0x10000; bits += 7) batch.push_back({bits << 16 | 0x3c00});
      const auto got =
          run_batch(find_op("cvt", modifiers({"rn", "satfinite"}, relu, format.name, "f16x2")).value(), batch);
      for (std::size_t n = 0; n < batch.size(); ++n) {
        const double value = value_of_half(static_cast<unsigned>(batch[n][0] >> 16));
        ASSERT_EQ(got[n][0], format.code_of(value, relu) << 8 | format.code_of(1, relu)) << format.name << value;
      }
    }
  }
}

// 2^(code - 127), the powers of two around a number; 255 is none.
TEST(Minifloat, ExponentsAlone) {
  const auto power = [](unsigned code) { return std::ldexp(1.0, static_cast<int>(code) - 127); };
  std::vector<Operands> batch;
  std::vector<float> values{0.0F,     1e-45F,     0x1p-127F, 0x1.8p-127F, 0x1p-126F, 3e38F,
                            0x1p127F, 0x1.8p127F, 1.0F,      1.5F,        2.0F};
  for (float x = 1e-39F; x < 3e38F; x *= 1.37F) values.push_back(x);
  values.push_back(std::numeric_limits<float>::infinity());
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  for (const float x : values) batch.push_back({std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(-x)});
  for (const bool up : {false, true}) {
    const std::string mode = up ? "rp" : "rz";
    const auto plain = run_batch(find_op("cvt", std::vector<std::string>{mode, "ue8m0x2", "f32"}).value(), batch);
    const auto finite =
        run_batch(find_op("cvt", std::vector<std::string>{mode, "satfinite", "ue8m0x2", "f32"}).value(), batch);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = values[i];
      unsigned expected = 0xff;
      if (!std::isnan(x)) {
        unsigned code = 0;
        while (code < 255 && (up ? power(code) < x : power(code + 1) <= x)) ++code;
        expected = code;
      }
      const unsigned code = std::isinf(x) ? 0xff : expected;
      ASSERT_EQ(plain[i][0], code << 8 | code) << mode << x;
      const unsigned limited = code == 0xff && !std::isnan(x) ? 0xfe : code;
      ASSERT_EQ(finite[i][0], limited << 8 | limited) << mode << x;
    }
  }
  batch.clear();
  for (unsigned code = 0; code < 256; ++code) batch.push_back({code | (255 - code) << 8});
  const auto wide = run_batch(find_op("cvt", std::vector<std::string>{"rn", "bf16x2", "ue8m0x2"}).value(), batch);
  for (unsigned code = 0; code < 256; ++code) {
    for (const bool upper : {false, true}) {
      const auto bits = static_cast<std::uint32_t>(upper ? wide[code][0] >> 16 << 16 : wide[code][0] << 16);
      const unsigned of = upper ? 255 - code : code;
      const float got = std::bit_cast<float>(bits);
      ASSERT_TRUE(of == 255 ? std::isnan(got) : got == power(of)) << code;
    }
  }
}

}  // namespace ops_minifloat_test
}  // namespace warpfold::isa
