// SPDX-License-Identifier: Apache-2.0
// Conversions of f16, bf16 and tf32 against MPFR with their exponents and subnormals, and against the host's double.
#include <mpfr.h>

#include <cmath>

#include "tests/isa/mpfr_reference.h"
#include "tests/isa/op_harness.h"
#include "warpfold/isa/execute/ops/narrow/half.h"

namespace warpfold::isa {
namespace ops_narrow_convert_test {

constexpr std::uint64_t kNan = 0x7fff;

float bfloat_value(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16)); }

// Rounds an exact number to 8 bits within bf16's range: bits of the float that it is.
std::uint64_t rounded_bfloat(mpfr_ptr exact, mpfr_rnd_t mode) {
  if (mpfr_nan_p(exact) != 0) return kNan;
  const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
  Real number(8);
  const int inexact = mpfr_set(number, exact, mode);
  mpfr_set_emin(-132);
  mpfr_set_emax(128);
  mpfr_subnormalize(number, mpfr_check_range(number, inexact, mode), mode);
  const float value = mpfr_get_flt(number, MPFR_RNDN);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  return std::bit_cast<std::uint32_t>(value) >> 16;
}

double value_of(std::uint64_t bits, bool brain) {
  return brain ? double{bfloat_value(bits)} : Half(static_cast<std::uint32_t>(bits)).value();
}

constexpr std::pair<const char*, mpfr_rnd_t> kModes[] = {
    {"rn", MPFR_RNDN}, {"rz", MPFR_RNDZ}, {"rm", MPFR_RNDD}, {"rp", MPFR_RNDU}};

std::vector<Results> converted(std::vector<std::string> modifiers, const std::vector<Operands>& batch) {
  return run_batch(find_op("cvt", modifiers).value(), batch);
}

TEST(Bfloat, ConversionFromFloatRoundsToEvenOrCuts) {
  std::mt19937_64 random(6);
  std::vector<Operands> batch;
  for (const std::uint64_t edge : float_edges(32)) batch.push_back({edge, edge ^ 0x80000000});
  for (int i = 0; i < 20000; ++i) batch.push_back({random() & 0xffffffff, random() & 0xffff8000});
  Real exact;
  for (const auto& [rounding, mode] : {std::pair{"rm", MPFR_RNDD}, {"rp", MPFR_RNDU}}) {
    const auto one = run_batch(find_op("cvt", std::vector<std::string>{rounding, "bf16", "f32"}).value(), batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      mpfr_set_flt(exact, std::bit_cast<float>(static_cast<std::uint32_t>(batch[i][0])), MPFR_RNDN);
      ASSERT_EQ(one[i][0], rounded_bfloat(exact, mode)) << rounding << std::hex << batch[i][0];
    }
  }
  for (const auto& [rounding, mode] : {std::pair{"rn", MPFR_RNDN}, {"rz", MPFR_RNDZ}}) {
    const auto one = run_batch(find_op("cvt", std::vector<std::string>{rounding, "bf16", "f32"}).value(), batch);
    const auto two = run_batch(find_op("cvt", std::vector<std::string>{rounding, "bf16x2", "f32"}).value(), batch);
    const auto positive =
        run_batch(find_op("cvt", std::vector<std::string>{rounding, "relu", "bf16", "f32"}).value(), batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::array<std::uint64_t, 2> expected{};
      for (unsigned k = 0; k < 2; ++k) {
        mpfr_set_flt(exact, std::bit_cast<float>(static_cast<std::uint32_t>(batch[i][k])), MPFR_RNDN);
        expected[k] = rounded_bfloat(exact, mode);
      }
      ASSERT_EQ(one[i][0], expected[0]) << std::hex << batch[i][0];
      ASSERT_EQ(two[i][0], expected[0] << 16 | expected[1]) << "the first operand is the upper half";
      ASSERT_EQ(positive[i][0], expected[0] != kNan && expected[0] >= 0x8000 ? 0 : expected[0]);
    }
  }
}

// Doubles and integers that a float cannot hold: no second rounding on the way.
TEST(Bfloat, ConversionsRoundOnce) {
  std::mt19937_64 random(7);
  std::vector<Operands> doubles, integers;
  for (const std::uint64_t edge : float_edges(64)) doubles.push_back({edge});
  for (const std::uint64_t edge : integer_edges(64)) integers.push_back({edge});
  for (int i = 0; i < 20000; ++i) {
    // Just beside the middle between two: what a float in between would lose.
    const double middle = std::ldexp(1 + (2 * (random() % 128) + 1) / 256.0, static_cast<int>(random() % 250) - 130);
    const double beside = i % 3 == 0 ? middle : std::nextafter(middle, i % 3 == 1 ? 0.0 : 1e300);
    doubles.push_back({std::bit_cast<std::uint64_t>(i % 2 == 0 ? beside : -beside)});
    const std::uint64_t top = (0x101 | (random() & 0xfe)) << (random() % 55);
    integers.push_back({top + random() % 3 - 1});
    integers.push_back({random() >> (random() % 64)});
  }
  Real exact;
  for (const auto& [rounding, mode] : kModes) {
    const auto of_doubles = converted({rounding, "bf16", "f64"}, doubles);
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      mpfr_set_d(exact, std::bit_cast<double>(doubles[i][0]), MPFR_RNDN);
      ASSERT_EQ(of_doubles[i][0], rounded_bfloat(exact, mode)) << rounding << std::bit_cast<double>(doubles[i][0]);
    }
    const auto of_unsigned = converted({rounding, "bf16", "u64"}, integers),
               of_signed = converted({rounding, "bf16", "s64"}, integers);
    const auto of_words = converted({rounding, "bf16", "s32"}, integers),
               of_bytes = converted({rounding, "bf16", "u8"}, integers);
    for (std::size_t i = 0; i < integers.size(); ++i) {
      const auto expected = [&, mode = mode](auto value) {
        if (std::is_signed_v<decltype(value)>)
          mpfr_set_sj(exact, static_cast<std::intmax_t>(value), MPFR_RNDN);
        else
          mpfr_set_uj(exact, static_cast<std::uintmax_t>(value), MPFR_RNDN);
        return rounded_bfloat(exact, mode);
      };
      const std::uint64_t value = integers[i][0];
      ASSERT_EQ(of_unsigned[i][0], expected(value)) << rounding << value;
      ASSERT_EQ(of_signed[i][0], expected(static_cast<std::int64_t>(value))) << rounding << value;
      ASSERT_EQ(of_words[i][0], expected(static_cast<std::int32_t>(value))) << rounding << value;
      ASSERT_EQ(of_bytes[i][0], expected(static_cast<std::uint8_t>(value))) << rounding << value;
    }
  }
}

// What lies beyond the number below, as a fraction of the way to the next, and `random` make one: away from zero. What
// would come behind the greatest stands for infinity.
std::uint64_t rounded_by_chance(double value, double random, bool brain) {
  if (std::isnan(value)) return kNan;
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0, infinity = brain ? 0x7f80 : 0x7c00;
  const double size = std::fabs(value), limit = brain ? 0x1p128 : 0x1p16;
  if (size >= limit) return sign | infinity;
  std::uint64_t below = 0, beyond = infinity;
  while (below + 1 < beyond) {
    const std::uint64_t middle = (below + beyond) / 2;
    (value_of(middle, brain) <= size ? below : beyond) = middle;
  }
  const double low = value_of(below, brain), high = beyond == infinity ? limit : value_of(beyond, brain);
  return sign | (size - low >= (1 - random) * (high - low) ? beyond : below);
}

TEST(NarrowFloats, FloatsAreRoundedByChance) {
  std::mt19937_64 random(8);
  std::vector<Operands> batch;
  const auto both_signs = [&](std::uint64_t a, std::uint64_t b) {
    for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{0xffffffff}, std::uint64_t{0x1fff1fff},
                                     std::uint64_t{0xe000e000}, random() & 0xffffffff}) {
      batch.push_back({a, b ^ 0x80000000, bits});
    }
  };
  for (const std::uint64_t edge : float_edges(32)) both_signs(edge, edge);
  for (int i = 0; i < 5000; ++i) {
    // Of all sizes, and those that f16 has, from half of its least number on.
    const std::uint64_t size = (100 + random() % 46) << 23 | (random() & 0x7fffff);
    both_signs(random() & 0xffffffff, i % 8 == 0 ? size & ~std::uint64_t{0x1fff} : size);
  }
  for (const bool brain : {false, true}) {
    for (const bool relu : {false, true}) {
      for (const bool satfinite : {false, true}) {
        std::vector<std::string> words{"rs"};
        if (satfinite) words.push_back("satfinite");
        if (relu) words.push_back("relu");
        words.push_back(brain ? "bf16x2" : "f16x2");
        words.push_back("f32");
        const auto got = converted(words, batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
          std::array<std::uint64_t, 2> expected{};
          for (unsigned k = 0; k < 2; ++k) {
            const auto half = static_cast<std::uint32_t>(batch[i][2]) >> (k == 0 ? 16 : 0) & 0xffff;
            const double chance = brain ? half / 65536.0 : (half & 0x1fff) / 8192.0;
            const double value = std::bit_cast<float>(static_cast<std::uint32_t>(batch[i][k]));
            expected[k] = rounded_by_chance(value, chance, brain);
            const bool infinite = (expected[k] & 0x7fff) == (brain ? 0x7f80 : 0x7c00);
            if (satfinite && infinite) expected[k] -= 1;
            if (relu && (expected[k] & 0x8000) != 0) expected[k] = 0;
          }
          ASSERT_EQ(got[i][0], expected[0] << 16 | expected[1])
              << words[1] << std::hex << " " << batch[i][0] << " " << batch[i][1] << " " << batch[i][2];
        }
      }
    }
  }
}

// Every number of both formats as an integer, and as an integral number.
TEST(NarrowFloats, IntegralNumbers) {
  std::vector<Operands> all;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) all.push_back({bits});
  const std::pair<const char*, double (*)(double)> modes[] = {{"rni", [](double x) { return std::nearbyint(x); }},
                                                              {"rzi", [](double x) { return std::trunc(x); }},
                                                              {"rmi", [](double x) { return std::floor(x); }},
                                                              {"rpi", [](double x) { return std::ceil(x); }}};
  for (const bool brain : {false, true}) {
    const std::string type = brain ? "bf16" : "f16";
    for (const auto& [mode, integral] : modes) {
      const auto number = converted({mode, type, type}, all);
      const auto word = converted({mode, "s32", type}, all), same = converted({mode, "sat", "s32", type}, all);
      const auto byte = converted({mode, "u8", type}, all), wide = converted({mode, "u64", type}, all);
      for (const Operands& operand : all) {
        const std::uint64_t bits = operand[0];
        const double x = value_of(bits, brain), y = integral(x), got = value_of(number[bits][0], brain);
        ASSERT_TRUE(std::isnan(x) ? std::isnan(got) : got == y && std::signbit(got) == std::signbit(y)) << x;
        const double limited = std::isnan(x) ? 0 : std::clamp(y, -0x1p31, 0x1p31 - 1);
        ASSERT_EQ(static_cast<std::int32_t>(word[bits][0]), limited) << mode << type << x;
        ASSERT_EQ(same[bits][0], word[bits][0]);
        ASSERT_EQ(byte[bits][0], std::isnan(x) ? 0 : std::clamp(y, 0.0, 255.0)) << mode << type << x;
        const std::uint64_t most = y >= 0x1p64 ? ~std::uint64_t{0} : y <= 0 ? 0 : static_cast<std::uint64_t>(y);
        ASSERT_EQ(wide[bits][0], std::isnan(x) ? std::uint64_t{1} << 63 : most) << mode << type << x;
      }
    }
  }
  const auto wide = converted({"f64", "bf16"}, all);
  for (const Operands& operand : all) {
    const double x = value_of(operand[0], true), got = std::bit_cast<double>(wide[operand[0]][0]);
    ASSERT_TRUE(std::isnan(x) ? std::isnan(got) : got == x && std::signbit(got) == std::signbit(x));
  }
}

// .satfinite differs from the plain form where that overflows, .sat of integers where they are not 0 or less.
TEST(NarrowFloats, LimitedConversions) {
  std::vector<Operands> floats, integers;
  for (const std::uint64_t edge : float_edges(32)) floats.push_back({edge, edge ^ 0x80000000});
  for (const float x : {65504.0F, 65519.0F, 65520.0F, 1e6F, 3.4e38F, 3.39e38F, 2.0F}) {
    const std::uint64_t bits = std::bit_cast<std::uint32_t>(x);
    floats.push_back({bits, bits | 0x80000000});
    floats.push_back({bits | 0x80000000, bits});
  }
  for (const std::uint64_t edge : integer_edges(16)) integers.push_back({edge});
  for (const std::string type : {"f16", "bf16"}) {
    const std::uint64_t infinity = type == "f16" ? 0x7c00 : 0x7f80;
    for (const std::string mode : {"rn", "rz"}) {
      const auto plain = converted({mode, type, "f32"}, floats);
      const auto finite = converted({mode, "satfinite", type, "f32"}, floats),
                 positive = converted({mode, "relu", "satfinite", type, "f32"}, floats),
                 pair = converted({mode, "satfinite", type + "x2", "f32"}, floats);
      for (std::size_t i = 0; i < floats.size(); ++i) {
        const bool infinite = (plain[i][0] & 0x7fff) == infinity;
        const std::uint64_t expected = infinite ? plain[i][0] - 1 : plain[i][0];
        ASSERT_EQ(finite[i][0], expected) << type << mode << std::hex << floats[i][0];
        ASSERT_EQ(positive[i][0], expected != kNan && expected >= 0x8000 ? 0 : expected);
        ASSERT_EQ(pair[i][0] >> 16, expected);
        ASSERT_EQ(pair[i][0] & 0xffff, expected == kNan ? kNan : expected ^ 0x8000);
      }
    }
  }
  const auto limited = converted({"rz", "sat", "f16", "s16"}, integers);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    ASSERT_EQ(limited[i][0], static_cast<std::int16_t>(integers[i][0]) > 0 ? 0x3c00 : 0);
  }
}

TEST(Floats, Tf32KeepsTenBitsTiesAwayFromZero) {
  std::vector<Operands> batch;
  std::mt19937_64 random(8);
  for (int i = 0; i < 5000; ++i) batch.push_back({random() & 0xffffffff});
  for (int i = 0; i < 500; ++i) batch.push_back({(random() & 0xffffe000) | 0x1000});  // ties
  const auto got = run_batch(find_op("cvt", std::vector<std::string>{"rna", "tf32", "f32"}).value(), batch);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(batch[i][0]));
    if (!std::isfinite(x)) continue;
    const int exponent = std::max(std::ilogb(x == 0 ? 1.0F : x), -126);
    const double unit = std::ldexp(1.0, exponent - 10);
    const double expected = std::copysign(std::floor(std::fabs(double{x}) / unit + 0.5) * unit, double{x});
    const float result = std::bit_cast<float>(static_cast<std::uint32_t>(got[i][0]));
    ASSERT_EQ(result, static_cast<float>(expected)) << x;
  }
}

TEST(Floats, Tf32InOtherModes) {
  std::vector<Operands> batch;
  std::mt19937_64 random(9);
  for (const std::uint64_t edge : float_edges(32)) batch.push_back({edge});
  for (int i = 0; i < 5000; ++i)
    batch.push_back({i % 2 == 0 ? random() & 0xffffffff : (random() & 0xffffe000) | 0x1000});
  const auto nearest = converted({"rn", "tf32", "f32"}, batch), cut = converted({"rz", "tf32", "f32"}, batch);
  const auto positive = converted({"rn", "relu", "satfinite", "tf32", "f32"}, batch),
             away = converted({"rna", "satfinite", "tf32", "f32"}, batch);
  Real exact, rounded(11);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(batch[i][0]));
    if (std::isnan(x)) {
      ASSERT_EQ(nearest[i][0], 0x7fffffffU);
      ASSERT_EQ(positive[i][0], 0x7fffffffU);
      continue;
    }
    ASSERT_EQ(cut[i][0], std::isinf(x) ? batch[i][0] : batch[i][0] & 0xffffe000);
    if (std::isinf(x)) {
      ASSERT_EQ(away[i][0], x > 0 ? 0x7f7fe000 : 0xff7fe000);
      ASSERT_EQ(positive[i][0], x > 0 ? 0x7f7fe000 : 0);
      continue;
    }
    if (std::fabs(x) < 0x1p-126F) continue;
    mpfr_set_flt(rounded, x, MPFR_RNDN);
    const double expected = mpfr_get_d(rounded, MPFR_RNDN);
    const float got = std::bit_cast<float>(static_cast<std::uint32_t>(nearest[i][0]));
    ASSERT_EQ(std::isinf(got) ? 0x1p128 * (got > 0 ? 1 : -1) : double{got}, expected) << x;
    if (std::isfinite(got)) {
      ASSERT_EQ(positive[i][0], x < 0 ? 0 : nearest[i][0]);
    }
  }
}

TEST(NarrowFloats, IntegersAndHalves) {
  std::vector<Operands> halves, integers;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) halves.push_back({bits});
  for (std::int64_t value = -70000; value <= 70000; value += 7) {
    integers.push_back({static_cast<std::uint32_t>(static_cast<std::int32_t>(value))});
  }
  const auto floor = run_batch(find_op("cvt", std::vector<std::string>{"rmi", "s8", "f16"}).value(), halves);
  for (const Operands& operand : halves) {
    const double x = value_of(operand[0], false);
    const double expected = std::isnan(x) ? 0 : std::clamp(std::floor(x), -128.0, 127.0);
    ASSERT_EQ(static_cast<std::int8_t>(floor[operand[0]][0]), expected) << x;
  }
  const auto half = run_batch(find_op("cvt", std::vector<std::string>{"rn", "f16", "s32"}).value(), integers);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const auto value = static_cast<std::int32_t>(integers[i][0]);
    const double got = value_of(half[i][0], false);
    if (std::abs(value) >= 65520) {
      ASSERT_TRUE(std::isinf(got));
    } else {
      ASSERT_LE(std::fabs(got - value), std::abs(value) < 2048 ? 0 : 16) << value;
    }
  }
}

}  // namespace ops_narrow_convert_test
}  // namespace warpfold::isa
